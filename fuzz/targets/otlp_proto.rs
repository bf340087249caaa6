//! The protobuf walker against prost: both accept the same, except for input refused
//! on purpose; and masking of accepted input.

#![no_main]

use bytes::BytesMut;
use ingest::limits::Limits;
use ingest::validate::{Format, Reason, Rejection, validate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use palisade_fuzz::{otlp, wire_mutation};
use prost::Message;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    wire_mutation::mutate(data, size, max_size, seed)
});

fuzz_target!(|body: &[u8]| {
    let oracle = ExportLogsServiceRequest::decode(body);
    match validate(
        Format::OtlpProtobuf,
        BytesMut::from(body),
        &Limits::default(),
        common::timestamp::Timestamp::default(),
    ) {
        Ok(batch) => {
            let oracle = oracle.expect("prost reads what we accept");
            assert_eq!(&batch.payload[..], body, "the payload is not the body");
            assert_eq!(batch.record_count as usize, otlp::records(&oracle).count());
            let timed = otlp::records(&oracle)
                .all(|record| record.time_unix_nano != 0 || record.observed_time_unix_nano != 0);
            assert_eq!(batch.every_record_timed, timed);
            otlp::check_masking(&batch.payload);
        }
        Err(Rejection::LimitExceeded { .. }) => {
            oracle.expect("syntax comes before counts");
        }
        Err(Rejection::Malformed { reason: Reason::Group { .. } | Reason::TooDeep { .. }, .. }) => {}
        Err(rejection) => assert!(oracle.is_err(), "prost accepts it: {rejection}"),
    }
});

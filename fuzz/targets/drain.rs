//! The drain transcoder against trees: the same bodies are accepted, and every record holds exactly
//! the content of its object. The first byte chooses between an array and lines.

#![no_main]

use bytes::BytesMut;
use ingest::limits::Limits;
use ingest::validate::{Format, GROWTH, Reason, Rejection, ValidBatch, validate};
use libfuzzer_sys::fuzz_target;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use palisade_fuzz::drain_model::{self, Judged};
use palisade_fuzz::{json_tree, otlp};
use prost::Message;

fuzz_target!(|input: &[u8]| {
    let Some((choice, body)) = input.split_first() else { return };
    let (format, judged) = if choice % 2 == 0 {
        // An object is another format.
        if body.trim_ascii_start().first() == Some(&b'{') {
            return;
        }
        (Format::Json, drain_model::array(body))
    } else {
        (Format::Ndjson, drain_model::lines(body))
    };
    match validate(format, BytesMut::from(body), &Limits::default(), common::timestamp::Timestamp::default())
    {
        Ok(batch) => check(&batch, &judged, body),
        Err(Rejection::LimitExceeded { .. }) => assert!(judged.is_well_formed, "syntax comes before counts"),
        Err(Rejection::Malformed { reason: Reason::TooDeep { allowed }, .. }) => {
            let deepest = judged.records.iter().flatten().map(json_tree::depth).max();
            assert!(deepest.is_none_or(|deepest| deepest > allowed as usize), "{deepest:?} is not too deep");
        }
        Err(rejection) => assert!(!judged.is_well_formed, "serde_json accepts it: {rejection}"),
    }
});

fn check(batch: &ValidBatch, judged: &Judged, body: &[u8]) {
    assert!(judged.is_well_formed, "serde_json refuses it");
    let request = ExportLogsServiceRequest::decode(&batch.payload[..]).expect("prost reads what we write");
    assert_eq!(request.encoded_len(), batch.payload.len(), "a length is not written as short as can be");
    // The groups around the records and the scope's name are there once.
    assert!(batch.payload.len() <= GROWTH * body.len() + 64);
    assert_eq!(batch.record_count as usize, otlp::records(&request).count());
    let timed = otlp::records(&request).all(|record| record.time_unix_nano != 0);
    assert_eq!(batch.every_record_timed, timed);
    if let Some(trees) = &judged.records {
        assert_eq!(trees.len(), batch.record_count as usize);
        for (tree, record) in trees.iter().zip(otlp::records(&request)) {
            assert!(drain_model::agrees(tree, record.body.as_ref()), "{tree:?} became {:?}", record.body);
        }
    }
    otlp::check_masking(&batch.payload);
}

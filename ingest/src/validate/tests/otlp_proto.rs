//! The protobuf walker against prost.

use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::logs::v1::{ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use proptest::prelude::*;

use super::generate::{any_damage, any_request, damaged};
use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn valid_requests_pass_unchanged_and_counted(request in any_request()) {
        let body = request.encode_to_vec();
        let batch = run(Format::OtlpProtobuf, &body).unwrap();
        prop_assert_eq!(&batch.payload[..], &body[..]);
        prop_assert_eq!(batch.record_count as usize, records(&request).count());
        let timed = records(&request).all(|record| record.time_unix_nano != 0 || record.observed_time_unix_nano != 0);
        prop_assert_eq!(batch.every_record_timed, timed);
    }

    #[test]
    fn damaged_requests_are_judged_as_prost_judges_them(
        request in any_request(),
        damage in proptest::collection::vec(any_damage(), 16),
    ) {
        let whole = request.encode_to_vec();
        for damage in damage {
            let body = damaged(whole.clone(), &damage);
            let oracle = ExportLogsServiceRequest::decode(&body[..]);
            match run(Format::OtlpProtobuf, &body) {
                Ok(batch) => {
                    let oracle = oracle.expect("prost reads what we accept");
                    prop_assert_eq!(batch.record_count as usize, records(&oracle).count());
                }
                // The only stricter check at this size.
                Err(Rejection::Malformed { reason: Reason::Group { .. }, .. }) => {}
                Err(rejection) => prop_assert!(oracle.is_err(), "prost accepts it: {}", rejection),
            }
        }
    }

    #[test]
    fn arbitrary_bytes_are_judged_as_prost_judges_them(body in proptest::collection::vec(0_u8..32, 0..24)) {
        let oracle = ExportLogsServiceRequest::decode(&body[..]);
        match run(Format::OtlpProtobuf, &body) {
            Ok(_) => prop_assert!(oracle.is_ok()),
            Err(Rejection::Malformed { reason: Reason::Group { .. }, .. }) => {}
            Err(rejection) => prop_assert!(oracle.is_err(), "prost accepts it: {}", rejection),
        }
    }
}

#[test]
fn an_empty_body_is_an_empty_batch() {
    let batch = run(Format::OtlpProtobuf, b"").unwrap();
    assert_eq!((batch.record_count, batch.every_record_timed, batch.payload.len()), (0, true, 0));
}

#[test]
fn attributes_of_a_message_that_is_given_twice_count_together() {
    let attribute = KeyValue { key: "key".to_owned(), ..KeyValue::default() };
    let resource = Resource { attributes: vec![attribute; 65], ..Resource::default() };
    let group = ResourceLogs { resource: Some(resource), ..ResourceLogs::default() };
    let once = group.encode_to_vec();
    let twice = [once.clone(), once.clone()].concat();
    for (resource_logs, found) in [(once, None), (twice, Some(130))] {
        // Field 1, length-delimited, of the request.
        let mut body = vec![10];
        prost::encoding::encode_varint(resource_logs.len() as u64, &mut body);
        body.extend_from_slice(&resource_logs);
        let rejection = run(Format::OtlpProtobuf, &body).err();
        let expected = found.map(|found| Rejection::LimitExceeded {
            limit: "attributes",
            allowed: 128,
            found,
            record: None,
        });
        assert_eq!(rejection, expected);
    }
}

#[test]
fn of_a_repeated_time_the_last_one_counts() {
    let with = |first: u64, second: u64| {
        let record = [first, second].map(|time_unix_nano| [&[9], &time_unix_nano.to_le_bytes()[..]].concat());
        let record = record.concat();
        let scope = [&[18, record.len() as u8], &record[..]].concat();
        let group = [&[18, scope.len() as u8], &scope[..]].concat();
        [&[10, group.len() as u8], &group[..]].concat()
    };
    for (first, second, timed) in [(5, 0, false), (0, 5, true), (0, 0, false)] {
        let batch = run(Format::OtlpProtobuf, &with(first, second)).unwrap();
        assert_eq!(batch.every_record_timed, timed, "{first} then {second}");
        assert_eq!(records(&request(&batch)).next().unwrap().time_unix_nano, second);
    }
}

#[test]
fn fields_of_later_versions_are_passed_on() {
    // Field 99 in each wire type, in the request itself and in a record.
    let unknown = [
        &[0x98, 6, 1][..],
        &[0x99, 6, 1, 2, 3, 4, 5, 6, 7, 8],
        &[0x9a, 6, 2, 0xff, 0xfe],
        &[0x9d, 6, 1, 2, 3, 4],
    ];
    let unknown = unknown.concat();
    let scope = ScopeLogs { log_records: vec![LogRecord::default()], ..ScopeLogs::default() };
    let mut body = ExportLogsServiceRequest {
        resource_logs: vec![ResourceLogs { scope_logs: vec![scope], ..ResourceLogs::default() }],
    }
    .encode_to_vec();
    body.extend_from_slice(&unknown);
    let record = [&[18, unknown.len() as u8], &unknown[..]].concat();
    let scope = [&[18, record.len() as u8], &record[..]].concat();
    body.extend_from_slice(&[10, scope.len() as u8]);
    body.extend_from_slice(&scope);
    let batch = run(Format::OtlpProtobuf, &body).unwrap();
    assert_eq!((batch.record_count, &batch.payload[..]), (2, &body[..]));
    assert_eq!(records(&request(&batch)).count(), 2);
}

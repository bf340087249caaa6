//! The OTLP JSON transcoder against opentelemetry-proto: where both accept, both read the same
//! message; and masking of accepted input.

#![no_main]

use bytes::BytesMut;
use ingest::limits::Limits;
use ingest::validate::{Format, GROWTH, validate};
use libfuzzer_sys::fuzz_target;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use palisade_fuzz::json_tree::Tree;
use palisade_fuzz::otlp;
use prost::Message;

fuzz_target!(|body: &[u8]| {
    if body.trim_ascii_start().first() == Some(&b'[') {
        return;
    }
    let Ok(batch) = validate(
        Format::Json,
        BytesMut::from(body),
        &Limits::default(),
        common::timestamp::Timestamp::default(),
    ) else {
        return;
    };
    let ours = ExportLogsServiceRequest::decode(&batch.payload[..]).expect("prost reads what we write");
    assert_eq!(ours.encoded_len(), batch.payload.len(), "a length is not written as short as can be");
    assert!(batch.payload.len() <= GROWTH * body.len());
    assert_eq!(batch.record_count as usize, otlp::records(&ours).count());
    let timed =
        otlp::records(&ours).all(|record| record.time_unix_nano != 0 || record.observed_time_unix_nano != 0);
    assert_eq!(batch.every_record_timed, timed);
    otlp::check_masking(&batch.payload);

    let Ok(theirs) = serde_json::from_slice::<ExportLogsServiceRequest>(body) else { return };
    let Ok(tree) = serde_json::from_slice::<Tree>(body) else { return };
    if !uses_names_they_ignore(&tree) {
        // Compared as bytes, for which a NaN equals itself.
        assert!(ours.encode_to_vec() == theirs.encode_to_vec(), "ours {ours:?}\ntheirs {theirs:?}");
    }
});

/// Whether a name is spelled as in the `.proto` files, or is newer than they are: opentelemetry-proto
/// ignores those, we do not.
fn uses_names_they_ignore(tree: &Tree) -> bool {
    match tree {
        Tree::Array(values) => values.iter().any(uses_names_they_ignore),
        Tree::Object(members) => members.iter().any(|(name, value)| {
            name.contains('_') || name == "stringValueStrindex" || uses_names_they_ignore(value)
        }),
        _ => false,
    }
}

//! Any accepted batch through the analyzer's reading of it: the same records that prost reads, each
//! normalized without a panic, each taken by the built-in rules. The first byte chooses the format
//! the batch is sent in.

#![no_main]

use std::borrow::Cow;
use std::sync::LazyLock;

use bytes::BytesMut;
use common::timestamp::Timestamp;
use ingest::limits::Limits;
use ingest::validate::{Format, validate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use normalize::normalize;
use normalize::record::{Record, records};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use palisade_fuzz::{otlp, wire_mutation};
use prost::Message;
use sigma::{RuleSet, Value};

/// Noon on 2026-07-08.
const RECEIVED_AT: Timestamp = Timestamp(1_783_512_000_000_000_000);
const FORMATS: [Format; 3] = [Format::OtlpProtobuf, Format::Json, Format::Ndjson];

static RULES: LazyLock<RuleSet> = LazyLock::new(|| analyzer::pack::built_in().expect("the pack compiles"));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let is_protobuf = size > 1 && usize::from(data[0]) % FORMATS.len() == 0;
    if !is_protobuf || seed.is_multiple_of(16) {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    1 + wire_mutation::mutate(&mut data[1..], size - 1, max_size - 1, seed)
});

fuzz_target!(|input: &[u8]| {
    let Some((choice, body)) = input.split_first() else { return };
    let format = FORMATS[usize::from(*choice) % FORMATS.len()];
    let Ok(batch) = validate(format, BytesMut::from(body), &Limits::default(), Timestamp::default()) else {
        return;
    };
    let payload = otlp::check_masking(&batch.payload);
    let request = ExportLogsServiceRequest::decode(&payload[..]).expect("prost reads what was accepted");
    // A message that is written in two pieces is merged by prost, and by us only where a sender
    // might write so; those are compared in number only.
    let is_plain = request.encode_to_vec() == payload;
    let mut expected = otlp::records(&request);
    let mut found = Vec::new();
    for (index, record) in records(&payload).enumerate() {
        assert_eq!(record.index as usize, index);
        let expected = expected.next().expect("prost reads as many records");
        if is_plain {
            check(&record, expected);
        }
        let normalized = normalize(&record, RECEIVED_AT);
        assert!(!normalized.partial, "an accepted record was not read as a whole");
        RULES.matches(&normalized.event, &mut found);
    }
    assert!(expected.next().is_none(), "prost reads more records");
});

fn check(record: &Record<'_>, expected: &LogRecord) {
    let time = |nanos: u64| i64::try_from(nanos).ok().filter(|nanos| *nanos != 0).map(Timestamp);
    assert_eq!(record.time, time(expected.time_unix_nano));
    assert_eq!(record.observed_time, time(expected.observed_time_unix_nano));
    assert_eq!(record.severity_number, i64::from(expected.severity_number));
    assert_eq!(record.severity_text, expected.severity_text);
    assert_eq!(record.event_name, expected.event_name);
    assert_eq!((record.trace_id, record.span_id), (&expected.trace_id[..], &expected.span_id[..]));
    let (body, whole) = record.body();
    assert!(whole);
    assert_eq!(body.is_some(), expected.body.is_some());
    if let Some(body) = body {
        assert!(agrees(&body, expected.body.as_ref()), "{:?} was read as {body:?}", expected.body);
    }
    let mut attributes = Vec::new();
    assert!(record.attributes(&mut attributes));
    assert!(pairs_agree(&attributes, &expected.attributes), "{attributes:?}");
}

fn agrees(value: &Value<'_>, expected: Option<&AnyValue>) -> bool {
    match (value, expected.and_then(|expected| expected.value.as_ref())) {
        (Value::Null, None | Some(Any::StringValueStrindex(_))) => true,
        (Value::Bool(value), Some(Any::BoolValue(expected))) => value == expected,
        (Value::Int(value), Some(Any::IntValue(expected))) => value == expected,
        (Value::Double(value), Some(Any::DoubleValue(expected))) => value.to_bits() == expected.to_bits(),
        (Value::String(value), Some(Any::StringValue(expected))) => value == expected,
        (Value::String(value), Some(Any::BytesValue(expected))) => {
            *value == String::from_utf8_lossy(expected)
        }
        (Value::Array(values), Some(Any::ArrayValue(expected))) => {
            values.len() == expected.values.len()
                && values.iter().zip(&expected.values).all(|(value, expected)| agrees(value, Some(expected)))
        }
        (Value::Map(entries), Some(Any::KvlistValue(expected))) => pairs_agree(entries, &expected.values),
        _ => false,
    }
}

fn pairs_agree(entries: &[(Cow<'_, str>, Value<'_>)], expected: &[KeyValue]) -> bool {
    entries.len() == expected.len()
        && entries
            .iter()
            .zip(expected)
            .all(|((name, value), expected)| *name == expected.key && agrees(value, expected.value.as_ref()))
}

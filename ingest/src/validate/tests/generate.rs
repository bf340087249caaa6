//! Arbitrary OTLP requests and arbitrary damage.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, EntityRef, InstrumentationScope, KeyValue, KeyValueList,
};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Text with everything that JSON escapes, and some long enough for lengths of two bytes.
pub(super) fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z.]{0,8}",
        2 => vec(any::<char>(), 0..6).prop_map(|characters| characters.into_iter().collect()),
        1 => "[\"\\\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é€😀]{0,8}",
        1 => "[a-z \\\\]{120,300}",
    ]
}

fn scalar() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        1 => Just(None),
        4 => any_text().prop_map(|text| Some(Value::StringValue(text))),
        1 => any::<bool>().prop_map(|value| Some(Value::BoolValue(value))),
        2 => any::<i64>().prop_map(|value| Some(Value::IntValue(value))),
        1 => (-9_i64..9).prop_map(|value| Some(Value::IntValue(value))),
        2 => proptest::num::f64::NORMAL.prop_map(|value| Some(Value::DoubleValue(value))),
        1 => vec(any::<u8>(), 0..9).prop_map(|bytes| Some(Value::BytesValue(bytes))),
        1 => any::<i32>().prop_map(|index| Some(Value::StringValueStrindex(index))),
    ]
}

pub(super) fn any_value() -> impl Strategy<Value = AnyValue> {
    let leaf = scalar().prop_map(|value| AnyValue { value });
    leaf.prop_recursive(4, 12, 3, |inner| {
        let pair = (any_text(), option::of(inner.clone()));
        let pair = pair.prop_map(|(key, value)| KeyValue { key, value, key_strindex: 0 });
        let value = prop_oneof![
            vec(inner, 0..3).prop_map(|values| Value::ArrayValue(ArrayValue { values })),
            vec(pair, 0..3).prop_map(|values| Value::KvlistValue(KeyValueList { values })),
        ];
        value.prop_map(|value| AnyValue { value: Some(value) })
    })
}

fn attributes() -> impl Strategy<Value = Vec<KeyValue>> {
    let pair = (any_text(), option::of(any_value()), prop_oneof![9 => Just(0), 1 => any::<i32>()]);
    vec(pair.prop_map(|(key, value, key_strindex)| KeyValue { key, value, key_strindex }), 0..3)
}

fn log_record() -> impl Strategy<Value = LogRecord> {
    let times = (prop_oneof![Just(0), any::<u64>()], prop_oneof![Just(0), any::<u64>()]);
    let severity = (0..25_i32, any_text());
    let content = (option::of(any_value()), attributes(), any::<u32>(), any_text());
    let trace = (vec(any::<u8>(), 0..17), vec(any::<u8>(), 0..9), any::<u32>());
    (times, severity, content, trace).prop_map(|(times, severity, content, trace)| LogRecord {
        time_unix_nano: times.0,
        observed_time_unix_nano: times.1,
        severity_number: severity.0,
        severity_text: severity.1,
        body: content.0,
        attributes: content.1,
        dropped_attributes_count: content.2,
        event_name: content.3,
        trace_id: trace.0,
        span_id: trace.1,
        flags: trace.2,
    })
}

fn scope_logs() -> impl Strategy<Value = ScopeLogs> {
    let scope = (any_text(), any_text(), attributes(), any::<u32>());
    let scope = scope.prop_map(|(name, version, attributes, dropped_attributes_count)| {
        InstrumentationScope { name, version, attributes, dropped_attributes_count }
    });
    (option::of(scope), vec(log_record(), 0..3), any_text())
        .prop_map(|(scope, log_records, schema_url)| ScopeLogs { scope, log_records, schema_url })
}

fn resource() -> impl Strategy<Value = Resource> {
    let entity = (any_text(), any_text(), vec(any_text(), 0..3), vec(any_text(), 0..2));
    let entity = entity.prop_map(|(schema_url, r#type, id_keys, description_keys)| EntityRef {
        schema_url,
        r#type,
        id_keys,
        description_keys,
    });
    (attributes(), any::<u32>(), vec(entity, 0..2)).prop_map(
        |(attributes, dropped_attributes_count, entity_refs)| Resource {
            attributes,
            dropped_attributes_count,
            entity_refs,
        },
    )
}

pub(crate) fn any_request() -> impl Strategy<Value = ExportLogsServiceRequest> {
    let group = (option::of(resource()), vec(scope_logs(), 0..3), any_text());
    let group = group.prop_map(|(resource, scope_logs, schema_url)| ResourceLogs {
        resource,
        scope_logs,
        schema_url,
    });
    vec(group, 0..3).prop_map(|resource_logs| ExportLogsServiceRequest { resource_logs })
}

/// One blow to a body.
#[derive(Clone, Debug)]
pub(super) enum Damage {
    Replace(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    Truncate(prop::sample::Index),
    Repeat(prop::sample::Index, usize),
}

pub(super) fn any_damage() -> impl Strategy<Value = Vec<Damage>> {
    let index = any::<prop::sample::Index>;
    let one = prop_oneof![
        4 => (index(), any::<u8>()).prop_map(|(at, byte)| Damage::Replace(at, byte)),
        // Keys, small lengths and JSON's punctuation.
        4 => (index(), prop::sample::select(b"\x00\x01\x02\x08\x0a\x12\x1a\x0b\x0c\x7f\x80\xff{}[]\",:\\0e.-+n ".as_slice()))
            .prop_map(|(at, byte)| Damage::Replace(at, byte)),
        2 => (index(), any::<u8>()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        2 => index().prop_map(Damage::Remove),
        1 => index().prop_map(Damage::Truncate),
        1 => (index(), 1..20_usize).prop_map(|(at, length)| Damage::Repeat(at, length)),
    ];
    vec(one, 1..4)
}

pub(super) fn damaged(mut body: Vec<u8>, damage: &[Damage]) -> Vec<u8> {
    for blow in damage {
        if body.is_empty() {
            break;
        }
        match blow {
            Damage::Replace(at, byte) => {
                let at = at.index(body.len());
                body[at] = *byte;
            }
            Damage::Insert(at, byte) => body.insert(at.index(body.len()), *byte),
            Damage::Remove(at) => drop(body.remove(at.index(body.len()))),
            Damage::Truncate(at) => body.truncate(at.index(body.len())),
            Damage::Repeat(at, length) => {
                let at = at.index(body.len());
                let piece = body[at..body.len().min(at + length)].to_vec();
                body.splice(at..at, piece);
            }
        }
    }
    body
}

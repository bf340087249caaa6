//! Records, compared with prost.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, InstrumentationScope, KeyValue, KeyValueList,
};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use proptest::prelude::*;
use prost::Message;

use super::groups::MOST_MEMBERS;
use super::*;

fn wrap(value: Any) -> AnyValue {
    AnyValue { value: Some(value) }
}

fn attribute(key: &str, value: Any) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(wrap(value)), ..KeyValue::default() }
}

/// Expected result of the walker for a value that prost decoded.
fn expected(value: Option<&AnyValue>) -> Value<'static> {
    match value.and_then(|value| value.value.as_ref()) {
        None | Some(Any::StringValueStrindex(_)) => Value::Null,
        Some(Any::StringValue(text)) => Value::String(text.clone().into()),
        Some(Any::BoolValue(flag)) => Value::Bool(*flag),
        Some(Any::IntValue(number)) => Value::Int(*number),
        Some(Any::DoubleValue(number)) => Value::Double(*number),
        Some(Any::BytesValue(bytes)) => Value::String(String::from_utf8_lossy(bytes).into_owned().into()),
        Some(Any::ArrayValue(array)) => {
            Value::Array(array.values.iter().map(|value| expected(Some(value))).collect())
        }
        Some(Any::KvlistValue(map)) => Value::Map(entries(&map.values)),
    }
}

fn entries(list: &[KeyValue]) -> Entries<'static> {
    list.iter().map(|entry| (entry.key.clone().into(), expected(entry.value.as_ref()))).collect()
}

fn any_strategy() -> impl Strategy<Value = AnyValue> {
    let leaf = prop_oneof![
        Just(AnyValue { value: None }),
        ".{0,12}".prop_map(|text| wrap(Any::StringValue(text))),
        any::<bool>().prop_map(|flag| wrap(Any::BoolValue(flag))),
        any::<i64>().prop_map(|number| wrap(Any::IntValue(number))),
        (-1e9..1e9).prop_map(|number| wrap(Any::DoubleValue(number))),
        prop::collection::vec(any::<u8>(), 0..8).prop_map(|bytes| wrap(Any::BytesValue(bytes))),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let pairs = prop::collection::vec((".{0,6}", inner.clone()), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4)
                .prop_map(|values| wrap(Any::ArrayValue(ArrayValue { values }))),
            pairs.prop_map(|pairs| wrap(Any::KvlistValue(KeyValueList { values: list(pairs) }))),
        ]
    })
}

fn list(pairs: Vec<(String, AnyValue)>) -> Vec<KeyValue> {
    let entry = |(key, value)| KeyValue { key, value: Some(value), ..KeyValue::default() };
    pairs.into_iter().map(entry).collect()
}

fn attributes_strategy() -> impl Strategy<Value = Vec<KeyValue>> {
    prop::collection::vec((".{0,6}", any_strategy()), 0..4).prop_map(list)
}

prop_compose! {
    fn record_strategy()(
        time in any::<u32>(), observed in any::<u32>(), severity in 0..25_i32, severity_text in ".{0,6}",
        body in prop::option::of(any_strategy()), attributes in attributes_strategy(),
        trace_id in prop_oneof![Just(vec![]), Just(vec![7; 16])], event_name in ".{0,6}",
    ) -> LogRecord {
        LogRecord {
            time_unix_nano: time.into(), observed_time_unix_nano: observed.into(), severity_number: severity,
            severity_text, body, attributes, trace_id, event_name, flags: 1, dropped_attributes_count: 2,
            ..LogRecord::default()
        }
    }
}

prop_compose! {
    fn request_strategy()(groups in prop::collection::vec(
        (attributes_strategy(), prop::collection::vec(prop::collection::vec(record_strategy(), 0..3), 0..3)), 0..3,
    )) -> ExportLogsServiceRequest {
        let scope = |log_records| ScopeLogs {
            scope: Some(InstrumentationScope { name: "scope".into(), version: "1".into(), ..Default::default() }),
            log_records, ..Default::default()
        };
        let group = |(attributes, scopes): (_, Vec<Vec<LogRecord>>)| ResourceLogs {
            resource: Some(Resource { attributes, ..Default::default() }),
            scope_logs: scopes.into_iter().map(scope).collect(),
            ..Default::default()
        };
        ExportLogsServiceRequest { resource_logs: groups.into_iter().map(group).collect() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_record_reads_as_prost_reads_it(request in request_strategy()) {
        let payload = request.encode_to_vec();
        let mut walked = records(&payload);
        let mut index = 0;
        for group in &request.resource_logs {
            for theirs in group.scope_logs.iter().flat_map(|scope| &scope.log_records) {
                let ours = walked.next().unwrap();
                prop_assert_eq!(ours.index, index);
                index += 1;
                prop_assert_eq!(ours.time.map_or(0, |time| time.0), theirs.time_unix_nano as i64);
                prop_assert_eq!(ours.observed_time.map_or(0, |time| time.0), theirs.observed_time_unix_nano as i64);
                prop_assert_eq!(ours.severity_number, i64::from(theirs.severity_number));
                prop_assert_eq!(ours.severity_text, &theirs.severity_text);
                prop_assert_eq!(ours.event_name, &theirs.event_name);
                prop_assert_eq!(ours.trace_id, &theirs.trace_id);
                prop_assert_eq!(ours.scope(), ("scope", "1"));
                let body = theirs.body.as_ref().map(|body| expected(Some(body)));
                prop_assert_eq!(ours.body(), (body, true));
                let (mut attributes, mut resource) = (Vec::new(), Vec::new());
                prop_assert!(ours.attributes(&mut attributes) && ours.resource(&mut resource));
                prop_assert_eq!(attributes, entries(&theirs.attributes));
                prop_assert_eq!(resource, entries(&group.resource.as_ref().unwrap().attributes));
            }
        }
        prop_assert!(walked.next().is_none());
    }

    #[test]
    fn broken_bytes_end_the_walk_without_a_panic(
        request in request_strategy(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let mut payload = request.encode_to_vec();
        if !payload.is_empty() {
            let at = at.index(payload.len());
            payload[at] = byte;
            if cut {
                payload.truncate(at);
            }
        }
        for record in records(&payload) {
            let _ = record.body();
            record.attributes(&mut Vec::new());
            record.resource(&mut Vec::new());
            let _ = record.scope();
        }
    }
}

fn payload_of(record: LogRecord) -> Vec<u8> {
    let scope_logs = vec![ScopeLogs { log_records: vec![record], ..ScopeLogs::default() }];
    let resource_logs = vec![ResourceLogs { scope_logs, ..ResourceLogs::default() }];
    ExportLogsServiceRequest { resource_logs }.encode_to_vec()
}

#[test]
fn text_is_borrowed_from_the_payload() {
    let payload = payload_of(LogRecord {
        body: Some(wrap(Any::StringValue("line".into()))),
        attributes: vec![attribute("key", Any::StringValue("value".into()))],
        ..LogRecord::default()
    });
    let record = records(&payload).next().unwrap();
    let mut attributes = Vec::new();
    assert!(record.attributes(&mut attributes));
    assert!(matches!(record.body().0, Some(Value::String(Cow::Borrowed("line")))));
    assert!(matches!(attributes.as_slice(), [(Cow::Borrowed("key"), Value::String(Cow::Borrowed("value")))]));
}

#[test]
fn a_resource_behind_its_records_still_owns_them() {
    let resource = Resource { attributes: vec![attribute("a", Any::IntValue(1))], ..Resource::default() };
    let members = ResourceLogs {
        scope_logs: vec![ScopeLogs { log_records: vec![LogRecord::default()], ..Default::default() }],
        ..Default::default()
    };
    let owner = ResourceLogs { resource: Some(resource), ..ResourceLogs::default() };
    let group = [members.encode_to_vec(), owner.encode_to_vec()].concat();
    let mut payload = vec![0x0a, u8::try_from(group.len()).unwrap()];
    payload.extend(group);
    let mut found = Vec::new();
    assert!(records(&payload).next().unwrap().resource(&mut found));
    assert_eq!(found, [(Cow::Borrowed("a"), Value::Int(1))]);
}

#[test]
fn what_is_nested_too_deep_is_cut_and_said_so() {
    let mut body = wrap(Any::IntValue(1));
    for _ in 0..200 {
        body = wrap(Any::ArrayValue(ArrayValue { values: vec![body] }));
    }
    let payload = payload_of(LogRecord { body: Some(body), ..LogRecord::default() });
    let (value, whole) = records(&payload).next().unwrap().body();
    assert!(value.is_some() && !whole);
}

#[test]
fn a_record_alone_is_the_record_with_its_resource_and_scope() {
    let record = |body: &str| LogRecord {
        body: Some(wrap(Any::StringValue(body.to_owned()))),
        ..LogRecord::default()
    };
    let scope_logs = ScopeLogs {
        scope: Some(InstrumentationScope { name: "scope".to_owned(), ..InstrumentationScope::default() }),
        log_records: vec![record("first"), record("second")],
        ..ScopeLogs::default()
    };
    let attributes = vec![attribute("host.name", Any::StringValue("web-1".to_owned()))];
    let resource_logs = ResourceLogs {
        resource: Some(Resource { attributes, ..Resource::default() }),
        scope_logs: vec![scope_logs],
        ..ResourceLogs::default()
    };
    let all = ExportLogsServiceRequest { resource_logs: vec![resource_logs] };
    let payload = all.encode_to_vec();
    let alone: Vec<ExportLogsServiceRequest> = records(&payload)
        .map(|record| ExportLogsServiceRequest::decode(&record.alone()[..]).unwrap())
        .collect();
    let group = &all.resource_logs[0];
    for (index, request) in alone.iter().enumerate() {
        assert_eq!(request.resource_logs[0].resource, group.resource);
        let scope = &request.resource_logs[0].scope_logs[0];
        assert_eq!(scope.scope, group.scope_logs[0].scope);
        assert_eq!(scope.log_records, [group.scope_logs[0].log_records[index].clone()]);
    }
    assert_eq!(alone.len(), 2);
}

/// The bodies of the records that a body stands for.
fn bodies(body: AnyValue) -> Vec<Value<'static>> {
    let request = payload_of(LogRecord {
        body: Some(body),
        time_unix_nano: 7,
        attributes: vec![attribute("key", Any::StringValue("value".into()))],
        ..LogRecord::default()
    });
    let found = records(&request).enumerate().map(|(index, record)| {
        assert_eq!(record.index as usize, index);
        let mut attributes = Vec::new();
        assert!(record.attributes(&mut attributes));
        assert_eq!(attributes.len(), 1);
        // Taken alone it is the same record.
        let alone = record.alone();
        let again: Vec<_> = records(&alone).collect();
        assert_eq!(again.len(), 1);
        assert_eq!(again[0].body(), record.body());
        assert_eq!(again[0].time, record.time);
        owned(record.body().0.unwrap())
    });
    found.collect()
}

fn text(text: &str) -> AnyValue {
    wrap(Any::StringValue(text.to_owned()))
}

#[test]
fn an_envelope_stands_for_the_records_in_it() {
    let members = [r#"{"eventName":"A","n":[{}]}"#, r#"{"eventName":"]}{","m":{"a":"\\\"}"}}"#];
    for envelope in [
        format!("{{\"Records\":[{}]}}", members.join(",")),
        format!(" {{ \"records\" : [ {} ] }} \n", members.join(" , ")),
        format!(
            r#"{{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{{}},"items":[{}]}}"#,
            members.join(",\n")
        ),
        format!(r#"{{"Records":[{}],"note":"x"}}"#, members.join(",")),
        format!(
            r#"{{"messageType":"DATA_MESSAGE","owner":"1","logGroup":"g","logStream":"s","subscriptionFilters":["a","b"],"logEvents":[{}]}}"#,
            members.join(",")
        ),
        format!(r#"{{"logEvents" : [{}],"logGroup":"g"}}"#, members.join(",")),
        format!(
            r#"{{"policyLevel":"ACCOUNT_LEVEL_POLICY","messageType":"DATA_MESSAGE","owner":"1","logGroup":"g","logStream":"s","subscriptionFilters":["a"],"logEvents":[{}]}}"#,
            members.join(",")
        ),
    ] {
        let expected: Vec<_> = members.iter().map(|text| Value::String((*text).into())).collect();
        assert_eq!(bodies(text(&envelope)), expected, "{envelope}");
        let shipped = vec![
            attribute("@version", Any::IntValue(1)),
            attribute("message", Any::StringValue(envelope.clone())),
        ];
        let shipped = wrap(Any::KvlistValue(KeyValueList { values: shipped }));
        assert_eq!(bodies(shipped), expected, "{envelope}");
    }
    let object = |name: &str| {
        wrap(Any::KvlistValue(KeyValueList {
            values: vec![attribute("eventName", Any::StringValue(name.to_owned()))],
        }))
    };
    let list = wrap(Any::ArrayValue(ArrayValue { values: vec![object("A"), object("B")] }));
    let entry = |key: &str, value: AnyValue| KeyValue {
        key: key.to_owned(),
        value: Some(value),
        ..KeyValue::default()
    };
    let filters = wrap(Any::ArrayValue(ArrayValue { values: vec![text("all")] }));
    for entries in [
        vec![entry("Records", list.clone())],
        vec![entry("kind", text("EventList")), entry("items", list.clone())],
        vec![entry("items", list.clone()), entry("kind", text("EventList"))],
        vec![
            entry("logGroup", text("g")),
            entry("logEvents", list.clone()),
            entry("subscriptionFilters", filters.clone()),
        ],
        vec![
            entry("messageType", text("DATA_MESSAGE")),
            entry("owner", text("1")),
            entry("logGroup", text("g")),
            entry("logStream", text("s")),
            entry("subscriptionFilters", filters),
            entry("logEvents", list),
            entry("policyLevel", text("ACCOUNT_LEVEL_POLICY")),
        ],
    ] {
        let found = bodies(wrap(Any::KvlistValue(KeyValueList { values: entries })));
        assert_eq!(found, [expected(Some(&object("A"))), expected(Some(&object("B")))]);
    }
}

#[test]
fn what_is_no_envelope_stays_one_record() {
    for body in [
        "{\"Records\":[]}",
        "{\"Records\":[{},{}",
        "{\"Records\":[{},{}]",
        "{\"Records\":[{},1]}",
        "{\"Records\":[{},]}",
        "{\"Records\":[{}]} x",
        "{\"Records\":{}}",
        "{\"items\":[{},{}]}",
        "{\"a\":{\"Records\":[{}]}}",
        "{\"a\":{\"logEvents\":[{}]}}",
        "{\"a\":{\"logEvents\":[{}],\"b\":1}}",
        "{\"a\":\"logEvents\",\"b\":[{}]}",
        "{\"message\":\"\\\"logEvents\\\":[{}]\",\"a\":1}",
        "{\"x\":\"y\",\"message\":\"\\\"Records\\\":[{}]\"}",
        "Records: [{}]",
        "",
    ] {
        assert_eq!(bodies(text(body)), [Value::String(body.to_owned().into())], "{body}");
    }
    let many = format!("{{\"Records\":[{}{{}}]}}", "{},".repeat(MOST_MEMBERS));
    assert_eq!(bodies(text(&many)).len(), 1);
    let nested = format!("{{\"Records\":[{}", "[{".repeat(200_000));
    assert_eq!(bodies(text(&nested)).len(), 1);
}

fn owned(value: Value<'_>) -> Value<'static> {
    match value {
        Value::String(text) => Value::String(text.into_owned().into()),
        Value::Map(entries) => Value::Map(
            entries.into_iter().map(|(name, value)| (name.into_owned().into(), owned(value))).collect(),
        ),
        other => panic!("not a body of these tests: {other:?}"),
    }
}

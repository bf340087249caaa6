//! The drain transcoder against a model that builds trees.

use opentelemetry_proto::tonic::common::v1::{ArrayValue, KeyValue, KeyValueList};
use proptest::prelude::*;
use serde_json::json;

use super::generate::any_text;
use super::*;

/// Expected result of a JSON value.
fn model(value: &serde_json::Value) -> AnyValue {
    let value = match value {
        serde_json::Value::Null => None,
        serde_json::Value::Bool(value) => Some(Value::BoolValue(*value)),
        serde_json::Value::String(text) => Some(Value::StringValue(text.clone())),
        serde_json::Value::Number(number) => Some(match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => Value::IntValue(value),
            (None, Some(value)) => Value::StringValue(value.to_string()),
            (None, None) => Value::DoubleValue(number.as_f64().unwrap()),
        }),
        serde_json::Value::Array(values) => {
            Some(Value::ArrayValue(ArrayValue { values: values.iter().map(model).collect() }))
        }
        serde_json::Value::Object(members) => {
            let pair = |(key, value): (&String, _)| KeyValue {
                key: key.clone(),
                value: Some(model(value)),
                key_strindex: 0,
            };
            Some(Value::KvlistValue(KeyValueList { values: members.iter().map(pair).collect() }))
        }
    };
    AnyValue { value }
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        any::<u64>().prop_map(|value| json!(value)),
        proptest::num::f64::NORMAL.prop_map(|value| json!(value)),
        any_text().prop_map(|value| json!(value)),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(|values| json!(values)),
            proptest::collection::btree_map(any_text(), inner, 0..4).prop_map(|members| json!(members)),
        ]
    })
}

fn any_objects() -> impl Strategy<Value = Vec<serde_json::Value>> {
    let object = proptest::collection::btree_map(any_text(), any_json(), 0..6);
    proptest::collection::vec(object.prop_map(|members| json!(members)), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn objects_become_bodies(objects in any_objects()) {
        let array = serde_json::to_vec(&objects).unwrap();
        let pretty = serde_json::to_vec_pretty(&objects).unwrap();
        let mut lines = String::from("\r\n");
        for object in &objects {
            lines.push_str(&format!(" {object} \r\n\n"));
        }
        let bare = objects.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let expected: Vec<_> = objects.iter().map(model).collect();
        for (format, body) in [
            (Format::Json, &array[..]),
            (Format::Json, &pretty),
            (Format::Ndjson, lines.as_bytes()),
            (Format::Ndjson, bare.as_bytes()),
        ] {
            let batch = run(format, body).unwrap();
            let request = request(&batch);
            let bodies: Vec<_> = records(&request).map(|record| record.body.clone().unwrap()).collect();
            prop_assert_eq!(&bodies, &expected);
            prop_assert_eq!(batch.record_count as usize, objects.len());
            prop_assert_eq!(request.encoded_len(), batch.payload.len());
            let scope = &request.resource_logs[0].scope_logs[0].scope;
            prop_assert_eq!(&scope.as_ref().unwrap().name, DRAIN_SCOPE_NAME);
        }
    }
}

fn lifted(object: &str) -> (u64, i32, String, bool) {
    let batch = run(Format::Ndjson, object.as_bytes()).unwrap();
    let record = records(&request(&batch)).next().unwrap().clone();
    (record.time_unix_nano, record.severity_number, record.severity_text, batch.every_record_timed)
}

#[test]
fn time_and_severity_are_lifted() {
    let seconds = 1_783_501_811_000_000_000;
    let cases: [(&str, u64, i32, &str); 13] = [
        (r#"{"timestamp":1783501811,"level":"error"}"#, seconds, 17, "error"),
        (r#"{"level":"WARN","TimeStamp":"2026-07-08T09:10:11Z"}"#, seconds, 13, "WARN"),
        (r#"{"timestampInMs":1783501811000,"levelname":"CRITICAL"}"#, seconds, 21, "CRITICAL"),
        (r#"{"severity":"Odd one","@timestamp":"1783501811000000"}"#, seconds, 0, "Odd one"),
        // The most trusted name wins, in any position, and then the first.
        (r#"{"ts":1,"date":1600000000,"time":1783501811,"ts":1700000000}"#, seconds, 0, ""),
        (r#"{"time":1783501811,"TIME":1600000000,"severity":"a","Level":"b"}"#, seconds, 0, "b"),
        // Unreadable values are skipped in favour of readable ones.
        (r#"{"timestamp":"soon","ts":1783501811.0}"#, seconds, 0, ""),
        (r#"{"time":"1970-01-01T00:00:00Z","ts":1783501811}"#, seconds, 0, ""),
        (r#"{"level":30,"severity":"info"}"#, 0, 9, "info"),
        (r#"{"level":"","severity":null}"#, 0, 0, ""),
        (r#"{"level":"war\u006e"}"#, 0, 0, "warn"),
        // Only the object's own fields are looked at.
        (r#"{"nested":{"time":1783501811,"level":"error"}}"#, 0, 0, ""),
        ("{}", 0, 0, ""),
    ];
    for (object, time, number, word) in cases {
        assert_eq!(lifted(object), (time, number, word.to_owned(), time != 0), "{object}");
    }
}

#[test]
fn one_record_without_a_time_leaves_the_batch_untimed() {
    let batch = run(Format::Json, br#"[{"ts":1783501811},{"t":1}]"#).unwrap();
    assert!(!batch.every_record_timed);
}

#[test]
fn an_empty_array_is_an_empty_batch() {
    for body in ["[]", " [ \n] "] {
        let batch = run(Format::Json, body.as_bytes()).unwrap();
        assert_eq!((batch.record_count, batch.every_record_timed, batch.payload.len()), (0, true, 0));
    }
}

#[test]
fn numbers_that_fit_nowhere_are_kept_as_text() {
    let digits = "9".repeat(400);
    for number in ["9223372036854775808", "-9223372036854775809", "1e999", "-1.5e400", &digits] {
        let batch = run(Format::Ndjson, format!(r#"{{"n":{number}}}"#).as_bytes()).unwrap();
        let body = records(&request(&batch)).next().unwrap().body.clone().unwrap();
        let Some(Value::KvlistValue(list)) = body.value else { panic!("a list was expected") };
        assert_eq!(list.values[0].value, Some(text(number)));
    }
}

#[test]
fn nothing_grows_more_than_it_is_said_to() {
    let mut worst = 0;
    for element in ["-1", "1e1", "-0.1", "[]", "{}", "\"\"", "0", "null", "true", "[-1]", "{\"\":-1}", "[[]]"]
    {
        let elements = vec![element; 20_000].join(",");
        let fields = format!("\"\":{element},").repeat(20_000);
        for body in [format!("[{{\"a\":[{elements}]}}]"), format!("[{{{fields}\"\":{element}}}]")] {
            let payload = run(Format::Json, body.as_bytes()).unwrap().payload.len();
            assert!(payload <= GROWTH * body.len(), "{element}");
            worst = worst.max(payload * 10 / body.len());
        }
    }
    // Where lengths are as wide as a long value that lay as deep before them needed.
    let deep = |inner: &str| format!("{{\"a\":{}{inner}{}}}", "[".repeat(40), "]".repeat(40));
    let long = deep(&format!("[[[[[[[[{}]]]]]]]]", vec!["\"x\""; 3_000].join(",")));
    for element in ["-1", "[]", "[-1]", "[[-1]]", "[[[[[[[[-1]]]]]]]]", "{\"\":-1}", "{\"\":[-1]}"] {
        let small = deep(&vec![element; 600_000 / (element.len() + 1)].join(","));
        let body = format!("[{long},{small}]");
        let payload = run(Format::Json, body.as_bytes()).unwrap().payload.len();
        assert!(payload <= GROWTH * body.len(), "{element}: {payload} of {}", body.len());
    }
    let records = format!("[{}]", vec!["{}"; 10_000].join(","));
    assert!(run(Format::Json, records.as_bytes()).unwrap().payload.len() <= GROWTH * records.len());
    // The bound is not idle.
    assert!(worst > (GROWTH - 1) * 10, "{worst}");
}

#[test]
fn times_are_read_through_the_escapes_of_careful_encoders() {
    let body = br#"[{"time":"2026-07-08T11:10:11\u002B02:00"},{"time":"2026-07-08T11:10:11\u002B0x:00"}]"#;
    let batch = run(Format::Json, body).unwrap();
    let times: Vec<u64> = records(&request(&batch)).map(|record| record.time_unix_nano).collect();
    assert_eq!(times, [1_783_501_811_000_000_000, 0]);
    assert!(!batch.every_record_timed);
}

//! Pairs that name a value beside them.

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message as _;

use super::{any, map, masks, pair, sanitized, sanitized_body, text, with_record};

#[test]
fn the_value_beside_a_sensitive_name_is_masked() {
    for line in [
        r#"{"env":[{"name":"DB_PASSWORD","value":"«hunter2»"},{"name":"DB_HOST","value":"db-1"}]}"#,
        r#"{"env":[{"value":"«hunter2»","name":"DB_PASSWORD"}]}"#,
        r#"{"Name":"client_secret","kind":"env","Value":"«hunter2»"}"#,
        r#"{"key":"api.key","value":{"a":"«one»","b":["«two»"]},"note":"two"}"#,
        r#"{"parameterKey":"/prod/db/password","parameterValue":"«hunter2»"}"#,
        r#"{"PARAMETERNAME":"MasterUserPassword","ParameterValue":"«hunter2»"}"#,
        r#"{"headers":[{"name":"Authorization","value":"«Basic Zm9v»"},{"name":"Cookie","value":"«a=b»"}]}"#,
    ] {
        masks(line);
    }
}

#[test]
fn the_value_beside_another_name_is_left() {
    for line in [
        r#"{"name":"DB_HOST","value":"db-1","hint":"password"}"#,
        r#"{"name":"Reset your password","value":"a title"}"#,
        r#"{"title":"DB_PASSWORD","value":"hunter2"}"#,
        r#"{"name":"DB_PASSWORD","valueFrom":{"secretKeyRef":"db"}}"#,
        r#"{"name":"user","value":"password"}"#,
        r#"{"list":[{"name":"DB_PASSWORD"},{"value":"open"}]}"#,
    ] {
        masks(line);
    }
}

#[test]
fn bytes_and_numbers_beside_a_sensitive_name_are_masked() {
    for value in [Value::BytesValue(b"hunter2".to_vec()), Value::IntValue(1234), Value::DoubleValue(0.5)] {
        let body = map(vec![pair("value", any(value.clone())), pair("name", text("DB_PASSWORD"))]);
        let (Some(Value::KvlistValue(list)), masked) = sanitized_body(body) else {
            panic!("a map was expected")
        };
        assert_eq!(masked, 1, "{value:?}");
        assert_ne!(list.values[0].value, any(value));
        assert_eq!(list.values[1], pair("name", text("DB_PASSWORD")));
    }
}

#[test]
fn attributes_are_pairs_as_well() {
    let attributes = vec![pair("name", text("DB_PASSWORD")), pair("value", text("hunter2"))];
    let payload = with_record(LogRecord { attributes, ..LogRecord::default() }).encode_to_vec();
    let (masked, report) = sanitized(&payload);
    assert_eq!(report.masked, 1);
    assert!(memchr::memmem::find(&masked, b"hunter2").is_none());
}

#[test]
fn counts_beside_the_name_of_a_secret_are_left() {
    for name in ["failed_password", "invalid_token", "oauth.token", "missing_secret"] {
        let body = map(vec![pair("name", text(name)), pair("value", any(Value::IntValue(12)))]);
        assert_eq!(sanitized_body(body.clone()), (body.and_then(|body| body.value), 0), "{name}");
        masks(&format!("{{\"name\":\"{name}\",\"value\":\"«hunter2»\"}}"));
    }
}

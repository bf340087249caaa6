//! Filled-in bodies, read back by decoders that are independent of templates.

use std::io::Read;

use flate2::read::GzDecoder;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, any_value};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;

use super::*;
use crate::load::attacks::Kind;
use crate::load::lines::{ordinary, replayed};

const STAMP: Stamp = Stamp { now_ms: 1_783_501_200_123, first_id: 0xfeed_0000, attacker: 151 };

fn filled(form: Form, gzip: bool, head: &[Record], tail: &[Record]) -> Vec<u8> {
    let template = Template::new(form, gzip, head, tail, true);
    assert_eq!(template.records as usize, head.len() + tail.len());
    let mut body = b"before".to_vec();
    template.fill(&STAMP, &mut body);
    let body = body.strip_prefix(b"before").unwrap().to_vec();
    if !gzip {
        return body;
    }
    let mut plain = Vec::new();
    let mut decoder = GzDecoder::new(body.as_slice());
    decoder.read_to_end(&mut plain).unwrap();
    assert!(decoder.into_inner().is_empty(), "one member and nothing behind it");
    plain
}

/// Message, time and id of each record.
fn read(form: Form, body: &[u8]) -> Vec<(String, u64, String)> {
    let from_object = |object: &Value| {
        let text = |name: &str| object[name].as_str().unwrap().to_owned();
        (text("message"), object["timestamp"].as_u64().unwrap(), text("request_id"))
    };
    let export: ExportLogsServiceRequest = match form {
        Form::Protobuf => ExportLogsServiceRequest::decode(body).unwrap(),
        Form::OtlpJson => serde_json::from_slice(body).unwrap(),
        Form::JsonArray => {
            let array: Vec<Value> = serde_json::from_slice(body).unwrap();
            return array.iter().map(from_object).collect();
        }
        Form::Ndjson => {
            let lines = std::str::from_utf8(body).unwrap().lines();
            return lines.map(|line| from_object(&serde_json::from_str(line).unwrap())).collect();
        }
    };
    let string = |value: &Option<AnyValue>| match value.as_ref().unwrap().value.as_ref().unwrap() {
        any_value::Value::StringValue(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    let records = export.resource_logs.iter().flat_map(|resource| &resource.scope_logs);
    records
        .flat_map(|scope| &scope.log_records)
        .map(|record| {
            let id = record.attributes.iter().find(|attribute| attribute.key == "request.id").unwrap();
            (string(&record.body), record.time_unix_nano / NANOSECONDS_A_MILLISECOND, string(&id.value))
        })
        .collect()
}

#[test]
fn every_form_is_filled_in_and_readable() {
    let tail = ordinary(&mut StdRng::seed_from_u64(3), 50);
    let attack = Kind::Guessing.records();
    for form in Form::ALL {
        for (gzip, tail) in [(false, tail.as_slice()), (true, &tail), (false, &[]), (true, &[])] {
            let records = read(form, &filled(form, gzip, &attack, tail));
            assert_eq!(records.len(), attack.len() + tail.len(), "{form:?}");
            for (index, (message, time, id)) in records.iter().enumerate() {
                if index < attack.len() {
                    assert!(message.contains(" from 10.100.101.101 port "), "{message}");
                    assert!(message.contains(" for u0000151-"), "{message}");
                }
                // After the head, a gzip body is always the same.
                if !gzip || index < attack.len() {
                    assert_eq!(*time, STAMP.now_ms);
                    assert_eq!(*id, format!("{:016x}", STAMP.first_id + 1 + index as u64), "{form:?}");
                }
            }
        }
    }
}

#[test]
fn lines_of_a_file_are_different_each_time() {
    let lines = [replayed("hello"), replayed("{\"a\":\"b\"}")];
    for form in Form::ALL {
        let template = Template::new(form, false, &lines[..1], &lines[1..], false);
        let body = |first_id| {
            let mut body = Vec::new();
            template.fill(&Stamp { first_id, ..STAMP }, &mut body);
            body
        };
        assert_ne!(body(1), body(100), "{form:?}");
        assert_eq!(body(1), body(1));
        assert_eq!(template.attack_records, 0);
    }
}

#[test]
fn attackers_have_addresses_of_their_own() {
    assert_eq!(address(0), "10.100.100.100");
    let mut seen: Vec<String> = (0..40_000).map(address).collect();
    assert!(seen.iter().all(|address| address.len() == ADDRESS.len()));
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 40_000);
}

//! The walk along candidates compared with a plain one over the messages: every text searched, every name judged.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue, KeyValue, KeyValueList};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use proptest::prelude::*;
use prost::Message as _;
use redact::{EntityType, Policy, Redactor};

use super::super::names::is_identifier;
use super::super::treatment::Treatment;
use super::super::walk::Walk;
use super::super::{MaskedValues, Workspace, sanitize};
use super::{USUAL, with_record};
use crate::validate::tests::generate::any_request;

/// The same without candidates: every text is searched alone and every name is judged.
fn sanitized_slowly(redactor: &Redactor, request: &mut ExportLogsServiceRequest) {
    let text = |text: &mut String| {
        let mut bytes = std::mem::take(text).into_bytes();
        redactor.redact_in_place(&mut bytes, &mut Vec::new());
        *text = String::from_utf8(bytes).unwrap();
    };
    for group in &mut request.resource_logs {
        text(&mut group.schema_url);
        if let Some(resource) = &mut group.resource {
            pairs_slowly(redactor, &mut resource.attributes, false);
            for entity in &mut resource.entity_refs {
                [&mut entity.schema_url, &mut entity.r#type].into_iter().for_each(text);
                entity.id_keys.iter_mut().chain(&mut entity.description_keys).for_each(text);
            }
        }
        for scoped in &mut group.scope_logs {
            text(&mut scoped.schema_url);
            if let Some(scope) = &mut scoped.scope {
                [&mut scope.name, &mut scope.version].into_iter().for_each(text);
                pairs_slowly(redactor, &mut scope.attributes, false);
            }
            for record in &mut scoped.log_records {
                [&mut record.severity_text, &mut record.event_name].into_iter().for_each(text);
                pairs_slowly(redactor, &mut record.attributes, false);
                if let Some(body) = &mut record.body {
                    value_slowly(redactor, body, Treatment::Scan);
                }
            }
        }
    }
}

fn pairs_slowly(redactor: &Redactor, pairs: &mut [KeyValue], masked: bool) {
    for pair in pairs {
        let treatment = match (redactor.is_exempt_key(&pair.key), masked) {
            (true, true) => Treatment::Identifier,
            (true, false) => Treatment::Leave,
            (false, masked) if masked || redactor.is_sensitive_key(&pair.key) => Treatment::Mask,
            _ => Treatment::Scan,
        };
        let mut key = std::mem::take(&mut pair.key).into_bytes();
        redactor.redact_in_place(&mut key, &mut Vec::new());
        pair.key = String::from_utf8(key).unwrap();
        if let Some(value) = &mut pair.value {
            value_slowly(redactor, value, treatment);
        }
    }
}

fn value_slowly(redactor: &Redactor, value: &mut AnyValue, treatment: Treatment) {
    let treated = |bytes: &mut Vec<u8>| match treatment {
        Treatment::Mask if !bytes.is_empty() => {
            redactor.mask_value(bytes);
        }
        Treatment::Identifier if !bytes.is_empty() && !is_identifier(bytes) => {
            redactor.mask_value(bytes);
        }
        Treatment::Scan => drop(redactor.redact_in_place(bytes, &mut Vec::new())),
        Treatment::Leave | Treatment::Identifier => {
            let mut matches = Vec::new();
            redactor.find_only(
                bytes,
                &[EntityType::PrivateKey, EntityType::Jwt, EntityType::ApiKey],
                &mut matches,
            );
            redactor.mask(bytes, &matches);
        }
        _ => {}
    };
    match &mut value.value {
        Some(Value::StringValue(text)) => {
            let mut bytes = std::mem::take(text).into_bytes();
            treated(&mut bytes);
            *text = String::from_utf8(bytes).unwrap();
        }
        Some(Value::BytesValue(bytes)) => treated(bytes),
        Some(Value::ArrayValue(array)) => {
            let treatment = treatment.in_list();
            array.values.iter_mut().for_each(|value| value_slowly(redactor, value, treatment));
        }
        Some(Value::KvlistValue(list)) => {
            pairs_slowly(redactor, &mut list.values, treatment.masks());
        }
        Some(Value::IntValue(number)) if treatment.masks() => *number = 0,
        Some(Value::DoubleValue(number)) if treatment.masks() => *number = 0.0,
        _ => {}
    }
}

/// Texts with secrets, parts of secrets that only the next text would complete, and texts as long as digits
/// are encoded.
fn secret_text() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec![
        "password=hunter2hunter2",
        // Not `pass`, a key that is judged with its neighbours: see `structural_text`.
        "passw",
        "ord=hunter2",
        "4111111111111111",
        "411111111111",
        "1111",
        "-6789",
        "123-45-6789",
        "ssn 123456789",
        "DE89370400440532013000",
        "user",
        "token",
        "secret: ",
        "a",
        "",
        "Bearer 0123456789abcdef",
        "cookie: sid=0123456789",
        "https://bob:hunter2@example.com/",
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0",
        "api.key",
        "auth.key",
        "set-cookie",
        "cvv",
        "accessKeyId",
        "session opened for root",
        "sessions",
        "2026-11-01T00:00:00.123456789Z",
        "1793491200000",
    ]);
    (text, 0..60_usize).prop_map(|(text, blanks)| format!("{}{text}", " ".repeat(blanks)))
}

/// Texts that affect those beside them.
fn structural_text() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec![
        "name",
        "value",
        "Key",
        "DB_PASSWORD",
        "auth",
        "pass",
        "user",
        "hunter2x9",
        "Ym9iOmh1bnRlcjI=",
        "mysql",
        "-pS3cret1",
        "sshpass",
        "-p",
        "curl",
        "-u",
        "bob:S3cret1",
        "--password",
        "net",
        "-passin",
        "pass:S3cret1",
        "AKIAIOSFODNN7EXAMPLE",
        "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12",
        "-----BEGIN RSA PRIVATE KEY-----",
        "MIIEaB3dE6gH9jK2+/aB3dE6gH9jK2+/",
        "-----END RSA PRIVATE KEY-----",
        "it's \"quoted\"",
        "session opened for root",
    ]);
    // Lengths that are letters on the wire, too.
    (text, prop::sample::select(vec![0_usize, 0, 0, 30, 70]))
        .prop_map(|(text, blanks)| " ".repeat(blanks) + text)
}

/// A request like any other, with such texts in it.
fn request_with(
    secret_text: fn() -> BoxedStrategy<String>,
) -> impl Strategy<Value = ExportLogsServiceRequest> {
    let value = prop_oneof![
        3 => secret_text().prop_map(Value::StringValue),
        1 => secret_text().prop_map(|text| Value::BytesValue(text.into_bytes())),
        1 => any::<i64>().prop_map(Value::IntValue),
    ];
    let value =
        value.prop_map(|value| AnyValue { value: Some(value) }).prop_recursive(3, 8, 3, move |inner| {
            let pair = (secret_text(), inner.clone());
            let pair = pair.prop_map(|(key, value)| pair_of(key, value));
            let value = prop_oneof![
                prop::collection::vec(inner, 0..3)
                    .prop_map(|values| Value::ArrayValue(ArrayValue { values })),
                prop::collection::vec(pair, 0..3)
                    .prop_map(|values| Value::KvlistValue(KeyValueList { values })),
            ];
            value.prop_map(|value| AnyValue { value: Some(value) })
        });
    let attributes =
        (secret_text(), value.clone()).prop_map(|(key, value)| pair_of(key.trim().to_owned(), value));
    let attributes = prop::collection::vec(attributes, 0..4);
    let texts = (secret_text(), secret_text());
    (any_request(), prop::collection::vec((attributes, value, texts), 1..4)).prop_map(
        |(mut request, made)| {
            for (attributes, body, (severity_text, event_name)) in made {
                let record = LogRecord {
                    attributes,
                    body: Some(body),
                    severity_text,
                    event_name,
                    ..LogRecord::default()
                };
                request.resource_logs.extend(with_record(record).resource_logs);
            }
            request
        },
    )
}

fn pair_of(key: String, value: AnyValue) -> KeyValue {
    KeyValue { key, value: Some(value), key_strindex: 0 }
}

proptest! {
    #[test]
    fn the_scan_of_the_payload_hides_nothing(request in request_with(|| secret_text().boxed()), every in any::<bool>()) {
        let policy = Policy { entities: EntityType::ALL.into_iter().collect(), ..Policy::default() };
        let redactor = Redactor::new(&if every { policy } else { Policy::default() }).unwrap();
        let mut payload = request.encode_to_vec();
        sanitize(&redactor, &mut payload);
        let mut expected = request;
        sanitized_slowly(&redactor, &mut expected);
        prop_assert_eq!(ExportLogsServiceRequest::decode(&payload[..]).unwrap(), expected);
    }

    #[test]
    fn the_scan_of_the_payload_hides_no_structure(request in request_with(|| structural_text().boxed())) {
        let redactor = &*USUAL;
        let payload = request.encode_to_vec();
        let (mut masked, mut expected) = (payload.clone(), payload);
        sanitize(redactor, &mut masked);
        sanitize_everywhere(redactor, &mut expected);
        prop_assert_eq!(ExportLogsServiceRequest::decode(&masked[..]).unwrap(), ExportLogsServiceRequest::decode(&expected[..]).unwrap());
        let again = {
            let mut again = masked.clone();
            sanitize(redactor, &mut again);
            again
        };
        prop_assert_eq!(again, masked);
    }
}

/// The same walk with every position as a candidate: those of another payload, in which every line has one.
fn sanitize_everywhere(redactor: &Redactor, payload: &mut [u8]) {
    let named: Vec<u8> = b"password=".iter().copied().cycle().take(payload.len()).collect();
    let Workspace { mut candidates, mut names, mut scratch } = Workspace::default();
    redactor.candidates(&named, &mut candidates);
    let mut values = MaskedValues::ignored();
    Walk::new(redactor, &candidates, &mut names, &mut scratch, &mut values).run(payload);
}

//! Lines that real programs write around text that a client chose: normalizing never panics, the
//! text never becomes the client's address or a success, and the built-in rules take what comes
//! out. The first byte chooses the line.

#![no_main]

use std::sync::LazyLock;

use common::timestamp::Timestamp;
use libfuzzer_sys::fuzz_target;
use normalize::normalize;
use normalize::record::records;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, KeyValueList};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use prost::Message;
use sigma::RuleSet;

/// Origin of everything framed by [`framed`].
const CLIENT: &str = "198.51.100.7";
/// Noon on 2026-07-08.
const RECEIVED_AT: Timestamp = Timestamp(1_783_512_000_000_000_000);

static RULES: LazyLock<RuleSet> = LazyLock::new(|| analyzer::pack::built_in().expect("the pack compiles"));

fuzz_target!(|input: &[u8]| {
    let Some((choice, text)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let framed = framed(&text);
    let free = free(&text);
    let choice = usize::from(*choice) % (framed.len() + free.len());
    match framed.get(choice) {
        Some(line) => check(line_record(line), !text.contains(char::is_control)),
        None => check(free[choice - framed.len()].clone(), false),
    }
});

fn check(record: LogRecord, text_is_printable: bool) {
    let scope_logs = vec![ScopeLogs { log_records: vec![record], ..ScopeLogs::default() }];
    let resource_logs = vec![ResourceLogs { scope_logs, ..ResourceLogs::default() }];
    let payload = ExportLogsServiceRequest { resource_logs }.encode_to_vec();
    let record = records(&payload).next().expect("one record was written");
    let normalized = normalize(&record, RECEIVED_AT);
    assert!(!normalized.partial, "a whole record was not read as a whole");
    let mut found = Vec::new();
    RULES.matches(&normalized.event, &mut found);
    if text_is_printable {
        let field = |name| normalized.event.field(name).and_then(sigma::Value::as_str);
        assert_eq!(field("client.address").unwrap_or(CLIENT), CLIENT, "the text moved the address");
        assert_ne!(field("event.outcome"), Some("success"), "the text became a success");
    }
}

fn line_record(line: &str) -> LogRecord {
    let body = AnyValue { value: Some(Value::StringValue(line.to_owned())) };
    LogRecord { body: Some(body), ..LogRecord::default() }
}

/// Failures of [`CLIENT`], with the text wherever a client can put text of its own.
fn framed(text: &str) -> Vec<String> {
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    let ssh = |message: String| format!("Jul  8 09:10:11 web-1 sshd[812]: {message}");
    vec![
        ssh(format!("Failed password for invalid user {text} from {CLIENT} port 5 ssh2")),
        ssh(format!("Failed password for {text} from {CLIENT} port 5 ssh2")),
        ssh(format!("Failed publickey for {text} from {CLIENT} port 5 ssh2: RSA SHA256:abc")),
        ssh(format!(
            "Failed publickey for invalid user {text} from {CLIENT} port 5 ssh2: RSA-CERT SHA256:abc ID {text} (serial 0) CA RSA SHA256:def"
        )),
        ssh(format!("Invalid user {text} from {CLIENT} port 5")),
        ssh(format!("Connection closed by invalid user {text} {CLIENT} port 5 [preauth]")),
        ssh(format!("Connection closed by authenticating user {text} {CLIENT} port 5 [preauth]")),
        ssh(format!("Disconnected from invalid user {text} {CLIENT} port 5 [preauth]")),
        ssh(format!(
            "Disconnecting invalid user {text} {CLIENT} port 5: Change of username or service not allowed: ({text},x) -> ({text},x) [preauth]"
        )),
        ssh(format!(
            "error: maximum authentication attempts exceeded for invalid user {text} from {CLIENT} port 5 ssh2 [preauth]"
        )),
        ssh(format!("Received disconnect from {CLIENT} port 5:11: {text} [preauth]")),
        ssh(format!("Bad protocol version identification '{text}' from {CLIENT} port 5")),
        ssh(format!(
            "pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser={text} rhost={CLIENT}"
        )),
        ssh(format!(
            "pam_sss(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost={CLIENT} user={text}"
        )),
        format!(
            "{CLIENT} - {quoted} [08/Jul/2026:09:10:11 +0000] \"GET /{quoted} HTTP/1.1\" 401 5 \"{quoted}\" \"{quoted}\" \"{quoted}\""
        ),
        serde_json::json!({
            "remote_addr": CLIENT, "request": format!("GET /{text} HTTP/1.1"), "status": 401,
            "http_user_agent": text, "message": text,
        })
        .to_string(),
    ]
}

/// Text where programs, collectors and transports put it.
fn free(text: &str) -> Vec<LogRecord> {
    let lines = [
        text.to_owned(),
        format!("Jul  8 09:10:11 web-1 sshd[812]: {text}"),
        format!("Jul  8 09:10:11 web-1 sudo: {text}"),
        format!("Jul  8 09:10:11 web-1 su[7]: {text}"),
        format!("Jul  8 09:10:11 web-1 nginx: {text}"),
        format!("<38>1 {text}"),
        format!("<38>{text}"),
        format!("2026-07-08T09:10:11.5Z stdout F {text}"),
        format!("198.51.100.7 - - {text}"),
        format!("{{{text}"),
        serde_json::json!({ "log": text }).to_string(),
        serde_json::json!({ "message": text, text: "x", "timestamp": text }).to_string(),
    ];
    let pair = |(key, value): (&str, &str)| KeyValue {
        key: key.to_owned(),
        value: line_record(value).body,
        ..KeyValue::default()
    };
    let map = |pairs: Vec<(&str, &str)>| {
        let list = KeyValueList { values: pairs.into_iter().map(pair).collect() };
        LogRecord { body: Some(AnyValue { value: Some(Value::KvlistValue(list)) }), ..LogRecord::default() }
    };
    let named = |program| LogRecord {
        attributes: vec![pair(("appname", program)), pair(("hostname", text))],
        ..line_record(text)
    };
    let records = [
        map(vec![("MESSAGE", text), ("SYSLOG_IDENTIFIER", "sshd"), ("_HOSTNAME", "web-1")]),
        map(vec![("message", text), ("appname", text), ("request", text), ("status", "404")]),
        map(vec![("remote_addr", text), ("x-forwarded-for", text), ("uri", text), ("time", text)]),
        map(vec![("Channel", "Security"), ("EventID", text), ("EventData", text), ("TargetUserName", text)]),
        named("sshd"),
        named("sudo"),
        named(text),
    ];
    lines.iter().map(|line| line_record(line)).chain(records).collect()
}

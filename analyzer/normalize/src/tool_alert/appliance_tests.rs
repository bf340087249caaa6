//! Threats of appliances, after the message references of FortiOS, SonicOS, Check Point, BIG-IP and PAN-OS and their CEF guides.

use common::timestamp::Timestamp;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use prost::Message;

use crate::normalize;
use crate::record::records;

/// Result of normalizing a line: tool, severity, the tool's own severity, action, client and signature.
fn told(line: &str) -> String {
    let record = LogRecord {
        body: Some(AnyValue { value: Some(Any::StringValue(line.to_owned())) }),
        ..LogRecord::default()
    };
    let scope_logs = vec![ScopeLogs { log_records: vec![record], ..ScopeLogs::default() }];
    let resource_logs = vec![ResourceLogs { scope_logs, ..ResourceLogs::default() }];
    let payload = ExportLogsServiceRequest { resource_logs }.encode_to_vec();
    let record = records(&payload).next().unwrap();
    let event = normalize(&record, Timestamp(1_783_501_811_000_000_000)).event;
    let names = [
        "alert.tool",
        "alert.severity",
        "alert.severity.stated",
        "alert.action",
        "client.address",
        "rule.name",
    ];
    let value =
        |name: &str| event.field(name).and_then(|value| value.to_text()).unwrap_or_default().into_owned();
    names.map(value).join(" | ")
}

#[test]
fn threats_state_severity_attacker_and_whether_they_were_stopped() {
    const TABLE: &str = include_str!("appliances.txt");
    let mut rows = TABLE.lines().filter(|row| !row.is_empty() && !row.starts_with("# "));
    let mut wrong = Vec::new();
    while let Some(expected) = rows.next() {
        let expected = expected.strip_prefix("@ ").unwrap_or_else(|| panic!("no head: {expected}"));
        let line = rows.next().unwrap();
        let found = told(line);
        if found != expected {
            wrong.push(format!("{found}\n  and not {expected}\n  for {line}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

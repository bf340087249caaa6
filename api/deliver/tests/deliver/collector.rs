//! Requests to a collector, read with OpenTelemetry's own messages, and its answers.

use opentelemetry_proto::tonic::collector::logs::v1::{
    ExportLogsPartialSuccess, ExportLogsServiceRequest, ExportLogsServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message;

use crate::receiver::Received;

/// A request, in whichever encoding it says it is.
pub(crate) fn request(received: &Received) -> ExportLogsServiceRequest {
    match received.header("content-type") {
        "application/x-protobuf" => ExportLogsServiceRequest::decode(received.body.clone()).unwrap(),
        "application/json" => serde_json::from_slice(&received.body).unwrap(),
        other => panic!("no encoding of OTLP: {other}"),
    }
}

/// All records of a request.
pub(crate) fn records(received: &Received) -> Vec<LogRecord> {
    let resources = request(received).resource_logs;
    let scopes = resources.into_iter().flat_map(|resource| resource.scope_logs);
    scopes.flat_map(|scope| scope.log_records).collect()
}

/// The ids of all events of a request.
pub(crate) fn ids(received: &Received) -> Vec<String> {
    records(received).iter().map(|record| attribute(record, "log.record.uid").unwrap()).collect()
}

/// An attribute of a record that is text.
pub(crate) fn attribute(record: &LogRecord, key: &str) -> Option<String> {
    record.attributes.iter().find(|one| one.key == key)?.value.as_ref().map(text)
}

/// A field of a body that is a map.
pub(crate) fn field<'a>(record: &'a LogRecord, key: &str) -> Option<&'a AnyValue> {
    let Some(Value::KvlistValue(fields)) = record.body.as_ref()?.value.as_ref() else { return None };
    fields.values.iter().find(|one| one.key == key)?.value.as_ref()
}

pub(crate) fn text(value: &AnyValue) -> String {
    let Some(Value::StringValue(text)) = &value.value else { panic!("no text: {value:?}") };
    text.clone()
}

/// Response of a collector that rejects so many records, or refuses.
pub(crate) fn said(behaviour: &str, number: u16, is_json: bool) -> Vec<u8> {
    if behaviour == "refuses" {
        // `google.rpc.Status`: field 2 is its message.
        let message = b"no such tenant";
        let protobuf = [&[0x12, u8::try_from(message.len()).unwrap()], message.as_slice()].concat();
        let json = br#"{"code":3,"message":"no such tenant"}"#.to_vec();
        return if is_json { json } else { protobuf };
    }
    let partial = ExportLogsPartialSuccess {
        rejected_log_records: i64::from(number),
        error_message: "too old".to_owned(),
    };
    if is_json {
        let partial = format!(r#"{{"rejectedLogRecords":"{number}","errorMessage":"too old"}}"#);
        return format!(r#"{{"partialSuccess":{partial}}}"#).into_bytes();
    }
    ExportLogsServiceResponse { partial_success: Some(partial) }.encode_to_vec()
}

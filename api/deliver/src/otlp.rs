//! The part of OpenTelemetry's protocol for logs that is spoken here (opentelemetry-proto 1.x, `logs/v1`, `common/v1`,
//! `collector/logs/v1`), each message in its two encodings: binary protobuf, and the JSON of OTLP. What is said in it lies
//! in `export`.

use bytes::Bytes;
use directory::TelemetryProtocol;
use prost::{Message, Oneof};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// `ExportLogsServiceRequest`.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportRequest {
    #[prost(message, repeated, tag = "1")]
    pub(crate) resource_logs: Vec<ResourceLogs>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceLogs {
    #[prost(message, optional, tag = "1")]
    pub(crate) resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) scope_logs: Vec<ScopeLogs>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct Resource {
    #[prost(message, repeated, tag = "1")]
    pub(crate) attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScopeLogs {
    #[prost(message, optional, tag = "1")]
    pub(crate) scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) log_records: Vec<LogRecord>,
}

/// `InstrumentationScope`.
#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct Scope {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) version: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogRecord {
    #[prost(fixed64, tag = "1")]
    #[serde(serialize_with = "text")]
    pub(crate) time_unix_nano: u64,
    #[prost(fixed64, tag = "11")]
    #[serde(serialize_with = "text")]
    pub(crate) observed_time_unix_nano: u64,
    #[prost(int32, tag = "2")]
    pub(crate) severity_number: i32,
    #[prost(string, tag = "3")]
    pub(crate) severity_text: String,
    #[prost(message, optional, tag = "5")]
    pub(crate) body: Option<AnyValue>,
    #[prost(message, repeated, tag = "6")]
    pub(crate) attributes: Vec<KeyValue>,
    #[prost(string, tag = "12")]
    pub(crate) event_name: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) value: Option<AnyValue>,
}

/// Without a kind it is null.
#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct AnyValue {
    #[prost(oneof = "AnyValueKind", tags = "1, 2, 3, 4, 5, 6")]
    #[serde(flatten)]
    pub(crate) kind: Option<AnyValueKind>,
}

#[derive(Clone, PartialEq, Oneof, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::enum_variant_names, reason = "the names are the protocol's")]
pub(crate) enum AnyValueKind {
    #[prost(string, tag = "1")]
    StringValue(String),
    #[prost(bool, tag = "2")]
    BoolValue(bool),
    #[prost(int64, tag = "3")]
    IntValue(#[serde(serialize_with = "text")] i64),
    #[prost(double, tag = "4")]
    DoubleValue(f64),
    #[prost(message, tag = "5")]
    ArrayValue(ArrayValue),
    #[prost(message, tag = "6")]
    KvlistValue(KeyValueList),
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    pub(crate) values: Vec<AnyValue>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
pub(crate) struct KeyValueList {
    #[prost(message, repeated, tag = "1")]
    pub(crate) values: Vec<KeyValue>,
}

/// `ExportLogsServiceResponse`.
#[derive(Clone, PartialEq, Message)]
struct ExportReply {
    #[prost(message, optional, tag = "1")]
    partial_success: Option<PartialSuccess>,
}

/// `ExportLogsPartialSuccess`: what a collector that has taken a request says of the rest.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct PartialSuccess {
    #[prost(int64, tag = "1")]
    pub(crate) rejected_log_records: i64,
    #[prost(string, tag = "2")]
    pub(crate) error_message: String,
}

/// `google.rpc.Status`, as far as it is read here: the body of a refusal (OTLP 1.x, Failures).
#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(string, tag = "2")]
    message: String,
}

/// JSON of protobuf has integers of 64 bits as text.
fn text<T: ToString, S: Serializer>(number: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&number.to_string())
}

impl ExportRequest {
    /// The body of the request.
    ///
    /// # Errors
    /// Never in practice: every value has its place in JSON.
    pub(crate) fn encoded(&self, protocol: TelemetryProtocol) -> Result<Bytes, serde_json::Error> {
        match protocol {
            TelemetryProtocol::Protobuf => Ok(self.encode_to_vec().into()),
            TelemetryProtocol::Json => Ok(serde_json::to_vec(self)?.into()),
        }
    }
}

/// The media type of bodies, of requests and replies alike.
pub(crate) fn media_type(protocol: TelemetryProtocol) -> &'static str {
    match protocol {
        TelemetryProtocol::Protobuf => "application/x-protobuf",
        TelemetryProtocol::Json => "application/json",
    }
}

/// Statement of the reply to an accepted request about refused records; none where it cannot be read, because the
/// status has said that the request was accepted.
pub(crate) fn partial_success(protocol: TelemetryProtocol, body: &[u8]) -> PartialSuccess {
    let found = match protocol {
        TelemetryProtocol::Protobuf => ExportReply::decode(body).ok().and_then(|reply| reply.partial_success),
        TelemetryProtocol::Json => partial_success_of_json(body),
    };
    found.unwrap_or_default()
}

fn partial_success_of_json(body: &[u8]) -> Option<PartialSuccess> {
    let reply: Value = serde_json::from_slice(body).ok()?;
    let partial = reply.get("partialSuccess")?;
    let rejected = partial.get("rejectedLogRecords");
    let rejected = rejected.and_then(|count| count.as_i64().or_else(|| count.as_str()?.parse().ok()));
    let message = partial.get("errorMessage").and_then(Value::as_str);
    Some(PartialSuccess {
        rejected_log_records: rejected.unwrap_or_default(),
        error_message: message.unwrap_or_default().to_owned(),
    })
}

/// The message of a refusal, where there is one.
pub(crate) fn refusal(protocol: TelemetryProtocol, body: &[u8]) -> Option<String> {
    let message = match protocol {
        TelemetryProtocol::Protobuf => Status::decode(body).ok()?.message,
        TelemetryProtocol::Json => {
            let status: Value = serde_json::from_slice(body).ok()?;
            status.get("message")?.as_str()?.to_owned()
        }
    };
    (!message.is_empty()).then_some(message)
}

impl From<Value> for AnyValue {
    fn from(value: Value) -> Self {
        let kind = match value {
            Value::Null => None,
            Value::Bool(value) => Some(AnyValueKind::BoolValue(value)),
            Value::Number(number) => Some(match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => AnyValueKind::IntValue(whole),
                (None, Some(real)) => AnyValueKind::DoubleValue(real),
                (None, None) => AnyValueKind::StringValue(number.to_string()),
            }),
            Value::String(text) => Some(AnyValueKind::StringValue(text)),
            Value::Array(values) => {
                let values = values.into_iter().map(Self::from).collect();
                Some(AnyValueKind::ArrayValue(ArrayValue { values }))
            }
            Value::Object(fields) => {
                let values = fields.into_iter().map(|(key, value)| KeyValue::new(key, value)).collect();
                Some(AnyValueKind::KvlistValue(KeyValueList { values }))
            }
        };
        Self { kind }
    }
}

impl KeyValue {
    /// A key with any value of JSON.
    pub(crate) fn new(key: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { key: key.into(), value: Some(AnyValue::from(value.into())) }
    }
}

#[cfg(test)]
mod tests;

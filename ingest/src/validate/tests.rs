//! Validation through its front door, against readers other than ours: prost and
//! opentelemetry-proto for OTLP, `serde_json` for JSON.

mod drain;
pub(crate) mod generate;
mod json;
mod limits;
mod otlp_json;
mod otlp_proto;
mod refusals;

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, any_value::Value};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message;

use super::*;

/// 2027-01-15T08:00:00Z.
const RECEIVED_AT: Timestamp = Timestamp(1_800_000_000_000_000_000);

fn run(format: Format, body: &[u8]) -> Result<ValidBatch, Rejection> {
    validate(format, BytesMut::from(body), &Limits::default(), RECEIVED_AT)
}

fn request(batch: &ValidBatch) -> ExportLogsServiceRequest {
    ExportLogsServiceRequest::decode(&batch.payload[..]).expect("prost reads what we accept")
}

fn records(request: &ExportLogsServiceRequest) -> impl Iterator<Item = &LogRecord> {
    let scopes = request.resource_logs.iter().flat_map(|resource| &resource.scope_logs);
    scopes.flat_map(|scope| &scope.log_records)
}

fn text(text: &str) -> AnyValue {
    AnyValue { value: Some(Value::StringValue(text.to_owned())) }
}

//! The description of log ingestion, which the `ingest` role serves on the same base path. Only its words are here.
#![expect(
    unused_qualifications,
    reason = "the macro qualifies the types of this module where it repeats them"
)]

use serde::Serialize;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use rest::error::ErrorContent;

/// Error of log ingestion: a `google.rpc.Status`, together with the error object of the other endpoints.
#[derive(Serialize, ToSchema)]
#[schema(as = IngestionError, example = json!({
    "code": 3,
    "message": "record 7: expected a log object, found a string",
    "error": {
        "code": "invalid_request",
        "message": "record 7: expected a log object, found a string",
        "request_id": "0198a2f4-6c1b-7d3e-9a51-3f2b8c7d6e5f"
    }
}))]
pub(super) struct IngestionError {
    /// Status code of `google.rpc`.
    #[schema(minimum = 0, maximum = 16)]
    code: i32,
    /// Description of the error.
    message: String,
    /// The error object of the other endpoints.
    error: ErrorContent,
}

/// An OTLP `ExportLogsServiceRequest` in protobuf.
#[derive(Serialize, ToSchema)]
#[schema(value_type = String, format = Binary)]
struct ProtobufLogs(String);

/// A batch in JSON: OTLP, or the objects of a log drain.
struct LogBatch;

impl ToSchema for LogBatch {}

impl PartialSchema for LogBatch {
    fn schema() -> RefOr<Schema> {
        let object = || ObjectBuilder::new().schema_type(Type::Object);
        let drain = ArrayBuilder::new()
            .description(Some("Log drain: an object for each record, with keys of the sender's choice"))
            .items(object())
            .max_items(Some(10_000));
        let groups = ArrayBuilder::new().items(object()).max_items(Some(1_000));
        let otlp = object()
            .description(Some("OTLP `ExportLogsServiceRequest`; other properties are ignored"))
            .property("resourceLogs", groups);
        OneOfBuilder::new().description(Some("A batch of log records in JSON")).item(drain).item(otlp).into()
    }
}

/// Content encoding of a batch.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "a value set of the description")]
enum ContentEncoding {
    Identity,
    Gzip,
}

/// Send logs
///
/// 200 means that the whole batch is durable; analysis follows. A batch with one invalid record is rejected as a
/// whole. The body of an error is a `google.rpc.Status` in protobuf if the request is protobuf, otherwise JSON with
/// `code`, `message` and `error`.
#[utoipa::path(
    post,
    path = "/api/v1/infrastructure/sources/{source_id}/v1/logs",
    tag = "Log ingestion",
    params(
        ("source_id" = String, Path, format = Uuid, description = "A source of the API key's organization"),
        ("Content-Encoding" = inline(Option<ContentEncoding>), Header, description = "Encoding of the body, `identity` by default"),
        (
            "Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255,
            description = "Identifies this delivery, so that a retry is recognised even if its records have no timestamps"
        )
    ),
    request_body(
        description = "At most 4 MiB, 16 MiB decompressed, 10,000 records, 1,000 resource groups, 1,000 scopes, and 128 \
            attributes per resource, scope or record",
        content(
            (inline(ProtobufLogs) = "application/x-protobuf"),
            (LogBatch = "application/json", example = json!([{"time": "2026-07-08T09:10:11.012Z", "message": "Failed password for root"}])),
            (String = "application/x-ndjson", example = json!("{\"message\":\"Failed password for root\"}\n")),
            (String = "application/ndjson")
        )
    ),
    responses(
        (status = 200, description = "Durably accepted", content(
            (String = "application/x-protobuf"),
            (Object = "application/json", example = json!({}))
        )),
        (status = 400, description = "Malformed source id, request or record", body = IngestionError),
        (status = 401, description = "The API key is missing or not valid", body = IngestionError),
        (status = 403, description = "The API key lacks the scope `ingest:write`", body = IngestionError),
        (status = 404, description = "No such source in the organization, or it is disabled", body = IngestionError),
        (status = 413, description = "A limit is exceeded", body = IngestionError),
        (status = 415, description = "Unsupported content type or encoding", body = IngestionError),
        (
            status = 503,
            description = "The batch cannot be stored durably at the moment: retry it",
            headers(("Retry-After" = u64, description = "Seconds to wait before the next request")),
            body = IngestionError
        )
    )
)]
#[expect(dead_code, reason = "described here, served by another role")]
pub(crate) fn accept_logs() {}

//! The description of log ingestion, which the `ingest` role serves on the same base path. Only its words are here.

/// Send logs
///
/// 200 means that the whole batch is durable; analysis follows. A batch with one bad record is refused whole.
/// Refusals carry a `google.rpc.Status` in protobuf where the request is protobuf, else JSON with `code`, `message` and
/// `error`.
#[utoipa::path(
    post,
    path = "/api/v1/infrastructure/sources/{source_id}/v1/logs",
    tag = "Log ingestion",
    params(
        ("source_id" = String, Path, format = Uuid, description = "A source of the API key's organization"),
        ("Content-Encoding" = Option<String>, Header, description = "`identity` or `gzip`"),
        (
            "Idempotency-Key" = Option<String>, Header,
            description = "Names this delivery, so that a retry is recognised even where its records have no times"
        )
    ),
    request_body(
        description = "At most 4 MiB, 16 MiB inflated, 10,000 records, 1,000 resource groups, 1,000 scopes, and 128 \
            attributes per resource, scope or record",
        content(
            (String = "application/x-protobuf"),
            (Object = "application/json", example = json!([{"time": "2026-07-08T09:10:11.012Z", "message": "Failed password for root"}])),
            (String = "application/x-ndjson", example = json!("{\"message\":\"Failed password for root\"}\n")),
            (String = "application/ndjson")
        )
    ),
    responses(
        (status = 200, description = "Durably accepted", content(
            (String = "application/x-protobuf"),
            (Object = "application/json", example = json!({}))
        )),
        (status = 400, description = "Malformed source id, request or record", body = Object),
        (status = 401, description = "The API key is missing or not valid", body = Object),
        (status = 403, description = "The API key lacks the scope `ingest:write`", body = Object),
        (status = 404, description = "No such source in the organization, or it is disabled", body = Object),
        (status = 413, description = "A limit is exceeded", body = Object),
        (status = 415, description = "Unsupported content type or encoding", body = Object),
        (
            status = 503,
            description = "Cannot be accepted durably right now: retry the batch",
            headers(("Retry-After" = u64, description = "Seconds to wait")),
            body = Object
        )
    )
)]
#[expect(dead_code, reason = "described here, served by another role")]
pub(crate) fn accept_logs() {}

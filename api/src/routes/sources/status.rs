//! `/infrastructure/sources/{source_id}/status`: whether the logs of a source arrive and are understood.

use std::cmp::Reverse;

use axum::extract::State;
use axum::response::Response;
use common::ids::SourceId;
use common::timestamp::Timestamp;
use http::StatusCode;
use serde::Serialize;
use statistics::{Example, SourceKey, Totals};
use utoipa::ToSchema;

use crate::app::Shared;
use crate::causes;
use crate::path::SourcePath;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::{NotFound, Refusals};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::SourcesRead;
use rest::settings::found;

/// Arrival and recognition of the logs of a source.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InfrastructureSourceStatus)]
pub(crate) struct StatusView {
    /// The source's id.
    #[schema(format = Uuid, example = "67e55044-10b1-426f-9247-bb680e5fe0c8")]
    id: String,
    /// `infrastructure_source_status`.
    #[schema(example = "infrastructure_source_status")]
    object: &'static str,
    /// Time of acceptance of the first batch with records; null before it.
    #[schema(required, format = DateTime)]
    first_log_at: Option<String>,
    /// Time of acceptance of the latest batch with records; null before the first.
    #[schema(required, format = DateTime)]
    last_log_at: Option<String>,
    /// Records accepted.
    accepted: u64,
    /// Rejected requests by reason, the most frequent first.
    refused: Vec<RefusedView>,
    /// Formats of the records analysed in the last seven days, the most frequent first.
    recognised_as: Vec<RecognisedView>,
    /// Records of the last seven days whose format and program are not known.
    unrecognised: UnrecognisedView,
}

/// Rejected requests by one reason.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InfrastructureSourceRefusal)]
pub(crate) struct RefusedView {
    /// `malformed` (400), `too_large` (413), `unsupported` (415) or `unavailable` (503).
    #[schema(example = "malformed")]
    reason: String,
    /// Number of requests.
    #[schema(minimum = 1)]
    count: u64,
}

/// Records of one format.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InfrastructureSourceFormat)]
pub(crate) struct RecognisedView {
    /// Name of the program, product or syntax.
    #[schema(example = "OpenSSH")]
    format: String,
    /// Share of the analysed records, 0 to 1.
    #[schema(minimum = 0, maximum = 1, example = 0.97)]
    share: f64,
}

/// Records whose format and program are not known.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InfrastructureSourceUnrecognised)]
pub(crate) struct UnrecognisedView {
    /// Share of the analysed records, 0 to 1.
    #[schema(minimum = 0, maximum = 1, example = 0.03)]
    share: f64,
    /// Examples, the latest first, kept for seven days.
    #[schema(max_items = 5)]
    examples: Vec<ExampleView>,
}

/// Example of an unrecognised record.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InfrastructureSourceExample)]
pub(crate) struct ExampleView {
    /// Text of the record, with secrets masked, cut to 512 bytes.
    #[schema(example = "[[job 7]] state 3 -> 4")]
    text: String,
    /// Time of acceptance of its batch.
    #[schema(format = DateTime)]
    received_at: String,
}

/// Get the status of a source
///
/// Shows whether the logs of a source arrive and are recognised. Shares refer to the records analysed in the last
/// seven days and are rounded to four decimals. Counts are written every ten seconds and are approximate: a process
/// that ends abruptly loses the counts of up to ten seconds, and records that are analysed again after that are
/// counted again.
#[utoipa::path(
    get,
    path = "/infrastructure/sources/{source_id}/status",
    operation_id = "get_source_status",
    tag = "Infrastructure sources",
    params(("source_id" = String, Path, format = Uuid, description = "The source's id")),
    responses((status = 200, description = "The status", body = StatusView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<SourcesRead>,
    Id(id): Id<SourcePath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let source = found(app.kit.directory.sources(), caller.organization(), id).await?;
    let key = SourceKey { organization: source.organization, source: source.id };
    let totals = statistics::read(app.kit.ledger.as_ref(), app.kit.partitions, key, app.kit.clock.now())
        .await
        .map_err(causes::statistic)?;
    reply::json(StatusCode::OK, &view(id, totals.unwrap_or_default()))
}

fn view(id: SourceId, totals: Totals) -> StatusView {
    let week = totals.of_week();
    let records = week.recognised.values().copied().fold(week.unrecognised, u64::saturating_add);
    let mut refused: Vec<_> = totals
        .refused
        .into_iter()
        .map(|(reason, count)| RefusedView { reason: reason.into_owned(), count })
        .collect();
    refused.sort_by_key(|refused| Reverse(refused.count));
    let mut recognised: Vec<_> = week.recognised.into_iter().collect();
    recognised.sort_by_key(|(_, count)| Reverse(*count));
    let recognised_as = recognised
        .into_iter()
        .map(|(format, count)| RecognisedView { format: format.into_owned(), share: share(count, records) })
        .collect();
    StatusView {
        id: id.to_string(),
        object: "infrastructure_source_status",
        first_log_at: totals.first_at.map(Timestamp::to_iso),
        last_log_at: totals.last_at.map(Timestamp::to_iso),
        accepted: totals.accepted,
        refused,
        recognised_as,
        unrecognised: UnrecognisedView {
            share: share(week.unrecognised, records),
            examples: examples(totals.examples),
        },
    }
}

/// The latest first.
fn examples(mut examples: Vec<Example>) -> Vec<ExampleView> {
    examples.sort_by_key(|example| Reverse(example.at));
    let view = |Example { text, at }| ExampleView { text, received_at: Timestamp::to_iso(at) };
    examples.into_iter().map(view).collect()
}

/// A share, rounded to four decimals; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "four decimals are shown")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    (part as f64 / whole as f64 * 10_000.0).round() / 10_000.0
}

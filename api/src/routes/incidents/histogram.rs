//! `/incidents/histogram`: incidents over time.

use std::time::Duration;

use axum::extract;
use axum::response::Response;
use common::severity::Severity;
use common::timestamp::Timestamp;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::IncidentQuery;
use crate::app::Shared;
use crate::incident_index::{BySeverity, Filter};
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::Refusals;
use rest::query::{FromQuery, Parameters, QueryError, StrictQuery};
use rest::reply;
use rest::scope::IncidentsRead;

/// Most buckets of a histogram: more than a screen shows.
const MAX_BUCKETS: u32 = 200;
/// Buckets where none are asked for: the hours of a day.
const DEFAULT_BUCKETS: u32 = 24;
/// The time before `to` where `from` is not given.
const DEFAULT_RANGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Resolution of a histogram.
#[derive(Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct BucketsQuery {
    /// Number of buckets of equal length between `from` and `to`.
    #[param(required = false, minimum = 1, maximum = 200, default = 24)]
    buckets: u32,
}

impl FromQuery for BucketsQuery {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(Self { buckets: parameters.number("buckets", 1..=MAX_BUCKETS, DEFAULT_BUCKETS)? })
    }
}

/// Incidents over time.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IncidentHistogram)]
pub(crate) struct HistogramView {
    /// `histogram`.
    #[schema(example = "histogram")]
    object: &'static str,
    /// Beginning of the first bucket.
    #[schema(format = DateTime)]
    from: String,
    /// End of the last bucket, exclusive.
    #[schema(format = DateTime)]
    to: String,
    /// Incidents in all buckets.
    total: u64,
    /// Buckets, oldest first.
    data: Vec<BucketView>,
    /// Present, and true, if the organization has more incidents than the index may hold: the newest ones are counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    index_truncated: bool,
}

/// A bucket of a histogram.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IncidentHistogramBucket)]
struct BucketView {
    /// Beginning of the bucket.
    #[schema(format = DateTime)]
    from: String,
    /// End of the bucket, exclusive.
    #[schema(format = DateTime)]
    to: String,
    /// Incidents whose last activity lies in it.
    total: u64,
    /// Incidents of the bucket by severity.
    severities: SeveritiesView,
}

/// Incidents by severity.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IncidentSeverities)]
struct SeveritiesView {
    /// Of severity `unknown`.
    unknown: u64,
    /// Of severity `low`.
    low: u64,
    /// Of severity `medium`.
    medium: u64,
    /// Of severity `high`.
    high: u64,
    /// Of severity `critical`.
    critical: u64,
}

impl SeveritiesView {
    fn of(counts: &BySeverity) -> Self {
        let of = |severity: Severity| counts.get(severity as usize).copied().unwrap_or_default();
        Self {
            unknown: of(Severity::Unknown),
            low: of(Severity::Low),
            medium: of(Severity::Medium),
            high: of(Severity::High),
            critical: of(Severity::Critical),
        }
    }
}

/// Count incidents over time
///
/// Incidents by the time of their last activity, in buckets of equal length, filtered like the list. `to`
/// defaults to the
/// current time, `from` to a day before.
#[utoipa::path(
    get,
    path = "/incidents/histogram",
    operation_id = "incident_histogram",
    tag = "Incidents",
    params(IncidentQuery, BucketsQuery),
    responses((status = 200, description = "The histogram", body = HistogramView), Refusals)
)]
pub(crate) async fn show(
    extract::State(app): extract::State<Shared>,
    caller: Caller<IncidentsRead>,
    StrictQuery((query, resolution)): StrictQuery<(IncidentQuery, BucketsQuery)>,
) -> Result<Response, ApiError> {
    let to = query.to.unwrap_or_else(|| app.kit.clock.now());
    let from = query.from.unwrap_or_else(|| to.minus(DEFAULT_RANGE));
    if from.as_millis() >= to.as_millis() {
        let message = format!("from: expected a time before to ({}), found {}", to.to_iso(), from.to_iso());
        return Err(ApiError::Invalid(message.into()));
    }
    let filter = Filter::from(query);
    let asked = app.index.histogram(caller.organization(), &filter, (from, to), resolution.buckets as usize);
    let answer = asked.await?;
    let histogram = answer.answer;
    let iso = |millis: i64| Timestamp::from_millis(millis).to_iso();
    let bucket = |(counts, bounds): (&BySeverity, &[i64])| BucketView {
        from: bounds.first().copied().map(iso).unwrap_or_default(),
        to: bounds.last().copied().map(iso).unwrap_or_default(),
        total: counts.iter().sum(),
        severities: SeveritiesView::of(counts),
    };
    let view = HistogramView {
        object: "histogram",
        from: from.to_iso(),
        to: to.to_iso(),
        total: histogram.counts.iter().flatten().sum(),
        data: histogram.counts.iter().zip(histogram.bounds.windows(2)).map(bucket).collect(),
        index_truncated: answer.truncated,
    };
    reply::json(StatusCode::OK, &view)
}

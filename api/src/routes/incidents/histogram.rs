//! `/incidents/histogram`: incidents over time.

use axum::extract;
use axum::response::Response;
use common::severity::Severity;
use http::StatusCode;

use super::IncidentQuery;
use crate::app::Shared;
use crate::incident_index::{Filter, Histogram};
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::histogram::{BucketsQuery, HistogramView, range};
use rest::openapi::Refusals;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::IncidentsRead;

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
    let times = range(query.from, query.to, app.kit.clock.now())?;
    let filter = Filter::from(query);
    let asked = app.index.histogram(caller.organization(), &filter, times, resolution.buckets as usize);
    let answer = asked.await?;
    let Histogram { bounds, counts } = answer.answer;
    let view = HistogramView::new::<Severity, _>(times, (&bounds, &counts), answer.truncated);
    reply::json(StatusCode::OK, &view)
}

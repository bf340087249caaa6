//! `/findings/histogram` and `/findings/facets`: findings counted instead of listed.

use axum::extract;
use axum::response::Response;
use engine::Level;
use http::StatusCode;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::facets::FacetView;
use rest::histogram::{BucketsQuery, HistogramView, range};
use rest::openapi::Refusals;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::FindingsRead;
use serde::Serialize;
use utoipa::ToSchema;

use super::list::resolve;
use crate::Shared;
use crate::counts::{self, FacetCounts};
use crate::filter::Filter;
use crate::target::Target;

/// Count findings over time
///
/// Findings by the time of their creation, in buckets of equal length, and by risk level; filtered like the list. `to` defaults
/// to the current time, `from` to a day before.
#[utoipa::path(
    get,
    path = "/findings/histogram",
    operation_id = "finding_histogram",
    tag = "Findings",
    params(Filter, BucketsQuery),
    responses((status = 200, description = "The histogram", body = HistogramView), Refusals)
)]
pub(crate) async fn histogram(
    extract::State(app): extract::State<Shared>,
    caller: Caller<FindingsRead>,
    StrictQuery((mut filter, resolution)): StrictQuery<(Filter, BucketsQuery)>,
) -> Result<Response, ApiError> {
    let times = range(filter.from, filter.to, app.kit.clock.now())?;
    resolve(&app, caller.organization(), &mut filter).await?;
    let opened = app.index.open(caller.organization()).await?;
    let view = {
        let index = opened.read();
        let counted = counts::histogram(&index, &filter, times, resolution.buckets as usize);
        HistogramView::new::<Level, _>(times, (&counted.bounds, &counted.counts), index.is_truncated())
    };
    reply::json(StatusCode::OK, &view)
}

/// Findings by value.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingFacets)]
pub(crate) struct FacetsView {
    /// `facets`.
    #[schema(example = "facets")]
    object: &'static str,
    /// Findings that match.
    total: u64,
    /// By kind.
    kind: FacetView,
    /// By origin.
    source: FacetView,
    /// By severity; findings without one are not counted here.
    severity: FacetView,
    /// By risk level.
    risk_level: FacetView,
    /// By triage status.
    triage_status: FacetView,
    /// Resolved findings by resolution.
    triage_resolution: FacetView,
    /// By repository; values are ids at the code host.
    repository: FacetView,
    /// By application; values are ids.
    application_id: FacetView,
    /// By agent; values are ids.
    agent_id: FacetView,
    /// By assignee.
    assignee: FacetView,
    /// By weakness; a finding counts for each of its weaknesses.
    cwe: FacetView,
    /// Present, and true, if the organization has more findings than the index may hold: the newest ones are counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    index_truncated: bool,
}

/// Id and display name of a target.
type Named = (String, Option<String>);

impl FacetsView {
    fn of(counted: &FacetCounts, index_truncated: bool) -> Self {
        let targets = |value: fn(&Target) -> Option<Named>| {
            let counts: Vec<_> =
                counted.targets.iter().filter_map(|(target, count)| Some((value(target)?, *count))).collect();
            FacetView::of(&counts, Clone::clone)
        };
        Self {
            object: "facets",
            total: counted.total,
            kind: FacetView::words(&counted.kind),
            source: FacetView::words(&counted.source),
            severity: FacetView::words(&counted.severity),
            risk_level: FacetView::words(&counted.risk),
            triage_status: FacetView::words(&counted.status),
            triage_resolution: FacetView::words(&counted.resolution),
            repository: targets(|target| match target {
                Target::Repository { id, full_name } => Some((id.clone(), Some(full_name.clone()))),
                _ => None,
            }),
            application_id: targets(|target| match target {
                Target::Application { id } => Some((id.to_string(), None)),
                _ => None,
            }),
            agent_id: targets(|target| match target {
                Target::Agent { id } => Some((id.to_string(), None)),
                _ => None,
            }),
            assignee: FacetView::of(&counted.assignees, |name| (name.to_string(), None)),
            cwe: FacetView::of(&counted.cwes, |cwe| (format!("CWE-{cwe}"), None)),
            index_truncated,
        }
    }
}

/// Count findings by value
///
/// Findings by kind, origin, level, triage, target, assignee and weakness, filtered like the list.
#[utoipa::path(
    get,
    path = "/findings/facets",
    operation_id = "finding_facets",
    tag = "Findings",
    params(Filter),
    responses((status = 200, description = "The counts", body = FacetsView), Refusals)
)]
pub(crate) async fn facets(
    extract::State(app): extract::State<Shared>,
    caller: Caller<FindingsRead>,
    StrictQuery(mut filter): StrictQuery<Filter>,
) -> Result<Response, ApiError> {
    resolve(&app, caller.organization(), &mut filter).await?;
    let opened = app.index.open(caller.organization()).await?;
    let view = {
        let index = opened.read();
        FacetsView::of(&counts::facets(&index, &filter), index.is_truncated())
    };
    reply::json(StatusCode::OK, &view)
}

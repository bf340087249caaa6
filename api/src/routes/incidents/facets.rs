//! `/incidents/facets`: incidents by the values that their list can be narrowed to.

use axum::extract;
use axum::response::Response;
use common::ids::SourceId;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::IncidentQuery;
use crate::app::Shared;
use crate::incident_index::FacetCounts;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::facets::FacetView;
use rest::openapi::Refusals;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::IncidentsRead;

/// Incidents by value.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IncidentFacets)]
pub(crate) struct FacetsView {
    /// `facets`.
    #[schema(example = "facets")]
    object: &'static str,
    /// Incidents that match.
    total: u64,
    /// By severity.
    severity: FacetView,
    /// By triage status.
    triage_status: FacetView,
    /// Resolved incidents by resolution.
    triage_resolution: FacetView,
    /// By source; values are ids.
    source: FacetView,
    /// By application group.
    application_group: FacetView,
    /// By environment.
    environment: FacetView,
    /// Present, and true, if the organization has more incidents than the index may hold: the newest ones are counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    index_truncated: bool,
}

/// Count incidents by value
///
/// Incidents by severity, triage status, resolution, source, application group and environment, filtered
/// like the list.
#[utoipa::path(
    get,
    path = "/incidents/facets",
    operation_id = "incident_facets",
    tag = "Incidents",
    params(IncidentQuery),
    responses((status = 200, description = "The counts", body = FacetsView), Refusals)
)]
pub(crate) async fn show(
    extract::State(app): extract::State<Shared>,
    caller: Caller<IncidentsRead>,
    StrictQuery(query): StrictQuery<IncidentQuery>,
) -> Result<Response, ApiError> {
    let answer = app.index.facets(caller.organization(), &query.into()).await?;
    let FacetCounts {
        total,
        severity,
        triage_status,
        triage_resolution,
        sources,
        application_groups,
        environments,
    } = answer.answer;
    let name = |id: &SourceId| answer.names.get(id).map(ToString::to_string);
    let view = FacetsView {
        object: "facets",
        total,
        severity: FacetView::words(&severity),
        triage_status: FacetView::words(&triage_status),
        triage_resolution: FacetView::words(&triage_resolution),
        source: FacetView::of(&sources, |id| (id.to_string(), name(id))),
        application_group: FacetView::of(&application_groups, |value| (value.to_string(), None)),
        environment: FacetView::of(&environments, |value| (value.to_string(), None)),
        index_truncated: answer.truncated,
    };
    reply::json(StatusCode::OK, &view)
}

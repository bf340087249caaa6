//! `/incidents`: list, histogram, facets, detail and review (specification, Endpoints: Incidents).

pub(crate) mod facets;
pub(crate) mod histogram;

use axum::extract;
use axum::response::Response;
use axum::{Extension, http};
use common::ids::{IncidentId, SourceId};
use common::incident::IncidentHead;
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::{App, Shared};
use crate::causes;
use crate::incident_index::{Filter, Part, Sort, State};
use crate::incidents::{Command, IncidentDetailView, IncidentSummary, MAX_COMMENT_CHARS, Reader, Reviewer};
use crate::path::IncidentPath;
use rest::actor::acting;
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::{FromQuery, Parameters, QueryError, StrictQuery};
use rest::reply;
use rest::request_id::RequestId;
use rest::scope::{IncidentsRead, IncidentsWrite};

/// Longest `q`, in characters (specification, Limits).
const MAX_SEARCH: usize = 1000;

/// What a list of incidents may be narrowed to.
#[derive(Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct IncidentQuery {
    /// Incidents of this severity.
    #[param(schema_with = crate::schema::severity)]
    severity: Option<Severity>,
    /// Open incidents, which are not resolved, or resolved ones.
    #[param(schema_with = crate::schema::incident_state)]
    state: Option<State>,
    /// Incidents whose review stands here; none is ever `triaging`.
    #[param(schema_with = crate::schema::triage_status)]
    triage_status: Option<TriageStatus>,
    /// Incidents resolved this way.
    #[param(schema_with = crate::schema::triage_resolution)]
    triage_resolution: Option<TriageResolution>,
    /// Incidents of this source.
    #[param(value_type = Option<String>, format = Uuid)]
    source_id: Option<SourceId>,
    /// Incidents of exactly this application group.
    #[param(min_length = 1, max_length = 100)]
    application_group: Option<String>,
    /// Incidents of exactly this environment.
    #[param(min_length = 1, max_length = 50)]
    environment: Option<String>,
    /// Incidents whose last activity is at or after this time (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Incidents whose last activity is before this time.
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Literal, case-insensitive text in the title, entity value, source name, application group or environment. There
    /// are no wildcards.
    #[param(max_length = 1000)]
    q: Option<String>,
}

/// The order of a list of incidents.
#[derive(Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SortQuery {
    /// `activity`: newest activity first; `created`: newest first; `severity`: most severe first. Incidents that are equal in
    /// that follow by newest activity.
    #[param(schema_with = crate::schema::incident_sort)]
    sort: Option<Sort>,
}

impl FromQuery for SortQuery {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(Self { sort: parameters.word("sort")? })
    }
}

impl FromQuery for IncidentQuery {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(Self {
            severity: parameters.word("severity")?,
            state: parameters.word("state")?,
            triage_status: parameters.word("triage_status")?,
            triage_resolution: parameters.word("triage_resolution")?,
            source_id: parameters.id("source_id")?,
            application_group: parameters.text("application_group", 1..=100)?,
            environment: parameters.text("environment", 1..=50)?,
            from: parameters.time("from")?,
            to: parameters.time("to")?,
            q: parameters.text("q", 0..=MAX_SEARCH)?,
        })
    }
}

impl From<IncidentQuery> for Filter {
    fn from(query: IncidentQuery) -> Self {
        Self {
            severity: query.severity,
            state: query.state,
            triage_status: query.triage_status,
            triage_resolution: query.triage_resolution,
            source: query.source_id,
            application_group: query.application_group,
            environment: query.environment,
            from: query.from,
            to: query.to,
            text: query.q.filter(|text| !text.is_empty()),
        }
    }
}

/// List incidents
///
/// Newest activity first, then id descending, unless `sort` says otherwise. Changes made through this process are visible at once, those made
/// through other processes after at most one poll (200 ms by default).
#[utoipa::path(
    get,
    path = "/incidents",
    operation_id = "list_incidents",
    tag = "Incidents",
    params(IncidentQuery, SortQuery, PageQuery),
    responses((status = 200, description = "A page of incident summaries", body = Page<IncidentSummary>), Refusals)
)]
pub(crate) async fn list(
    extract::State(app): extract::State<Shared>,
    caller: Caller<IncidentsRead>,
    StrictQuery((query, order, page)): StrictQuery<(IncidentQuery, SortQuery, PageQuery)>,
) -> Result<Response, ApiError> {
    let (offset, limit) = (page.offset as usize, page.limit as usize);
    let part = Part { sort: order.sort.unwrap_or_default(), offset, limit };
    let listed = app.index.list(caller.organization(), &query.into(), part).await?;
    let summaries = listed.rows.iter().map(|(row, name)| IncidentSummary::of_row(row, name.as_deref()));
    let mut reply = Page::new(page, summaries.collect(), listed.total as u64);
    reply.pagination.index_truncated = listed.truncated;
    reply::json(StatusCode::OK, &reply)
}

/// Get an incident
///
/// Read from the ledger, not from the index.
#[utoipa::path(
    get,
    path = "/incidents/{incident_id}",
    operation_id = "get_incident",
    tag = "Incidents",
    params(("incident_id" = String, Path, format = Uuid, description = "The incident's id")),
    responses((status = 200, description = "The incident", body = IncidentDetailView), NotFound, Refusals)
)]
pub(crate) async fn show(
    extract::State(app): extract::State<Shared>,
    caller: Caller<IncidentsRead>,
    Id(id): Id<IncidentPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    detail(&app, Reader::of(&app, caller.organization()), id).await
}

/// Request body for reviewing an incident.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = IncidentReview, example = json!({
    "triage_version": 1,
    "triage_status": "resolved",
    "triage_resolution": "false_positive",
    "comment": "The scanner of the office."
}))]
pub(crate) struct ReviewBody {
    /// The triage version that the reviewer has read.
    #[schema(minimum = 0)]
    triage_version: u64,
    /// The status to be. `triaging` is not a person's to set.
    #[schema(schema_with = crate::schema::review_status)]
    triage_status: TriageStatus,
    /// How it ended: required with `resolved`, not allowed with any other status.
    #[schema(schema_with = crate::schema::nullable_resolution)]
    triage_resolution: Option<TriageResolution>,
    /// Comment with the reason for the change.
    #[schema(max_length = 4000)]
    comment: Option<String>,
}

impl ReviewBody {
    fn check(&self) -> Result<(), ApiError> {
        let resolved = self.triage_status == TriageStatus::Resolved;
        let comment = self.comment.as_deref().unwrap_or("");
        let refusal = if self.triage_status == TriageStatus::Triaging {
            "triage_status: an incident cannot be set to triaging"
        } else if resolved && self.triage_resolution.is_none() {
            "triage_resolution is required with triage_status resolved"
        } else if !resolved && self.triage_resolution.is_some() {
            "triage_resolution is allowed with triage_status resolved only"
        } else if comment.chars().count() > MAX_COMMENT_CHARS {
            "comment: expected at most 4000 characters"
        } else {
            return Ok(());
        };
        Err(ApiError::Invalid(refusal.into()))
    }
}

/// Review an incident
///
/// A status equal to the current one changes nothing and stores no comment; a version other than the current one is
/// answered with 409. A resolved incident is not escalated until it is reopened; reopening is escalated if a
/// monitoring policy includes it.
#[utoipa::path(
    patch,
    path = "/incidents/{incident_id}",
    operation_id = "review_incident",
    tag = "Incidents",
    params(("incident_id" = String, Path, format = Uuid, description = "The incident's id")),
    request_body = ReviewBody,
    responses(
        (status = 200, description = "The updated incident", body = IncidentDetailView),
        NotFound,
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn review(
    extract::State(app): extract::State<Shared>,
    caller: Caller<IncidentsWrite>,
    Extension(request_id): Extension<RequestId>,
    Id(id): Id<IncidentPath>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<ReviewBody>,
) -> Result<Response, ApiError> {
    let body = body.value;
    body.check()?;
    let command = Command {
        triage_version: body.triage_version,
        status: body.triage_status,
        resolution: body.triage_resolution,
        comment: body.comment.filter(|comment| !comment.is_empty()),
        actor: acting(caller.grant()),
        at: app.kit.clock.now(),
        request_id: request_id.as_str().to_owned(),
    };
    let reader = Reader::of(&app, caller.organization());
    let stored = |head: &IncidentHead, seq| app.index.apply(head, seq);
    let reviewer = Reviewer { reader, escalation: &app.escalation, stored: &stored };
    reviewer.review(id, &command).await?;
    detail(&app, reader, id).await
}

async fn detail(app: &App, reader: Reader<'_>, id: IncidentId) -> Result<Response, ApiError> {
    let incident = reader.incident(id).await?;
    let events = app.deliveries.of_incident(reader.organization, id).await.map_err(causes::delivery)?;
    reply::json(StatusCode::OK, &IncidentDetailView::new(incident, events, app.kit.clock.now()))
}

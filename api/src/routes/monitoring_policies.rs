//! `/monitoring-policies`: which incidents are escalated, and when.

mod view;

use axum::extract::State;
use axum::response::Response;
use common::ids::{PolicyId, SourceId};
use common::severity::Severity;
use directory::{DirectoryError, EscalationTrigger, MonitoringPolicy, NewMonitoringPolicy};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::{App, Shared};
use crate::path::PolicyPath;
use crate::schema::text;
use rest::authenticate::Caller;
use rest::body::{StrictJson, not_null, nullable};
use rest::creation;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{PoliciesRead, PoliciesWrite};
use rest::settings::{Patch, changed, found, page, removed, set};
use view::PolicyView;

/// List monitoring policies
///
/// Newest first.
#[utoipa::path(
    get,
    path = "/monitoring-policies",
    operation_id = "list_monitoring_policies",
    tag = "Monitoring policies",
    params(PageQuery),
    responses((status = 200, description = "A page of monitoring policies", body = Page<PolicyView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<PoliciesRead>,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    page::<_, PolicyView>(app.kit.directory.monitoring_policies(), caller.organization(), query).await
}

/// Request body for creating a monitoring policy.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewMonitoringPolicy, example = json!({"name": "on call", "environments": ["production"], "minimum_severity": "high"}))]
pub(crate) struct NewPolicyBody {
    /// Display name. Need not be unique.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// Whether the policy is enabled.
    #[serde(default = "rest::body::enabled")]
    enabled: bool,
    /// Ids of sources of the organization; null or omitted for all, including future sources.
    #[schema(value_type = Option<Vec<text::SourceId>>, min_items = 1, max_items = 100)]
    source_ids: Option<Vec<String>>,
    /// Application groups, compared exactly; null or omitted for all.
    #[schema(value_type = Option<Vec<text::ApplicationGroup>>, min_items = 1, max_items = 20)]
    application_groups: Option<Vec<String>>,
    /// Environments, compared exactly; null or omitted for all.
    #[schema(value_type = Option<Vec<text::Environment>>, min_items = 1, max_items = 20)]
    environments: Option<Vec<String>>,
    /// The least severity to escalate, `high` where it is left out; `unknown` ranks below `low`.
    #[serde(default = "default_severity")]
    #[schema(schema_with = crate::schema::severity, required = false)]
    minimum_severity: Severity,
    /// What to escalate for, everything where it is left out.
    #[serde(default = "default_triggers")]
    #[schema(schema_with = crate::schema::escalate_on, required = false)]
    escalate_on: Vec<EscalationTrigger>,
}

fn default_severity() -> Severity {
    Severity::High
}

fn default_triggers() -> Vec<EscalationTrigger> {
    EscalationTrigger::ALL.to_vec()
}

/// Create a monitoring policy
///
/// The policy applies to batches accepted and reviews made after the response. An existing incident is escalated by it
/// when its severity rises or it is reopened. An incident that several policies escalate is escalated once. At most
/// 50; more is answered with 409. With an `Idempotency-Key`, a retry within 24 hours is answered with the first
/// response.
#[utoipa::path(
    post,
    path = "/monitoring-policies",
    operation_id = "create_monitoring_policy",
    tag = "Monitoring policies",
    params(creation::RepetitionHeader),
    request_body = NewPolicyBody,
    responses(
        (status = 201, description = "The monitoring policy", body = PolicyView),
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn create(
    State(app): State<Shared>,
    caller: Caller<PoliciesWrite>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<NewPolicyBody>,
) -> Result<Response, ApiError> {
    let request = ("create monitoring policy", body.raw.as_ref());
    let create = async |id| create_once(&app, &caller, body.value, id).await;
    creation::created(&app.kit, &caller, &headers, request, create).await
}

async fn create_once(
    app: &App,
    caller: &Caller<PoliciesWrite>,
    body: NewPolicyBody,
    id: Option<Uuid>,
) -> Result<PolicyView, ApiError> {
    let new = NewMonitoringPolicy {
        id: id.map(PolicyId),
        name: body.name,
        enabled: body.enabled,
        source_ids: body.source_ids.map(sources).transpose()?,
        application_groups: body.application_groups,
        environments: body.environments,
        minimum_severity: body.minimum_severity,
        escalate_on: body.escalate_on,
    };
    let policy = app.kit.directory.create_monitoring_policy(caller.organization(), new).await?;
    Ok(policy.into())
}

/// Get a monitoring policy
#[utoipa::path(
    get,
    path = "/monitoring-policies/{policy_id}",
    operation_id = "get_monitoring_policy",
    tag = "Monitoring policies",
    params(("policy_id" = String, Path, format = Uuid, description = "The monitoring policy's id")),
    responses((status = 200, description = "The monitoring policy", body = PolicyView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<PoliciesRead>,
    Id(id): Id<PolicyPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let policy = found(app.kit.directory.monitoring_policies(), caller.organization(), id).await?;
    reply::json(StatusCode::OK, &PolicyView::from(policy))
}

/// Request body for changing a monitoring policy: at least one property.
#[derive(Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MonitoringPolicyChange, min_properties = 1, example = json!({"environments": null, "minimum_severity": "critical"}))]
pub(crate) struct PolicyChangeBody {
    /// Display name.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Whether it is enabled. Enabling it again applies to records accepted after that.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    enabled: Option<bool>,
    /// Ids of sources of the organization; null for all.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<Vec<text::SourceId>>, min_items = 1, max_items = 100)]
    source_ids: Option<Option<Vec<String>>>,
    /// Application groups, compared exactly; null for all.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<Vec<text::ApplicationGroup>>, min_items = 1, max_items = 20)]
    application_groups: Option<Option<Vec<String>>>,
    /// Environments, compared exactly; null for all.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<Vec<text::Environment>>, min_items = 1, max_items = 20)]
    environments: Option<Option<Vec<String>>>,
    /// The least severity to escalate.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::severity, required = false)]
    minimum_severity: Option<Severity>,
    /// What to escalate for.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::escalate_on, required = false)]
    escalate_on: Option<Vec<EscalationTrigger>>,
}

impl Patch<MonitoringPolicy> for PolicyChangeBody {
    fn apply(&self, policy: &mut MonitoringPolicy) -> Result<(), DirectoryError> {
        set(&mut policy.name, self.name.as_ref());
        set(&mut policy.enabled, self.enabled.as_ref());
        if let Some(ids) = &self.source_ids {
            policy.source_ids = ids.clone().map(sources).transpose()?;
        }
        set(&mut policy.application_groups, self.application_groups.as_ref());
        set(&mut policy.environments, self.environments.as_ref());
        set(&mut policy.minimum_severity, self.minimum_severity.as_ref());
        set(&mut policy.escalate_on, self.escalate_on.as_ref());
        Ok(())
    }
}

/// Change a monitoring policy
///
/// The change applies to records analysed and reviews made after it.
#[utoipa::path(
    patch,
    path = "/monitoring-policies/{policy_id}",
    operation_id = "change_monitoring_policy",
    tag = "Monitoring policies",
    params(("policy_id" = String, Path, format = Uuid, description = "The monitoring policy's id")),
    request_body = PolicyChangeBody,
    responses(
        (status = 200, description = "The updated monitoring policy", body = PolicyView),
        NotFound,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn change(
    State(app): State<Shared>,
    caller: Caller<PoliciesWrite>,
    Id(id): Id<PolicyPath>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<PolicyChangeBody>,
) -> Result<Response, ApiError> {
    let policies = app.kit.directory.monitoring_policies();
    let policy = changed(policies, caller.organization(), id, body.value).await?;
    reply::json(StatusCode::OK, &PolicyView::from(policy))
}

/// Delete a monitoring policy
///
/// Earlier escalations are not withdrawn.
#[utoipa::path(
    delete,
    path = "/monitoring-policies/{policy_id}",
    operation_id = "delete_monitoring_policy",
    tag = "Monitoring policies",
    params(("policy_id" = String, Path, format = Uuid, description = "The monitoring policy's id")),
    responses((status = 204, description = "Deleted"), NotFound, Refusals)
)]
pub(crate) async fn delete(
    State(app): State<Shared>,
    caller: Caller<PoliciesWrite>,
    Id(id): Id<PolicyPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    removed(app.kit.directory.monitoring_policies(), caller.organization(), id).await
}

/// Sources as they are named in a body.
fn sources(ids: Vec<String>) -> Result<Vec<SourceId>, DirectoryError> {
    let parse = |id: String| {
        id.parse().map_err(|_| DirectoryError::Invalid {
            field: "source_ids",
            reason: format!("expected ids of sources, found `{id}`"),
        })
    };
    ids.into_iter().map(parse).collect()
}

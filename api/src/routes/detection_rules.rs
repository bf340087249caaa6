//! `/detection-rules`: the Sigma rules of an organization, in addition to the shared rules.

pub(super) mod trial;
mod view;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use common::ids::DetectionRuleId;
use directory::{Asked, DetectionRule, Directory, DocumentCheck, DocumentRefusal, NewDetectionRule};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::{App, Shared};
use crate::path::DetectionRulePath;
use crate::suspensions::Suspensions;
use crate::tallies::tally;
use crate::yaml_reply;
use rest::actor::acting;
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::creation;
use rest::error::ApiError;
use rest::idempotency::Reply;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{RulesRead, RulesWrite};
use rest::settings::found;
use view::{RuleDetailView, RuleView};

/// List detection rules
///
/// Newest first; the built-in rules are not included.
#[utoipa::path(
    get,
    path = "/detection-rules",
    operation_id = "list_detection_rules",
    tag = "Detection rules",
    params(PageQuery),
    responses((status = 200, description = "A page of detection rules", body = Page<RuleView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<RulesRead>,
    StrictQuery(page): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let (rules, total) =
        page.newest_first(app.kit.directory.detection_rules(None).list(caller.organization()).await?);
    let suspensions = Suspensions::read(&app, caller.organization()).await?;
    let rules = rules.into_iter().map(|rule| RuleView::new(rule, &suspensions)).collect();
    reply::json(StatusCode::OK, &Page::new(page, rules, total))
}

/// Request body for creating a detection rule.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewDetectionRule, example = json!({"yaml": "title: Root logs in\nid: 7a1f0c52-6d0e-4f57-8f0e-1c1c3a5d9e01\nlogsource:\n  product: linux\n  service: sshd\ndetection:\n  selection:\n    event.action: ssh_login_succeeded\n    user.name: root\n  condition: selection\nlevel: high\n"}))]
pub(crate) struct RuleBody {
    /// A Sigma rule or correlation, or a correlation together with the rules it needs (separated by `---`, at most
    /// 20); at most 65536 bytes. Ids and names of other rules, including the built-in ones, are answered with 400.
    #[schema(min_length = 1, max_length = 65536)]
    yaml: String,
    /// Whether the rule is enabled.
    #[serde(default = "rest::body::enabled")]
    enabled: bool,
}

/// Create a detection rule
///
/// An invalid rule is answered with 400, with lines and causes, as is a rule with which the compiled rules and
/// suppressions of the organization would take more than 16 MiB of memory. The rule applies to records accepted from a
/// few seconds later on. At most 1,000 rules, and 8 MiB of YAML together with the suppressions; more is answered with
/// 409. With an `Idempotency-Key`, a retry within 24 hours is answered with the first response.
#[utoipa::path(
    post,
    path = "/detection-rules",
    operation_id = "create_detection_rule",
    tag = "Detection rules",
    params(creation::RepetitionHeader),
    request_body = RuleBody,
    responses(
        (status = 201, description = "The detection rule", body = RuleDetailView),
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn create(
    State(app): State<Shared>,
    caller: Caller<RulesWrite>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<RuleBody>,
) -> Result<Response, ApiError> {
    let request = ("create detection rule", body.raw.as_ref());
    let create = async |id| create_once(&app, &caller, &body.value, id).await;
    let (mut reply, origin) = creation::once(&app.kit, &caller, &headers, request, create).await?;
    reply.body = yaml_reply::with(&reply.body, &body.value.yaml)?;
    Ok(creation::response(reply, origin))
}

/// The reply lacks the YAML, which the request has: so what is remembered of it stays small.
async fn create_once(
    app: &App,
    caller: &Caller<RulesWrite>,
    body: &RuleBody,
    id: Option<Uuid>,
) -> Result<Reply, ApiError> {
    let id = id.map(DetectionRuleId);
    if let Some(id) = id
        && let Some(made) = app.kit.directory.detection_rules(None).get(caller.organization(), id).await?
    {
        return created(made);
    }
    let (organization, actor) = (caller.organization(), acting(caller.grant()));
    let make = move |directory: Arc<Directory>, version, new| {
        let (actor, new) = (actor.clone(), NewDetectionRule { id, ..new });
        async move { directory.create_detection_rule(organization, version, new, actor).await }
    };
    created(app.checking.change(&app.kit, organization, checked(None, body.clone()), make).await?)
}

fn created(rule: DetectionRule) -> Result<Reply, ApiError> {
    let view = RuleDetailView::new(rule, None, &Suspensions::default()).without_yaml();
    Ok(Reply::new(StatusCode::CREATED, reply::text(&view)?))
}

/// Get a detection rule
#[utoipa::path(
    get,
    path = "/detection-rules/{rule_id}",
    operation_id = "get_detection_rule",
    tag = "Detection rules",
    params(("rule_id" = String, Path, format = Uuid, description = "The detection rule's id")),
    responses((status = 200, description = "The detection rule", body = RuleDetailView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<RulesRead>,
    Id(id): Id<DetectionRulePath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let rule = found(app.kit.directory.detection_rules(None), caller.organization(), id).await?;
    let tally = tally(&app, caller.organization(), &rule.sigma_ids).await?;
    let suspensions = Suspensions::read(&app, caller.organization()).await?;
    reply::json(StatusCode::OK, &RuleDetailView::new(rule, tally, &suspensions))
}

/// Replace a detection rule
///
/// Replaces the YAML and the enabled state; `enabled` defaults to true. Ends a suspension, even if the YAML is
/// unchanged. Removing a Sigma rule that another rule or a suppression refers to is answered with 409, which names
/// them.
#[utoipa::path(
    put,
    path = "/detection-rules/{rule_id}",
    operation_id = "replace_detection_rule",
    tag = "Detection rules",
    params(("rule_id" = String, Path, format = Uuid, description = "The detection rule's id")),
    request_body = RuleBody,
    responses(
        (status = 200, description = "The updated detection rule", body = RuleDetailView),
        NotFound,
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn replace(
    State(app): State<Shared>,
    caller: Caller<RulesWrite>,
    Id(id): Id<DetectionRulePath>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<RuleBody>,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    // Before anything is checked.
    let before = found(app.kit.directory.detection_rules(None), organization, id).await?;
    let suspensions = Suspensions::read(&app, organization).await?;
    let ends_suspension = suspensions.is_suspended(&before.sigma_ids);
    let make = move |directory: Arc<Directory>, version, new| async move {
        let new = NewDetectionRule { ends_suspension, ..new };
        directory.replace_detection_rule(organization, version, id, new).await
    };
    let checked = checked(Some(id), body.value);
    let rule = app.checking.change(&app.kit, organization, checked, make).await.map_err(rule_error)?;
    let tally = tally(&app, organization, &rule.sigma_ids).await?;
    // What was suspended ends with the revision that this made.
    reply::json(StatusCode::OK, &RuleDetailView::new(rule, tally, &Suspensions::default()))
}

/// Delete a detection rule
///
/// Existing incidents remain and are assessed without the rule. Deleting a rule that other rules or suppressions refer
/// to is answered with 409, which names them.
#[utoipa::path(
    delete,
    path = "/detection-rules/{rule_id}",
    operation_id = "delete_detection_rule",
    tag = "Detection rules",
    params(("rule_id" = String, Path, format = Uuid, description = "The detection rule's id")),
    responses((status = 204, description = "Deleted"), NotFound, Conflicts, Refusals)
)]
pub(crate) async fn delete(
    State(app): State<Shared>,
    caller: Caller<RulesWrite>,
    Id(id): Id<DetectionRulePath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    let organization = caller.organization();
    // Before anything is checked.
    found(app.kit.directory.detection_rules(None), organization, id).await?;
    let checked = move |check: &dyn DocumentCheck, asked: Asked<'_>| check.removal(asked, id);
    let make = move |directory: Arc<Directory>, version, ()| async move {
        directory.detection_rules(Some(version)).delete(organization, id).await
    };
    if app.checking.change(&app.kit, organization, checked, make).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(ApiError::NotFound("detection rule"))
}

/// The check of a rule to be, in the place of another where there is one.
fn checked(
    replaced: Option<DetectionRuleId>,
    body: RuleBody,
) -> impl Fn(&dyn DocumentCheck, Asked<'_>) -> Result<NewDetectionRule, DocumentRefusal> + Clone + Send + 'static
{
    move |check, asked| {
        let described = check.rule(asked, replaced, &body.yaml, body.enabled)?;
        let RuleBody { yaml, enabled } = body.clone();
        Ok(NewDetectionRule { id: None, yaml, enabled, described, ends_suspension: false })
    }
}

fn rule_error(error: ApiError) -> ApiError {
    match error {
        // Deleted by somebody else since it was found.
        ApiError::NotFound(_) => ApiError::NotFound("detection rule"),
        other => other,
    }
}

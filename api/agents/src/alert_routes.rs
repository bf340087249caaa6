//! `/agents/{agent_id}/alerts`: actions that were sent to receivers as events.

use axum::extract::State;
use axum::response::Response;
use common::words::Word;
use directory::Agent;
use engine::Level;
use http::StatusCode;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::{NotFound, Refusals, word_of, words};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::AgentsRead;
use rest::settings::found;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::ObjectBuilder;

use crate::Shared;
use crate::action::decision;
use crate::alerts::Alert;
use crate::routes::AgentPath;

/// An alert: an action of an agent that matches rules.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentAlert)]
pub(crate) struct AlertView {
    /// The alert's id, as in its event.
    #[schema(format = Uuid)]
    id: String,
    /// `agent_alert`.
    #[schema(example = "agent_alert")]
    object: &'static str,
    /// Whether the action was blocked.
    #[schema(schema_with = kind)]
    r#type: &'static str,
    /// The client.
    client: AlertClientView,
    /// The most severe matching rule; of a blocked action, among those that block.
    rule: AlertRuleView,
    /// Ids of all matching rules.
    rule_ids: Vec<String>,
    /// Decision of the client.
    #[schema(schema_with = decision)]
    decision: &'static str,
    /// Program of the agent.
    program: String,
    /// Hash of the session.
    session: String,
    /// Tool of the agent.
    tool: String,
    /// Effects of the action.
    effects: Vec<String>,
    /// Class of the target; empty without one.
    target_class: String,
    /// Matching command or path, with secrets masked; null without one.
    #[schema(required)]
    excerpt: Option<String>,
    /// The finding that the action is part of.
    #[schema(format = Uuid)]
    finding_id: String,
    /// The event about the action.
    #[schema(example = "evt_0198a2f46c1b7d3e9a513f2b8c7d6e5f")]
    event_id: String,
    /// Time of the action.
    #[schema(format = DateTime)]
    observed_at: String,
    /// Time of its report.
    #[schema(format = DateTime)]
    created_at: String,
}

/// The client of an alert.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentAlertClient)]
struct AlertClientView {
    /// The client's id.
    #[schema(format = Uuid)]
    id: String,
    /// Its name at that time.
    name: String,
}

/// The rule of an alert.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentAlertRule)]
struct AlertRuleView {
    /// The Sigma id.
    id: String,
    /// Version of the rule at the client.
    version: String,
    /// Title.
    title: String,
    /// Severity.
    #[schema(schema_with = severity)]
    severity: &'static str,
}

fn kind() -> ObjectBuilder {
    words("Whether the action was blocked", ["action_blocked", "finding_created"].into_iter())
}

fn severity() -> ObjectBuilder {
    word_of::<Level>("Severity of the rule")
}

impl From<Alert> for AlertView {
    fn from(alert: Alert) -> Self {
        let r#type = alert.kind();
        Self {
            id: alert.id.to_string(),
            object: "agent_alert",
            r#type,
            client: AlertClientView { id: alert.client.to_string(), name: alert.client_name },
            rule: AlertRuleView {
                id: alert.rule.id,
                version: alert.rule.version,
                title: alert.rule.title,
                severity: alert.rule.severity.word(),
            },
            rule_ids: alert.rules,
            decision: alert.decision.as_str(),
            program: alert.program,
            session: alert.session,
            tool: alert.tool,
            effects: alert.effects,
            target_class: alert.target_class,
            excerpt: alert.excerpt,
            finding_id: alert.finding.to_string(),
            event_id: alert.event.to_string(),
            observed_at: alert.observed_at.to_iso(),
            created_at: alert.created_at.to_iso(),
        }
    }
}

/// List the alerts of an agent
///
/// Newest first; the last 10,000. Actions beyond 30 of a rule and client in an hour, and actions of a resolved finding that were
/// not blocked, are counted by their finding only.
#[utoipa::path(
    get,
    path = "/agents/{agent_id}/alerts",
    operation_id = "list_agent_alerts",
    tag = "Agents",
    params(("agent_id" = String, Path, format = Uuid, description = "The agent's id"), PageQuery),
    responses((status = 200, description = "A page of alerts", body = Page<AlertView>), NotFound, Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<AgentsRead>,
    Id(id): Id<AgentPath>,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    let _: Agent = found(app.kit.directory.agents(), organization, id).await?;
    let (offset, limit) = (u64::from(query.offset), query.limit as usize);
    let (alerts, total) = app.alerts.page((organization, id), offset, limit).await?;
    let views = alerts.into_iter().map(AlertView::from).collect();
    reply::json(StatusCode::OK, &Page::new(query, views, total))
}

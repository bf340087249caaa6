//! An agent as the API shows it: never its credentials, and never the values of its headers.

use directory::{Agent, AgentEvidence, AgentMode, AgentType, RedTeamSettings, TargetKind};
use red_team::ScheduleView;
use rest::openapi::{text, word_of};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};

use crate::clients::Summary;
use crate::pairing::PairingView;
use crate::status::{Attention, AttentionReason};

/// An agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Agent)]
pub(crate) struct AgentView {
    /// The agent's id.
    #[schema(format = Uuid, example = "0198a2f4-6c1b-7d3e-9a51-3f2b8c7d6e5f")]
    id: String,
    /// `agent`.
    #[schema(example = "agent")]
    object: &'static str,
    /// Display name.
    #[schema(min_length = 1, max_length = 100, example = "Support bot")]
    name: String,
    /// Type of the agent.
    #[schema(schema_with = agent_type)]
    agent_type: &'static str,
    /// Repository of the source code.
    #[schema(required)]
    repository_id: Option<String>,
    /// Interface for tests.
    #[schema(schema_with = nullable_target_kind)]
    target_kind: Option<&'static str>,
    /// URL of that interface, normalized.
    #[schema(required, max_length = 2048)]
    target_url: Option<String>,
    /// Whether an email address or password of a login is set. They are never returned.
    credentials_set: bool,
    /// Names of the headers, in lower case; their values are never returned.
    #[schema(value_type = Vec<text::HeaderName>)]
    header_names: Vec<String>,
    /// Most requests a minute to the agent; null for the default of the service.
    #[schema(required, minimum = 1, maximum = 600)]
    request_throttle_rpm: Option<u16>,
    /// Period of scheduled runs.
    #[schema(schema_with = red_team::red_team_schedule)]
    red_team_schedule: &'static str,
    /// Scheduled runs.
    schedule: ScheduleView,
    /// Effect of blocking rules on monitored actions.
    #[schema(schema_with = agent_mode)]
    mode: &'static str,
    /// Excerpts in detections.
    #[schema(schema_with = agent_evidence)]
    evidence: &'static str,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

/// A new agent.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedAgent)]
pub(crate) struct CreatedAgentView {
    #[serde(flatten)]
    pub(crate) about: AgentView,
    /// Of a coding agent, the details for pairing its first client, shown only in this response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) pairing: Option<PairingView>,
}

/// An agent with the state of its clients.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentDetail)]
pub(crate) struct AgentDetailView {
    #[serde(flatten)]
    pub(crate) about: AgentView,
    /// State of its monitoring clients.
    pub(crate) runtime: RuntimeView,
}

/// State of the monitoring clients of an agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentRuntime)]
pub(crate) struct RuntimeView {
    /// Number of paired clients.
    clients: usize,
    /// Number of those whose last request was in this hour (UTC) or the 23 hours before it.
    active_clients: usize,
    /// When a client of the agent last made a request; null without clients.
    #[schema(required, format = DateTime)]
    last_seen_at: Option<String>,
    /// Version of the rules that a client reported last; null before the first report.
    #[schema(required)]
    rules_version: Option<String>,
    /// Faults that clients reported within the last 24 hours, at most 100.
    attention: Vec<AttentionView>,
}

/// A fault of a monitoring client.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentAttention)]
struct AttentionView {
    /// The client's id.
    #[schema(format = Uuid)]
    client_id: String,
    /// The client's name.
    client_name: String,
    /// The fault.
    #[schema(schema_with = attention_reason)]
    reason: &'static str,
    /// The program whose hook is at fault; null where the fault is another one.
    #[schema(required)]
    program: Option<String>,
}

fn attention_reason() -> ObjectBuilder {
    word_of::<AttentionReason>("Fault of the client")
}

impl From<Attention> for AttentionView {
    fn from(attention: Attention) -> Self {
        Self {
            client_id: attention.client.to_string(),
            client_name: attention.client_name,
            reason: attention.reason.as_str(),
            program: attention.program,
        }
    }
}

impl From<Summary> for RuntimeView {
    fn from(summary: Summary) -> Self {
        Self {
            clients: summary.clients,
            active_clients: summary.active,
            last_seen_at: summary.last_seen_at.map(|at| at.to_iso()),
            rules_version: summary.rules_version,
            attention: summary.attention.into_iter().map(AttentionView::from).collect(),
        }
    }
}

impl AgentView {
    pub(crate) fn new(agent: Agent, schedule: ScheduleView) -> Self {
        let settings: RedTeamSettings = agent.red_team;
        Self {
            id: agent.id.to_string(),
            object: "agent",
            name: agent.name,
            agent_type: agent.agent_type.as_str(),
            repository_id: agent.repository_id,
            target_kind: agent.target_kind.map(TargetKind::as_str),
            target_url: agent.target_url,
            credentials_set: settings.has_login(),
            header_names: settings.headers.into_keys().collect(),
            request_throttle_rpm: settings.request_throttle_rpm,
            red_team_schedule: settings.schedule.as_str(),
            schedule,
            mode: agent.mode.as_str(),
            evidence: agent.evidence.as_str(),
            created_at: agent.created_at.to_iso(),
            updated_at: agent.updated_at.to_iso(),
        }
    }
}

pub(crate) fn agent_type() -> ObjectBuilder {
    word_of::<AgentType>("Type of the agent")
}

pub(crate) fn nullable_target_kind() -> OneOfBuilder {
    OneOfBuilder::new()
        .description(Some("Interface for tests: a page in a browser, or an HTTP interface"))
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .item(word_of::<TargetKind>("Interface for tests"))
}

pub(crate) fn agent_mode() -> ObjectBuilder {
    word_of::<AgentMode>(
        "`monitor` reports actions that match a rule; `enforce` also blocks those that match a blocking rule",
    )
}

pub(crate) fn agent_evidence() -> ObjectBuilder {
    word_of::<AgentEvidence>(
        "`redacted`: the matching command or path, with secrets masked; `none`: no excerpt",
    )
}

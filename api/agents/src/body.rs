//! Bodies of requests.

use std::collections::BTreeMap;

use directory::{
    Agent, AgentEvidence, AgentMode, AgentType, DirectoryError, NewCredentials, RedTeamSchedule,
    SealedCredentials, TargetKind,
};
use red_team::{ScheduleBody, set_schedule};
use rest::body::{not_null, nullable};
use rest::openapi::text;
use rest::settings::{Patch, set};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::view::{agent_evidence, agent_mode, agent_type, nullable_target_kind};

/// Request body for creating an agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewAgent, example = json!({"name": "Support bot", "agent_type": "chatbot"}))]
pub(crate) struct NewAgentBody {
    /// Display name, unique in the organization in any case.
    #[schema(min_length = 1, max_length = 100)]
    pub(crate) name: String,
    /// Type of the agent.
    #[schema(schema_with = agent_type)]
    pub(crate) agent_type: AgentType,
    /// Repository of the source code: the id of a connected repository.
    #[schema(max_length = 16)]
    pub(crate) repository_id: Option<String>,
}

/// Request body for changing an agent: at least one property. A `target_url` of another origin (scheme, host or port) removes
/// the credentials and headers that the body does not set. A schedule needs a `target_url`, and is not for coding agents.
#[derive(Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AgentChange, min_properties = 1, example = json!({"mode": "enforce"}))]
pub(crate) struct AgentChangeBody {
    /// Display name, unique in the organization in any case.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Type of the agent.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = agent_type, required = false)]
    pub(crate) agent_type: Option<AgentType>,
    /// Repository of the source code; null for none.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, max_length = 16)]
    pub(crate) repository_id: Option<Option<String>>,
    /// Interface for tests; null for none.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(schema_with = nullable_target_kind, required = false)]
    target_kind: Option<Option<TargetKind>>,
    /// URL of that interface, http or https, without user name and password; null for none.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, max_length = 2048)]
    target_url: Option<Option<String>>,
    /// Email address of the login for tests, stored encrypted and never returned; null removes it.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 254)]
    login_email: Option<Option<String>>,
    /// Password of that login, stored encrypted and never returned; null removes it.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 1000)]
    login_password: Option<Option<String>>,
    /// Replaces all headers of requests to the agent: at most 16, with at most 8192 bytes of names and values together, stored
    /// encrypted and never returned; null or an empty object removes them.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<BTreeMap<text::HeaderName, text::HeaderValue>>)]
    headers: Option<Option<BTreeMap<String, String>>>,
    /// Most requests a minute to the agent; null for the default of the service.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<u16>, minimum = 1, maximum = 600)]
    request_throttle_rpm: Option<Option<u16>>,
    /// Period of scheduled runs.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = red_team::red_team_schedule, required = false)]
    red_team_schedule: Option<RedTeamSchedule>,
    /// Time of scheduled runs.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    schedule: Option<ScheduleBody>,
    /// Effect of blocking rules on monitored actions.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = agent_mode, required = false)]
    mode: Option<AgentMode>,
    /// Excerpts in detections.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = agent_evidence, required = false)]
    evidence: Option<AgentEvidence>,
}

impl AgentChangeBody {
    /// The URL that the body sets.
    pub(crate) fn target_url(&self) -> Option<&str> {
        self.target_url.as_ref()?.as_deref()
    }

    /// Takes the credentials out, which are sealed before the change is applied.
    pub(crate) fn credentials(&mut self) -> NewCredentials {
        NewCredentials {
            login_email: self.login_email.take(),
            login_password: self.login_password.take(),
            headers: self.headers.take().map(Option::unwrap_or_default),
        }
    }

    /// Applies the change with its sealed credentials.
    pub(crate) fn apply_sealed(
        &self,
        agent: &mut Agent,
        credentials: &SealedCredentials,
    ) -> Result<(), DirectoryError> {
        agent.set_target(self.target_url.as_ref().map(Option::as_deref), credentials)?;
        self.apply(agent)
    }
}

impl Patch<Agent> for AgentChangeBody {
    /// All but the URL and the credentials, which are set together.
    fn apply(&self, agent: &mut Agent) -> Result<(), DirectoryError> {
        set(&mut agent.name, self.name.as_ref());
        set(&mut agent.agent_type, self.agent_type.as_ref());
        set(&mut agent.repository_id, self.repository_id.as_ref());
        set(&mut agent.target_kind, self.target_kind.as_ref());
        set(&mut agent.mode, self.mode.as_ref());
        set(&mut agent.evidence, self.evidence.as_ref());
        set(&mut agent.red_team.request_throttle_rpm, self.request_throttle_rpm.as_ref());
        set_schedule(&mut agent.red_team, self.red_team_schedule.as_ref(), self.schedule.as_ref());
        Ok(())
    }
}

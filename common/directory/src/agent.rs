//! Agents: programs of an organization that act for people, for example chatbots and coding agents, and that are tested or
//! monitored.

use std::time::Duration;

use common::ids::{AgentId, OrganizationId};
use common::timestamp::Timestamp;
use common::words;
use ledger::Op;
use secrets::Vault;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::directory::Directory;
use crate::error::DirectoryError;
use crate::fields::{MAX_NAME, check_new_text};
use crate::lookup::Lookup;
use crate::pairing_code::PairingCode;
use crate::red_team::{NewCredentials, RedTeamSchedule, RedTeamSettings, SealedCredentials};
use crate::rows::{AGENT_NAMES, AGENTS};
use crate::sealed_values::{RowLocation, SealError};
use crate::table::{Change, Collection, Resource, Table};
use crate::target_url::{TargetUrl, is_same_origin};

/// Most agents of an organization: what one listing can hold in memory.
pub(crate) const MAX_AGENTS: usize = 1_000;

const NAMES: Lookup = Lookup { prefix: AGENT_NAMES, unique: Some("name") };

words!(
    /// Type of an agent (specification, Agent asset).
    AgentType {
        /// Answers people in text.
        Chatbot = "chatbot",
        /// Answers people in speech.
        VoiceAgent = "voice_agent",
        /// Changes source code; it is monitored on the machines where it runs.
        CodingAgent = "coding_agent",
        /// Works through the steps of a process.
        AiWorkflow = "ai_workflow",
        /// Processes data.
        DataPipeline = "data_pipeline",
        /// Any other.
        Other = "other",
    }
);

words!(
    /// Interface of an agent for its tests (specification, Agent asset).
    TargetKind {
        /// A page in a browser.
        Browser = "browser",
        /// An HTTP interface.
        Api = "api",
    }
);

words!(
    /// Effect of blocking rules on a monitored agent.
    AgentMode {
        /// Actions are reported and run.
        Monitor = "monitor",
        /// Actions that a blocking rule matches do not run.
        Enforce = "enforce",
    }
);

words!(
    /// Excerpts in the detections of a monitored agent.
    AgentEvidence {
        /// The matching command or path, with secrets masked.
        Redacted = "redacted",
        /// No excerpt.
        None = "none",
    }
);

/// An agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// Its name, 1..=100 characters, unique in the organization in any case.
    pub name: String,
    /// Its type.
    pub agent_type: AgentType,
    /// The repository of its source code, by its decimal id at the code host.
    pub repository_id: Option<String>,
    /// Interface for its tests.
    pub target_kind: Option<TargetKind>,
    /// URL of that interface.
    pub target_url: Option<String>,
    /// Settings of its runs.
    pub red_team: RedTeamSettings,
    /// Effect of blocking rules.
    pub mode: AgentMode,
    /// Excerpts in detections.
    pub evidence: AgentEvidence,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Values of a new agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAgent {
    /// The id it is to have, drawn beforehand so that a repetition finds the agent; `None` draws one.
    pub id: Option<AgentId>,
    /// Its name.
    pub name: String,
    /// Its type.
    pub agent_type: AgentType,
    /// The repository of its source code, which exists.
    pub repository_id: Option<String>,
}

impl Agent {
    /// Sets the URL of the target and the credentials that a change names. Credentials are for one origin: with another one,
    /// or without a URL, those that the change does not name are cleared.
    ///
    /// # Errors
    /// `Invalid` for a URL that is not allowed.
    pub fn set_target(
        &mut self,
        url: Option<Option<&str>>,
        credentials: &SealedCredentials,
    ) -> Result<(), DirectoryError> {
        let mut is_moved = false;
        if let Some(url) = url {
            is_moved = match (&self.target_url, url) {
                (None, _) => false,
                (Some(_), None) => true,
                (Some(before), Some(after)) => !is_same_origin("target_url", before, after)?,
            };
            let url = url.map(|url| TargetUrl::parse("target_url", url)).transpose()?;
            self.target_url = url.map(|url| url.as_str().to_owned());
        }
        self.red_team.set_credentials(credentials, is_moved);
        Ok(())
    }
}

impl Directory {
    /// Creates an agent.
    ///
    /// # Errors
    /// `Taken` for a name that another agent of the organization has, and as [`Table::create`], at 1,000 agents of the
    /// organization.
    pub async fn create_agent(
        &self,
        organization: OrganizationId,
        new: NewAgent,
    ) -> Result<Agent, DirectoryError> {
        self.agents().create(organization, self.new_agent(organization, new)).await
    }

    /// Creates a coding agent and the code that pairs its first client, in one commit: with neither of them there is the other.
    ///
    /// # Errors
    /// As [`Directory::create_agent`] and [`Directory::create_pairing_code`].
    pub async fn create_coding_agent(
        &self,
        organization: OrganizationId,
        new: NewAgent,
        lifetime: Duration,
    ) -> Result<(Agent, PairingCode, Zeroizing<String>), DirectoryError> {
        let agent = self.new_agent(organization, new);
        let (code, text) = self.new_pairing_code((organization, agent.id), 1, lifetime)?;
        let creation = self.table::<Agent>(Some(code)).create(organization, agent);
        Ok((self.with_pointer(&code, creation).await?, code, text))
    }

    fn new_agent(&self, organization: OrganizationId, new: NewAgent) -> Agent {
        let now = self.clock.now();
        Agent {
            id: new.id.unwrap_or_else(|| AgentId(self.new_id())),
            organization,
            name: new.name,
            agent_type: new.agent_type,
            repository_id: new.repository_id,
            target_kind: None,
            target_url: None,
            red_team: RedTeamSettings::default(),
            mode: AgentMode::Monitor,
            evidence: AgentEvidence::Redacted,
            created_at: now,
            updated_at: now,
        }
    }

    /// Deletes an agent and its pairing codes; `false` when the organization has no such agent.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says. The agent is still there if codes could not be removed.
    pub async fn delete_agent(
        &self,
        organization: OrganizationId,
        id: AgentId,
    ) -> Result<bool, DirectoryError> {
        self.remove_pairing_codes_of(organization, id).await?;
        let is_deleted = self.agents().delete(organization, id).await?;
        // Those that were created meanwhile. From now on there are none without their agent.
        self.remove_pairing_codes_of(organization, id).await?;
        Ok(is_deleted)
    }

    /// The agents.
    #[must_use]
    pub fn agents(&self) -> Table<'_, Agent> {
        self.table(None)
    }
}

/// Seals credentials for an agent.
///
/// # Errors
/// [`SealError`].
pub async fn seal_for_agent(
    vault: &Vault,
    organization: OrganizationId,
    id: AgentId,
    credentials: NewCredentials,
) -> Result<SealedCredentials, SealError> {
    credentials.seal(vault, RowLocation { organization, table: "agent", row: id.as_bytes() }).await
}

impl Resource for Agent {
    type Id = AgentId;
    /// The code for its first client, which is created with it.
    type Context = Option<PairingCode>;

    fn collection(_: Option<PairingCode>) -> Collection {
        Collection { prefix: AGENTS, name: "agent", plural: "agents", limit: MAX_AGENTS }
    }

    fn id(&self) -> AgentId {
        self.id
    }

    fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError> {
        check_new_text("name", &self.name, before.map(|before| before.name.as_str()), MAX_NAME)?;
        if let Some(url) = &self.target_url {
            TargetUrl::parse("target_url", url)?;
        }
        self.check_schedule()?;
        self.red_team.check(before.map(|before| &before.red_team))
    }

    fn touch(&mut self, _: &Self, now: Timestamp) {
        self.updated_at = now;
    }

    async fn beside(
        table: &Table<'_, Self>,
        organization: OrganizationId,
        change: Change<'_, Self>,
    ) -> Result<Vec<Op>, DirectoryError> {
        let Some(id) = change.before.or(change.after).map(|agent| agent.id) else {
            return Ok(Vec::new());
        };
        let names = change.map(|agent| agent.name.to_lowercase());
        let mut ops = NAMES.ops(table, organization, id, names).await?;
        if let Some(first_code) = table.context.filter(|_| change.before.is_none()) {
            ops.extend(first_code.creation(table.directory).await?);
        }
        Ok(ops)
    }
}

impl Agent {
    fn check_schedule(&self) -> Result<(), DirectoryError> {
        let found = self.red_team.schedule;
        let fault = if self.agent_type == AgentType::CodingAgent {
            "for a coding agent, which is monitored and not tested"
        } else if self.target_url.is_none() {
            "for an agent without target_url"
        } else {
            return Ok(());
        };
        if found == RedTeamSchedule::Off {
            return Ok(());
        }
        let reason = format!("expected off {fault}, found {}", found.as_str());
        Err(DirectoryError::invalid("red_team_schedule", reason))
    }
}

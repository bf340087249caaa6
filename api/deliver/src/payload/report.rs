//! Reports as receivers see them: `report.started`, `report.finished`. Never credentials, headers, bodies, or anything of
//! the sandbox.

use common::timestamp::Timestamp;
use serde::Serialize;

use super::{iso, iso_or_null};

/// A report.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "object", rename = "report")]
pub struct Report {
    /// Its id.
    pub id: String,
    /// What it is about.
    #[serde(flatten)]
    pub subject: ReportSubject,
    /// Who asked for it, for example `manual`.
    pub trigger_source: String,
    /// What it was asked to look for.
    pub custom_goal_prompt: Option<String>,
    /// How far it is.
    #[serde(flatten)]
    pub progress: Progress,
    /// Where people read on.
    pub dashboard_url: String,
    /// How it ended; null while it has not.
    pub outcome: Option<ReportOutcome>,
    /// Why it failed.
    pub error: Option<ReportError>,
    /// When the agent began.
    #[serde(serialize_with = "iso_or_null")]
    pub agent_started_at: Option<Timestamp>,
    /// When the agent ended.
    #[serde(serialize_with = "iso_or_null")]
    pub agent_completed_at: Option<Timestamp>,
    /// When it was asked for.
    #[serde(serialize_with = "iso")]
    pub created_at: Timestamp,
    /// When it last changed.
    #[serde(serialize_with = "iso")]
    pub updated_at: Timestamp,
}

/// What a report is about, in the fields of its type.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReportSubject {
    /// Code.
    Repository {
        /// URL of the repository.
        repository: String,
    },
    /// A web application.
    WebApp {
        /// Where it is.
        #[serde(flatten)]
        target: Target,
    },
    /// An agent.
    Agent {
        /// The persistent agent, when it is linked to one.
        #[serde(skip_serializing_if = "Option::is_none")]
        agent_id: Option<String>,
        /// What it does.
        description: String,
        /// What kind of agent.
        agent_type: String,
        /// How it is reached: `browser` or `api`.
        target_kind: String,
        /// Where it is.
        #[serde(flatten)]
        target: Target,
    },
}

/// Where something that is tested is.
#[derive(Clone, Debug, Serialize)]
pub struct Target {
    /// Its URL.
    pub target_url: String,
    /// The only host that is talked to.
    pub allowed_host: String,
    /// Requests a minute, at most.
    pub request_throttle_rpm: Option<u16>,
}

/// How far a report is.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    /// The report.
    pub status: String,
    /// Where it runs.
    pub sandbox_status: String,
    /// Who runs it.
    pub agent_status: String,
}

/// How a report ended.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportOutcome {
    /// It is there.
    Succeeded,
    /// It is not.
    Failed,
}

/// Why a report failed.
#[derive(Clone, Debug, Serialize)]
pub struct ReportError {
    /// In which phase.
    pub phase: ReportPhase,
    /// A message that tells nothing it should not.
    pub message: String,
}

/// Phases of a report.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportPhase {
    /// The sandbox was made.
    Provisioning,
    /// The agent ran.
    Agent,
}

//! What receivers find in `data.object`, one type for each shape of the specification (Events, Object shapes). Whoever
//! writes an event to the outbox writes one of these; reports and findings have files of their own. That of an escalated
//! incident lies where its events are made, in the crate `escalation`.

mod finding;
mod report;

use common::incident::Confidence;
use common::severity::Severity;
use common::timestamp::Timestamp;
use serde::{Serialize, Serializer};

pub use finding::{CodeReference, Finding, FindingTriage, Patch, PatchFormat, Remediation};
pub use report::{Progress, Report, ReportError, ReportOutcome, ReportPhase, ReportSubject, Target};

/// `contributor_trust.finished`: no private repository, no patch, no signal, no free text.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "object", rename = "contributor_trust_scan")]
pub struct ContributorTrustScan {
    /// The scan.
    pub id: String,
    /// Who was scanned.
    pub login: String,
    /// How it ended.
    pub status: ScanStatus,
    /// 0 to 100; null when it failed.
    pub score: Option<u8>,
    /// How scores were computed; null when it failed.
    pub score_version: Option<String>,
    /// What the score means; null when it failed.
    pub verdict: Option<String>,
    /// How sure; null when it failed.
    pub confidence: Option<Confidence>,
    /// The parts of the score; null when it failed.
    pub sub_scores: Option<SubScores>,
    /// Pull requests that were looked at; null when it failed.
    pub analyzed_pr_count: Option<u32>,
    /// Public pull requests that speak for or against.
    pub public_evidence: Vec<PublicEvidence>,
    /// Why it failed.
    pub error: Option<SafeMessage>,
    /// When it began.
    #[serde(serialize_with = "iso_or_null")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(serialize_with = "iso_or_null")]
    pub completed_at: Option<Timestamp>,
    /// When it was asked for.
    #[serde(serialize_with = "iso")]
    pub created_at: Timestamp,
    /// When it last changed.
    #[serde(serialize_with = "iso")]
    pub updated_at: Timestamp,
}

/// How a scan ended.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScanStatus {
    /// With a score.
    Completed,
    /// Without one.
    Failed,
}

/// The parts of a contributor's score.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SubScores {
    /// Who it is.
    pub identity: u8,
    /// What it does.
    pub behavior: u8,
    /// What it writes.
    pub content: u8,
}

/// A public pull request.
#[derive(Clone, Debug, Serialize)]
pub struct PublicEvidence {
    /// Owner and name.
    pub repo: String,
    /// Its number there.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Where it is.
    pub url: String,
    /// What was found in it.
    pub verdict: String,
    /// The files that were looked at.
    pub files_reviewed: Vec<String>,
}

/// A message that tells nothing it should not.
#[derive(Clone, Debug, Serialize)]
pub struct SafeMessage {
    /// The message.
    pub message: String,
}

/// `dependency_update.published`.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "object", rename = "dependency_update")]
pub struct DependencyUpdate {
    /// The observation of the pull request.
    pub id: String,
    /// `published`: nothing else is told of.
    pub status: Published,
    /// The run it belongs to, where one is known.
    pub run_id: Option<String>,
    /// Where.
    pub repository: Repository,
    /// Title of the pull request.
    pub title: String,
    /// The pull request.
    pub pull_request: PullRequest,
}

/// The only status of an update that is told of.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Published {
    /// It is.
    Published,
}

/// A repository.
#[derive(Clone, Debug, Serialize)]
pub struct Repository {
    /// Its id.
    pub id: String,
    /// Owner and name.
    pub full_name: String,
}

/// A pull request.
#[derive(Clone, Debug, Serialize)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// Where it is.
    pub url: String,
}

/// `agent.finding_created` and `agent.action_blocked`: no stream of events, no output of commands.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "object", rename = "agent_alert")]
pub struct AgentAlert {
    /// The alert.
    pub id: String,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: AgentAlertKind,
    /// The rule that saw it.
    pub rule: AgentRule,
    /// Where it happened.
    pub client: AgentClient,
    /// Where people read on.
    pub dashboard_url: String,
}

/// What an agent did.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentAlertKind {
    /// Something a rule detects.
    FindingCreated,
    /// Something it was denied.
    ActionBlocked,
}

/// A rule for agents.
#[derive(Clone, Debug, Serialize)]
pub struct AgentRule {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// How bad what it sees is.
    pub severity: Severity,
}

/// A machine that agents run on.
#[derive(Clone, Debug, Serialize)]
pub struct AgentClient {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
}

fn iso<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&at.to_iso())
}

#[expect(clippy::ref_option, reason = "the signature that serde calls")]
fn iso_or_null<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    at.map(Timestamp::to_iso).serialize(serializer)
}

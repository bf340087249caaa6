//! The row of a finding: all that lists, filters and merging need.

use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use common::words;
use engine::Level;
use records::Record;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::detail::FindingDetail;
use crate::history::HistoryEntry;
use crate::identity::Identity;
use crate::target::Target;

words!(
    /// Kind of a finding.
    FindingKind {
        /// Of a report about a repository.
        RepositoryRedTeam = "repository_red_team",
        /// Of a report about a web application.
        WebAppRedTeam = "web_app_red_team",
        /// Of a report about an agent.
        AgentRedTeam = "agent_red_team",
        /// Of a report about a package.
        PackageRedTeam = "package_red_team",
        /// Of the check of a pull request.
        PullRequest = "pull_request",
        /// Of an advisory about a dependency that is in use.
        Advisory = "advisory",
        /// Of a dependency update.
        Dependency = "dependency",
        /// Of an action of a monitored agent.
        AgentRuntime = "agent_runtime",
        /// Of another tool, imported.
        Imported = "imported",
    }
);

words!(
    /// Origin of a finding.
    FindingSource {
        /// A security report.
        Report = "report",
        /// The check of a pull request.
        PullRequest = "pull_request",
        /// An imported advisory.
        Advisory = "advisory",
        /// A dependency update.
        Dependency = "dependency",
        /// Agent monitoring.
        AgentMonitoring = "agent_monitoring",
        /// An import of the results of another tool.
        Import = "import",
    }
);

/// A finding, as lists need it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its id: a hash of identity and episode, behind the shard of its target.
    pub id: RecordId,
    /// Its owner.
    pub organization: OrganizationId,
    /// Hash of the parts that identify the weakness.
    pub identity: Identity,
    /// 1 for the first finding of its identity, then 2, 3, …: one that was fixed or deleted and observed again is new.
    pub episode: u32,
    /// The finding of the previous episode; it may have been deleted since.
    pub previous: Option<RecordId>,
    /// Kind.
    pub kind: FindingKind,
    /// Origin.
    pub source: FindingSource,
    /// Target.
    pub target: Target,
    /// The report that observed it last; `None` for other origins.
    pub report: Option<RecordId>,
    /// Display name of the origin: that of the report, `Agent monitoring`, `Advisory`, or the importing tool.
    pub label: String,
    /// Check that observed it.
    pub check: String,
    /// Title.
    pub title: String,
    /// Explanation, at most [`engine::Limits::DESCRIPTION`] characters.
    pub description: String,
    /// CVSS vector; empty without one.
    pub cvss_vector: String,
    /// Severity; `None` when it is not known.
    pub severity: Option<Level>,
    /// Severity, moved by facts about the target.
    pub risk: Level,
    /// CWE numbers, the most specific first.
    pub cwes: Vec<u32>,
    /// Address of the advisory.
    pub advisory_url: Option<String>,
    /// Review by users and automated triage.
    pub triage: Triage,
    /// Observations so far.
    pub observed: Observed,
    /// Raised by every change: the entity tag.
    pub version: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Review of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Triage {
    /// Status.
    pub status: TriageStatus,
    /// Present exactly while the status is `resolved`.
    pub resolution: Option<TriageResolution>,
    /// Person or team that works on it.
    pub assignee: Option<String>,
    /// Order on a board, ascending.
    pub board_position: u64,
    /// Risk level at the time of resolution, with which later observations are compared.
    pub resolved_risk: Option<Level>,
    /// Whether it was observed at a higher risk level since it was resolved.
    pub recurred_worse: bool,
    /// The automated triage that runs, and the status to return to when it fails.
    pub running: Option<Running>,
}

/// An automated triage that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// Its record, which is the key of its reservation of credits.
    pub triage: RecordId,
    /// Status before it.
    pub before: TriageStatus,
}

/// Observations of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// Runs that observed it.
    pub runs: u64,
    /// The run that began it.
    pub first_run: Uuid,
    /// The runs that observed it last, the latest last, at most [`Observed::RECENT`]: a run that is repeated after a crash, while
    /// others observe the same target, changes nothing twice.
    pub recent_runs: Vec<Uuid>,
    /// Time of the last observation; never goes back.
    pub last_at: Timestamp,
    /// Fingerprint of the detail, which is written only when it differs.
    pub detail: u64,
}

impl Observed {
    /// Runs that are remembered: more than observe one target at a time.
    pub const RECENT: usize = 4;

    /// Whether a run has observed it.
    pub(crate) fn by(&self, run: Uuid) -> bool {
        self.first_run == run || self.recent_runs.contains(&run)
    }

    /// Notes a run that has not observed it before.
    pub(crate) fn note(&mut self, run: Uuid, at: Timestamp) {
        self.runs += 1;
        if self.recent_runs.len() == Self::RECENT {
            self.recent_runs.remove(0);
        }
        self.recent_runs.push(run);
        self.last_at = self.last_at.max(at);
    }
}

impl Finding {
    /// Whether it is not resolved.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.triage.status != TriageStatus::Resolved
    }

    /// Marks a change.
    pub(crate) fn touch(&mut self, at: Timestamp) {
        self.version += 1;
        self.updated_at = at;
    }
}

impl Record for Finding {
    const NAME: &'static str = "finding";
    type Detail = FindingDetail;
    type History = HistoryEntry;

    fn id(&self) -> RecordId {
        self.id
    }

    fn organization(&self) -> OrganizationId {
        self.organization
    }
}

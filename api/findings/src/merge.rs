//! Merging an observation with the finding of its identity: the rule itself, pure.

use common::actor::Actor;
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::row::BodyError;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use common::words;
use engine::{Limits, Observation};
use uuid::Uuid;

use crate::detail::FindingDetail;
use crate::finding::{Finding, FindingKind, FindingSource, Observed, Triage};
use crate::history::{ChangeKind, HistoryEntry, State};
use crate::identity::{Episode, Identity};
use crate::target::Target;

/// A run of an engine, or an import: the context of its observations.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its id. A repeated call with the same id changes nothing further.
    pub id: Uuid,
    /// The organization.
    pub organization: OrganizationId,
    /// The target of all observations.
    pub target: Target,
    /// Kind of the findings.
    pub kind: FindingKind,
    /// Origin of the findings.
    pub source: FindingSource,
    /// The report, where the origin is one.
    pub report: Option<RecordId>,
    /// Display name of the origin.
    pub label: String,
    /// Actor of the changes.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
    /// Whether a new finding is announced by `finding.created`.
    pub announced: bool,
}

words!(
    /// Outcome of an observation.
    Outcome {
        /// A new finding.
        Created = "created",
        /// A finding that exists.
        SeenAgain = "seen_again",
        /// A new finding that continues one which was fixed.
        Recurred = "recurred",
    }
);

/// The finding of an identity, as the ledger has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) episode: Option<Episode>,
    pub(crate) finding: Option<Finding>,
}

/// Effect of an observation.
#[derive(Debug)]
pub(crate) struct Merge {
    pub(crate) finding: RecordId,
    pub(crate) outcome: Outcome,
    /// `None` where an earlier call of the same run has written it.
    pub(crate) change: Option<Box<Written>>,
}

/// The rows of a change.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) finding: Finding,
    /// `None` where it is as before.
    pub(crate) detail: Option<FindingDetail>,
    pub(crate) history: Option<HistoryEntry>,
    /// The episode that begins.
    pub(crate) episode: Option<Episode>,
}

impl Known {
    /// Whether an observation of a run begins an episode.
    pub(crate) fn begins_episode(&self, run: &Run) -> bool {
        let Some(finding) = &self.finding else { return true };
        finding.observed.last_run != run.id && finding.triage.resolution == Some(TriageResolution::Fixed)
    }
}

/// Decides the effect of an observation. `position` is the board position of a new finding.
pub(crate) fn merge(
    run: &Run,
    (shard, identity): (Shard, Identity),
    observation: &Observation,
    known: Known,
    position: u64,
) -> Result<Merge, BodyError> {
    if known.begins_episode(run) {
        return begin(run, (shard, identity), observation, known, position);
    }
    let Some(finding) = known.finding else {
        return begin(run, (shard, identity), observation, known, position);
    };
    if finding.observed.last_run == run.id {
        let outcome = match (finding.observed.first_run == run.id, finding.previous) {
            (false, _) => Outcome::SeenAgain,
            (true, None) => Outcome::Created,
            (true, Some(_)) => Outcome::Recurred,
        };
        return Ok(Merge { finding: finding.id, outcome, change: None });
    }
    renew(run, observation, finding)
}

fn begin(
    run: &Run,
    (shard, identity): (Shard, Identity),
    observation: &Observation,
    known: Known,
    position: u64,
) -> Result<Merge, BodyError> {
    let number = known.episode.map_or(1, |episode| episode.number + 1);
    let (id, detail) = (identity.finding(shard, number), FindingDetail::of(observation));
    let previous = known.finding.map(|finding| finding.id);
    let finding = Finding {
        id,
        organization: run.organization,
        identity,
        episode: number,
        previous,
        kind: run.kind,
        source: run.source,
        target: run.target.clone(),
        report: run.report,
        label: run.label.clone(),
        check: observation.check.clone(),
        title: observation.title.clone(),
        description: observation.description.clone(),
        cvss_vector: observation.cvss_vector.clone(),
        severity: observation.severity,
        risk: observation.risk,
        cwes: observation.cwes.clone(),
        advisory_url: observation.advisory_url.clone(),
        triage: Triage::new(position),
        observed: Observed {
            runs: 1,
            first_run: run.id,
            last_run: run.id,
            last_at: run.at,
            detail: detail.fingerprint()?,
        },
        version: 1,
        created_at: run.at,
        updated_at: run.at,
    };
    let state = finding.state();
    let history = Some(finding.entry(ChangeKind::Created, &run.actor, run.at, state));
    let episode = Some(Episode { number, finding: Some(id) });
    let outcome = if previous.is_some() { Outcome::Recurred } else { Outcome::Created };
    let change = Some(Box::new(Written { finding, detail: Some(detail), history, episode }));
    Ok(Merge { finding: id, outcome, change })
}

/// Renews the parts that are observed. Triage stays as it is.
fn renew(run: &Run, observation: &Observation, mut finding: Finding) -> Result<Merge, BodyError> {
    let detail = FindingDetail::of(observation);
    let (before, fingerprint) = (finding.state(), detail.fingerprint()?);
    let is_other = finding.observed.detail != fingerprint;
    finding.report = run.report.or(finding.report);
    finding.label.clone_from(&run.label);
    finding.target.clone_from(&run.target);
    finding.title.clone_from(&observation.title);
    finding.description.clone_from(&observation.description);
    finding.cvss_vector.clone_from(&observation.cvss_vector);
    finding.severity = observation.severity;
    finding.risk = observation.risk;
    finding.cwes.clone_from(&observation.cwes);
    finding.advisory_url.clone_from(&observation.advisory_url);
    let Observed { runs, first_run, .. } = finding.observed;
    finding.observed =
        Observed { runs: runs + 1, first_run, last_run: run.id, last_at: run.at, detail: fingerprint };
    let is_worse = finding.triage.resolved_risk.is_some_and(|resolved| finding.risk > resolved);
    let is_news = is_worse && !finding.triage.recurred_worse;
    finding.triage.recurred_worse |= is_worse;
    finding.touch(run.at);
    let history = is_news.then(|| finding.entry(ChangeKind::RecurredWorse, &run.actor, run.at, before));
    let (id, detail) = (finding.id, is_other.then_some(detail));
    let change = Some(Box::new(Written { finding, detail, history, episode: None }));
    Ok(Merge { finding: id, outcome: Outcome::SeenAgain, change })
}

/// Marks a finding as absent: `None` where a user works on it, or it is not open.
pub(crate) fn absent(run: &Run, mut finding: Finding) -> Option<(Finding, HistoryEntry)> {
    let is_untouched = matches!(finding.triage.status, TriageStatus::New | TriageStatus::Triaged);
    if !is_untouched || finding.observed.last_run == run.id {
        return None;
    }
    let before = finding.state();
    finding.triage.resolve(TriageResolution::Fixed, finding.risk);
    finding.touch(run.at);
    let entry = finding.entry(ChangeKind::Absent, &run.actor, run.at, before);
    Some((finding, entry))
}

/// Joins observations of one identity within a run: the first one stays, with the locations of all.
pub(crate) fn join(first: &mut Observation, other: Observation) {
    for location in other.locations {
        if first.locations.contains(&location) {
            continue;
        }
        if first.locations.len() < Limits::LOCATIONS {
            first.locations.push(location);
        } else {
            first.further_locations += 1;
        }
    }
    first.further_locations += other.further_locations;
    first.risk = first.risk.max(other.risk);
    first.severity = first.severity.max(other.severity);
}

impl Triage {
    fn new(board_position: u64) -> Self {
        Self {
            status: TriageStatus::New,
            resolution: None,
            assignee: None,
            board_position,
            resolved_risk: None,
            recurred_worse: false,
            running: None,
        }
    }

    /// Resolves a finding of a risk level.
    pub(crate) fn resolve(&mut self, resolution: TriageResolution, risk: engine::Level) {
        self.status = TriageStatus::Resolved;
        self.resolution = Some(resolution);
        self.resolved_risk.get_or_insert(risk);
        self.running = None;
    }

    /// Opens a finding, or moves an open one to another status.
    pub(crate) fn open(&mut self, status: TriageStatus) {
        self.status = status;
        self.resolution = None;
        self.resolved_risk = None;
        self.recurred_worse = false;
        self.running = None;
    }
}

impl Finding {
    /// Status and resolution.
    pub(crate) fn state(&self) -> State {
        State { status: self.triage.status, resolution: self.triage.resolution }
    }

    /// An entry of the history about a change that left the finding as it is.
    pub(crate) fn entry(&self, kind: ChangeKind, actor: &Actor, at: Timestamp, from: State) -> HistoryEntry {
        HistoryEntry {
            kind,
            actor: actor.clone(),
            at,
            version: self.version,
            from,
            to: self.state(),
            assignee: self.triage.assignee.clone(),
            comment: None,
        }
    }
}

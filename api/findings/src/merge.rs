//! Merging an observation with the finding of its identity: the rule itself, pure.

use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::row::BodyError;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use common::words;
use engine::Observation;
use records::Actor;
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
        if self.episode.as_ref().is_some_and(|episode| episode.is_known_to(run.id)) {
            return false;
        }
        let Some(finding) = &self.finding else { return true };
        finding.triage.resolution == Some(TriageResolution::Fixed) && !finding.observed.by(run.id)
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
    match (known.finding, known.episode) {
        (Some(finding), _) if !finding.observed.by(run.id) => renew(run, observation, finding),
        (Some(finding), _) => {
            let outcome = repeated(finding.observed.first_run == run.id, finding.previous.is_some());
            Ok(Merge { finding: finding.id, outcome, change: None })
        }
        // A user has deleted the finding since.
        (None, Some(episode)) => {
            let outcome = repeated(episode.begun_by == run.id, episode.recurred);
            Ok(Merge { finding: identity.finding(shard, episode.number), outcome, change: None })
        }
        (None, None) => begin(run, (shard, identity), observation, Known::default(), position),
    }
}

/// The outcome of an observation that is recorded already.
fn repeated(has_begun: bool, recurred: bool) -> Outcome {
    match (has_begun, recurred) {
        (false, _) => Outcome::SeenAgain,
        (true, false) => Outcome::Created,
        (true, true) => Outcome::Recurred,
    }
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
            recent_runs: vec![run.id],
            last_at: run.at,
            detail: detail.fingerprint()?,
        },
        version: 1,
        created_at: run.at,
        updated_at: run.at,
    };
    let state = finding.state();
    let history = Some(finding.entry(ChangeKind::Created, &run.actor, run.at, state));
    let episode = Some(Episode {
        number,
        finding: Some(id),
        begun_by: run.id,
        recurred: previous.is_some(),
        observed_by: Vec::new(),
    });
    let outcome = if previous.is_some() { Outcome::Recurred } else { Outcome::Created };
    let change = Some(Box::new(Written { finding, detail: Some(detail), history, episode }));
    Ok(Merge { finding: id, outcome, change })
}

/// Renews the parts that are observed, unless a later run has renewed them. Triage stays as it is.
fn renew(run: &Run, observation: &Observation, mut finding: Finding) -> Result<Merge, BodyError> {
    let (id, before) = (finding.id, finding.state());
    let is_latest = run.at >= finding.observed.last_at;
    finding.observed.note(run.id, run.at);
    finding.touch(run.at);
    let mut written = Written { finding, detail: None, history: None, episode: None };
    if is_latest {
        let detail = FindingDetail::of(observation);
        let fingerprint = detail.fingerprint()?;
        let finding = &mut written.finding;
        written.detail = (finding.observed.detail != fingerprint).then_some(detail);
        finding.observed.detail = fingerprint;
        finding.describe(run, observation);
        let is_worse = finding.triage.resolved_risk.is_some_and(|resolved| finding.risk > resolved);
        if is_worse && !finding.triage.recurred_worse {
            finding.triage.recurred_worse = true;
            written.history = Some(finding.entry(ChangeKind::RecurredWorse, &run.actor, run.at, before));
        }
    }
    Ok(Merge { finding: id, outcome: Outcome::SeenAgain, change: Some(Box::new(written)) })
}

/// Whether a run that covers a finding and did not observe it resolves it: not where a user works on it, and not where it is
/// resolved already.
pub(crate) fn is_absent(run: &Run, finding: &Finding) -> bool {
    let is_untouched = matches!(finding.triage.status, TriageStatus::New | TriageStatus::Triaged);
    // A run that began at the same time or later is newer evidence.
    let is_older = finding.observed.last_at < run.at && !finding.observed.by(run.id);
    is_untouched && is_older
}

/// Resolves a finding that [is absent](is_absent) as fixed.
pub(crate) fn absent(run: &Run, mut finding: Finding) -> (Finding, HistoryEntry) {
    let before = finding.state();
    finding.triage.resolve(TriageResolution::Fixed, finding.risk);
    finding.touch(run.at);
    let entry = finding.entry(ChangeKind::Absent, &run.actor, run.at, before);
    (finding, entry)
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
        self.resolved_risk = Some(risk);
        self.recurred_worse = false;
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
    /// Takes over the parts that an observation states.
    fn describe(&mut self, run: &Run, observation: &Observation) {
        self.report = run.report.or(self.report);
        self.label.clone_from(&run.label);
        self.target.clone_from(&run.target);
        self.title.clone_from(&observation.title);
        self.description.clone_from(&observation.description);
        self.cvss_vector.clone_from(&observation.cvss_vector);
        self.severity = observation.severity;
        self.risk = observation.risk;
        self.cwes.clone_from(&observation.cwes);
        self.advisory_url.clone_from(&observation.advisory_url);
    }

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

//! Automated triage of a finding: a job that replays it. As long as no engine can replay a finding, the result says so.
//!
//! A request reserves credits under the id of a [`TriageRun`], then moves the finding to `triaging` and queues the job in one
//! commit. The job writes the result and removes the run in one commit. A reservation that is left behind by a crash has no
//! record then, and is returned by the schedule of abandoned reservations.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::clock::SharedClock;
use common::digest::digest;
use common::event::EventKind;
use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;
use common::triage::TriageStatus;
use credits::Credits;
use jobs::{Class, Ending, Handler, Job, JobKind, Jobs, NewJob, Run, Step, Stop};
use ledger::Seq;
use records::Actor;
use records::{Change, Draft, Home, Record, RecordError, Records, Removing};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::detail::{TriageResult, Verification};
use crate::error::FindingError;
use crate::events::event;
use crate::finding::{Finding, Running};
use crate::history::ChangeKind;
use crate::measure;
use crate::recorder::Findings;

/// Name of the kind of job; stored.
pub(crate) const KIND: &str = "finding-triage";
/// Time limit of an attempt, as a safeguard: a replay takes minutes.
const DEADLINE: Duration = Duration::from_secs(30 * 60);
/// Name of the actor in histories.
const ACTOR: &str = "Automated triage";

/// A triage that was requested and has not ended: the record that its reservation of credits belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TriageRun {
    pub(crate) id: RecordId,
    pub(crate) organization: OrganizationId,
    pub(crate) finding: RecordId,
    pub(crate) requested_at: Timestamp,
}

impl Record for TriageRun {
    const NAME: &'static str = "finding-triage";
    type Detail = ();
    type History = ();

    fn id(&self) -> RecordId {
        self.id
    }

    fn organization(&self) -> OrganizationId {
        self.organization
    }
}

/// Key of the row beside a finding that holds the result of its latest triage.
pub(crate) fn result_key(finding: RecordId) -> Vec<u8> {
    [b"triage/".as_slice(), finding.as_bytes()].concat()
}

/// The result of the latest triage of a finding.
pub(crate) async fn result_of(
    records: &Records,
    finding: &Finding,
) -> Result<Option<TriageResult>, RecordError> {
    records.state::<Finding, _>(finding.organization, finding.id.shard(), &result_key(finding.id)).await
}

/// Credits of one triage.
#[derive(Clone)]
pub struct Billing {
    /// Accounts.
    pub credits: Credits,
    /// Price of a triage that has a result.
    pub price: u64,
}

impl Findings {
    /// Requests automated triage of a finding; the finding as it is then. `request` identifies the request, so that a
    /// repeated one finds what the first one did.
    ///
    /// # Errors
    /// [`FindingError::NotFound`]; [`FindingError::State`] while it is triaged or when it is resolved; credits and jobs.
    pub async fn request_triage(
        &self,
        (jobs, billing): (&Jobs, &Billing),
        (organization, id): (OrganizationId, RecordId),
        request: Uuid,
        (actor, at): (&Actor, Timestamp),
    ) -> Result<Finding, FindingError> {
        let found = self.records.get::<Finding>(organization, id).await?.ok_or(FindingError::NotFound)?;
        let run = TriageRun {
            id: RecordId::new(id.shard(), &digest(&[b"triage", id.as_bytes(), request.as_bytes()])),
            organization,
            finding: id,
            requested_at: at,
        };
        // A repeated request finds the triage of the first one, whatever a user has done to the finding since.
        let is_queued = self.records.get::<TriageRun>(organization, run.id).await?.is_some();
        let result = result_of(&self.records, &found).await?;
        if is_queued || result.is_some_and(|result| result.triage == run.id) {
            return Ok(found);
        }
        may_begin(&found)?;
        billing.credits.reserve(organization, run.id.0, billing.price).await?;
        let outcome = self.queue_triage(jobs, &run, (actor, at)).await;
        // After an unknown outcome the job may be queued: it settles, or its record does not exist and the schedule does.
        if !matches!(outcome, Ok(_) | Err(FindingError::Record(RecordError::OutcomeUnknown))) {
            billing.credits.settle(organization, run.id.0, 0).await?;
        }
        outcome
    }

    async fn queue_triage(
        &self,
        jobs: &Jobs,
        run: &TriageRun,
        (actor, at): (&Actor, Timestamp),
    ) -> Result<Finding, FindingError> {
        let (organization, id) = (run.organization, run.finding);
        let mut attempts = self.records.attempts(Home::Records, id.shard());
        while let Some(mut draft) = attempts.next().await? {
            let before =
                self.records.get::<Finding>(organization, id).await?.ok_or(FindingError::NotFound)?;
            may_begin(&before)?;
            let mut after = before.clone();
            after.triage.open(TriageStatus::Triaging);
            after.triage.running = Some(Running { triage: run.id, before: before.triage.status });
            after.touch(at);
            let entry = after.entry(ChangeKind::TriageRequested, actor, at, before.state());
            draft.add(Change::put(after.clone()).history(entry))?;
            draft.add(Change::put(run.clone()))?;
            jobs.enqueue(&mut draft, NewJob::new(KIND, organization, run.id)).await?;
            let seq = Seq(draft.number());
            if attempts.commit(draft).await? {
                self.show(std::slice::from_ref(&after), seq);
                return Ok(after);
            }
        }
        Err(RecordError::Conflict.into())
    }

    /// Adds the end of a triage to a draft. The result is stored even where a user has moved the finding meanwhile; only its
    /// state stays then.
    async fn complete(
        &self,
        draft: &mut Draft,
        run: &TriageRun,
        result: &TriageResult,
    ) -> Result<(), FindingError> {
        let (organization, id) = (run.organization, run.finding);
        if let Some(Removing::Whole(removal)) =
            self.records.removal::<TriageRun>(draft, organization, run.id).await?
        {
            draft.add(Change::delete(removal))?;
        }
        let Some(before) = self.records.get::<Finding>(organization, id).await? else { return Ok(()) };
        let mut after = before.clone();
        let at = result.completed_at;
        if let Some(running) = before.triage.running.filter(|running| running.triage == run.id) {
            let to = if result.error.is_some() { running.before } else { TriageStatus::Triaged };
            after.triage.open(to);
        }
        after.touch(at);
        let kind =
            if result.error.is_some() { ChangeKind::TriageFailed } else { ChangeKind::TriageCompleted };
        let entry = after.entry(kind, &Actor::system(ACTOR), at, before.state());
        let mut change = Change::put(after.clone()).history(entry).state(&result_key(id), result)?;
        if result.error.is_none() {
            let detail = self.records.detail::<Finding>(organization, id).await?.unwrap_or_default();
            let detail = (&detail, Some(result));
            change =
                change.event(event(EventKind::FindingTriageCompleted, &after, detail, &self.base_url, at)?);
        }
        Ok(draft.add(change)?)
    }
}

/// Refuses a triage of a finding that is triaged already, or resolved.
fn may_begin(finding: &Finding) -> Result<(), FindingError> {
    match finding.triage.status {
        TriageStatus::Triaging => Err(FindingError::State("the finding is being triaged")),
        TriageStatus::Resolved => {
            Err(FindingError::State("the finding is resolved: open it before it is triaged"))
        }
        _ => Ok(()),
    }
}

/// Runs triages.
struct Triager {
    findings: Arc<Findings>,
    billing: Billing,
    clock: SharedClock,
}

/// The kind of job.
#[must_use]
pub fn kind(findings: Arc<Findings>, billing: Billing, clock: SharedClock) -> JobKind {
    JobKind::new(KIND, Class::Light, DEADLINE, Arc::new(Triager { findings, billing, clock }))
}

#[async_trait]
impl Handler for Triager {
    async fn run(&self, run: &mut Run) -> Result<(), Stop> {
        let (organization, id, now) = (run.job().organization, run.job().resource, run.clock().now());
        let triage = run.records().get::<TriageRun>(organization, id).await?;
        let Some(triage) = triage else { return Ok(()) };
        let result = unverifiable(id, now);
        let mut steps = run.steps();
        loop {
            let mut draft = steps.next().await?;
            let added = self.findings.complete(&mut draft, &triage, &result).await;
            added.map_err(|error| Stop::Retry(error.to_string()))?;
            if steps.commit(draft, Step::Finish).await? {
                break;
            }
        }
        measure::triaged("unverifiable");
        // Nothing was verified, so nothing is charged. After a crash in between the reservation has no record.
        let settled = self.billing.credits.settle(organization, id.0, 0).await;
        settled.map_err(|error| Stop::Retry(error.to_string()))
    }

    async fn fail(
        &self,
        records: &Records,
        job: &Job,
        ending: &Ending,
        draft: &mut Draft,
    ) -> Result<(), RecordError> {
        let triage = records.get::<TriageRun>(job.organization, job.resource).await?;
        let Some(triage) = triage else { return Ok(()) };
        let reason = match ending {
            Ending::Cancelled => "the triage was cancelled".to_owned(),
            Ending::DeadlineExceeded => "the triage took too long".to_owned(),
            Ending::Failed { .. } => "the triage failed for an internal reason".to_owned(),
        };
        measure::triaged("failed");
        let result = failed(triage.id, reason, self.clock.now());
        // Nothing was verified. Should this fail, the reservation has no record any more and is returned by the schedule.
        if let Err(error) = self.billing.credits.settle(job.organization, triage.id.0, 0).await {
            tracing::warn!(%error, triage = %triage.id, "the credit of a failed triage is not returned yet");
        }
        match self.findings.complete(draft, &triage, &result).await {
            Err(FindingError::Record(error)) => Err(error),
            Err(FindingError::Body(error)) => Err(error.into()),
            // A failed triage has no event, so that nothing else can fail.
            Err(_) => Err(RecordError::Conflict),
            Ok(()) => Ok(()),
        }
    }
}

/// The result while no engine can replay a finding.
fn unverifiable(triage: RecordId, completed_at: Timestamp) -> TriageResult {
    TriageResult {
        triage,
        verification: Some(Verification::Unverifiable),
        summary: "The finding could not be verified: no engine of this service can replay it.".to_owned(),
        recommendation: "Review the evidence and the locations of the finding by hand.".to_owned(),
        evidence: String::new(),
        patch: None,
        files: Vec::new(),
        error: None,
        completed_at,
    }
}

fn failed(triage: RecordId, reason: String, completed_at: Timestamp) -> TriageResult {
    TriageResult {
        triage,
        verification: None,
        summary: String::new(),
        recommendation: String::new(),
        evidence: String::new(),
        patch: None,
        files: Vec::new(),
        error: Some(reason),
        completed_at,
    }
}

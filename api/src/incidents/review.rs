//! Reviewing an incident: a change of its triage state, decided from what was read at one sequence number of the
//! partition's ledger and committed at it (specification, States: Incident review).

use common::event::{Event, outbox_key};
use common::ids::IncidentId;
use common::incident::{Actor, IncidentHead, ResolvedState, Review, Triage};
use common::partition::Position;
use common::row::{self, BodyError};
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use directory::{DirectoryError, EscalationTrigger};
use escalation::{Escalation, Outcome};
use ledger::retry::{Attempts, MAX_ATTEMPTS};
use ledger::{Kind, LedgerError, LedgerId, Op, Seq};
use rest::error::ApiError;
use thiserror::Error;

use super::escalate;
use super::read::{ReadError, Reader};

/// Longest comment of a review, in characters: some pages of text.
pub(crate) const MAX_COMMENT_CHARS: usize = 4_000;

/// Reason why a review was not stored.
#[derive(Debug, Error)]
pub(crate) enum ReviewError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("the review cannot be stored")]
    Ledger(#[from] LedgerError),
    #[error("the review cannot be encoded")]
    Body(#[from] BodyError),
    #[error("the monitoring policies for the review cannot be read")]
    Directory(#[from] DirectoryError),
    #[error("the event of the review cannot be encoded")]
    Event(#[from] serde_json::Error),
    #[error("triage_version is {found}, the request states {expected}: read the incident again")]
    Stale { expected: u64, found: u64 },
    #[error("the ledger of the incident's partition changed during every one of {MAX_ATTEMPTS} attempts")]
    Busy,
    #[error("the outcome of the commit of the review is unknown")]
    OutcomeUnknown,
}

/// A requested review.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    /// The version the person has seen.
    pub(crate) triage_version: u64,
    /// The status to be.
    pub(crate) status: TriageStatus,
    /// The resolution to be: present exactly with `resolved`, which the caller has checked.
    pub(crate) resolution: Option<TriageResolution>,
    pub(crate) comment: Option<String>,
    pub(crate) actor: Actor,
    pub(crate) at: Timestamp,
    pub(crate) request_id: String,
}

/// Effect of a command on a head.
#[derive(Debug, PartialEq, Eq)]
enum Decision {
    /// The person has not seen the present version.
    Stale,
    /// Nothing is different: nothing is stored, not even the comment.
    Unchanged,
    Change {
        head: Box<IncidentHead>,
        review: Box<Review>,
    },
}

/// Stores reviews.
pub(crate) struct Reviewer<'a> {
    pub(crate) reader: Reader<'a>,
    pub(crate) escalation: &'a Escalation,
    /// Told of the head and commit of every review that is stored.
    pub(crate) stored: &'a (dyn Fn(&IncidentHead, Seq) + Sync),
}

impl Reviewer<'_> {
    /// Reviews an incident. On success the state asked for is in the ledger.
    pub(crate) async fn review(&self, id: IncidentId, command: &Command) -> Result<(), ReviewError> {
        let ledger = LedgerId::Partition(id.partition());
        let mut attempts = Attempts::of(self.reader.ledger, ledger);
        while attempts.next().await.map_err(ReadError::from)? {
            let head = self.reader.head(id).await?;
            if attempts.is_after_unknown() && self.is_stored(id, command).await? {
                (self.stored)(&head, attempts.seq());
                return Ok(());
            }
            let position = self.reader.position(id).await?;
            let (head, review) = match decide(head, command, position) {
                Decision::Stale => return Err(self.stale(id, command).await?),
                Decision::Unchanged => return Ok(()),
                Decision::Change { head, review } => (head, review),
            };
            let event = escalate::event(self.reader, self.escalation, &head, &review).await?;
            let ops = ops(&head, &review, event.as_ref(), attempts.seq())?;
            if attempts.commit(ops).await? {
                if event.is_some() {
                    self.escalation.count(EscalationTrigger::Reopened, Outcome::Escalated);
                }
                (self.stored)(&head, attempts.seq());
                return Ok(());
            }
        }
        Err(if attempts.is_after_unknown() { ReviewError::OutcomeUnknown } else { ReviewError::Busy })
    }

    /// After a commit of unknown outcome: whether the version it would have made is there and ours.
    async fn is_stored(&self, id: IncidentId, command: &Command) -> Result<bool, ReviewError> {
        let review = self.reader.review(id, command.triage_version.saturating_add(1)).await?;
        Ok(review.is_some_and(|review| {
            review.request_id == command.request_id
                && review.actor.key_id == command.actor.key_id
                && review.created_at == command.at
                && (review.to_status, review.to_resolution) == (command.status, command.resolution)
        }))
    }

    async fn stale(&self, id: IncidentId, command: &Command) -> Result<ReviewError, ReviewError> {
        let found = self.reader.head(id).await?.triage.version;
        Ok(ReviewError::Stale { expected: command.triage_version, found })
    }
}

/// Operations of the commit at `seq`: all of it or nothing.
fn ops(head: &IncidentHead, review: &Review, event: Option<&Event>, seq: Seq) -> Result<Vec<Op>, BodyError> {
    let head_key = row::incident_key(head.organization, head.id);
    let review_key = row::review_key(head.organization, head.id, review.triage_version);
    let put = |kind, key: Vec<u8>, body: Vec<u8>| Op::Put { kind, key: key.into(), body: body.into() };
    let mut ops = vec![
        put(Kind::Head, head_key, row::encode(head)?),
        put(Kind::History, review_key, row::encode(review)?),
    ];
    if let Some(event) = event {
        ops.push(put(Kind::Outbox, outbox_key(seq.0 + 1, 0), row::encode(event)?));
    }
    Ok(ops)
}

/// The rule itself: pure.
fn decide(mut head: IncidentHead, command: &Command, position: Position) -> Decision {
    if head.triage.version != command.triage_version {
        return Decision::Stale;
    }
    if (head.triage.status, head.triage.resolution) == (command.status, command.resolution) {
        return Decision::Unchanged;
    }
    let review = Review {
        triage_version: head.triage.version.saturating_add(1),
        actor: command.actor.clone(),
        created_at: command.at,
        from_status: head.triage.status,
        from_resolution: head.triage.resolution,
        to_status: command.status,
        to_resolution: command.resolution,
        comment: command.comment.clone(),
        position,
        request_id: command.request_id.clone(),
    };
    head.triage = Triage {
        version: review.triage_version,
        status: command.status,
        resolution: command.resolution,
        updated_at: Some(command.at),
        resolved: resolved_state(&head, command.status, position),
    };
    Decision::Change { head: Box::new(head), review: Box::new(review) }
}

/// State that later activity is compared with. Another resolution of what is resolved already does not move the comparison:
/// the incident has not been open in between.
fn resolved_state(head: &IncidentHead, status: TriageStatus, position: Position) -> Option<ResolvedState> {
    if status != TriageStatus::Resolved {
        return None;
    }
    let severity = head.analysis.severity;
    let event_count = head.analysis.event_count;
    head.triage.resolved.clone().or(Some(ResolvedState { position, severity, event_count }))
}

impl From<ReviewError> for ApiError {
    fn from(error: ReviewError) -> Self {
        match error {
            ReviewError::Read(error) => error.into(),
            ReviewError::Ledger(error) => error.into(),
            ReviewError::Directory(error) => error.into(),
            ReviewError::Body(error) => error.into(),
            ReviewError::Event(_) => Self::internal(error),
            ReviewError::Stale { .. } => Self::Conflict(error.to_string().into()),
            ReviewError::Busy | ReviewError::OutcomeUnknown => Self::unavailable(error),
        }
    }
}

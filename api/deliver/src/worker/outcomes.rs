//! Effects of an outcome on the delivery's rows and on the target's turn. Those on the target are in `health`.

use std::time::Duration;

use common::event::EventKind;
use common::timestamp::Timestamp;
use ledger::Kind;

use super::measure;
use super::start::{LOOKUP_PAUSE, UNREAD_PAUSE, rested};
use super::{Worker, WorkerError};
use crate::attempt::{Ending, Finished};
use crate::delivery::{Delivery, DeliveryStatus};
use crate::journal::Batch;
use crate::open_events::Overdue;
use crate::queue::{Job, Turn};
use crate::rows::{Waiting, delete, delivery_key, put, waiting_key};
use crate::target::TargetId;
use crate::verdict::{Verdict, next_attempt};

/// Most bytes the rows of one outcome take: sixteen attempts with a kibibyte of reply each, escaped once more.
const OUTCOME_BYTES: usize = 64 * 1_024;
/// Interval of the search for deliveries that are without a row for too long: 2,000 get one each second.
const OVERDUE_EVERY: Duration = Duration::from_millis(100);
/// The same of a telemetry endpoint's, of which one attempt is kept without a reply: its error, escaped once more, and the
/// reason, which says the same.
const RECORD_BYTES: usize = 5 * 1_024;
/// Rows of one delivery: what became of it, and that it waits.
const DELIVERY_ROWS: usize = 2;
/// Rows of one outcome: the delivery, that it waits, the target's health.
const OUTCOME_ROWS: usize = DELIVERY_ROWS + 1;
/// Error of a delivery that there was no room for.
const NO_ROOM: &str = "too many deliveries are pending for this target";

impl Worker {
    /// Writes down what has ended, as far as there is room; whether there was anything.
    pub(super) async fn record_finished(
        &mut self,
        batch: &mut Batch,
        now: Timestamp,
    ) -> Result<bool, WorkerError> {
        let mut recorded = false;
        loop {
            if self.finished.is_empty() {
                let Some(finished) = self.attempts.try_join_next() else { break };
                self.finished.push_back(finished?);
            }
            let has_room = |finished: &mut Finished| has_room(batch, finished);
            let Some(finished) = self.finished.pop_front_if(has_room) else { break };
            recorded = true;
            self.record(finished, batch, now).await?;
        }
        Ok(recorded)
    }

    async fn record(
        &mut self,
        finished: Finished,
        batch: &mut Batch,
        now: Timestamp,
    ) -> Result<(), WorkerError> {
        let Finished { target, endpoint, verdict, endings } = finished;
        let told = endings.len();
        let is_put_off = endings.iter().any(|(_, ending)| matches!(ending, Ending::Postponed));
        let mut again = Vec::new();
        // One for all, so that what failed together comes back together.
        let chance = (self.shared.chance)();
        for (job, ending) in endings {
            let attempted = match (ending, &verdict) {
                (Ending::Attempted { delivery, kind }, Some(verdict)) => {
                    self.record_attempt(job, delivery, verdict, kind, chance, batch, now)?
                }
                (ending, _) => self.record_unasked(job, ending, batch, now)?,
            };
            again.extend(attempted);
        }
        let turn = match &verdict {
            // A refusal of many says neither that the target works nor that it does not.
            None if is_put_off => Turn::PutOff,
            None | Some(Verdict::Divide { .. }) => Turn::Skipped,
            Some(verdict) if verdict.is_acknowledged() => Turn::Acknowledged,
            Some(_) => Turn::Failed,
        };
        self.queue.end(target, turn, told, again, now);
        if let (Some(endpoint), Some(verdict)) = (endpoint, verdict)
            && !matches!(turn, Turn::Skipped | Turn::PutOff)
        {
            measure::rejections(&endpoint, &verdict);
            self.judge_target(&endpoint, &verdict, batch, now).await?;
        }
        Ok(())
    }

    /// Writes down what became of a delivery whose target was not asked; the delivery, when it is to be attempted again.
    fn record_unasked(
        &mut self,
        job: Job,
        ending: Ending,
        batch: &mut Batch,
        now: Timestamp,
    ) -> Result<Option<Job>, WorkerError> {
        match ending {
            Ending::Cancelled { mut delivery, reason } => {
                delivery.fail(reason);
                self.write(job, &delivery, None, batch)?;
                Ok(None)
            }
            Ending::Forgotten => {
                self.open.settle(job.number, job.target);
                self.waiting_rows.remove(&(job.number, job.target));
                Ok(None)
            }
            Ending::Unread { cause } => {
                tracing::warn!(partition = self.partition.0, error = %cause, "a delivery is postponed: its rows cannot be read");
                Ok(Some(rested(job, UNREAD_PAUSE, now)))
            }
            Ending::Postponed => Ok(Some(rested(job, LOOKUP_PAUSE, now))),
            Ending::Attempted { .. } => Ok(Some(job)),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what is known of an attempt")]
    fn record_attempt(
        &mut self,
        job: Job,
        mut delivery: Delivery,
        verdict: &Verdict,
        kind: EventKind,
        chance: f64,
        batch: &mut Batch,
        now: Timestamp,
    ) -> Result<Option<Job>, WorkerError> {
        let mut again = None;
        match verdict {
            Verdict::Acknowledged | Verdict::Partly { .. } => {
                (delivery.status, delivery.next_attempt_at, delivery.reason) =
                    (DeliveryStatus::Succeeded, None, None);
            }
            // Nothing is settled, so nothing is written: the next worker begins with all of them together.
            Verdict::Divide { together } => return Ok(Some(Job { together: *together, ..job })),
            Verdict::Final { reason } => delivery.fail(reason),
            Verdict::Gone => delivery.fail("the receiver answered 410"),
            Verdict::Retry { after } => {
                let attempts = job.waiting.attempts.saturating_add(1);
                match next_attempt(&self.shared.config, attempts, now, *after, chance) {
                    Some(due) => {
                        (delivery.status, delivery.next_attempt_at) = (DeliveryStatus::Pending, Some(due));
                        again = Some(Waiting { attempts, since: now, due, ..job.waiting });
                    }
                    None => delivery.fail("all attempts failed"),
                }
            }
        }
        measure::outcome(job, &delivery, kind, now);
        self.write(job, &delivery, again, batch)?;
        Ok(again.map(|waiting| Job { waiting, has_row: true, ..job }))
    }

    /// Writes a delivery, and whether it waits.
    fn write(
        &mut self,
        job: Job,
        delivery: &Delivery,
        waiting: Option<Waiting>,
        batch: &mut Batch,
    ) -> Result<(), WorkerError> {
        let Job { number, target, .. } = job;
        self.open.settle(number, target);
        if number <= self.journal.cursor.swept {
            // Forgotten while it was attempted: its row would stay for ever.
            self.waiting_rows.remove(&(number, target));
            return Ok(());
        }
        batch.push(put(Kind::Head, delivery_key(job.waiting.organization, target, number), delivery)?);
        if let Some(waiting) = waiting {
            batch.push(put(Kind::Outbox, waiting_key(number, target), &waiting)?);
            self.waiting_rows.insert((number, target));
        } else if self.waiting_rows.remove(&(number, target)) {
            batch.push(delete(Kind::Outbox, waiting_key(number, target)));
        }
        Ok(())
    }

    /// Gives rows to deliveries whose first attempt takes its time.
    pub(super) fn record_overdue(&mut self, batch: &mut Batch, now: Timestamp) -> Result<(), WorkerError> {
        if !self.is_time(|worker| &mut worker.overdue_at, OVERDUE_EVERY) {
            return Ok(());
        }
        for Overdue { number, target, outgoing } in
            self.open.overdue(now, |target| self.queue.is_failing(target))
        {
            if !batch.has_room(OUTCOME_ROWS, OUTCOME_BYTES) {
                break;
            }
            let enqueued = number.enqueued_at();
            let job = Job::fresh(number, outgoing.event.organization, target, enqueued);
            self.write(job, &Delivery::new(&outgoing.event, number), Some(job.waiting), batch)?;
        }
        Ok(())
    }

    /// Writes down what there was no room for.
    pub(super) fn record_refused(&mut self, batch: &mut Batch) -> Result<(), WorkerError> {
        while batch.has_room(OUTCOME_ROWS, OUTCOME_BYTES) {
            let Some((number, target, outgoing)) = self.refused.pop_front() else { break };
            let mut delivery = Delivery::new(&outgoing.event, number);
            delivery.fail(NO_ROOM);
            measure::refusal(target, outgoing.event.kind);
            let job = Job::fresh(number, outgoing.event.organization, target, number.enqueued_at());
            self.write(job, &delivery, None, batch)?;
        }
        Ok(())
    }
}

/// Whether a commit has room for everything that an attempt has brought.
fn has_room(batch: &Batch, finished: &Finished) -> bool {
    let bytes = match finished.target {
        TargetId::Webhook(_) => OUTCOME_BYTES,
        TargetId::Telemetry(_) => RECORD_BYTES,
    };
    let deliveries = finished.endings.len();
    batch.has_room(deliveries * DELIVERY_ROWS + 1, deliveries * bytes)
}

//! What an outcome does: to the delivery's rows, to the target's turn, and to the target itself.

use std::collections::hash_map::Entry;
use std::time::Duration;

use common::event::EventKind;
use common::ids::WebhookTargetId;
use common::partition::Partition;
use common::row::decode;
use common::timestamp::Timestamp;
use ledger::{Kind, LedgerId};

use super::start::rested;
use super::{Worker, WorkerError};
use crate::attempt::{Ending, Finished};
use crate::book::Batch;
use crate::delivery::{Delivery, DeliveryStatus};
use crate::endpoint::Endpoint;
use crate::health::{Followed, Health};
use crate::open_events::Overdue;
use crate::queue::{Job, Turn};
use crate::rows::{Waiting, delete, delivery_key, health_key, put, waiting_key};
use crate::verdict::{Verdict, next_attempt};

/// Most bytes the rows of one outcome take: sixteen attempts with a kibibyte of reply each, escaped once more.
const OUTCOME_BYTES: usize = 64 * 1_024;
/// How often it is looked for deliveries that are without a row for too long: 2,000 get one each second.
const OVERDUE_EVERY: Duration = Duration::from_millis(100);
/// Rows of one outcome: the delivery, that it waits, the target's health.
const OUTCOME_ROWS: usize = 3;
/// Targets whose health is kept in memory. When there are more, all are forgotten and read again.
const MOST_HEALTHS: usize = 20_000;
/// What a delivery fails with that there was no room for.
const NO_ROOM: &str = "too many deliveries wait for this target";

impl Worker {
    /// Writes down what has ended, as far as there is room; whether there was anything.
    pub(super) async fn record_finished(
        &mut self,
        batch: &mut Batch,
        now: Timestamp,
    ) -> Result<bool, WorkerError> {
        let mut recorded = false;
        while batch.has_room(OUTCOME_ROWS, OUTCOME_BYTES) {
            let finished = match self.finished.pop_front() {
                Some(finished) => finished,
                None => match self.attempts.try_join_next() {
                    Some(finished) => finished?,
                    None => break,
                },
            };
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
        let Finished { job, endpoint, ending } = finished;
        match ending {
            Ending::Attempted { delivery, verdict, kind } => {
                self.record_attempt(job, delivery, &verdict, kind, batch, now)?;
                if let Some(endpoint) = endpoint {
                    self.judge_target(&endpoint, &verdict, batch, now).await?;
                }
            }
            Ending::Cancelled { mut delivery, reason } => {
                delivery.fail(reason);
                self.write(job, &delivery, None, batch)?;
                self.queue.end(job.target, Turn::Skipped, None, now);
            }
            Ending::Forgotten => {
                self.open.settle(job.number, job.target);
                self.waiting_rows.remove(&(job.number, job.target));
                self.queue.end(job.target, Turn::Skipped, None, now);
            }
            Ending::Unread { cause } => {
                tracing::warn!(partition = self.partition.0, error = %cause, "a delivery waits: it cannot be read");
                self.queue.end(job.target, Turn::Skipped, Some(rested(job, now)), now);
            }
        }
        Ok(())
    }

    fn record_attempt(
        &mut self,
        job: Job,
        mut delivery: Delivery,
        verdict: &Verdict,
        kind: EventKind,
        batch: &mut Batch,
        now: Timestamp,
    ) -> Result<(), WorkerError> {
        let mut again = None;
        match verdict {
            Verdict::Acknowledged => {
                (delivery.status, delivery.next_attempt_at, delivery.reason) =
                    (DeliveryStatus::Succeeded, None, None);
            }
            Verdict::Final { reason } => delivery.fail(reason),
            Verdict::Gone => delivery.fail("the receiver answered 410"),
            Verdict::Retry { after } => {
                let attempts = job.waiting.attempts.saturating_add(1);
                match next_attempt(&self.shared.config, attempts, now, *after, (self.shared.chance)()) {
                    Some(due) => {
                        (delivery.status, delivery.next_attempt_at) = (DeliveryStatus::Pending, Some(due));
                        again = Some(Waiting { attempts, since: now, due, ..job.waiting });
                    }
                    None => delivery.fail("no attempt is left"),
                }
            }
        }
        count(&delivery, kind, now);
        self.write(job, &delivery, again, batch)?;
        let turn = if *verdict == Verdict::Acknowledged { Turn::Acknowledged } else { Turn::Failed };
        let again = again.map(|waiting| Job { waiting, has_row: true, ..job });
        self.queue.end(job.target, turn, again, now);
        Ok(())
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
        if number <= self.book.cursor.swept {
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
            metrics::counter!(
                "webhook_deliveries_total",
                "event" => outgoing.event.kind.as_str(), "outcome" => "refused"
            )
            .increment(1);
            let job = Job::fresh(number, outgoing.event.organization, target, number.enqueued_at());
            self.write(job, &delivery, None, batch)?;
        }
        Ok(())
    }

    /// Keeps the target's health, and disables it when there is none left.
    async fn judge_target(
        &mut self,
        endpoint: &Endpoint,
        verdict: &Verdict,
        batch: &mut Batch,
        now: Timestamp,
    ) -> Result<(), WorkerError> {
        let target = endpoint.target.id;
        if *verdict == Verdict::Gone {
            return self.disable(endpoint, "the receiver answered 410: it wants nothing any more").await;
        }
        let limit = self.shared.config.disable_after();
        let deliveries = self.deliveries();
        if self.health.len() >= MOST_HEALTHS {
            self.health.clear();
        }
        let health = match self.health.entry(target) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let body = self.shared.ledger.get(deliveries, Kind::State, &health_key(target)).await?;
                unknown.insert(body.map(|body| decode(&body)).transpose()?.unwrap_or_default())
            }
        };
        let followed = match verdict {
            Verdict::Acknowledged => health.succeeded(now),
            _ => health.failed(now, endpoint.target.enabled_at, limit),
        };
        let seen = *health;
        match followed {
            Followed::Same => Ok(()),
            Followed::Changed => {
                batch.push(put(Kind::State, health_key(target), &seen)?);
                Ok(())
            }
            Followed::Exhausted if self.answers_elsewhere(target, seen).await? => Ok(()),
            Followed::Exhausted => {
                let hours = self.shared.config.disable_after_hours;
                self.disable(endpoint, &format!("it has answered nothing for {hours} hours")).await
            }
        }
    }

    /// Whether other partitions get answers from a target.
    async fn answers_elsewhere(&self, target: WebhookTargetId, seen: Health) -> Result<bool, WorkerError> {
        let Some(since) = seen.failing_since else { return Ok(false) };
        for partition in (0..self.shared.partitions).map(Partition).filter(|other| *other != self.partition) {
            let ledger = LedgerId::Deliveries(partition);
            let body = self.shared.ledger.get(ledger, Kind::State, &health_key(target)).await?;
            let health: Option<Health> = body.map(|body| decode(&body)).transpose()?;
            if health.is_some_and(|health| health.contradicts(since)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn disable(&self, endpoint: &Endpoint, reason: &str) -> Result<(), WorkerError> {
        let target = &endpoint.target;
        match self.shared.directory.disable_webhook_target(target, reason).await {
            Ok(true) => {
                tracing::warn!(organization = %target.organization, target = %target.id, reason, "a webhook target is disabled");
                metrics::counter!("webhook_targets_disabled_total").increment(1);
            }
            Ok(false) => {}
            // The next failure says so again.
            Err(error) => tracing::error!(target = %target.id, %error, "a webhook target cannot be disabled"),
        }
        Ok(())
    }
}

fn count(delivery: &Delivery, kind: EventKind, now: Timestamp) {
    let outcome = match delivery.status {
        DeliveryStatus::Pending => "retried",
        DeliveryStatus::Succeeded => "succeeded",
        DeliveryStatus::Failed => "failed",
    };
    metrics::counter!("webhook_deliveries_total", "event" => kind.as_str(), "outcome" => outcome)
        .increment(1);
    // What was tried again says nothing of how fast this is.
    if delivery.status == DeliveryStatus::Succeeded && delivery.attempts.len() == 1 {
        metrics::histogram!("webhook_delivery_seconds").record(now.since(delivery.created_at).as_secs_f64());
    }
}

//! One attempt of one delivery, from its rows to what its row will be. Runs beside others; changes nothing itself.

use std::sync::Arc;

use common::clock::SharedClock;
use common::event::EventKind;
use common::row::decode;
use ledger::{Kind, Ledger, LedgerId};
use outbound::Outbound;

use crate::delivery::{Delivery, MAX_ATTEMPTS_KEPT};
use crate::endpoint::Endpoint;
use crate::payload_store::{PayloadStore, StoreError};
use crate::post::{Message, post};
use crate::queue::Job;
use crate::rows::delivery_key;
use crate::verdict::Verdict;

/// What attempts of a partition need.
pub(crate) struct Attempting {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) id: LedgerId,
    pub(crate) store: PayloadStore,
    pub(crate) outbound: Arc<Outbound>,
    pub(crate) clock: SharedClock,
}

/// How it ended.
pub(crate) struct Finished {
    pub(crate) job: Job,
    pub(crate) endpoint: Option<Arc<Endpoint>>,
    pub(crate) ending: Ending,
}

pub(crate) enum Ending {
    /// The target was asked.
    Attempted { delivery: Delivery, verdict: Verdict, kind: EventKind },
    /// The target is not to be asked any more.
    Cancelled { delivery: Delivery, reason: &'static str },
    /// The event is forgotten.
    Forgotten,
    /// The rows could not be read; the target was not asked.
    Unread { cause: StoreError },
}

impl Attempting {
    /// Attempts a delivery at its target, as the target is now; `None` when it is deleted.
    pub(crate) async fn attempt(&self, job: Job, endpoint: Option<Arc<Endpoint>>) -> Finished {
        let ending = self.try_it(&job, endpoint.as_deref()).await;
        Finished { job, endpoint, ending: ending.unwrap_or_else(|cause| Ending::Unread { cause }) }
    }

    async fn try_it(&self, job: &Job, endpoint: Option<&Endpoint>) -> Result<Ending, StoreError> {
        let Some(outgoing) = self.store.get(job.number).await? else { return Ok(Ending::Forgotten) };
        let mut delivery = match self.earlier(job).await? {
            Some(delivery) => delivery,
            None => Delivery::new(&outgoing.event, job.number),
        };
        let Some(endpoint) = endpoint else {
            return Ok(Ending::Cancelled { delivery, reason: "the target was deleted" });
        };
        // What waited when it was disabled stays cancelled when it is enabled again.
        if !endpoint.target.enabled || job.waiting.since < endpoint.target.enabled_at {
            return Ok(Ending::Cancelled { delivery, reason: "the target was disabled" });
        }
        let event = &outgoing.event;
        let (id, payload) = (event.id.to_string(), outgoing.payload.clone());
        let message = Message { id: &id, kind: event.kind.as_str(), payload };
        let (attempt, verdict) = post(&self.outbound, self.clock.as_ref(), endpoint, message).await;
        if delivery.attempts.len() >= MAX_ATTEMPTS_KEPT {
            delivery.attempts.remove(0);
        }
        delivery.attempts.push(attempt);
        Ok(Ending::Attempted { delivery, verdict, kind: event.kind })
    }

    async fn earlier(&self, job: &Job) -> Result<Option<Delivery>, StoreError> {
        if !job.has_row {
            return Ok(None);
        }
        let key = delivery_key(job.waiting.organization, job.target, job.number);
        let body = self.ledger.get(self.id, Kind::Head, &key).await?;
        Ok(body.map(|body| decode(&body)).transpose()?)
    }
}

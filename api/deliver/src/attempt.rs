//! One attempt: a delivery to a webhook target, or several to a telemetry endpoint, from their rows to what their rows
//! will be. Runs beside others; changes nothing itself.

use std::iter;
use std::sync::Arc;

use common::clock::SharedClock;
use common::event::EventKind;
use common::ids::OrganizationId;
use common::row::decode;
use ledger::{Kind, Ledger, LedgerId};
use outbound::{LookupRefusal, Outbound, Requester};
use thiserror::Error;
use tokio::sync::mpsc;

use crate::delivery::{Attempt, Delivery, MAX_ATTEMPTS_KEPT};
use crate::endpoint::{Endpoint, EndpointCache, EndpointError};
use crate::payload_store::{Outgoing, PayloadStore, StoreError};
use crate::post::{Closed, Connected, Message, hindered, post};
use crate::queue::Job;
use crate::rows::delivery_key;
use crate::target::TargetId;
use crate::verdict::Verdict;

/// Most bytes of the stored payloads that go into one request, unless a single one has more. As records ordinary ones are
/// two to three times as many: below the mebibyte that proxies in front of collectors commonly let through. That is no
/// bound: many small values take more. Where a collector takes less than it is sent, it says 413 and gets halves.
const MOST_BYTES_TOGETHER: usize = 256 * 1_024;

/// Looks at a target before one request: once with a connection at hand, twice where one has to be opened, and more only
/// where its URL is changed meanwhile, or a connection at hand turns out to be closed.
const MOST_LOOKS: usize = 5;

/// Dependencies of a partition's attempts.
pub(crate) struct Attempting {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) id: LedgerId,
    pub(crate) store: PayloadStore,
    pub(crate) endpoints: Arc<EndpointCache>,
    pub(crate) outbound: Arc<Outbound>,
    pub(crate) clock: SharedClock,
    /// Takes what there was no room for beside the others of a request: so that it is back in the queue before that request
    /// is answered.
    pub(crate) left: mpsc::Sender<Vec<Job>>,
}

/// A finished attempt.
pub(crate) struct Finished {
    pub(crate) target: TargetId,
    pub(crate) endpoint: Option<Arc<Endpoint>>,
    /// Response of the target; none when no request was sent.
    pub(crate) verdict: Option<Verdict>,
    /// Outcome of each delivery.
    pub(crate) endings: Vec<(Job, Ending)>,
}

pub(crate) enum Ending {
    /// The target was asked.
    Attempted { delivery: Delivery, kind: EventKind },
    /// The target was not asked, because too many host names are being resolved, or it was moved again and again.
    Postponed,
    /// The target is not to be asked any more.
    Cancelled { delivery: Delivery, reason: &'static str },
    /// The event is forgotten.
    Forgotten,
    /// Its rows or its target could not be read; the target was not asked.
    Unread { cause: Arc<UnreadError> },
}

/// Reason why no request was sent to a target.
#[derive(Debug, Error)]
pub(crate) enum UnreadError {
    #[error(transparent)]
    Rows(#[from] StoreError),
    #[error("the target cannot be read")]
    Target(#[from] EndpointError),
}

/// Answer of a target and the verdict on it.
struct Answered {
    endpoint: Arc<Endpoint>,
    attempt: Attempt,
    verdict: Verdict,
}

/// Reason that a request was not sent, the same for all its deliveries.
enum Unsent {
    Postponed,
    Unread(Arc<UnreadError>),
}

/// A delivery whose event is to be sent to the target.
struct Ready {
    job: Job,
    delivery: Delivery,
    outgoing: Arc<Outgoing>,
}

impl Unsent {
    fn ending(&self) -> Ending {
        match self {
            Self::Postponed => Ending::Postponed,
            Self::Unread(cause) => Ending::Unread { cause: Arc::clone(cause) },
        }
    }
}

impl From<EndpointError> for Unsent {
    fn from(error: EndpointError) -> Self {
        Self::Unread(Arc::new(error.into()))
    }
}

impl From<LookupRefusal> for Unsent {
    fn from(_: LookupRefusal) -> Self {
        Self::Postponed
    }
}

impl Attempting {
    /// Attempts deliveries at their target. The target's answer is none when it is deleted.
    pub(crate) async fn attempt(
        &self,
        organization: OrganizationId,
        target: TargetId,
        jobs: Vec<Job>,
    ) -> Finished {
        let mut endings = Vec::with_capacity(jobs.len());
        let mut ready = self.read(jobs, &mut endings).await;
        let answered = match self.send(organization, target, &mut ready, &mut endings).await {
            Ok(answered) => answered,
            Err(unsent) => {
                let ended = |one: Ready| (one.job, unsent.ending());
                endings.extend(ready.into_iter().map(ended));
                return Finished { target, endpoint: None, verdict: None, endings };
            }
        };
        let Some(Answered { endpoint, attempt, verdict }) = answered else {
            return Finished { target, endpoint: None, verdict: None, endings };
        };
        for Ready { job, mut delivery, outgoing } in ready {
            delivery.attempts.push(attempt.clone());
            let kept = match target {
                TargetId::Webhook(_) => MAX_ATTEMPTS_KEPT,
                // Nobody lists them, and there are many in one commit.
                TargetId::Telemetry(_) => 1,
            };
            delivery.attempts.drain(..delivery.attempts.len().saturating_sub(kept));
            endings.push((job, Ending::Attempted { delivery, kind: outgoing.event.kind }));
        }
        Finished { target, endpoint: Some(endpoint), verdict: Some(verdict), endings }
    }

    /// Sends the request, if there is anything to deliver. Its state is read when everything else is ready, the connection
    /// too: no request starts with a state that was changed before.
    async fn send(
        &self,
        organization: OrganizationId,
        target: TargetId,
        ready: &mut Vec<Ready>,
        endings: &mut Vec<(Job, Ending)>,
    ) -> Result<Option<Answered>, Unsent> {
        let way_out = (&*self.outbound, Requester::background(organization));
        let clock = self.clock.as_ref();
        let mut opened: Option<Connected> = None;
        for _ in 0..MOST_LOOKS {
            let endpoint = self.endpoints.of(organization).await?.get(&target).cloned();
            cancel(ready, endpoint.as_deref(), endings);
            let Some(endpoint) = endpoint.filter(|_| !ready.is_empty()) else { return Ok(None) };
            let way = match &endpoint.way {
                Ok(way) => way,
                Err(obstacle) => {
                    let (attempt, verdict) = hindered(clock, obstacle);
                    return Ok(Some(Answered { endpoint, attempt, verdict }));
                }
            };
            let ours = opened.take().filter(|connected| connected.is_for(way));
            // One that the receiver has closed is taken once: then another is open.
            let Some(connected) = ours.or_else(|| Connected::idle(way_out, way)) else {
                opened = Some(Connected::open(way_out, clock, way).await?);
                continue;
            };
            let messages: Vec<Message<'_>> = ready.iter().map(Ready::message).collect();
            let Some((first, more)) = messages.split_first() else { return Ok(None) };
            match post((way_out.0, connected), clock, way, first, more).await {
                Ok((attempt, verdict)) => return Ok(Some(Answered { endpoint, attempt, verdict })),
                Err(Closed) => opened = Some(Connected::open(way_out, clock, way).await?),
            }
        }
        Err(Unsent::Postponed)
    }

    /// Reads deliveries, as many as one request has room for, and gives the others back.
    async fn read(&self, jobs: Vec<Job>, endings: &mut Vec<(Job, Ending)>) -> Vec<Ready> {
        let mut ready: Vec<Ready> = Vec::with_capacity(jobs.len());
        let mut bytes = 0;
        let mut jobs = jobs.into_iter();
        while let Some(job) = jobs.next() {
            match self.read_one(job).await {
                Ok(Some(one)) if ready.is_empty() || bytes + one.bytes() <= MOST_BYTES_TOGETHER => {
                    bytes += one.bytes();
                    ready.push(one);
                }
                Ok(Some(_)) => {
                    // A closed receiver has given the partition up: its successor finds them in the ledger.
                    let _ = self.left.send(iter::once(job).chain(jobs).collect()).await;
                    break;
                }
                Ok(None) => endings.push((job, Ending::Forgotten)),
                Err(cause) => endings.push((job, Ending::Unread { cause: Arc::new(cause.into()) })),
            }
        }
        ready
    }

    /// A delivery and its event; `None` when the event is forgotten.
    async fn read_one(&self, job: Job) -> Result<Option<Ready>, StoreError> {
        let Some(outgoing) = self.store.get(job.number).await? else { return Ok(None) };
        let delivery = match self.earlier(&job).await? {
            Some(delivery) => delivery,
            None => Delivery::new(&outgoing.event, job.number),
        };
        Ok(Some(Ready { job, delivery, outgoing }))
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

/// Takes out the deliveries that are not to be sent to the target any more.
fn cancel(ready: &mut Vec<Ready>, endpoint: Option<&Endpoint>, endings: &mut Vec<(Job, Ending)>) {
    let reason = |one: &Ready| match endpoint {
        None => Some("the target was deleted"),
        Some(endpoint) if !endpoint.target.is_enabled_since(one.job.waiting.since) => {
            Some("the target was disabled")
        }
        Some(_) => None,
    };
    for one in std::mem::take(ready) {
        match reason(&one) {
            Some(reason) => endings.push((one.job, Ending::Cancelled { delivery: one.delivery, reason })),
            None => ready.push(one),
        }
    }
}

impl Ready {
    fn bytes(&self) -> usize {
        self.outgoing.payload.len()
    }

    fn message(&self) -> Message<'_> {
        let event = &self.outgoing.event;
        Message {
            id: event.id,
            kind: event.kind.as_str(),
            organization: event.organization,
            incident: event.incident,
            source: event.source.as_ref(),
            created_at: event.created_at,
            observed_at: self.job.number.enqueued_at(),
            payload: self.outgoing.payload.clone(),
        }
    }
}

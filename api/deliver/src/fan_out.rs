//! From an outbox to events that are sent to targets: filters and subscriptions are judged here, once. The event,
//! its bytes, its targets and the cursor are one commit.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use common::event::Event;
use common::hexadecimal;
use common::ids::OrganizationId;
use common::partition::Partition;
use common::row::{BodyError, decode};
use common::timestamp::Timestamp;
use ledger::{Kind, Ledger, LedgerError, LedgerId, Op, Range, Row, Seq};
use thiserror::Error;

use crate::endpoint::{EndpointCache, EndpointError, Endpoints};
use crate::envelope::payload;
use crate::journal::Batch;
use crate::payload_store::Outgoing;
use crate::rows::{Cursor, EventNumber, Outbox, StoredEvent, event_key, incident_key, put};
use crate::target::TargetId;

/// Rows of all outboxes that are read at once.
pub(crate) const PAGE: usize = 100;

/// An event that is about to be committed.
pub(crate) struct Fresh {
    pub(crate) number: EventNumber,
    pub(crate) outgoing: Arc<Outgoing>,
}

/// Reason why events cannot be enqueued now.
#[derive(Debug, Error)]
pub(crate) enum FanOutError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Endpoints(#[from] EndpointError),
    #[error("an event cannot be written as a row")]
    Body(#[from] BodyError),
}

/// Reads one outbox.
pub(crate) struct FanOut {
    ledger: Arc<dyn Ledger>,
    outbox: Outbox,
    id: LedgerId,
    endpoints: Arc<EndpointCache>,
    /// Sequence number of the outbox's ledger when there was nothing more to read.
    exhausted_at: Option<Seq>,
    /// Whether the last reading failed: said once per change.
    failing: bool,
}

impl FanOut {
    pub(crate) fn new(
        ledger: Arc<dyn Ledger>,
        outbox: Outbox,
        partition: Partition,
        endpoints: Arc<EndpointCache>,
    ) -> Self {
        Self { ledger, outbox, id: outbox.ledger(partition), endpoints, exhausted_at: None, failing: false }
    }

    /// Whether there is certainly more to read at once.
    pub(crate) fn has_more(&self) -> bool {
        self.exhausted_at.is_none()
    }

    /// Adds what lies behind the cursor to a batch, at most `most` rows, as far as there is room and can be
    /// read, and moves the cursor.
    ///
    /// # Errors
    /// Only those after which batch and cursor cannot be used.
    pub(crate) async fn read(
        &mut self,
        cursor: &mut Cursor,
        batch: &mut Batch,
        most: usize,
        now: Timestamp,
    ) -> Result<Vec<Fresh>, BodyError> {
        match self.try_to_read(cursor, batch, most, now).await {
            Ok(fresh) => Ok(fresh),
            Err(FanOutError::Body(error)) => Err(error),
            // It comes before anything is added.
            Err(error) => {
                self.note(Some(&error));
                Ok(Vec::new())
            }
        }
    }

    fn note(&mut self, error: Option<&FanOutError>) {
        if let Some(error) = error.filter(|_| !self.failing) {
            tracing::warn!(outbox = %self.id, %error, "deliveries are paused: events or their targets cannot be read");
        }
        self.failing = error.is_some();
    }

    async fn try_to_read(
        &mut self,
        cursor: &mut Cursor,
        batch: &mut Batch,
        most: usize,
        now: Timestamp,
    ) -> Result<Vec<Fresh>, FanOutError> {
        let seq = self.ledger.seq(self.id).await?;
        if most == 0 || self.exhausted_at == Some(seq) {
            return Ok(Vec::new());
        }
        let after =
            hexadecimal::parse(&cursor.position(self.outbox).read_through).filter(|key| !key.is_empty());
        let range = Range { after: after.as_deref(), ..Range::default() };
        let rows = self.ledger.scan(self.id, Kind::Outbox, range, most).await?;
        self.exhausted_at = (rows.len() < most).then_some(seq);
        let mut fresh = Vec::new();
        let mut known = HashMap::new();
        for row in rows {
            let outgoing = match self.outgoing(&row, &mut known).await {
                Ok(Some(outgoing)) => outgoing,
                Ok(None) => {
                    cursor.position(self.outbox).read_through = hexadecimal::print(&row.key);
                    continue;
                }
                Err(error) => {
                    // Earlier events are in the batch and are processed.
                    self.exhausted_at = None;
                    self.note(Some(&error));
                    return Ok(fresh);
                }
            };
            let number = cursor.last.next(now);
            let ops = ops(number, &outgoing)?;
            let bytes: usize = ops.iter().map(bytes_of).sum();
            if !batch.has_room(ops.len() + 1, bytes) {
                self.exhausted_at = None;
                break;
            }
            ops.into_iter().for_each(|op| batch.push(op));
            cursor.position(self.outbox).read_through = hexadecimal::print(&row.key);
            cursor.last = number;
            cursor.kept += outgoing.event.targets.len() as u64;
            fresh.push(Fresh { number, outgoing: Arc::new(outgoing) });
        }
        self.note(None);
        Ok(fresh)
    }

    /// Event of a row of the outbox, and its targets; `None` when there are none, or nothing can be sent. `known` are
    /// targets that were read after the row was.
    async fn outgoing(
        &self,
        row: &Row,
        known: &mut HashMap<OrganizationId, Endpoints>,
    ) -> Result<Option<Outgoing>, FanOutError> {
        let event: Event = match decode(&row.body) {
            Ok(event) => event,
            Err(error) => {
                dropped(&error, "unreadable");
                return Ok(None);
            }
        };
        let endpoints = match known.entry(event.organization) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(self.endpoints.of(event.organization).await?),
        };
        let wanting = endpoints.iter().filter(|(_, one)| one.target.wants(event.kind, event.source.as_ref()));
        let mut targets: Vec<TargetId> = wanting.map(|(id, _)| *id).collect();
        if targets.is_empty() {
            return Ok(None);
        }
        targets.sort_unstable();
        let payload = match payload(&event) {
            Ok(payload) => payload,
            Err(error) => {
                dropped(&error, "too_large");
                return Ok(None);
            }
        };
        let Event { id, kind, organization, incident, created_at, source, .. } = event;
        let event = StoredEvent { id, kind, organization, incident, created_at, source, targets };
        Ok(Some(Outgoing { event, payload }))
    }
}

/// Reason why events are left out: values of the label `reason`.
pub(crate) const DROP_REASONS: [&str; 2] = ["unreadable", "too_large"];

/// An event that cannot be sent is an error of its writer; the others must not wait for it.
fn dropped(error: &dyn std::error::Error, reason: &'static str) {
    tracing::error!(%error, reason, "an event cannot be sent and is skipped");
    metrics::counter!("palisade_webhook_events_dropped_total", "reason" => reason).increment(1);
}

fn ops(number: EventNumber, outgoing: &Outgoing) -> Result<Vec<Op>, BodyError> {
    let key = event_key(number);
    let payload = Op::Put { kind: Kind::Detail, key: key.to_vec().into(), body: outgoing.payload.clone() };
    let mut ops = vec![put(Kind::History, key, &outgoing.event)?, payload];
    // An incident shows the events that were sent to webhook targets.
    if let Some(incident) = outgoing.event.incident.filter(|_| outgoing.event.webhooks().next().is_some()) {
        ops.push(put(Kind::State, incident_key(outgoing.event.organization, incident, number), &())?);
    }
    Ok(ops)
}

fn bytes_of(op: &Op) -> usize {
    match op {
        Op::Put { key, body, .. } => key.len() + body.len(),
        Op::Delete { key, .. } => key.len(),
    }
}

//! Events and their payloads as attempts need them: the latest in memory, all others from the ledger.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use common::row::{BodyError, decode};
use ledger::{Kind, Ledger, LedgerError, LedgerId};
use thiserror::Error;

use crate::rows::{EventNumber, StoredEvent, event_key};
use crate::target::TargetId;

/// Bytes of events kept for each partition: thousands of ordinary ones, so that one that goes to many targets is not read
/// for each.
const MOST_BYTES: usize = 8 * 1_024 * 1_024;

/// An event with its payload.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) event: StoredEvent,
    pub(crate) payload: Bytes,
}

impl Outgoing {
    /// Bytes of memory that it takes: with hundreds of targets their ids are more than the payload.
    fn size(&self) -> usize {
        size_of::<Self>() + self.payload.len() + self.event.targets.len() * size_of::<TargetId>()
    }
}

/// Reason why an event cannot be read.
#[derive(Debug, Error)]
pub(crate) enum StoreError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("a row of the deliveries cannot be read")]
    Body(#[from] BodyError),
}

/// See the module.
pub(crate) struct PayloadStore {
    ledger: Arc<dyn Ledger>,
    id: LedgerId,
    recent: Mutex<Recent>,
}

#[derive(Default)]
struct Recent {
    kept: HashMap<EventNumber, Arc<Outgoing>>,
    order: VecDeque<EventNumber>,
    bytes: usize,
}

impl PayloadStore {
    pub(crate) fn new(ledger: Arc<dyn Ledger>, id: LedgerId) -> Self {
        Self { ledger, id, recent: Mutex::default() }
    }

    /// Keeps an event for those who will ask soon.
    pub(crate) fn keep(&self, number: EventNumber, outgoing: Arc<Outgoing>) {
        let mut recent = self.recent();
        recent.bytes += outgoing.size();
        match recent.kept.insert(number, outgoing) {
            Some(replaced) => recent.bytes -= replaced.size(),
            None => recent.order.push_back(number),
        }
        while recent.bytes > MOST_BYTES {
            let Some(oldest) = recent.order.pop_front() else { break };
            if let Some(gone) = recent.kept.remove(&oldest) {
                recent.bytes -= gone.size();
            }
        }
    }

    /// An event; `None` when it is forgotten.
    pub(crate) async fn get(&self, number: EventNumber) -> Result<Option<Arc<Outgoing>>, StoreError> {
        if let Some(outgoing) = self.recent().kept.get(&number) {
            return Ok(Some(Arc::clone(outgoing)));
        }
        let key = event_key(number);
        let Some(event) = self.ledger.get(self.id, Kind::History, &key).await? else { return Ok(None) };
        let Some(payload) = self.ledger.get(self.id, Kind::Detail, &key).await? else { return Ok(None) };
        Ok(Some(Arc::new(Outgoing { event: decode(&event)?, payload })))
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        // Only a cache: whatever is in it is right.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! State of every handler: the stores, the clock, the index and the limits, put together once in [`crate::build`].

use std::sync::Arc;

use bytes::Bytes;
use deliver::{DeliveryLog, Receivers};
use escalation::Escalation;
use rest::kit::Kit;

use crate::ReadEvent;
use crate::checking::Checking;
use crate::incident_index::IncidentIndex;

/// The state of the router.
pub(crate) struct App {
    /// Stores, clock and limits that every resource shares.
    pub(crate) kit: Arc<Kit>,
    pub(crate) escalation: Arc<Escalation>,
    pub(crate) receivers: Receivers,
    pub(crate) deliveries: DeliveryLog,
    pub(crate) checking: Checking,
    pub(crate) read_event: ReadEvent,
    pub(crate) index: IncidentIndex,
    /// The interface description, written once.
    pub(crate) document: Bytes,
    pub(crate) pages: Pages,
}

/// Pages for people, written once.
pub(crate) struct Pages {
    /// Where to begin.
    pub(crate) start: Bytes,
    /// The interface description.
    pub(crate) reference: Bytes,
}

pub(crate) type Shared = Arc<App>;

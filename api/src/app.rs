//! What every handler is handed: the stores, the clock, the index and the limits, put together once in [`crate::build`].

use std::sync::Arc;

use bytes::Bytes;
use common::clock::SharedClock;
use credits::Credits;
use deliver::{DeliveryLog, Receivers};
use directory::{Authenticator, Directory};
use escalation::Escalation;
use ledger::Ledger;

use crate::ReadEvent;
use crate::checking::Checking;
use crate::config::Config;
use crate::index::Index;
use crate::rate_limit::RateLimit;

/// The state of the router.
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) directory: Arc<Directory>,
    pub(crate) credits: Credits,
    pub(crate) authenticator: Arc<Authenticator>,
    pub(crate) escalation: Arc<Escalation>,
    pub(crate) receivers: Receivers,
    pub(crate) deliveries: DeliveryLog,
    pub(crate) checking: Checking,
    pub(crate) read_event: ReadEvent,
    pub(crate) clock: SharedClock,
    /// The specification's `{base_url}`.
    pub(crate) base_url: String,
    /// Number of partitions of the log, fixed for the life of a deployment.
    pub(crate) partitions: u16,
    pub(crate) index: Arc<Index>,
    pub(crate) rate: RateLimit,
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

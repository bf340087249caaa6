//! Delivery of events, which belongs to the role that answers the API: the keys of secrets and the outbound client,
//! shared with the API, and the deliverer, ended after the listener. Undelivered events remain for
//! the next process.

use std::sync::Arc;

use deliver::{Deliverer, DeliveryLog, Parts, Receivers};
use ledger::Work;
use outbound::{Outbound, SystemResolver};
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use secrets::Vault;
use tokio::sync::watch;

use super::Opened;
use super::code_host::{self, Connected};
use super::share::share;
use crate::Failure;
use crate::settings::Settings;
use crate::storage;

/// Dependencies of sending.
pub(super) struct Delivery {
    vault: Arc<Vault>,
    outbound: Arc<Outbound>,
    code_host: Option<Connected>,
}

impl Delivery {
    /// Finds the keys and sets up the outbound client.
    ///
    /// # Errors
    /// When there are no keys, the resolver or TLS cannot be set up, or the registration of the code host cannot be used.
    pub(super) async fn open(settings: &Settings, opened: &Opened) -> Result<Self, Failure> {
        let keys = storage::key_encryption_keys(settings, &opened.ledgers).await?;
        let clock = &opened.clock;
        let resolver = SystemResolver::new(&settings.outbound, Arc::clone(clock))?;
        let outbound = Arc::new(Outbound::new(&settings.outbound, Arc::new(resolver), Arc::clone(clock))?);
        Ok(Self {
            vault: Arc::new(Vault::new(Arc::clone(&opened.ledgers.ledger), keys)),
            code_host: code_host::open(settings, &outbound, clock)?,
            outbound,
        })
    }

    /// Changes and tests of receivers.
    pub(super) fn receivers(&self, opened: &Opened) -> Receivers {
        let (vault, outbound) = (Arc::clone(&self.vault), Arc::clone(&self.outbound));
        Receivers::new(Arc::clone(&opened.ledgers.directory), vault, outbound, Arc::clone(&opened.clock))
    }

    /// The vault of secrets.
    pub(super) fn vault(&self) -> Arc<Vault> {
        Arc::clone(&self.vault)
    }

    /// The client of outbound requests.
    pub(super) fn outbound(&self) -> Arc<Outbound> {
        Arc::clone(&self.outbound)
    }

    /// The code host, if one is configured.
    pub(super) fn code_host(&self) -> Option<&Connected> {
        self.code_host.as_ref()
    }

    /// The log of deliveries.
    pub(super) fn log(settings: &Settings, opened: &Opened) -> DeliveryLog {
        let ledger = Arc::clone(&opened.ledgers.ledger);
        DeliveryLog::new(ledger, Arc::clone(&opened.clock), settings.partitions())
    }

    /// Starts the deliverer.
    pub(super) fn start(self, settings: &Settings, opened: &Opened, tasks: &mut Tasks, shutdown: &Shutdown) {
        let deliverer = Deliverer::new(Parts {
            config: settings.webhooks.clone(),
            ledger: Arc::clone(&opened.ledgers.ledger),
            directory: Arc::clone(&opened.ledgers.directory),
            vault: self.vault,
            outbound: self.outbound,
            clock: Arc::clone(&opened.clock),
            partitions: settings.partitions(),
            chance: Arc::new(rand::random::<f64>),
        });
        let share = share(settings, opened, Work::Delivery, tasks, shutdown);
        let (stop, stopped) = watch::channel(false);
        tasks.spawn("delivery", Tier::Back, async move {
            deliverer.run(share, stopped).await;
            Ok(())
        });
        let shutdown = shutdown.clone();
        tasks.spawn("delivery stop", Tier::Back, async move {
            shutdown.reached(Stage::Flushing).await;
            stop.send_replace(true);
            Ok(())
        });
    }
}

//! Everything a deliverer needs, in memory, with a clock that is moved by hand and a receiver on the loopback.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use common::clock::{Clock, ManualClock};
use common::event::{Event, EventId, EventKind, EventSource, SourceGroup, outbox_key};
use common::ids::{IncidentId, OrganizationId, ReceiverId};
use common::partition::Partition;
use common::pepper::Pepper;
use common::row::{decode, encode};
use common::timestamp::Timestamp;
use deliver::{
    AddressChange, Config, Deliverer, Delivery, DeliveryFilter, DeliveryLog, DeliveryStatus, LoggedDelivery,
    NewTarget, Parts, Receivers, SigningSecret,
};
use directory::ReceiverKind::Webhook;
use directory::{Directory, Receiver as Target, SourceFilter, TelemetryProtocol};
use ledger::{Commit, Kind, Ledger, LedgerId, Op, Range};
use outbound::{Outbound, Resolve};
use ownership::Share;
use secrets::{KeyEncryptionKey, KeyEncryptionKeys, Vault};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::ledgers::{Gate, Watched};
use crate::receiver::Receiver;

pub(crate) const PARTITION: Partition = Partition(0);

/// Names that lead where a test says.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) known: Mutex<HashMap<String, IpAddr>>,
    /// Look-ups pass it with their answer.
    pub(crate) gate: Gate,
}

#[async_trait]
impl Resolve for Names {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let known = self.known.lock().unwrap().get(name).copied();
        self.gate.pass().await;
        known.map(|address| vec![address]).ok_or_else(|| io::Error::other("no such name"))
    }
}

/// See the module.
pub(crate) struct House {
    pub(crate) ledger: Arc<Watched>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) directory: Arc<Directory>,
    pub(crate) vault: Arc<Vault>,
    pub(crate) outbound: Arc<Outbound>,
    pub(crate) names: Arc<Names>,
    pub(crate) receivers: Receivers,
    pub(crate) log: DeliveryLog,
    pub(crate) organization: OrganizationId,
    pub(crate) receiver: Receiver,
    published: AtomicU64,
}

/// A deliverer at work.
pub(crate) struct Running {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Running {
    /// Ends as it is told to.
    pub(crate) async fn stop(self) {
        self.stop.send_replace(true);
        self.task.await.unwrap();
    }

    /// Ends in the middle of whatever it does.
    pub(crate) async fn kill(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
    }
}

/// Looks often, and tries again at once where a test does not say otherwise.
pub(crate) fn quick() -> Config {
    Config { poll_milliseconds: 2, ..Config::default() }
}

impl House {
    pub(crate) async fn new() -> Self {
        let ledger = Arc::new(Watched::new());
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_800_000_000_000)));
        let directory = Arc::new(Directory::new(ledger.clone(), clock.clone(), Pepper::new([1; 32])));
        let keys = KeyEncryptionKeys::new(vec![KeyEncryptionKey::new([2; 32])]).unwrap();
        let vault = Arc::new(Vault::new(ledger.clone(), keys));
        let names = Arc::new(Names::default());
        let config = outbound::Config {
            allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
            // Long enough for a receiver on a busy machine, short enough to wait for one that hangs.
            timeout_ms: 1_000,
            ..outbound::Config::default()
        };
        let outbound = Arc::new(Outbound::new(&config, names.clone(), clock.clone()).unwrap());
        let receivers = Receivers::new(directory.clone(), vault.clone(), outbound.clone(), clock.clone());
        let log = DeliveryLog::new(ledger.clone(), clock.clone(), 1);
        let organization = directory.create_organization("acme").await.unwrap().id;
        let receiver = Receiver::start().await;
        let published = AtomicU64::new(0);
        Self {
            ledger,
            clock,
            directory,
            vault,
            outbound,
            names,
            receivers,
            log,
            organization,
            receiver,
            published,
        }
    }

    /// A target at a path of the receiver, subscribed to everything.
    pub(crate) async fn target(&self, path: &str) -> (Target, SigningSecret) {
        self.target_at(self.receiver.url(path)).await
    }

    pub(crate) async fn target_at(&self, url: String) -> (Target, SigningSecret) {
        let new = NewTarget {
            name: Some("target".to_owned()),
            url,
            headers: BTreeMap::from([("Authorization".to_owned(), "Bearer of-the-target".to_owned())]),
            events: Some(EventKind::ALL.iter().copied().collect()),
            sources: SourceFilter::default(),
            enabled: true,
        };
        self.receivers.create_webhook(self.organization, new).await.unwrap()
    }

    /// A telemetry endpoint at a path of the receiver, subscribed to everything.
    pub(crate) async fn collector(&self, path: &str, protocol: TelemetryProtocol) -> Target {
        self.collector_at(self.receiver.url(path), protocol).await
    }

    pub(crate) async fn collector_at(&self, url: String, protocol: TelemetryProtocol) -> Target {
        let new = NewTarget {
            name: None,
            url,
            headers: BTreeMap::from([("Authorization".to_owned(), "Bearer of-the-collector".to_owned())]),
            events: Some(EventKind::ALL.iter().copied().collect()),
            sources: SourceFilter::default(),
            enabled: true,
        };
        self.receivers.create_telemetry(self.organization, protocol, new).await.unwrap()
    }

    /// Outcome of every event at a telemetry endpoint, newest first.
    pub(crate) async fn exports(&self, endpoint: &Target) -> Vec<Delivery> {
        let prefix = [self.organization.as_bytes().as_slice(), endpoint.id.as_bytes()].concat();
        let range = Range { prefix: &prefix, after: None, backwards: true };
        let rows = self.ledger.scan(LedgerId::Deliveries(PARTITION), Kind::Head, range, 1_000).await.unwrap();
        rows.iter().map(|row| decode(&row.body).unwrap()).collect()
    }

    /// Outcomes of so many events, once that is final for all of them.
    pub(crate) async fn exported(&self, endpoint: &Target, count: usize) -> Vec<Delivery> {
        let is_final = |one: &Delivery| one.status != DeliveryStatus::Pending;
        self.when(async || {
            let all = self.exports(endpoint).await;
            (all.len() == count && all.iter().all(is_final)).then_some(all)
        })
        .await
    }

    pub(crate) async fn set_enabled(&self, target: &Target, enabled: bool) -> Target {
        let change = |target: &mut Target| {
            target.enabled = enabled;
            Ok(())
        };
        let address = AddressChange::default();
        self.receivers.change(Webhook, self.organization, target.id, address, change).await.unwrap()
    }

    /// Writes an event to the outbox, as an analyzer does.
    pub(crate) async fn publish(&self) -> Event {
        self.publish_about(None).await
    }

    pub(crate) async fn publish_about(&self, incident: Option<IncidentId>) -> Event {
        let number = self.published.load(Ordering::SeqCst);
        let object = json!({ "object": "incident", "number": number, "title": "ünïcode \"quoted\"" });
        self.publish_object(incident, object).await
    }

    pub(crate) async fn publish_object(&self, incident: Option<IncidentId>, object: Value) -> Event {
        let number = self.published.fetch_add(1, Ordering::SeqCst);
        let event = Event {
            id: EventId::of_cause(&[b"test", &number.to_be_bytes()]),
            kind: EventKind::InfrastructureIncidentEscalated,
            organization: self.organization,
            source: Some(EventSource { group: SourceGroup::Infrastructure, id: None }),
            created_at: self.clock.now(),
            object,
            incident,
        };
        let id = LedgerId::Partition(PARTITION);
        let seq = self.ledger.seq(id).await.unwrap();
        let (key, body) = (outbox_key(seq.0 + 1, 0).into(), encode(&event).unwrap().into());
        let committed =
            self.ledger.commit(id, seq, vec![Op::Put { kind: Kind::Outbox, key, body }]).await.unwrap();
        assert!(matches!(committed, Commit::Done(_)));
        event
    }

    pub(crate) fn run(&self, config: Config) -> Running {
        self.run_on(self.ledger.clone(), config)
    }

    pub(crate) fn run_on(&self, ledger: Arc<dyn Ledger>, config: Config) -> Running {
        let deliverer = Deliverer::new(Parts {
            config,
            ledger,
            directory: self.directory.clone(),
            vault: self.vault.clone(),
            outbound: self.outbound.clone(),
            clock: self.clock.clone(),
            partitions: 1,
            chance: Arc::new(|| 0.5),
        });
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(deliverer.run(Share::all(1), stopped));
        Running { stop, task }
    }

    /// Deliveries to a target, newest first.
    pub(crate) async fn deliveries(&self, target: ReceiverId) -> Vec<LoggedDelivery> {
        let filter = DeliveryFilter::default();
        self.log.list(self.organization, &[target], filter, 0, usize::MAX).await.unwrap().deliveries
    }

    /// The latest delivery to a target once it was attempted `attempts` times.
    pub(crate) async fn attempted(&self, target: ReceiverId, attempts: usize) -> LoggedDelivery {
        let is_enough = |one: &&LoggedDelivery| one.delivery.attempts.len() >= attempts;
        self.when(async || self.deliveries(target).await.first().filter(is_enough).cloned()).await
    }

    /// The latest delivery to a target once it stands there.
    pub(crate) async fn standing(&self, target: ReceiverId, status: DeliveryStatus) -> LoggedDelivery {
        let stands = |one: &&LoggedDelivery| one.delivery.status == status;
        self.when(async || self.deliveries(target).await.first().filter(stands).cloned()).await
    }

    /// Waits until something is there, looking after every commit.
    pub(crate) async fn when<T>(&self, look: impl AsyncFn() -> Option<T>) -> T {
        let mut commits = self.ledger.commits.subscribe();
        let looking = async {
            loop {
                commits.borrow_and_update();
                if let Some(found) = look().await {
                    return found;
                }
                commits.changed().await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(20), looking).await.expect("it never came")
    }
}

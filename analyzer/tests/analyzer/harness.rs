//! A world to analyze in: a log, a ledger and rules in memory, under a clock that follows tokio's
//! paused one. Nothing is asserted here.

pub(crate) mod ledger;
pub(crate) mod policies;
pub(crate) mod records;
pub(crate) mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ::analyzer::{Analyzer, Catalogue, Config, Dependencies, LoadError, Loader, OwnRules, WorkerStatus};
use ::ledger::{Kind, LedgerId};
use async_trait::async_trait;
use common::clock::{Clock, SharedClock};
use common::ids::OrganizationId;
use common::incident::{Evidence, IncidentDetail, IncidentHead, Revision};
use common::partition::{Partition, Position};
use common::pepper::Pepper;
use common::row::{self, Progress};
use common::timestamp::Timestamp;
use directory::Directory;
use durable_log::DurableLog;
use durable_log::memory::MemoryLog;
use escalation::Escalation;
use ownership::Share;
use sigma::{Layer, RuleSet};
use statistics::Statistics;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub(crate) use self::ledger::{Fault, TestLedger};
pub(crate) use self::records::{Delivery, Line, START, at};

/// The only partition of these worlds.
pub(crate) const PARTITION: Partition = Partition(0);

/// Rows of the ledger, as kind, key and body.
pub(crate) type Rows = BTreeMap<(u8, Vec<u8>), Vec<u8>>;

/// Rules that all compile.
pub(crate) fn compiled(yaml: &str) -> RuleSet {
    let documents = sigma::parse("test.yml", yaml).into_iter().map(Result::unwrap).collect();
    let (rules, refused) = ::analyzer::pack::compile(documents, &sigma::Placeholders::default());
    assert!(refused.is_empty(), "{refused:?}");
    rules
}

/// Rules of an organization beside those of a catalogue, which all compile.
pub(crate) fn beside(catalogue: &Catalogue, yaml: &str) -> OwnRules {
    OwnRules { layer: layer(Arc::clone(catalogue.shared_rules()), yaml), at: Timestamp(0) }
}

fn layer(shared: Arc<RuleSet>, yaml: &str) -> Layer {
    let documents = sigma::parse("own.yml", yaml).into_iter().map(Result::unwrap);
    let documents = documents.map(|document| document.written_by(sigma::Author::Organization)).collect();
    let (layer, refused) = ::analyzer::pack::compile_beside(
        shared,
        documents,
        &sigma::Placeholders::default(),
        sigma::Limits::none(),
    );
    assert!(refused.is_empty(), "{refused:?}");
    layer
}

/// Compiles rules of organizations again, which are all the same, and counts the compilations.
#[derive(Debug)]
pub(crate) struct Again {
    shared: Arc<RuleSet>,
    yaml: String,
    pub(crate) loads: AtomicUsize,
}

impl Again {
    pub(crate) fn new(catalogue: &Catalogue, yaml: &str) -> Arc<Self> {
        let shared = Arc::clone(catalogue.shared_rules());
        Arc::new(Self { shared, yaml: yaml.to_owned(), loads: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl Loader for Again {
    async fn load(&self, _: OrganizationId, _: Timestamp) -> Result<Layer, LoadError> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        Ok(layer(Arc::clone(&self.shared), &self.yaml))
    }
}

/// A clock that shows tokio's time.
struct TokioClock(tokio::time::Instant);

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        START.plus(self.0.elapsed())
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A log, a ledger and rules.
pub(crate) struct World {
    pub(crate) log: Arc<dyn DurableLog>,
    pub(crate) ledger: Arc<TestLedger>,
    /// The rules in force.
    pub(crate) catalogue: watch::Sender<Arc<Catalogue>>,
    pub(crate) config: Config,
    pub(crate) statistics: Arc<Statistics>,
}

/// Final content of an incident, without the history of its changes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) family: String,
    pub(crate) entity: String,
    pub(crate) title: String,
    pub(crate) event_count: u64,
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
    pub(crate) assessment: common::incident::Assessment,
    pub(crate) evidence: Vec<Evidence>,
}

/// Workers at work.
pub(crate) struct Running {
    stop: watch::Sender<bool>,
    tasks: JoinSet<Result<(), ::analyzer::AnalyzerError>>,
}

impl World {
    pub(crate) fn new(yaml: &str) -> Self {
        Self::of_rules(compiled(yaml))
    }

    pub(crate) fn of_rules(rules: RuleSet) -> Self {
        Self::of(Arc::new(Catalogue::new(Arc::new(rules), BTreeSet::new())))
    }

    pub(crate) fn of(catalogue: Arc<Catalogue>) -> Self {
        Self {
            log: Arc::new(MemoryLog::new(1)),
            ledger: Arc::new(TestLedger::default()),
            catalogue: watch::Sender::new(catalogue),
            config: Config { threads: 1, ..Config::default() },
            statistics: Arc::default(),
        }
    }

    /// A world of the same rules and settings in which nothing has happened.
    pub(crate) fn anew(&self) -> Self {
        let fresh = Self::of(Arc::clone(&self.catalogue.borrow()));
        Self { config: self.config.clone(), ..fresh }
    }

    pub(crate) async fn send(&self, delivery: &Delivery) {
        self.log.append(PARTITION, delivery.batch()).await.unwrap();
    }

    /// Sends and analyzes.
    pub(crate) async fn take(&self, deliveries: &[Delivery]) {
        for delivery in deliveries {
            self.send(delivery).await;
        }
        self.analyze().await;
    }

    pub(crate) fn start(&self) -> Running {
        self.start_with(Share::all(self.log.partitions())).0
    }

    /// The clock of the paused runtime.
    pub(crate) fn clock(&self) -> SharedClock {
        Arc::new(TokioClock(tokio::time::Instant::now()))
    }

    /// Starts workers on a share.
    pub(crate) fn start_with(&self, share: Share) -> (Running, WorkerStatus) {
        let status = WorkerStatus::default();
        let pepper = Pepper::new([7; 32]);
        let directory = Directory::new(self.ledger.clone(), self.clock(), pepper.clone());
        let escalation = Escalation::new(Arc::new(directory), pepper.clone(), "http://127.0.0.1:8080/api/v1");
        let dependencies = Dependencies {
            log: Arc::clone(&self.log),
            ledger: Arc::clone(&self.ledger) as Arc<dyn ::ledger::Ledger>,
            rules: self.catalogue.subscribe(),
            pepper,
            escalation: Arc::new(escalation),
            clock: self.clock(),
            status: status.clone(),
            statistics: Arc::clone(&self.statistics),
        };
        let analyzer = Analyzer::build(self.config.clone(), dependencies).unwrap();
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        tasks.spawn(analyzer.run(share, stopped));
        (Running { stop, tasks }, status)
    }

    /// Works until everything in the log is analyzed. Workers whose commit never answers are dropped
    /// where they are, and others take their place.
    pub(crate) async fn analyze(&self) {
        let mut running = self.start();
        loop {
            tokio::select! {
                () = self.caught_up() => break,
                () = self.ledger.hung.notified() => {
                    drop(running);
                    running = self.start();
                }
            }
        }
        running.stop().await;
    }

    /// Returns when everything in the log is analyzed.
    pub(crate) async fn caught_up(&self) {
        let end = self.log.end(PARTITION).await.unwrap();
        for _ in 0..1_000_000 {
            if self.progress().position.offset > end {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("the analyzer stands still at {:?}", self.progress());
    }

    /// Puts other rules in force and waits until the partition has adopted them.
    pub(crate) async fn adopt(&self, catalogue: Catalogue) {
        let version = catalogue.version().to_owned();
        self.catalogue.send_replace(Arc::new(catalogue));
        for _ in 0..1_000_000 {
            if self.progress().rules_version == version {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("the rules are not adopted at {:?}", self.progress());
    }

    pub(crate) fn progress(&self) -> Progress {
        let key = row::progress_key();
        self.ledger.row(Kind::State, &key).map(|body| row::decode(&body).unwrap()).unwrap_or_default()
    }

    pub(crate) fn position(&self) -> Position {
        self.progress().position
    }

    /// Everything in the partition's ledger but its feed, and the owners of the partition.
    pub(crate) fn rows(&self) -> Rows {
        let mut rows = Rows::new();
        for (ledger, kind, row) in self.ledger.memory.dump() {
            if matches!(ledger, LedgerId::Organization(_)) || kind == Kind::Feed {
                continue;
            }
            assert_eq!(ledger, LedgerId::Partition(PARTITION));
            let mut body = row.body.to_vec();
            if kind == Kind::State && *row.key == *row::progress_key() {
                let progress: Progress = row::decode(&body).unwrap();
                body = row::encode(&Progress { owner_epoch: 0, ..progress }).unwrap();
            }
            rows.insert((kind.number(), row.key.to_vec()), body);
        }
        rows
    }

    /// Bodies of the rows of a kind whose key begins so.
    pub(crate) fn bodies(&self, kind: Kind, prefix: &[u8]) -> Vec<Vec<u8>> {
        let wanted = |(own, key): &(u8, Vec<u8>)| *own == kind.number() && key.starts_with(prefix);
        self.rows().into_iter().filter(|(key, _)| wanted(key)).map(|(_, body)| body).collect()
    }

    /// Heads by family, entity and episode.
    pub(crate) fn heads(&self) -> Vec<IncidentHead> {
        let bodies = self.bodies(Kind::Head, b"");
        let mut heads: Vec<IncidentHead> = bodies.iter().map(|body| row::decode(body).unwrap()).collect();
        heads.sort_by_key(|head| (head.family.clone(), head.entity.clone(), head.episode));
        heads
    }

    /// The only incident.
    pub(crate) fn head(&self) -> IncidentHead {
        let heads = self.heads();
        let [head] = heads.as_slice() else { panic!("expected one incident, found {heads:#?}") };
        head.clone()
    }

    pub(crate) fn detail(&self, head: &IncidentHead) -> IncidentDetail {
        let key = row::incident_key(head.organization, head.id);
        row::decode(&self.ledger.row(Kind::Detail, &key).unwrap()).unwrap()
    }

    pub(crate) fn revisions(&self, head: &IncidentHead) -> Vec<Revision> {
        let bodies = self.bodies(Kind::History, &row::revisions_prefix(head.organization, head.id));
        bodies.iter().map(|body| row::decode(body).unwrap()).collect()
    }

    pub(crate) fn quarantined(&self) -> Vec<String> {
        let rows = self.bodies(Kind::State, row::QUARANTINE_PREFIX);
        let record = |body: &Vec<u8>| row::decode::<row::QuarantinedRecord>(body).unwrap();
        rows.iter()
            .map(record)
            .map(|record| {
                assert!(
                    record.payload.is_some() && record.headers.is_some(),
                    "it can be sent again: {record:?}"
                );
                record.cause
            })
            .collect()
    }

    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let outcome = |head: IncidentHead| {
            let IncidentDetail { assessment, evidence } = self.detail(&head);
            assert_eq!(assessment.severity, head.analysis.severity);
            Outcome {
                family: head.family,
                entity: format!("{} {}", head.entity.kind, head.entity.value),
                title: head.analysis.title,
                event_count: head.analysis.event_count,
                first: head.analysis.first_seen_at,
                last: head.analysis.last_activity_at,
                assessment,
                evidence,
            }
        };
        self.heads().into_iter().map(outcome).collect()
    }
}

/// The first lines in which two things differ, of the hundreds that they have.
pub(crate) fn difference<T: std::fmt::Debug>(found: &T, expected: &T) -> String {
    let (found, expected) = (format!("{found:#?}"), format!("{expected:#?}"));
    let (found, expected): (Vec<&str>, Vec<&str>) = (found.lines().collect(), expected.lines().collect());
    let same = found.iter().zip(&expected).take_while(|(found, expected)| found == expected).count();
    let shown = |lines: &[&str]| lines[same.saturating_sub(6)..lines.len().min(same + 6)].join("\n");
    format!("found\n{}\nexpected\n{}", shown(&found), shown(&expected))
}

impl Running {
    /// Result of workers that ended by themselves.
    pub(crate) async fn ended(mut self) -> Result<(), ::analyzer::AnalyzerError> {
        self.tasks.join_next().await.unwrap().unwrap()
    }

    /// Lets the workers commit what they have, and waits for them.
    pub(crate) async fn stop(mut self) {
        self.stop.send_replace(true);
        while let Some(ended) = self.tasks.join_next().await {
            ended.unwrap().unwrap();
        }
    }
}

/// Runs a test of a property in a runtime of its own, under paused time.
pub(crate) fn in_paused_time<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true).build().unwrap().block_on(work)
}

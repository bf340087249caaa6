//! Rules of one organization that cannot be loaded: all others in the partition get their incidents, the organization gets the
//! findings of the shared rules, and its own rules work again once they can be loaded.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::analyzer::documents::Documents;
use ::analyzer::{Catalogue, Follower, LoadError, Loader, SharedRules};
use ::ledger::memory::MemoryLedger;
use ::ledger::{Commit, Kind, Ledger, LedgerError, LedgerId, Op};
use async_trait::async_trait;
use bytes::Bytes;
use common::ids::{KeyId, OrganizationId};
use common::incident::Actor;
use common::pepper::Pepper;
use common::row::{self, Progress};
use common::timestamp::Timestamp;
use directory::{ALL_DOCUMENTS, Described, Directory, DirectoryError, NewDetectionRule};
use sigma::{Layer, Placeholders};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::harness::{Delivery, Fault, Line, Rows, Running, World, beside, compiled, rules};

const HOSTILE: u8 = 9;
const VICTIM: u8 = 8;
/// Longer than rules stay in memory that no record needs.
const UNTIL_UNLOADED: Duration = Duration::from_secs(700);
/// Longer than the longest pause before damaged rules are read again.
const UNTIL_READ_AGAIN: Duration = Duration::from_secs(20);

fn organization(number: u8) -> OrganizationId {
    OrganizationId::from_bytes([number; 16])
}

/// A rule of the hostile organization.
fn own() -> String {
    rules::sign(50, "mine", "level: critical\nincident_family: mine").trim_start_matches("\n---\n").to_owned()
}

fn sign(sign: &str, of: OrganizationId, second: u64) -> Delivery {
    let source = if of == organization(VICTIM) { VICTIM } else { HOSTILE };
    let line = Line::sign(sign, "203.0.113.9").at(second).uid(format!("{sign} {source} {second}"));
    Delivery::new(second, [line]).of(of).of_source(source)
}

/// A sign that its own rule finds and one that a shared rule finds, of the hostile organization; and one of the victim.
fn of_both_with(hostile: OrganizationId, second: u64) -> [Delivery; 3] {
    [sign("mine", hostile, second), sign("loud", hostile, second), sign("loud", organization(VICTIM), second)]
}

fn of_both(second: u64) -> [Delivery; 3] {
    of_both_with(organization(HOSTILE), second)
}

/// Organization, family and number of events of each incident.
fn found(world: &World) -> BTreeSet<(u8, String, u64)> {
    let whose = |of| if of == organization(VICTIM) { VICTIM } else { HOSTILE };
    let heads = world.heads().into_iter();
    heads.map(|head| (whose(head.organization), head.family.clone(), head.analysis.event_count)).collect()
}

fn expected(all: &[(u8, &str, u64)]) -> BTreeSet<(u8, String, u64)> {
    all.iter().map(|(of, family, events)| (*of, (*family).to_owned(), *events)).collect()
}

async fn send_all(world: &World, deliveries: &[Delivery]) {
    for delivery in deliveries {
        world.send(delivery).await;
    }
    world.caught_up().await;
}

/// A directory in which the hostile organization has its rule, followed by the rules of a world.
struct Followed {
    rows: Arc<MemoryLedger>,
    directory: Arc<Directory>,
    hostile: OrganizationId,
    world: World,
    tasks: JoinSet<()>,
}

impl Followed {
    async fn new() -> Self {
        let world = World::new("");
        let rows = Arc::new(MemoryLedger::new());
        let ledger = Arc::clone(&rows) as Arc<dyn Ledger>;
        let directory = Arc::new(Directory::new(ledger, world.clock(), Pepper::new([7; 32])));
        let rule = NewDetectionRule {
            id: None,
            yaml: own(),
            enabled: true,
            described: Described { title: "Mine".to_owned(), sigma_ids: Vec::new() },
            ends_suspension: false,
        };
        let actor = Actor { key_id: KeyId::from_bytes([1; 16]), key_name: "ops".to_owned() };
        let hostile = directory.create_organization("hostile").await.unwrap().id;
        directory.create_detection_rule(hostile, 0, rule, actor).await.unwrap();
        Self { rows, directory, hostile, world, tasks: JoinSet::new() }
    }

    /// Starts the follower of the directory, and the analyzer.
    async fn start(&mut self) -> Running {
        let documents = Documents::new(Arc::new(compiled(&rules::critical())), Placeholders::default());
        let shared_rules =
            SharedRules { documents: Arc::new(documents), milder_environments: BTreeSet::new() };
        let directory = Arc::clone(&self.directory);
        let follower = Follower::begin(shared_rules, directory, self.world.clock()).await.unwrap();
        let mut in_force = follower.in_force();
        let latest = Arc::clone(&in_force.borrow_and_update());
        self.world.catalogue.send_replace(latest);
        let catalogue = self.world.catalogue.clone();
        let (replaced, replacing) = mpsc::channel::<SharedRules>(1);
        self.tasks.spawn(async move {
            // Nobody replaces the shared rules.
            let _replaced = replaced;
            while in_force.changed().await.is_ok() {
                let latest = Arc::clone(&in_force.borrow_and_update());
                catalogue.send_replace(latest);
            }
        });
        self.tasks.spawn(follower.run(replacing, std::future::pending()));
        self.world.start()
    }

    fn stored_rule(&self) -> (Bytes, Bytes) {
        let all = self.rows.dump().into_iter();
        let mut rules =
            all.filter(|(_, kind, row)| *kind == Kind::Head && row.key.starts_with(b"detection-rule/"));
        let (_, _, row) = rules.next().unwrap();
        (row.key.to_vec().into(), row.body.to_vec().into())
    }

    /// Writes the row of the rule behind the directory's back.
    async fn write_rule(&self, key: Bytes, body: Bytes) {
        let ledger = LedgerId::Organization(self.hostile);
        let seq = self.rows.seq(ledger).await.unwrap();
        let put = Op::Put { kind: Kind::Head, key, body };
        let done = self.rows.commit(ledger, seq, vec![put]).await.unwrap();
        assert!(matches!(done, Commit::Done(_)));
    }

    /// Damages the rule; returns its former row.
    async fn damage(&self) -> (Bytes, Bytes) {
        let (key, body) = self.stored_rule();
        self.write_rule(key.clone(), Bytes::from_static(b"\x20")).await;
        (key, body)
    }

    async fn is_noted(&self) -> bool {
        let noted = self.directory.unusable_documents(self.hostile).await.unwrap();
        noted.get(ALL_DOCUMENTS).is_some_and(|noted| noted.reason.contains("damaged"))
    }

    async fn stop(mut self, running: Running) {
        running.stop().await;
        self.tasks.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn rules_that_are_damaged_at_the_start_keep_nobody_waiting_and_work_once_repaired() {
    let mut followed = Followed::new().await;
    let (key, body) = followed.damage().await;
    let running = followed.start().await;
    send_all(&followed.world, &of_both_with(followed.hostile, 1)).await;
    assert_eq!(found(&followed.world), expected(&[(HOSTILE, "loud", 1), (VICTIM, "loud", 1)]));
    assert!(followed.is_noted().await);

    followed.write_rule(key, body).await;
    tokio::time::sleep(UNTIL_READ_AGAIN).await;
    send_all(&followed.world, &of_both_with(followed.hostile, 60)).await;
    assert_eq!(
        found(&followed.world),
        expected(&[(HOSTILE, "loud", 2), (HOSTILE, "mine", 1), (VICTIM, "loud", 2)])
    );
    assert!(!followed.is_noted().await);
    followed.stop(running).await;
}

#[tokio::test(start_paused = true)]
async fn rules_that_are_damaged_after_they_were_unloaded_take_nothing_back_and_keep_nobody_waiting() {
    let mut followed = Followed::new().await;
    let running = followed.start().await;
    send_all(&followed.world, &of_both_with(followed.hostile, 1)).await;
    let first = expected(&[(HOSTILE, "loud", 1), (HOSTILE, "mine", 1), (VICTIM, "loud", 1)]);
    assert_eq!(found(&followed.world), first);
    let (key, body) = followed.damage().await;
    send_all(&followed.world, &[sign("mine", followed.hostile, 2)]).await;
    let still = expected(&[(HOSTILE, "loud", 1), (HOSTILE, "mine", 2), (VICTIM, "loud", 1)]);
    assert_eq!(found(&followed.world), still, "what is in memory is applied");

    tokio::time::sleep(UNTIL_UNLOADED).await;
    let in_force = followed.world.catalogue.borrow().version().to_owned();
    let revisions = |world: &World| -> Vec<_> {
        let heads = world.heads().into_iter().filter(|head| head.family == "mine");
        heads.map(|head| (head.analysis.revision, head.analysis.severity)).collect()
    };
    let before = revisions(&followed.world);
    send_all(&followed.world, &of_both_with(followed.hostile, 800)).await;
    let withheld = expected(&[(HOSTILE, "loud", 2), (HOSTILE, "mine", 2), (VICTIM, "loud", 2)]);
    assert_eq!(found(&followed.world), withheld);
    assert_ne!(followed.world.progress().rules_version, in_force, "the ledger tells which rules are applied");
    tokio::time::sleep(UNTIL_READ_AGAIN).await;
    assert!(followed.is_noted().await);

    followed.write_rule(key, body).await;
    tokio::time::sleep(UNTIL_READ_AGAIN).await;
    assert_eq!(followed.world.progress().rules_version, in_force);
    assert_eq!(revisions(&followed.world), before, "nothing was taken back or told again");
    send_all(&followed.world, &of_both_with(followed.hostile, 900)).await;
    let repaired = expected(&[(HOSTILE, "loud", 3), (HOSTILE, "mine", 3), (VICTIM, "loud", 3)]);
    assert_eq!(found(&followed.world), repaired);
    assert!(!followed.is_noted().await);
    followed.stop(running).await;
}

/// Result of loading rules again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comes {
    /// The rules.
    Rules,
    /// Other rules, as if a later catalogue had them.
    OtherRules,
    /// A panic of the compiler.
    Broken,
    /// No answer of the store.
    Unreachable,
}

#[derive(Debug)]
struct Faulty {
    shared_rules: Catalogue,
    own: String,
    comes: Mutex<Comes>,
}

#[async_trait]
impl Loader for Faulty {
    async fn load(&self, organization: OrganizationId, _: Timestamp) -> Result<Layer, LoadError> {
        let comes = *self.comes.lock().unwrap();
        let unavailable = LedgerError::Unavailable { cause: "planned".to_owned() };
        match comes {
            Comes::Rules => Ok(beside(&self.shared_rules, &self.own).layer),
            Comes::OtherRules => Ok(beside(&self.shared_rules, &self.own.replace("critical", "high")).layer),
            Comes::Broken => Err(LoadError::Broken(organization)),
            Comes::Unreachable => {
                Err(LoadError::Unread { organization, source: DirectoryError::Unavailable(unavailable) })
            }
        }
    }
}

/// Rules of the hostile organization that have to be loaded for each of its batches.
fn faulty(comes: Comes) -> (World, Arc<Faulty>) {
    faulty_with(own(), comes)
}

fn faulty_with(own: String, comes: Comes) -> (World, Arc<Faulty>) {
    let shared_rules = Catalogue::new(Arc::new(compiled(&rules::critical())), BTreeSet::new());
    let loader = Arc::new(Faulty { shared_rules: shared_rules.clone(), own, comes: Mutex::new(comes) });
    let own = beside(&shared_rules, &loader.own);
    let catalogue = shared_rules.unloading(Arc::clone(&loader) as Arc<dyn Loader>, 0);
    (World::of(Arc::new(catalogue.with_own([(organization(HOSTILE), Some(own))]))), loader)
}

#[tokio::test(start_paused = true)]
async fn whatever_is_wrong_with_the_rules_others_wait_for_seconds_at_most() {
    for comes in [Comes::OtherRules, Comes::Broken, Comes::Unreachable] {
        let (world, _) = faulty(comes);
        let running = world.start();
        let begun = tokio::time::Instant::now();
        send_all(&world, &of_both(1)).await;
        assert!(begun.elapsed() < Duration::from_secs(60), "{comes:?}: {:?}", begun.elapsed());
        assert_eq!(found(&world), expected(&[(HOSTILE, "loud", 1), (VICTIM, "loud", 1)]), "{comes:?}");
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_later_catalogue_that_has_the_changed_rules_is_waited_for() {
    let (world, loader) = faulty(Comes::OtherRules);
    let running = world.start();
    for delivery in of_both(1) {
        world.send(&delivery).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(world.heads().is_empty(), "they wait");
    let later = beside(&loader.shared_rules, &own().replace("critical", "high"));
    let later = loader.shared_rules.clone().with_own([(organization(HOSTILE), Some(later))]);
    world.adopt(later).await;
    world.caught_up().await;
    running.stop().await;
    assert_eq!(found(&world), expected(&[(HOSTILE, "loud", 1), (HOSTILE, "mine", 1), (VICTIM, "loud", 1)]));
}

#[tokio::test(start_paused = true)]
async fn while_the_whole_ledger_is_away_everybody_waits_and_nothing_is_withheld() {
    let (world, loader) = faulty(Comes::Rules);
    let running = world.start();
    send_all(&world, &[sign("loud", organization(VICTIM), 1)]).await;
    world.ledger.memory.set_unavailable(true);
    *loader.comes.lock().unwrap() = Comes::Unreachable;
    for delivery in of_both(2) {
        world.send(&delivery).await;
    }
    tokio::time::sleep(Duration::from_secs(100)).await;
    world.ledger.memory.set_unavailable(false);
    *loader.comes.lock().unwrap() = Comes::Rules;
    world.caught_up().await;
    running.stop().await;
    assert_eq!(found(&world), expected(&[(HOSTILE, "loud", 1), (HOSTILE, "mine", 1), (VICTIM, "loud", 2)]));
}

#[tokio::test(start_paused = true)]
async fn rules_may_be_withheld_while_commits_fail_and_processes_die() {
    let deliveries: Vec<Delivery> = (1..6).flat_map(of_both).collect();
    let (uninterrupted, _) = faulty(Comes::Broken);
    uninterrupted.take(&deliveries).await;
    let expected = without_rules_version(uninterrupted.rows());
    for fault in Fault::ALL {
        for commit in 0..6 {
            let (world, _) = faulty(Comes::Broken);
            world.ledger.plan_faults([(commit, fault)]);
            world.take(&deliveries).await;
            assert_eq!(without_rules_version(world.rows()), expected, "{fault:?} at {commit}");
        }
    }
}

/// Rows without the version of the rules that the last commit recorded: a process that has died before it and finds no
/// further record of the hostile organization withholds nothing, which is another version.
fn without_rules_version(mut rows: Rows) -> Rows {
    let key = (Kind::State.number(), row::progress_key().to_vec());
    let body = rows.get_mut(&key).unwrap();
    let progress: Progress = row::decode(body).unwrap();
    *body = row::encode(&Progress { rules_version: String::new(), ..progress }).unwrap();
    rows
}

#[tokio::test(start_paused = true)]
async fn what_own_correlations_silence_is_heard_while_they_cannot_be_loaded() {
    let silencing = format!(
        "{}---\ntitle: Very loud\nid: 00000000-0000-4000-8000-000000000151\n\
         correlation:\n  type: event_count\n  rules: [loud]\n  group-by: [client.address]\n  timespan: 5m\n  \
         condition: {{gte: 100}}\nlevel: high\n",
        own()
    );
    for (comes, heard) in [(Comes::Rules, None), (Comes::Broken, Some((HOSTILE, "loud", 1)))] {
        let (world, _) = faulty_with(silencing.clone(), comes);
        world.take(&[sign("loud", organization(HOSTILE), 1)]).await;
        assert_eq!(found(&world), expected(heard.as_slice()), "{comes:?}");
    }
}

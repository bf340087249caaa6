//! Members of one work over one ledger, moved by hand: beats, pauses, deaths and outages of the ledger
//! are drawn by chance; the invariants are checked after every step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use common::clock::{ManualClock, SharedClock};
use common::partition::Partition;
use common::timestamp::Timestamp;
use ledger::memory::{MemoryLedger, UnknownOutcome};
use ledger::{LedgerId, Work};
use proptest::prelude::*;
use uuid::Uuid;

use crate::member::{self, Members};
use crate::{Config, Keeper, MemberId, Membership, Share};

const PARTITIONS: u16 = 7;

struct World {
    ledger: Arc<MemoryLedger>,
    clock: Arc<ManualClock>,
    processes: BTreeMap<u128, Process>,
}

struct Process {
    keeper: Keeper,
    share: Share,
}

impl World {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp(0)));
        Self { ledger: Arc::new(MemoryLedger::new()), clock, processes: BTreeMap::new() }
    }

    fn start(&mut self, name: u128) {
        let clock: SharedClock = Arc::<ManualClock>::clone(&self.clock);
        let membership = Membership {
            ledger: Arc::<MemoryLedger>::clone(&self.ledger),
            clock,
            work: Work::Analysis,
            partitions: PARTITIONS,
            id: MemberId::new(Uuid::from_u128(name)),
            config: Config::default(),
        };
        let (keeper, share) = Keeper::new(membership);
        self.processes.insert(name, Process { keeper, share });
    }

    /// One beat of a process; a worker follows the wanted partitions at once, as a worker with nothing
    /// to finish does.
    async fn beat(&mut self, name: u128) {
        if let Some(process) = self.processes.get_mut(&name) {
            process.keeper.beat().await;
            process.share.report(process.share.wanted());
        }
    }

    /// Seconds in which all members beat.
    async fn pass(&mut self, seconds: u32) {
        let names: Vec<u128> = self.processes.keys().copied().collect();
        for _ in 0..seconds {
            self.clock.advance(Duration::from_secs(1));
            for name in &names {
                self.beat(*name).await;
            }
        }
    }

    async fn members(&self) -> Members {
        member::read(self.ledger.as_ref(), LedgerId::Ownership(Work::Analysis)).await.unwrap()
    }

    fn wanted(&self, name: u128) -> usize {
        self.processes[&name].share.wanted().len()
    }

    /// Sizes of the shares, largest first; every partition must be in one.
    fn shares(&self) -> Vec<usize> {
        let all: Vec<BTreeSet<Partition>> =
            self.processes.values().map(|process| process.share.wanted()).collect();
        let union: BTreeSet<Partition> = all.iter().flatten().copied().collect();
        assert_eq!(union.len(), usize::from(PARTITIONS), "{all:?}");
        let mut sizes: Vec<usize> = all.iter().map(BTreeSet::len).collect();
        assert_eq!(sizes.iter().sum::<usize>(), usize::from(PARTITIONS), "held twice: {all:?}");
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        sizes
    }

    async fn assert_disjoint(&self) {
        let mut holder = BTreeMap::new();
        for (id, member) in self.members().await {
            for partition in member.partitions {
                let before = holder.insert(partition, id);
                assert_eq!(before, None, "{partition:?} is held by two");
            }
        }
    }
}

#[tokio::test]
async fn a_new_member_takes_its_share_and_a_leaving_one_gives_it_back() {
    let mut world = World::new();
    world.start(1);
    world.pass(1).await;
    assert_eq!(world.shares(), [7]);
    world.start(2);
    world.start(3);
    world.pass(3).await;
    assert_eq!(world.shares(), [3, 2, 2]);
    let leaving = world.processes.remove(&2).unwrap();
    let stopped = leaving.keeper.run(async {});
    // Workers stop when nothing is wanted any more.
    let worker = async {
        let mut share = leaving.share;
        while !share.wanted().is_empty() {
            share.changed().await;
        }
        share.report(BTreeSet::new());
    };
    tokio::join!(stopped, worker);
    world.pass(1).await;
    assert_eq!(world.shares(), [4, 3]);
}

#[tokio::test]
async fn what_is_too_much_is_given_up_only_when_its_worker_has_stopped() {
    let mut world = World::new();
    world.start(1);
    world.pass(1).await;
    world.start(2);
    let everything: BTreeSet<Partition> = (0..PARTITIONS).map(Partition).collect();
    for _ in 0..4 {
        world.clock.advance(Duration::from_secs(1));
        world.beat(2).await;
        let first = world.processes.get_mut(&1).unwrap();
        first.keeper.beat().await;
        first.share.report(everything.clone());
    }
    assert_eq!((world.wanted(1), world.wanted(2)), (4, 0), "it has not stopped yet");
    world.pass(2).await;
    assert_eq!(world.shares(), [4, 3]);
}

#[tokio::test]
async fn the_partitions_of_a_dead_member_move_after_one_lease() {
    let mut world = World::new();
    (1..=3).for_each(|name| world.start(name));
    world.pass(3).await;
    world.processes.remove(&1);
    world.pass(4).await;
    assert!(world.wanted(2) + world.wanted(3) < usize::from(PARTITIONS), "its lease has not ended");
    world.pass(2).await;
    assert_eq!(world.shares(), [4, 3]);
    assert_eq!(world.members().await.len(), 2, "nothing is left of the dead one");
}

#[tokio::test]
async fn a_paused_member_that_wakes_up_drops_everything_and_joins_anew() {
    let mut world = World::new();
    world.start(1);
    world.start(2);
    world.pass(3).await;
    let paused = world.processes.remove(&1).unwrap();
    world.pass(7).await;
    assert_eq!(world.shares(), [7]);
    world.processes.insert(1, paused);
    world.processes.get_mut(&1).unwrap().keeper.beat().await;
    assert_eq!(world.wanted(1), 0, "what it held is another's");
    world.pass(5).await;
    assert_eq!(world.shares(), [4, 3]);
}

#[tokio::test]
async fn while_the_ledger_is_away_everybody_keeps_what_they_hold() {
    let mut world = World::new();
    (1..=3).for_each(|name| world.start(name));
    world.pass(3).await;
    let before: Vec<_> = world.processes.values().map(|process| process.share.wanted()).collect();
    world.ledger.set_unavailable(true);
    world.pass(60).await;
    world.ledger.set_unavailable(false);
    // The others come back later than the first, but within a lease.
    for _ in 0..4 {
        world.clock.advance(Duration::from_secs(1));
        world.beat(1).await;
    }
    world.pass(3).await;
    let after: Vec<_> = world.processes.values().map(|process| process.share.wanted()).collect();
    assert_eq!(before, after);
}

/// Possible events.
#[derive(Clone, Debug)]
enum Step {
    Beat(u128),
    Start(u128),
    Kill(u128),
    Wait(u64),
    Away(bool),
    Unknown(bool),
}

fn step() -> impl Strategy<Value = Step> {
    let name = 1..=4_u128;
    prop_oneof![
        12 => name.clone().prop_map(Step::Beat),
        2 => name.clone().prop_map(Step::Start),
        1 => name.prop_map(Step::Kill),
        6 => (1..3_000_u64).prop_map(Step::Wait),
        1 => any::<bool>().prop_map(Step::Away),
        1 => any::<bool>().prop_map(Step::Unknown),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_partition_is_ever_held_by_two_and_in_peace_all_are_held(
        steps in prop::collection::vec(step(), 1..120)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut world = World::new();
            let (mut lives, mut is_away) = (0, false);
            for step in steps {
                match step {
                    Step::Beat(name) => {
                        let lives: Vec<u128> =
                            world.processes.keys().copied().filter(|life| life % 10 == name).collect();
                        for life in lives {
                            world.beat(life).await;
                        }
                    }
                    Step::Start(name) => {
                        lives += 10;
                        world.start(lives + name);
                    }
                    Step::Kill(name) => world.processes.retain(|life, _| life % 10 != name),
                    Step::Wait(milliseconds) => world.clock.advance(Duration::from_millis(milliseconds)),
                    Step::Away(away) => is_away = away,
                    Step::Unknown(applied) => {
                        let outcome =
                            if applied { UnknownOutcome::TookEffect } else { UnknownOutcome::WasLost };
                        world.ledger.make_next_commit_unknown(outcome);
                    }
                }
                world.ledger.set_unavailable(false);
                world.assert_disjoint().await;
                world.ledger.set_unavailable(is_away);
            }
            world.ledger.set_unavailable(false);
            world.start(9);
            world.pass(14).await;
            world.shares();
            world.assert_disjoint().await;
        });
    }
}

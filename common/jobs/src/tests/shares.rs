//! Shards that go to a process while another one is still taking them over.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use common::ids::RecordId;
use ledger::memory::MemoryLedger;
use ledger::wrapped::Wrapper;
use ledger::{Commit, Ledger, LedgerError, LedgerId, Op, Seq, Work};
use ownership::{Keeper, MemberId, Membership, Share};
use records::Records;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::conformance::stage::Stage;
use crate::{Config, Jobs, Worker};

/// Duration of a take-over: for the first process longer than several beats of the membership.
const SLOW: [Duration; 2] = [Duration::from_secs(4), Duration::from_secs(1)];

type Log = Arc<Mutex<Vec<(u8, LedgerId)>>>;

/// A ledger on which take-overs take long, and are noted in their order.
struct Slow {
    ledger: Arc<MemoryLedger>,
    process: u8,
    log: Log,
}

fn is_take_over(op: &Op) -> bool {
    matches!(op, Op::Put { key, .. } if &key[..] == b"job-owner/epoch")
}

#[async_trait]
impl Wrapper for Slow {
    fn inner(&self) -> &dyn Ledger {
        self.ledger.as_ref()
    }

    async fn on_commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        let is_take_over = ops.iter().any(is_take_over);
        if is_take_over {
            tokio::time::sleep(SLOW[usize::from(self.process) - 1]).await;
        }
        let answer = self.ledger.commit(ledger, at, ops).await;
        if is_take_over && matches!(answer, Ok(Commit::Done(_))) {
            self.log.lock().unwrap().push((self.process, ledger));
        }
        answer
    }
}

struct Deployment {
    stage: Stage,
    memory: Arc<MemoryLedger>,
    shards: u16,
    log: Log,
    tasks: JoinSet<()>,
}

impl Deployment {
    fn start(&mut self, process: u8) {
        let Self { stage, memory, shards, log, tasks } = self;
        let nonce = RecordId::from_bytes([process; 16]).0;
        let (keeper, share) = Keeper::new(Membership {
            ledger: Arc::<MemoryLedger>::clone(memory),
            clock: stage.clock.clone(),
            work: Work::Jobs,
            partitions: *shards,
            id: MemberId::new(nonce),
            config: ownership::Config::default(),
        });
        tasks.spawn(keeper.run(std::future::pending()));
        let ledger = Arc::new(Slow { ledger: Arc::clone(memory), process, log: Arc::clone(log) });
        let kinds = stage.jobs.kinds.values().cloned().collect();
        let jobs = Jobs::new(Arc::new(Records::new(ledger, *shards, nonce)), kinds, stage.clock.clone());
        let config = Config { poll_milliseconds: 50, heavy_slots: 1, light_slots: 4 };
        tasks.spawn(async move {
            let (_stop, stopped) = watch::channel(false);
            Worker::new(Arc::new(jobs), config).run(share, stopped).await;
        });
    }
}

/// A second process joins while the first takes over what is to be the second's.
async fn a_shard_is_not_taken_back(shards: u16) {
    let memory = Arc::new(MemoryLedger::new());
    let stage = Stage::new(&(Arc::clone(&memory) as Arc<dyn Ledger>), 1);
    let (log, tasks) = (Log::default(), JoinSet::new());
    let mut deployment = Deployment { stage, memory, shards, log, tasks };
    deployment.start(1);
    for tick in 0..4_000 {
        if tick == 120 {
            deployment.start(2);
        }
        deployment.stage.clock.advance(Duration::from_millis(10));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let taken = deployment.log.lock().unwrap().clone();
    let by_second: BTreeSet<_> = taken.iter().filter(|(process, _)| *process == 2).map(|one| one.1).collect();
    assert_eq!(by_second.len(), usize::from(shards), "half of the shards, in both homes: {taken:?}");
    for ledger in by_second {
        let owners: Vec<_> = taken.iter().filter(|one| one.1 == ledger).map(|one| one.0).collect();
        assert!(owners == [1, 2] || owners == [2], "{ledger}: {owners:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_shard_is_not_taken_back_from_its_next_owner() {
    for shards in [4, 8] {
        a_shard_is_not_taken_back(shards).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_cuts_a_round_short() {
    let memory = Arc::new(MemoryLedger::new());
    let stage = Stage::new(&(Arc::clone(&memory) as Arc<dyn Ledger>), 1);
    let ledger = Arc::new(Slow { ledger: memory, process: 1, log: Log::default() });
    let records = Records::new(ledger, 64, RecordId::from_bytes([1; 16]).0);
    let jobs =
        Jobs::new(Arc::new(records), stage.jobs.kinds.values().cloned().collect(), stage.clock.clone());
    let (stop, stopped) = watch::channel(false);
    let began = tokio::time::Instant::now();
    let stopping = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        stop.send_replace(true);
    };
    tokio::join!(Worker::new(Arc::new(jobs), Config::default()).run(Share::all(64), stopped), stopping);
    assert!(began.elapsed() <= SLOW[0], "only the take-overs under way end: {:?}", began.elapsed());
}

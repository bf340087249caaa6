//! Lag and blocked partitions against a log and a ledger in memory.

use common::batch::{Batch, BatchHeaders};
use common::clock::{Clock, ManualClock};
use common::ids::{OrganizationId, SourceId};
use durable_log::memory::MemoryLog;
use ledger::memory::MemoryLedger;
use ledger::{Op, Seq, Work};
use ownership::{Config, Keeper, MemberId, Membership, Observer};

use super::*;

const START: Timestamp = Timestamp(1_800_000_000_000_000_000);

struct World {
    log: Arc<MemoryLog>,
    ledger: Arc<MemoryLedger>,
    clock: Arc<ManualClock>,
    workers: WorkerStatus,
}

impl World {
    fn new() -> Self {
        Self {
            log: Arc::new(MemoryLog::new(2)),
            ledger: Arc::new(MemoryLedger::new()),
            clock: Arc::new(ManualClock::new(START)),
            workers: WorkerStatus::default(),
        }
    }

    fn backlog(&self, sharing: Sharing) -> Backlog {
        let sources = Sources {
            log: Some(self.log.clone()),
            ledger: self.ledger.clone(),
            clock: self.clock.clone(),
            partitions: 2,
            workers: self.workers.clone(),
            sharing,
        };
        Backlog::new(sources)
    }

    /// Accepts a batch now.
    async fn accept(&self, partition: u16) -> Offset {
        let headers = BatchHeaders {
            organization: OrganizationId::from_bytes([1; 16]),
            source: SourceId::from_bytes([2; 16]),
            application_group: "shop".to_owned(),
            environment: "production".to_owned(),
            received_at: self.clock.now(),
            digest: [0; 32],
            idempotency: None,
            every_record_timed: false,
            record_count: 1,
            tick: false,
            fingerprints: common::fingerprint::Fingerprints::default(),
        };
        self.log.append(Partition(partition), Batch { headers, payload: vec![0].into() }).await.unwrap()
    }

    async fn write_progress(&self, partition: u16, body: Vec<u8>) {
        let id = LedgerId::Partition(Partition(partition));
        let seq = self.ledger.seq(id).await.unwrap();
        let op = Op::Put { kind: Kind::State, key: row::progress_key().into(), body: body.into() };
        self.ledger.commit(id, seq, vec![op]).await.unwrap();
    }

    async fn commit(&self, partition: u16, offset: Offset, record: u32) {
        let progress = Progress { position: Position { offset, record }, ..Progress::default() };
        self.write_progress(partition, row::encode(&progress).unwrap()).await;
    }

    fn pass(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }
}

async fn lags(backlog: &Backlog) -> Vec<u64> {
    backlog.refresh().await;
    backlog.lags().into_values().map(|lag| lag.as_secs()).collect()
}

fn reasons(backlog: &Backlog) -> Vec<(u16, Reason, bool)> {
    backlog.blocked().iter().map(|one| (one.partition.0, one.reason, one.is_ours)).collect()
}

#[tokio::test]
async fn lag_is_the_age_of_the_oldest_batch_that_is_not_committed() {
    let world = World::new();
    let backlog = world.backlog(Sharing::Alone { analyses: true });
    assert_eq!(lags(&backlog).await, [0, 0], "nothing was ever accepted");
    let first = world.accept(1).await;
    world.pass(10);
    let second = world.accept(1).await;
    world.pass(5);
    assert_eq!(lags(&backlog).await, [0, 15], "no worker ever started");
    world.commit(1, first, 7).await;
    world.pass(1);
    assert_eq!(lags(&backlog).await, [0, 16], "a batch is committed when all of it is");
    world.commit(1, first.next(), 0).await;
    world.pass(1);
    assert_eq!(lags(&backlog).await, [0, 7]);
    world.commit(1, second.next(), 0).await;
    world.pass(1);
    assert_eq!(lags(&backlog).await, [0, 0]);
    world.pass(100);
    world.accept(0).await;
    assert_eq!(lags(&backlog).await, [0, 0], "an idle partition is not behind");
}

#[tokio::test]
async fn lag_grows_while_the_stores_do_not_answer() {
    let world = World::new();
    let backlog = world.backlog(Sharing::Alone { analyses: true });
    world.accept(0).await;
    world.pass(1);
    assert_eq!(lags(&backlog).await, [1, 0]);
    world.ledger.set_unavailable(true);
    world.accept(1).await;
    world.pass(20);
    assert_eq!(lags(&backlog).await, [21, 20], "the log tells of a batch behind the last known position");
    assert_eq!(reasons(&backlog), [], "what cannot be asked is not known to be blocked");
}

#[tokio::test]
async fn lag_grows_while_the_log_does_not_answer_also_where_the_position_moves() {
    let world = World::new();
    let backlog = world.backlog(Sharing::Alone { analyses: true });
    let first = world.accept(0).await;
    world.pass(10);
    world.accept(0).await;
    assert_eq!(lags(&backlog).await, [10, 0]);
    world.log.refuse_fetches(Some(durable_log::FetchError::Unavailable { cause: "told to".to_owned() }));
    world.commit(0, first.next(), 0).await;
    world.pass(1);
    assert_eq!(lags(&backlog).await, [11, 0], "at most as old as the batch before");
    world.pass(5);
    assert_eq!(lags(&backlog).await, [16, 5], "nobody knows whether something waits in the other partition");
    world.log.refuse_fetches(None);
    world.pass(1);
    assert_eq!(lags(&backlog).await, [7, 0]);
}

#[tokio::test]
async fn a_position_that_does_not_move_is_a_stalled_partition() {
    let world = World::new();
    let backlog = world.backlog(Sharing::Alone { analyses: true });
    world.pass(1_000);
    let first = world.accept(0).await;
    backlog.refresh().await;
    world.pass(29);
    backlog.refresh().await;
    assert_eq!(reasons(&backlog), []);
    world.pass(1);
    assert_eq!(reasons(&backlog), [(0, Reason::Stalled, false)]);
    world.workers.set_working([Partition(0)].into());
    assert_eq!(reasons(&backlog), [(0, Reason::Stalled, true)]);
    world.commit(0, first, 1).await;
    backlog.refresh().await;
    assert_eq!(reasons(&backlog), [], "it is slow, but it moves");
}

#[tokio::test]
async fn what_workers_report_and_a_damaged_position_are_told() {
    let world = World::new();
    let backlog = world.backlog(Sharing::Alone { analyses: true });
    world.workers.set_working([Partition(0), Partition(1)].into());
    world.workers.report(Partition(0), Reason::Failing);
    world.write_progress(1, b"\x01{".to_vec()).await;
    backlog.refresh().await;
    assert_eq!(reasons(&backlog), [(0, Reason::Failing, true), (1, Reason::Damaged, true)]);
    let text = summary(&backlog.blocked()).unwrap();
    assert!(text.contains("0 failing, 1 damaged"), "{text}");
    world.workers.clear(Partition(0));
    world.commit(1, Offset(0), 0).await;
    world.pass(1);
    backlog.refresh().await;
    assert_eq!(summary(&backlog.blocked()), None);
}

#[tokio::test]
async fn where_nobody_analyses_every_partition_is_unowned() {
    let world = World::new();
    let backlog = world.backlog(Sharing::Alone { analyses: false });
    backlog.refresh().await;
    assert_eq!(reasons(&backlog), [(0, Reason::Unowned, true), (1, Reason::Unowned, true)]);
}

#[tokio::test(start_paused = true)]
async fn a_process_of_another_role_learns_from_leases() {
    let world = World::new();
    let config = Config::default();
    let observer = Observer::new(world.ledger.clone(), world.clock.clone(), Work::Analysis, 2, &config);
    let backlog = world.backlog(Sharing::Leases(observer));
    let (keeper, share) = Keeper::new(Membership {
        ledger: world.ledger.clone(),
        clock: world.clock.clone(),
        work: Work::Analysis,
        partitions: 2,
        id: MemberId::new(uuid::Uuid::from_u128(1)),
        config,
    });
    share.report_troubles([(Partition(1), "halted".to_owned())].into());
    let observing = async {
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_secs(5)).await;
            world.pass(5);
            backlog.refresh().await;
        }
        assert_eq!(reasons(&backlog), [(1, Reason::Halted, false)]);
    };
    tokio::select! {
        () = keeper.run(std::future::pending()) => unreachable!("it runs until it is dropped"),
        () = observing => {}
    }
    // It died without a word.
    for _ in 0..3 {
        world.pass(5);
        backlog.refresh().await;
    }
    assert_eq!(reasons(&backlog), [], "it may have moved to another");
    for _ in 0..6 {
        world.pass(5);
        backlog.refresh().await;
    }
    assert_eq!(reasons(&backlog), [(0, Reason::Unowned, true), (1, Reason::Unowned, true)]);
    assert_eq!(world.ledger.seq(LedgerId::Ownership(Work::Delivery)).await.unwrap(), Seq(0));
}

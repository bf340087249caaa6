//! Time passes in an idle partition too, because the analyzer appends ticks to the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use common::batch::Batch;
use common::partition::{Offset, Partition};
use durable_log::memory::MemoryLog;
use durable_log::{AppendError, DurableLog, Entry, FetchError, Usage};

use super::closing::correlation;
use super::harness::{Delivery, Line, PARTITION, START, World, rules};

/// A log in memory that keeps batches it could delete, for inspection and for a second reading.
struct KeepingLog {
    memory: MemoryLog,
    /// Whether its messages cannot be read for now.
    stuck: AtomicBool,
}

impl KeepingLog {
    fn new() -> Self {
        Self { memory: MemoryLog::new(1), stuck: AtomicBool::new(false) }
    }
}

#[async_trait]
impl DurableLog for KeepingLog {
    fn partitions(&self) -> u16 {
        self.memory.partitions()
    }

    async fn append(&self, partition: Partition, batch: Batch) -> Result<Offset, AppendError> {
        self.memory.append(partition, batch).await
    }

    async fn fetch(
        &self,
        partition: Partition,
        from: Offset,
        max_bytes: usize,
        max_wait: Duration,
    ) -> Result<Vec<Entry>, FetchError> {
        if self.stuck.load(Ordering::SeqCst) && !max_wait.is_zero() {
            tokio::time::sleep(max_wait).await;
            return Ok(Vec::new());
        }
        self.memory.fetch(partition, from, max_bytes, max_wait).await
    }

    async fn end(&self, partition: Partition) -> Result<Offset, FetchError> {
        self.memory.end(partition).await
    }

    fn release(&self, _: Partition, _: Offset) {}

    fn usage(&self) -> Usage {
        self.memory.usage()
    }

    async fn close(&self) {
        self.memory.close().await;
    }
}

/// A world with a rule that waits for the end of a window.
fn world(timespan: &str) -> World {
    let body = format!(
        "type: event_count, rules: [one], group-by: [client.address], timespan: {timespan}, condition: {{lt: 3}}"
    );
    let rules = rules::sign(1, "one", "level: informational") + &correlation(1, "few", &body, "");
    World { log: Arc::new(KeepingLog::new()), ..World::new(&rules) }
}

/// The messages of the log that are ticks: milliseconds after the start.
async fn ticks(world: &World) -> Vec<u128> {
    let entries = world.log.fetch(PARTITION, Offset(1), usize::MAX, Duration::ZERO).await.unwrap();
    let ticks = entries.iter().map(|entry| &entry.batch).filter(|batch| batch.headers.tick);
    ticks
        .map(|batch| {
            assert!(batch.payload.is_empty());
            batch.headers.received_at.since(START).as_millis()
        })
        .collect()
}

/// Lets so many seconds pass, for the clock of the workers too. Matching takes its time on threads without the paused clock:
/// the test waits for it, second by second.
async fn pass(world: &World, seconds: u64) {
    for _ in 0..seconds {
        tokio::time::sleep(Duration::from_secs(1)).await;
        if world.log.end(PARTITION).await.unwrap() > Offset(0) {
            world.caught_up().await;
        }
    }
}

/// The seconds in which there were ticks.
async fn tick_seconds(world: &World) -> Vec<u128> {
    ticks(world).await.iter().map(|millis| millis / 1_000).collect()
}

fn one(address: u64, seconds: u64) -> Delivery {
    Delivery::new(seconds, [Line::sign("one", &format!("203.0.113.{address}")).at(seconds)])
}

#[tokio::test(start_paused = true)]
async fn an_idle_partition_gets_one_tick_when_a_window_is_due_and_none_when_nothing_waits() {
    let world = world("10m");
    let running = world.start();
    pass(&world, 300).await;
    assert_eq!(ticks(&world).await, [], "nothing waits");
    world.send(&one(9, 300)).await;
    pass(&world, 595).await;
    assert_eq!(ticks(&world).await, [], "nothing is due");
    pass(&world, 60).await;
    assert_eq!(tick_seconds(&world).await, [900]);
    assert_eq!(world.head().analysis.event_count, 1);
    pass(&world, 3_600).await;
    assert_eq!(ticks(&world).await.len(), 1, "nothing waits any more");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn there_is_at_most_one_tick_a_minute() {
    for (timespan, last_due) in [("1s", 161), ("10m", 760)] {
        let world = world(timespan);
        let running = world.start();
        for number in 0..9 {
            world.send(&one(number, number * 20)).await;
            pass(&world, 20).await;
        }
        assert_eq!(ticks(&world).await, [], "the log moves by itself");
        pass(&world, 1_000).await;
        let ticks = ticks(&world).await;
        assert!(ticks.windows(2).all(|pair| pair[1] - pair[0] >= 60_000), "{ticks:?}");
        assert!(ticks.iter().all(|tick| *tick >= 220_000), "a minute after the last message: {ticks:?}");
        let after_all = ticks.iter().filter(|tick| **tick > last_due * 1_000).count();
        assert_eq!(after_all, 1, "{ticks:?}");
        assert_eq!(world.heads().len(), 9);
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_still_is_in_the_log_is_waited_for() {
    let log = Arc::new(KeepingLog::new());
    let world = World { log: Arc::clone(&log) as Arc<dyn DurableLog>, ..world("1m") };
    let running = world.start();
    world.send(&one(1, 0)).await;
    world.caught_up().await;
    log.stuck.store(true, Ordering::SeqCst);
    // A read that was under way ends meanwhile.
    tokio::time::sleep(Duration::from_secs(10)).await;
    world.send(&one(2, 10)).await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(ticks(&world).await, [], "the batch that is there moves the time as soon as it can be read");
    log.stuck.store(false, Ordering::SeqCst);
    pass(&world, 180).await;
    assert_eq!(ticks(&world).await.len(), 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn ticks_are_no_repetitions_of_each_other_and_any_process_takes_them() {
    let world = world("1m");
    let tick = || Delivery::tick(10);
    world.take(&[one(9, 0), tick(), tick(), tick()]).await;
    assert!(world.heads().is_empty());
    // The key of an earlier delivery has no effect on a tick.
    world.take(&[Delivery::new(11, [Line::new("else")]).keyed(1), Delivery::tick(70).keyed(1)]).await;
    assert_eq!(world.head().analysis.event_count, 1);
    assert_eq!(world.bodies(ledger::Kind::State, b"activity").len(), 1, "a tick is nobody's activity");
}

#[tokio::test(start_paused = true)]
async fn a_log_that_takes_nothing_gets_no_tick_and_work_goes_on() {
    let world = world("1m");
    let running = world.start();
    world.send(&one(9, 0)).await;
    world.caught_up().await;
    world.log.close().await;
    pass(&world, 300).await;
    assert_eq!(ticks(&world).await, []);
    assert!(world.heads().is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_replay_of_ticks_comes_to_the_same() {
    let first = world("1m");
    let running = first.start();
    for number in 0..3 {
        first.send(&one(number, number * 100)).await;
        pass(&first, 100).await;
    }
    pass(&first, 200).await;
    running.stop().await;
    assert_eq!(ticks(&first).await.len(), 3);
    let again = World { log: Arc::clone(&first.log), ..first.anew() };
    again.analyze().await;
    assert!(again.rows() == first.rows());
}

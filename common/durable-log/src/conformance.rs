//! The suite that every implementation of the log passes: checks of the trait's contract on the
//! logs that `open` returns. Panics where the contract is broken.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use common::batch::{Batch, BatchHeaders};
use common::ids::{OrganizationId, SourceId};
use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;
use tokio::task::JoinSet;

use crate::{AppendError, DurableLog, Entry, FetchError};

/// Longer than anything here takes: only a broken implementation reaches it.
const LONG: Duration = Duration::from_secs(60);
const PLENTY: usize = 64 * 1024 * 1024;

/// Settings that a log is opened with.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Number of partitions.
    pub partitions: u16,
    /// Most bytes that are not released.
    pub capacity_bytes: u64,
    /// Most bytes that wait.
    pub queue_bytes: u64,
}

const ROOMY: Bounds =
    Bounds { partitions: 3, capacity_bytes: 16 * 1024 * 1024, queue_bytes: 16 * 1024 * 1024 };

/// A batch that differs from those with another number, with a payload of `size` bytes.
#[must_use]
pub fn batch(number: u32, size: usize) -> Batch {
    let mut payload = number.to_le_bytes().repeat(size / 4 + 1);
    payload.truncate(size);
    let headers = BatchHeaders {
        organization: OrganizationId::from_bytes([1; 16]),
        source: SourceId::from_bytes([2; 16]),
        application_group: "shop".to_owned(),
        environment: "production".to_owned(),
        received_at: Timestamp(i64::from(number)),
        digest: [3; 32],
        idempotency: None,
        every_record_timed: false,
        record_count: number,
        tick: false,
        fingerprints: common::fingerprint::Fingerprints::default(),
    };
    Batch { headers, payload: Bytes::from(payload) }
}

/// Guarantees of every implementation. `open` makes a new, empty log each time.
pub async fn contract(open: impl AsyncFn(Bounds) -> Arc<dyn DurableLog>) {
    an_empty_log_has_nothing(open(ROOMY).await).await;
    what_is_appended_is_read_in_order(open(ROOMY).await).await;
    a_fetch_ends_at_its_bytes(open(ROOMY).await).await;
    a_fetch_waits_for_the_next_batch(open(ROOMY).await).await;
    a_fetch_can_be_dropped(open(ROOMY).await).await;
    the_acceptance_time_of_the_first_batch_is_told(open(ROOMY).await).await;
    an_unknown_partition_is_named(open(ROOMY).await).await;
    many_may_append_at_once(open(ROOMY).await).await;
    release_forgets_nothing_behind_it(open(ROOMY).await).await;
    a_batch_above_the_bound_is_refused(open(ROOMY).await).await;
    close_answers_everybody(open(ROOMY).await).await;
}

/// Guarantees of implementations that bound themselves: all but those that are given their bounds from outside.
pub async fn bounds(open: impl AsyncFn(Bounds) -> Arc<dyn DurableLog>) {
    let tight = Bounds { capacity_bytes: 1024 * 1024, ..ROOMY };
    a_full_log_refuses_until_something_is_released(open(tight).await).await;
    let tight = Bounds { queue_bytes: 20_000, ..ROOMY };
    a_full_queue_refuses_and_loses_nothing(open(tight).await).await;
}

async fn read_all(log: &dyn DurableLog, partition: Partition, from: Offset) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut from = from;
    loop {
        let more = log.fetch(partition, from, 10_000, Duration::ZERO).await.expect("it can be read");
        let Some(last) = more.last() else { return entries };
        from = last.offset.next();
        entries.extend(more);
    }
}

async fn an_empty_log_has_nothing(log: Arc<dyn DurableLog>) {
    assert_eq!(log.partitions(), ROOMY.partitions);
    for partition in (0..ROOMY.partitions).map(Partition) {
        assert_eq!(log.end(partition).await, Ok(Offset(0)));
        assert_eq!(log.fetch(partition, Offset(0), 1, Duration::ZERO).await, Ok(Vec::new()));
        assert_eq!(log.fetch(partition, Offset(1), 1, Duration::from_millis(1)).await, Ok(Vec::new()));
        log.release(partition, Offset(5));
        assert_eq!(log.fetch(partition, Offset(1), 1, Duration::ZERO).await, Ok(Vec::new()));
    }
    assert!(log.usage().writable);
    assert_eq!(log.usage().queued_bytes, 0);
}

async fn the_acceptance_time_of_the_first_batch_is_told(log: Arc<dyn DurableLog>) {
    let ask = async |from: &[(u16, u64)]| {
        let from = from.iter().map(|(partition, offset)| (Partition(*partition), Offset(*offset))).collect();
        let accepted = log.accepted_at(&from).await.expect("it can be asked");
        accepted.into_iter().map(|(partition, at)| (partition.0, at.0)).collect::<Vec<_>>()
    };
    assert_eq!(ask(&[(0, 0), (1, 1)]).await, [], "nothing waits in an empty log");
    let mut offsets = Vec::new();
    for number in 1..=5 {
        offsets.push(log.append(Partition(1), batch(number, 100)).await.expect("there is room").0);
    }
    let last = log.append(Partition(0), batch(9, 100)).await.expect("there is room").0;
    assert_eq!(ask(&[(0, 1), (1, offsets[0])]).await, [(0, 9), (1, 1)]);
    assert_eq!(ask(&[(1, offsets[3])]).await, [(1, 4)], "one partition can be asked about alone");
    assert_eq!(ask(&[(0, last + 1), (1, offsets[4] + 1)]).await, [], "nothing waits behind the last batch");
    log.release(Partition(1), Offset(offsets[1]));
    let oldest = ask(&[(1, offsets[2])]).await;
    assert_eq!(oldest, [(1, 3)], "what was released does not matter to what was not");
}

async fn what_is_appended_is_read_in_order(log: Arc<dyn DurableLog>) {
    let mut expected: BTreeMap<Partition, Vec<Entry>> = BTreeMap::new();
    for number in 0..60 {
        let partition = Partition((number % 3) as u16);
        let batch = batch(number, (number * 97 % 1500) as usize);
        let offset = log.append(partition, batch.clone()).await.expect("it is taken");
        let before = log.end(partition).await.expect("it can be asked");
        assert_eq!(before, offset, "what is acknowledged is the end");
        let entries = expected.entry(partition).or_default();
        assert!(entries.last().map_or(Offset(0), |entry| entry.offset) < offset, "offsets increase");
        entries.push(Entry { offset, batch });
    }
    for (partition, entries) in expected {
        assert_eq!(read_all(log.as_ref(), partition, Offset(0)).await, entries);
        let (middle, from) = (&entries[7..], entries[6].offset.next());
        assert_eq!(read_all(log.as_ref(), partition, from).await, middle, "from a gap, or from a batch");
    }
}

async fn a_fetch_ends_at_its_bytes(log: Arc<dyn DurableLog>) {
    let partition = Partition(1);
    for number in 0..10 {
        log.append(partition, batch(number, 5_000)).await.expect("it is taken");
    }
    let fetch = async |bytes| log.fetch(partition, Offset(1), bytes, LONG).await.expect("it can be read");
    assert_eq!(fetch(0).await.len(), 1, "one batch is always returned, whole");
    assert_eq!(fetch(1).await.first().map(|entry| entry.batch.clone()), Some(batch(0, 5_000)));
    assert!((2..=4).contains(&fetch(20_000).await.len()));
    assert_eq!(fetch(PLENTY).await.len(), 10);
}

async fn a_fetch_waits_for_the_next_batch(log: Arc<dyn DurableLog>) {
    let mut tasks = JoinSet::new();
    for _ in 0..3 {
        let log = Arc::clone(&log);
        tasks.spawn(async move { log.fetch(Partition(2), Offset(1), PLENTY, LONG).await });
    }
    tokio::task::yield_now().await;
    log.append(Partition(0), batch(1, 10)).await.expect("it is taken");
    let offset = log.append(Partition(2), batch(2, 10)).await.expect("it is taken");
    while let Some(found) = tasks.join_next().await {
        let found = found.expect("it does not panic").expect("it can be read");
        assert_eq!(found, [Entry { offset, batch: batch(2, 10) }]);
    }
}

async fn a_fetch_can_be_dropped(log: Arc<dyn DurableLog>) {
    let waiting = log.fetch(Partition(0), Offset(1), PLENTY, LONG);
    assert!(tokio::time::timeout(Duration::from_millis(1), waiting).await.is_err());
    let offset = log.append(Partition(0), batch(1, 10)).await.expect("it is taken");
    for _ in 0..3 {
        let reading = log.fetch(Partition(0), Offset(1), PLENTY, LONG);
        drop(tokio::time::timeout(Duration::ZERO, reading).await);
    }
    let found = log.fetch(Partition(0), Offset(1), PLENTY, LONG).await;
    assert_eq!(found, Ok(vec![Entry { offset, batch: batch(1, 10) }]));
}

async fn an_unknown_partition_is_named(log: Arc<dyn DurableLog>) {
    let (partition, partitions) = (3, ROOMY.partitions);
    let unknown = Partition(partition);
    let appended = log.append(unknown, batch(1, 1)).await;
    assert_eq!(appended, Err(AppendError::NoSuchPartition { partition, partitions }));
    let error = FetchError::NoSuchPartition { partition, partitions };
    assert_eq!(log.fetch(unknown, Offset(1), 1, LONG).await, Err(error.clone()));
    assert_eq!(log.end(unknown).await, Err(error));
    log.release(unknown, Offset(1));
}

async fn many_may_append_at_once(log: Arc<dyn DurableLog>) {
    let mut tasks = JoinSet::new();
    for number in 0..300 {
        let log = Arc::clone(&log);
        let partition = Partition((number % 3) as u16);
        tasks.spawn(async move { (partition, number, log.append(partition, batch(number, 900)).await) });
    }
    let mut expected: BTreeMap<Partition, BTreeMap<Offset, u32>> = BTreeMap::new();
    while let Some(task) = tasks.join_next().await {
        let (partition, number, offset) = task.expect("it does not panic");
        let before = expected.entry(partition).or_default().insert(offset.expect("it is taken"), number);
        assert_eq!(before, None, "an offset is given once");
    }
    for (partition, batches) in expected {
        let found = read_all(log.as_ref(), partition, Offset(1)).await;
        let expected: Vec<_> = batches
            .iter()
            .map(|(offset, number)| Entry { offset: *offset, batch: batch(*number, 900) })
            .collect();
        assert_eq!(found, expected);
    }
}

async fn release_forgets_nothing_behind_it(log: Arc<dyn DurableLog>) {
    let mut entries = Vec::new();
    for number in 0..10 {
        log.append(Partition(1), batch(number, 50)).await.expect("it is taken");
        let offset = log.append(Partition(0), batch(number, 50)).await.expect("it is taken");
        entries.push(Entry { offset, batch: batch(number, 50) });
    }
    log.release(Partition(0), entries[4].offset);
    log.release(Partition(0), entries[4].offset);
    log.release(Partition(0), entries[1].offset);
    let kept = log.fetch(Partition(0), entries[4].offset.next(), PLENTY, LONG).await;
    assert_eq!(kept.as_deref(), Ok(&entries[5..]));
    match log.fetch(Partition(0), entries[2].offset, PLENTY, LONG).await {
        Ok(found) => assert_eq!(found, entries[2..], "not forgotten yet"),
        Err(error) => {
            let (from, oldest) = (entries[2].offset.0, entries[5].offset.0);
            assert_eq!(error, FetchError::Trimmed { partition: 0, from, oldest });
        }
    }
    assert_eq!(read_all(log.as_ref(), Partition(1), Offset(1)).await.len(), 10, "others keep theirs");

    log.release(Partition(0), Offset(u64::MAX));
    assert_eq!(log.end(Partition(0)).await, Ok(entries[9].offset), "the end is not forgotten");
    let offset = log.append(Partition(0), batch(11, 50)).await.expect("it is taken");
    assert!(offset > entries[9].offset);
    let found = log.fetch(Partition(0), entries[9].offset.next(), PLENTY, LONG).await;
    assert_eq!(found, Ok(vec![Entry { offset, batch: batch(11, 50) }]), "released was what was there");
}

async fn a_batch_above_the_bound_is_refused(log: Arc<dyn DurableLog>) {
    let mut large = batch(1, 0);
    large.payload = Bytes::from(vec![0; PLENTY]);
    let refused = log.append(Partition(0), large).await;
    assert!(matches!(refused, Err(AppendError::TooLarge { .. })), "{refused:?}");
    log.append(Partition(0), batch(2, 10)).await.expect("the log is not hurt by it");
}

async fn close_answers_everybody(log: Arc<dyn DurableLog>) {
    let mut tasks = JoinSet::new();
    for number in 0..100 {
        let log = Arc::clone(&log);
        tasks.spawn(async move { log.append(Partition(0), batch(number, 500)).await });
    }
    tokio::task::yield_now().await;
    log.close().await;
    let mut acknowledged = BTreeSet::new();
    while let Some(task) = tasks.join_next().await {
        match task.expect("it does not panic") {
            Ok(offset) => assert!(acknowledged.insert(offset)),
            Err(error) => assert_eq!(error, AppendError::Closed),
        }
    }
    assert_eq!(log.append(Partition(0), batch(1, 1)).await, Err(AppendError::Closed));
    assert!(!log.usage().writable);
    log.close().await;
    let found = read_all(log.as_ref(), Partition(0), Offset(1)).await;
    assert!(found.iter().map(|entry| entry.offset).eq(acknowledged), "what was acknowledged is readable");
}

async fn a_full_log_refuses_until_something_is_released(log: Arc<dyn DurableLog>) {
    for round in 0..4_u32 {
        let mut taken = Vec::new();
        let refused = loop {
            assert!(taken.len() < 200, "200 batches of 10,000 bytes fit into 1 MiB");
            match log.append(Partition(0), batch(round, 10_000)).await {
                Ok(offset) => taken.push(offset),
                Err(error) => break error,
            }
        };
        assert!(matches!(refused, AppendError::Full { .. }), "{refused:?}");
        assert!(taken.len() > 30, "only {} batches of 10,000 bytes fit into 1 MiB", taken.len());
        let usage = log.usage();
        assert!(usage.unreleased_bytes > usage.capacity_bytes / 2, "{usage:?}");
        assert!(usage.unreleased_bytes <= usage.capacity_bytes, "{usage:?}");
        assert!(!usage.has_room(11_000) && usage.has_room(0), "as it is told beforehand: {usage:?}");
        assert!(usage.writable, "full is not broken");
        let from = taken[0];
        let found = read_all(log.as_ref(), Partition(0), from).await;
        assert!(found.iter().map(|entry| entry.offset).eq(taken.iter().copied()), "all of it is kept");
        log.release(Partition(0), Offset(u64::MAX));
        assert_eq!(log.usage().unreleased_bytes, 0);
    }
}

async fn a_full_queue_refuses_and_loses_nothing(log: Arc<dyn DurableLog>) {
    let mut tasks = JoinSet::new();
    for number in 0..200 {
        let log = Arc::clone(&log);
        tasks.spawn(async move { log.append(Partition(0), batch(number, 5_000)).await });
    }
    let mut acknowledged = BTreeSet::new();
    while let Some(task) = tasks.join_next().await {
        match task.expect("it does not panic") {
            Ok(offset) => assert!(acknowledged.insert(offset)),
            Err(error) => assert!(matches!(error, AppendError::QueueFull { .. }), "{error:?}"),
        }
    }
    assert!(!acknowledged.is_empty());
    assert_eq!(log.usage().queued_bytes, 0);
    let found = read_all(log.as_ref(), Partition(0), Offset(1)).await;
    assert!(found.iter().map(|entry| entry.offset).eq(acknowledged), "what was refused is not there");
}

//! Flushes into a ledger whose commits fail, conflict or end without an answer.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use common::clock::{Clock, ManualClock};
use common::ids::{OrganizationId, SourceId};
use common::timestamp::Timestamp;
use ledger::memory::MemoryLedger;
use ledger::wrapped::{Fate, Fates, Wrapper};
use ledger::{LedgerError, Range, Row, Seq};

use super::*;
use crate::row;

const PARTITIONS: u16 = 4;

fn key() -> SourceKey {
    SourceKey { organization: OrganizationId::from_bytes([1; 16]), source: SourceId::from_bytes([2; 16]) }
}

fn start() -> Timestamp {
    Timestamp::parse_rfc3339("2026-07-08T12:00:00Z").unwrap()
}

/// A ledger whose commits end differently a few times.
struct Troubled {
    inner: MemoryLedger,
    fates: Fates,
    /// While set, the ledger of [`key`] is not reached: each read waits for seconds before it says so.
    is_cut: AtomicBool,
    /// While set, the row of [`key`] is damaged.
    is_damaged: AtomicBool,
}

impl Troubled {
    /// The first commits end in conflicts, the next ones lose their answer.
    fn new(unknown: usize, conflicts: usize) -> Arc<Self> {
        let (inner, fates) = (MemoryLedger::default(), Fates::default());
        fates.deal([Fate::Conflict].repeat(conflicts).into_iter().chain([Fate::AnswerLost].repeat(unknown)));
        Arc::new(Self { inner, fates, is_cut: AtomicBool::default(), is_damaged: AtomicBool::default() })
    }

    /// Refuses the row of [`key`] as damaged.
    fn check(&self, ledger: LedgerId, row: &[u8]) -> Result<(), LedgerError> {
        if self.is_damaged.load(Ordering::SeqCst) && row == key().bytes() {
            let row = Some((Kind::State, key().bytes().into()));
            return Err(LedgerError::Damaged { ledger, row, cause: "another checksum".to_owned() });
        }
        Ok(())
    }
}

#[async_trait]
impl Wrapper for Troubled {
    fn inner(&self) -> &dyn Ledger {
        &self.inner
    }

    async fn on_seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError> {
        if self.is_cut.load(Ordering::SeqCst) && ledger == key().ledger(PARTITIONS) {
            tokio::time::sleep(Duration::from_secs(25)).await;
            return Err(LedgerError::Unavailable { cause: "cut off".to_owned() });
        }
        self.inner.seq(ledger).await
    }

    async fn on_commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        self.fates.commit(&self.inner, (ledger, at), ops).await
    }

    async fn on_get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        self.check(ledger, key)?;
        self.inner.get(ledger, kind, key).await
    }

    async fn on_scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        let rows = self.inner.scan(ledger, kind, range, limit).await?;
        rows.iter().try_for_each(|row| self.check(ledger, &row.key))?;
        Ok(rows)
    }
}

struct World {
    ledger: Arc<Troubled>,
    clock: Arc<ManualClock>,
    statistics: Arc<Statistics>,
    writer: Writer,
}

impl World {
    fn new(unknown: usize, conflicts: usize) -> Self {
        Self::on(Troubled::new(unknown, conflicts), 7)
    }

    fn on(ledger: Arc<Troubled>, id: u64) -> Self {
        let (clock, statistics) = (Arc::new(ManualClock::new(start())), Arc::new(Statistics::default()));
        let dependencies: (Arc<dyn Ledger>, SharedClock) = (ledger.clone(), clock.clone());
        let writer = Writer::new(dependencies.0, dependencies.1, Arc::clone(&statistics), PARTITIONS, id);
        Self { ledger, clock, statistics, writer }
    }

    async fn totals(&self) -> Option<Totals> {
        row::read(self.ledger.as_ref(), PARTITIONS, key(), self.clock.now()).await.unwrap()
    }

    async fn accepted(&self) -> u64 {
        self.totals().await.map_or(0, |totals| totals.accepted)
    }
}

#[tokio::test(start_paused = true)]
async fn flushes_of_several_processes_add_up() {
    let one = World::new(0, 0);
    let other = World::on(Arc::clone(&one.ledger), 8);
    for world in [&one, &other, &one] {
        world.statistics.accepted(key(), 5, start());
        world.statistics.analysed(key(), start(), [(Some("OpenSSH"), 3), (None, 2)], ["odd".to_owned()]);
        world.statistics.refused(key(), "malformed");
        world.writer.flush().await;
    }
    let totals = one.totals().await.unwrap();
    assert_eq!((totals.accepted, totals.refused["malformed"]), (15, 3));
    let week = totals.of_week();
    assert_eq!((week.recognised["OpenSSH"], week.unrecognised), (9, 6));
    assert_eq!(totals.examples, [crate::Example::new("odd", start())]);
}

#[tokio::test(start_paused = true)]
async fn a_commit_of_unknown_outcome_is_counted_once() {
    let world = World::new(1, 0);
    world.statistics.accepted(key(), 5, start());
    world.writer.flush().await;
    assert_eq!(world.accepted().await, 5);
    world.writer.flush().await;
    assert_eq!(world.accepted().await, 5, "nothing was put back");
}

#[tokio::test(start_paused = true)]
async fn conflicts_are_tried_again_and_lose_nothing() {
    let world = World::new(0, 3);
    world.statistics.accepted(key(), 5, start());
    world.writer.flush().await;
    assert_eq!(world.accepted().await, 5);

    let world = World::new(0, 25);
    world.statistics.accepted(key(), 5, start());
    world.writer.flush().await;
    assert_eq!(world.accepted().await, 0, "others were always first");
    world.writer.flush().await;
    assert_eq!(world.accepted().await, 5, "the next flush has it");
}

#[tokio::test(start_paused = true)]
async fn many_sources_are_written_in_commits_that_fit() {
    let world = World::new(0, 0);
    let numbered = |number: u16| {
        let mut bytes = [3; 16];
        bytes[..2].copy_from_slice(&number.to_be_bytes());
        SourceKey { source: SourceId::from_bytes(bytes), ..key() }
    };
    let text = |place: usize| format!("{place}{}", "\u{1}".repeat(600));
    for number in 0..900 {
        world.statistics.analysed(numbered(number), start(), [(None, 5)], (0..5).map(text));
    }
    world.writer.flush().await;
    for number in 0..900 {
        let totals = row::read(world.ledger.as_ref(), PARTITIONS, numbered(number), start()).await.unwrap();
        assert_eq!(totals.unwrap().of_week().unrecognised, 5, "{number}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_source_loses_its_examples_after_seven_days() {
    let world = World::new(0, 0);
    world.statistics.accepted(key(), 1, start());
    world.statistics.analysed(key(), start(), [(None, 1)], ["odd".to_owned()]);
    world.writer.flush().await;
    world.clock.advance(Duration::from_secs(8 * 24 * 60 * 60));
    assert_eq!(world.totals().await.unwrap().examples, [], "readers leave them out");
    world.writer.sweep().await.unwrap();
    let row = world.writer.row(key().ledger(PARTITIONS), key()).await.unwrap();
    assert_eq!((row.totals.examples.len(), row.totals.days.len(), row.totals.accepted), (0, 0, 1));
}

#[tokio::test(start_paused = true)]
async fn it_flushes_every_ten_seconds_and_stops() {
    let world = World::new(0, 0);
    world.statistics.accepted(key(), 5, start());
    world.writer.run(tokio::time::sleep(Duration::from_secs(9))).await;
    assert_eq!(world.accepted().await, 0);
    world.writer.run(tokio::time::sleep(Duration::from_secs(11))).await;
    assert_eq!(world.accepted().await, 5);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_source_has_no_totals() {
    let world = World::new(1, 0);
    world.statistics.accepted(key(), 5, start());
    world.writer.flush().await;
    row::forget(world.ledger.as_ref(), PARTITIONS, key()).await.unwrap();
    assert_eq!(world.totals().await, None);
    row::forget(world.ledger.as_ref(), PARTITIONS, key()).await.unwrap();
}

/// A source in each partition.
fn everywhere() -> Vec<SourceKey> {
    let keys = (0..u8::MAX).map(|number| SourceKey { source: SourceId::from_bytes([number; 16]), ..key() });
    let mut of_partition: BTreeMap<LedgerId, SourceKey> =
        keys.map(|key| (key.ledger(PARTITIONS), key)).collect();
    of_partition.insert(key().ledger(PARTITIONS), key());
    of_partition.into_values().collect()
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_cannot_be_reached_does_not_keep_the_others_from_being_written() {
    let world = World::new(0, 0);
    let keys = everywhere();
    assert_eq!(keys.len(), usize::from(PARTITIONS));
    world.ledger.is_cut.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        keys.iter().for_each(|key| world.statistics.accepted(*key, 5, start()));
        world.writer.flush().await;
    }
    let accepted = async |key| {
        let totals = row::read(world.ledger.as_ref(), PARTITIONS, key, start()).await.unwrap();
        totals.map_or(0, |totals| totals.accepted)
    };
    for key in &keys {
        let expected = if *key == self::key() { 0 } else { 10 };
        assert_eq!(accepted(*key).await, expected, "{:?}", key.ledger(PARTITIONS));
    }
    world.ledger.is_cut.store(false, Ordering::SeqCst);
    world.writer.flush().await;
    assert_eq!(accepted(key()).await, 10, "nothing was lost");
}

#[tokio::test(start_paused = true)]
async fn it_stops_within_seconds_while_the_ledger_does_not_answer() {
    let world = World::new(0, 0);
    world.ledger.is_cut.store(true, Ordering::SeqCst);
    world.statistics.accepted(key(), 5, start());
    let begun = Instant::now();
    world.writer.run(tokio::time::sleep(Duration::from_secs(11))).await;
    assert_eq!(begun.elapsed().as_secs(), 14, "the flush that was under way had three more");
}

#[tokio::test(start_paused = true)]
async fn a_row_that_was_written_after_the_source_was_deleted_goes_when_its_parts_expire() {
    let world = World::new(0, 0);
    world.statistics.analysed(key(), start(), [(None, 1)], ["odd".to_owned()]);
    world.writer.flush().await;
    world.writer.sweep().await.unwrap();
    assert!(world.totals().await.is_some());
    world.clock.advance(Duration::from_secs(8 * 24 * 60 * 60));
    world.writer.sweep().await.unwrap();
    assert_eq!(world.totals().await, None);
}

/// [`key`] and other sources of its partition, before and behind it.
fn neighbours() -> Vec<SourceKey> {
    let keys = (0..=u8::MAX).flat_map(|first| {
        [[first; 16], [[first, 7].as_slice(), &[2; 14]].concat().try_into().unwrap()]
            .map(|bytes| SourceKey { source: SourceId::from_bytes(bytes), ..key() })
    });
    let mut keys: Vec<_> =
        keys.filter(|other| other.ledger(PARTITIONS) == key().ledger(PARTITIONS)).collect();
    keys.sort_unstable();
    keys
}

#[tokio::test(start_paused = true)]
async fn a_damaged_row_is_skipped_and_the_others_are_counted_and_swept() {
    let world = World::new(0, 0);
    let keys = neighbours();
    let place = keys.iter().position(|other| *other == key()).unwrap();
    assert!(place > 0 && place + 1 < keys.len());
    let count = |world: &World| {
        for key in &keys {
            world.statistics.accepted(*key, 1, start());
            world.statistics.analysed(*key, start(), [(None, 1)], ["odd".to_owned()]);
        }
    };
    count(&world);
    world.writer.flush().await;
    world.ledger.is_damaged.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        count(&world);
        world.writer.flush().await;
    }
    assert!(world.statistics.take().is_empty(), "nothing waits behind the damaged row");
    for key in keys.iter().filter(|other| **other != key()) {
        let totals = row::read(world.ledger.as_ref(), PARTITIONS, *key, start()).await.unwrap();
        assert_eq!(totals.unwrap().accepted, 3);
    }
    let refused = row::read(world.ledger.as_ref(), PARTITIONS, key(), start()).await;
    assert!(matches!(refused, Err(ReadError::Ledger(error)) if error.is_damage()));

    world.clock.advance(Duration::from_secs(8 * 24 * 60 * 60));
    world.writer.sweep().await.unwrap();
    let ledger = key().ledger(PARTITIONS);
    for key in keys.iter().filter(|other| **other != key()) {
        let row = world.writer.row(ledger, *key).await.unwrap();
        assert_eq!((row.totals.examples.len(), row.totals.accepted), (0, 3), "{key:?}");
    }
    world.ledger.is_damaged.store(false, Ordering::SeqCst);
    let row = world.writer.row(ledger, key()).await.unwrap();
    assert_eq!((row.totals.examples.len(), row.totals.accepted), (1, 1), "left as it was");
}

//! Many short lives of a log on a disk that fails, each from a seed: batches are appended, groups
//! are committed one step at a time, power is lost, syncs fail, the disk fills up, the log is
//! reopened. A model that only knows the answers to the senders judges every one of them. Disks
//! that break their guarantees show that it detects violations.

use std::sync::Arc;

use common::clock::ManualClock;
use common::partition::{Offset, Partition};
use common::timestamp::Timestamp;

use super::answer::Receiver;
use super::commit::Committer;
use super::config::Config;
use super::shared::Shared;
use crate::AppendError;
use crate::disk::Disk;
use crate::disk::aligned::aligned_bytes;
use crate::disk::simulated::{Random, SimulatedDisk};

mod lies;
mod model;

use lies::Lie;
use model::Model;

/// Number of lives: `PALISADE_LOG_HISTORIES`, or 3,000.
const HISTORIES: u64 = 3_000;
/// Number of steps of one life.
const STEPS: u64 = 70;
/// Operations that the machine may still do when it is stopped.
const STOP_WITHIN: u64 = 30;

/// Kinds of trouble that occurred, so that none goes untested unnoticed.
#[derive(Debug, Default)]
struct Met {
    acknowledged: u64,
    full: u64,
    poisoned: u64,
    unknown: u64,
    unknown_but_there: u64,
    openings_interrupted: u64,
    power_losses: u64,
    trimmed: u64,
}

struct History {
    random: Random,
    disk: SimulatedDisk,
    seen_through: Arc<dyn Disk>,
    config: Config,
    log: Option<(Arc<Shared>, Committer)>,
    waiting: Vec<(u64, Receiver)>,
    model: Model,
    met: Met,
}

impl History {
    fn new(seed: u64, lie: Lie) -> Self {
        let mut random = Random::new(seed);
        let disk = SimulatedDisk::new(random.number());
        let segment_bytes = 8192 << random.below(3);
        let config = Config {
            partitions: 1 + random.below(4) as u16,
            segment_bytes,
            queue_bytes: 8_000 + random.below(20_000),
            capacity_bytes: Some(segment_bytes * (2 + random.below(12))),
            least_free_bytes: random.below(segment_bytes),
            max_batches: 5 + random.below(100),
            group_bytes: 1 + random.below(12_000),
        };
        let model = Model::new(config.partitions);
        let seen_through = lie.told_about(&disk);
        let (log, waiting, met) = (None, Vec::new(), Met::default());
        Self { random, disk, seen_through, config, log, waiting, model, met }
    }

    fn live(&mut self) -> Result<(), String> {
        self.open()?;
        for _ in 0..STEPS {
            self.happen()?;
        }
        self.leave();
        self.disk.lose_power();
        self.disk.set_capacity(u64::MAX);
        self.open()
    }

    fn happen(&mut self) -> Result<(), String> {
        let broken = self.log.as_ref().is_none_or(|(shared, _)| !shared.usage().writable);
        if broken && self.random.chance(4) {
            return self.interrupt();
        }
        match self.random.below(200) {
            0..90 => self.append(),
            90..140 => return self.commit(),
            140..158 => self.with_log(|log| {
                log.supply.work();
                log.look_at_disk();
            }),
            158..175 => self.release(),
            175..184 => return self.look(),
            184..186 => self.disk.fail_next_sync(),
            186 => self.disk.fail_next_write(),
            187..190 => self.change_capacity(),
            190..193 => self.disk.stop_after(self.random.below(STOP_WITHIN)),
            _ => return self.interrupt(),
        }
        Ok(())
    }

    fn with_log(&self, action: impl FnOnce(&Shared)) {
        if let Some((shared, _)) = &self.log {
            action(shared);
        }
    }

    fn append(&mut self) {
        let partition = Partition(self.random.below(u64::from(self.config.partitions)) as u16);
        let size = if self.random.chance(20) {
            14_000 + self.random.below(20_000)
        } else {
            self.random.below(3_000)
        };
        let (id, mut batch) = self.model.offer(partition, size as usize);
        if self.random.chance(2) {
            let mut aligned = aligned_bytes(batch.payload.len());
            aligned.extend_from_slice(&batch.payload);
            batch.payload = aligned.freeze();
        }
        let Some((shared, _)) = &self.log else { return };
        match shared.enqueue(partition, batch) {
            Ok(answer) => self.waiting.push((id, answer)),
            Err(error) => {
                self.met.full +=
                    u64::from(matches!(error, AppendError::Full { .. } | AppendError::DiskLow { .. }));
                self.model.refused(id);
            }
        }
    }

    fn commit(&mut self) -> Result<(), String> {
        let Some((_, committer)) = &mut self.log else { return Ok(()) };
        committer.step();
        self.hear()
    }

    /// Takes the answers that have arrived.
    fn hear(&mut self) -> Result<(), String> {
        for (id, mut answer) in std::mem::take(&mut self.waiting) {
            match answer.try_outcome() {
                Ok(Ok(offset)) => {
                    self.met.acknowledged += 1;
                    self.model.acknowledged(id, offset.0)?;
                }
                Ok(Err(AppendError::Unknown { .. })) => {
                    self.met.unknown += 1;
                    self.model.unknown(id);
                }
                Ok(Err(error)) => {
                    self.met.poisoned += u64::from(matches!(error, AppendError::Poisoned { .. }));
                    self.met.full +=
                        u64::from(matches!(error, AppendError::Full { .. } | AppendError::DiskLow { .. }));
                    self.model.refused(id);
                }
                Err(_) => self.waiting.push((id, answer)),
            }
        }
        Ok(())
    }

    fn release(&mut self) {
        let partition = Partition(self.random.below(u64::from(self.config.partitions)) as u16);
        let end = self.model.end(partition);
        if end > 0 {
            let through = end.saturating_sub(self.random.below(6) * self.random.below(4));
            self.model.release(partition, through);
            self.with_log(|log| log.release(partition, Offset(through)));
        }
    }

    /// Reads one partition, which a machine that stopped may refuse.
    fn look(&mut self) -> Result<(), String> {
        let partition = Partition(self.random.below(u64::from(self.config.partitions)) as u16);
        let Some((shared, _)) = &self.log else { return Ok(()) };
        self.model.check_partition(shared, partition, false).map(drop)
    }

    fn change_capacity(&mut self) {
        let more = self.random.below(4) * self.config.segment_bytes / 2;
        let capacity = if self.random.chance(2) { u64::MAX } else { self.disk.used_bytes() + more };
        self.disk.set_capacity(capacity);
    }

    /// The process ends, by itself or with the machine, and starts again; perhaps not at the first attempt.
    fn interrupt(&mut self) -> Result<(), String> {
        self.leave();
        for _ in 0..2 {
            self.go_down();
            if self.random.chance(3) {
                self.disk.stop_after(self.random.below(2 * STOP_WITHIN));
                let opened = super::assemble(&self.seen_through, &self.config, clock());
                self.met.openings_interrupted += u64::from(opened.is_err());
            }
        }
        self.go_down();
        self.disk.set_capacity(u64::MAX);
        self.open()
    }

    fn go_down(&mut self) {
        if self.random.chance(3) {
            self.disk.resume();
        } else {
            self.met.power_losses += 1;
            self.disk.lose_power();
        }
    }

    /// Drops the log as a killed process does: no sender receives an answer any more.
    fn leave(&mut self) {
        self.log = None;
        for (id, _) in self.waiting.drain(..) {
            self.model.unknown(id);
        }
    }

    fn open(&mut self) -> Result<(), String> {
        let opened = super::assemble(&self.seen_through, &self.config, clock());
        let (shared, committer) = opened.map_err(|error| format!("the log does not open: {error:?}"))?;
        for partition in (0..self.config.partitions).map(Partition) {
            let found = self.model.check_partition(&shared, partition, true)?;
            self.met.unknown_but_there += found.unknown;
            self.met.trimmed += u64::from(found.trimmed);
        }
        self.log = Some((shared, committer));
        Ok(())
    }
}

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(Timestamp(1_700_000_000_000_000_000)))
}

fn live(seed: u64, lie: Lie) -> (Result<(), String>, Met) {
    let mut history = History::new(seed, lie);
    let judged = history.live().map_err(|found| format!("history {seed}: {found}"));
    (judged, history.met)
}

#[test]
fn nothing_acknowledged_is_ever_lost_doubled_or_changed() {
    let histories = std::env::var("PALISADE_LOG_HISTORIES");
    let histories = histories.map_or(HISTORIES, |text| text.parse().unwrap());
    let mut all = Met::default();
    for seed in 0..histories {
        let (judged, met) = live(seed, Lie::None);
        assert_eq!(judged, Ok(()));
        all.acknowledged += met.acknowledged;
        all.full += met.full;
        all.poisoned += met.poisoned;
        all.unknown += met.unknown;
        all.unknown_but_there += met.unknown_but_there;
        all.openings_interrupted += met.openings_interrupted;
        all.power_losses += met.power_losses;
        all.trimmed += met.trimmed;
    }
    println!("{all:?}");
    let Met { acknowledged, full, poisoned, unknown, unknown_but_there, openings_interrupted, .. } = all;
    let Met { power_losses, trimmed, .. } = all;
    let kinds = [acknowledged, full, poisoned, unknown, unknown_but_there, openings_interrupted];
    assert!(kinds.iter().chain([&power_losses, &trimmed]).all(|count| *count > 0), "{all:?}");
}

#[test]
fn a_log_that_would_acknowledge_before_the_sync_is_caught() {
    assert_caught(Lie::DataIsNotSynced);
}

#[test]
fn a_log_that_would_go_on_after_a_failed_sync_is_caught() {
    assert_caught(Lie::FailedSyncSucceeds);
}

#[test]
fn a_log_that_would_not_sync_its_directory_is_caught() {
    assert_caught(Lie::DirectoryIsNotSynced);
}

fn assert_caught(lie: Lie) {
    let found = (0..2_000).find_map(|seed| live(seed, lie).0.err());
    assert!(found.is_some(), "{lie:?} went unnoticed");
}

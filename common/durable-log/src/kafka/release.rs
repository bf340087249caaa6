//! Analysed batches: noted as they are released, committed to Kafka as the offsets of the consumer
//! group. From those, every process sees the lag of analysis.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use common::partition::{Offset, Partition};
use rdkafka::TopicPartitionList;
use rdkafka::consumer::{CommitMode, Consumer as _};
use rdkafka::error::KafkaResult;

use super::client::Consumer;
use super::position::KafkaOffset;

/// Released offsets of each partition.
pub(super) struct Releases {
    partitions: Vec<Release>,
    /// Whether Kafka did not take the last commit.
    failing: AtomicBool,
}

#[derive(Default)]
struct Release {
    /// The last offset known to exist, the one released, and the one whose release is committed to Kafka.
    seen: AtomicU64,
    released: AtomicU64,
    told: AtomicU64,
}

impl Releases {
    pub(super) fn new(partitions: u16) -> Self {
        let partitions = (0..partitions).map(|_| Release::default()).collect();
        Self { partitions, failing: AtomicBool::new(false) }
    }

    /// Notes that a batch of a partition is there.
    pub(super) fn note_seen(&self, partition: Partition, offset: Offset) {
        if let Some(release) = self.of(partition.0) {
            release.seen.fetch_max(offset.0, Ordering::Relaxed);
        }
    }

    /// Notes an analysed offset.
    pub(super) fn release(&self, partition: Partition, through: Offset) {
        if let Some(release) = self.of(partition.0) {
            release.released.fetch_max(through.0, Ordering::Relaxed);
        }
    }

    /// Partitions of which more was released than was ever seen by this process.
    pub(super) fn beyond_seen(&self) -> impl Iterator<Item = Partition> + '_ {
        let beyond = |release: &Release| {
            release.released.load(Ordering::Relaxed) > release.seen.load(Ordering::Relaxed)
        };
        (0..).zip(&self.partitions).filter(move |(_, release)| beyond(release)).map(|(at, _)| Partition(at))
    }

    /// Notes the end of a partition: offsets beyond it have not been released.
    pub(super) fn ends_at(&self, partition: Partition, end: Offset) {
        let Some(release) = self.of(partition.0) else { return };
        let seen = release.seen.fetch_max(end.0, Ordering::Relaxed).max(end.0);
        let released = release.released.load(Ordering::Relaxed);
        if released > seen {
            // Offsets released meanwhile are committed the next time.
            let _ = release.released.compare_exchange(released, seen, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Kafka expires the offsets of a group after a time, a week by default: the offset of this
    /// partition is committed once more.
    pub(super) fn tell_again(&self, partition: Partition) {
        if let Some(release) = self.of(partition.0) {
            release.told.store(0, Ordering::Relaxed);
        }
    }

    /// Commits the released offsets that Kafka does not have. Those that it does not take are committed
    /// again the next time. Blocks until it has answered: otherwise the library does not report the
    /// outcome (fede1024/rust-rdkafka#856).
    pub(super) fn tell(&self, consumer: &Consumer, topic: &str) {
        let outcome = self.untold(topic).and_then(|untold| {
            if untold.count() > 0 {
                consumer.commit(&untold, CommitMode::Sync)?;
                self.note_told(&untold);
            }
            Ok(())
        });
        let failed_before = self.failing.swap(outcome.is_err(), Ordering::Relaxed);
        if let Err(error) = outcome
            && !failed_before
        {
            tracing::warn!(%error, "committing the released offsets to Kafka failed; it is retried");
        }
    }

    fn untold(&self, topic: &str) -> KafkaResult<TopicPartitionList> {
        let mut untold = TopicPartitionList::new();
        for (partition, release) in (0..).zip(&self.partitions) {
            let seen = release.seen.load(Ordering::Relaxed);
            let released = release.released.load(Ordering::Relaxed).min(seen);
            if released > release.told.load(Ordering::Relaxed) {
                let next = KafkaOffset::of(Offset(released)).next();
                untold.add_partition_offset(topic, partition, rdkafka::Offset::Offset(next.0))?;
            }
        }
        Ok(untold)
    }

    fn note_told(&self, told: &TopicPartitionList) {
        for element in told.elements() {
            let release = u16::try_from(element.partition()).ok().and_then(|partition| self.of(partition));
            if let (Some(release), rdkafka::Offset::Offset(next)) = (release, element.offset()) {
                release.told.fetch_max(KafkaOffset(next).before().0, Ordering::Relaxed);
            }
        }
    }

    fn of(&self, partition: u16) -> Option<&Release> {
        self.partitions.get(usize::from(partition))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn untold(releases: &Releases) -> Vec<(i32, rdkafka::Offset)> {
        let list = releases.untold("log").unwrap();
        list.elements().iter().map(|element| (element.partition(), element.offset())).collect()
    }

    #[test]
    fn kafka_is_told_the_place_after_what_was_released_until_it_knows() {
        let releases = Releases::new(3);
        releases.note_seen(Partition(1), Offset(7));
        releases.release(Partition(1), Offset(5));
        releases.release(Partition(1), Offset(4));
        releases.release(Partition(9), Offset(1));
        let expected = [(1, rdkafka::Offset::Offset(5))];
        assert_eq!(untold(&releases), expected);
        let told = releases.untold("log").unwrap();
        assert_eq!(untold(&releases), expected, "until it has answered");
        releases.note_told(&told);
        assert_eq!(untold(&releases), []);
        releases.tell_again(Partition(1));
        assert_eq!(untold(&releases), expected);
    }

    #[test]
    fn what_is_not_there_is_not_released() {
        let releases = Releases::new(2);
        releases.release(Partition(0), Offset(9));
        assert_eq!(untold(&releases), [], "before it is known how much there is");
        assert_eq!(releases.beyond_seen().collect::<Vec<_>>(), [Partition(0)]);
        releases.ends_at(Partition(0), Offset(6));
        assert_eq!(releases.beyond_seen().count(), 0);
        assert_eq!(untold(&releases), [(0, rdkafka::Offset::Offset(6))]);
        releases.note_seen(Partition(0), Offset(8));
        assert_eq!(untold(&releases), [(0, rdkafka::Offset::Offset(6))], "what came later is not released");
    }
}

//! Positions in a partition as Kafka counts them, and their offsets in the contract.

use common::partition::Offset;

/// A place in a partition of Kafka: the first message is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KafkaOffset(pub(super) i64);

impl KafkaOffset {
    /// Position of the batch of an offset. Offsets start at 1: 0 is equivalent to 1.
    pub(super) fn of(offset: Offset) -> Self {
        Self(i64::try_from(offset.0.saturating_sub(1)).unwrap_or(i64::MAX))
    }

    /// Offset of the batch at this position.
    pub(super) fn offset(self) -> Offset {
        self.before().next()
    }

    /// Offset of the batch before this place, 0 when there is none.
    pub(super) fn before(self) -> Offset {
        Offset(u64::try_from(self.0).unwrap_or(0))
    }

    pub(super) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_start_at_one_where_kafka_starts_at_zero() {
        assert_eq!(KafkaOffset(0).offset(), Offset(1));
        assert_eq!(KafkaOffset(0).before(), Offset(0));
        assert_eq!(KafkaOffset::of(Offset(0)), KafkaOffset(0));
        assert_eq!(KafkaOffset::of(Offset(1)), KafkaOffset(0));
        for offset in [1, 2, 1 << 40, i64::MAX as u64] {
            assert_eq!(KafkaOffset::of(Offset(offset)).offset(), Offset(offset));
        }
        assert_eq!(KafkaOffset::of(Offset(u64::MAX)), KafkaOffset(i64::MAX), "beyond anything there is");
    }
}

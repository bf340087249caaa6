//! Ids of clients in the order of lists: a page is a range of rows, and those before it are the only others that are read.

use common::digest::digest;
use common::ids::RecordId;
use common::partition::Shard;
use common::timestamp::Timestamp;
use uuid::Uuid;

/// Bits of the milliseconds since 1970 in an id, as in UUID version 7.
const BITS: u32 = 48;

/// The id of a client that is paired at a time; of two clients of one shard the later one has the smaller id. Four of the bits
/// that the time is spread over belong to the version of the UUID, and two to its variant (RFC 9562 section 5.8).
pub(super) fn newest_first(shard: Shard, at: Timestamp, seed: Uuid) -> RecordId {
    let millis = u64::try_from(at.as_millis()).unwrap_or(0).min((1 << BITS) - 1);
    let [.., a, b, c, d, e, f] = (((1 << BITS) - 1) - millis).to_be_bytes();
    let mut hash = digest(&[seed.as_bytes()]);
    let [h0, h1, h2, h3, h4, h5, h6, ..] = &mut hash;
    (*h0, *h1, *h2, *h3) = (a, b, c, d);
    // The version takes the upper half of the next byte, the variant the upper two bits of the one after the next.
    (*h4, *h5, *h6) = (e >> 4, (e << 4) | (f >> 4), ((f & 0x0f) << 2) | (*h6 & 0x03));
    RecordId::new(shard, &hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_client_has_a_smaller_id_of_the_same_shard() {
        let id = |millis, seed| newest_first(Shard(7), Timestamp::from_millis(millis), Uuid::from_u128(seed));
        let mut last = id(0, 0);
        for millis in (0..40).map(|power| 1_i64 << power).chain([1_800_000_000_000, 1_800_000_000_001]) {
            for step in [0, 1, 15, 16, 255, 4_095] {
                let at = millis + step;
                assert!(id(at, 1) < id(at - 1, 2), "{at}");
                assert_eq!(id(at, 1).shard(), Shard(7));
                last = last.min(id(at, 3));
            }
        }
        assert_eq!(last, id(1_800_000_004_096, 3));
        assert_ne!(id(5, 1), id(5, 2), "two of one millisecond");
        assert!(id(i64::MAX / 2_000_000, 1) > id(i64::MAX / 1_000_000, 1));
    }
}

//! Fingerprints of masked values, by which analysis distinguishes values that must not be read. They travel with a batch and
//! are never shown.

use std::fmt;
use std::sync::Arc;

/// Fingerprints of one batch, at most: 24 KiB of headers. Values beyond count as equal ones, as all masked values of a type
/// and length look.
pub const MOST_FINGERPRINTS: usize = 2_048;

/// The fingerprint of one masked value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// Offset of the mask in the payload.
    pub offset: u32,
    /// Keyed hash of the value, under a key of its organization.
    pub value: u64,
}

/// The fingerprints of a batch, by offset.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Fingerprints(Arc<[Fingerprint]>);

impl Fingerprints {
    /// Sorts fingerprints. Of several of one place the first counts, and of too many those at the front.
    #[must_use]
    pub fn new(mut fingerprints: Vec<Fingerprint>) -> Self {
        fingerprints.sort_by_key(|fingerprint| fingerprint.offset);
        fingerprints.dedup_by_key(|fingerprint| fingerprint.offset);
        fingerprints.truncate(MOST_FINGERPRINTS);
        Self(fingerprints.into())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those of values that begin within these offsets.
    #[must_use]
    pub fn within(&self, offsets: std::ops::Range<usize>) -> &[Fingerprint] {
        let before = |end: usize| self.0.partition_point(|own| (own.offset as usize) < end);
        self.0.get(before(offsets.start)..before(offsets.end)).unwrap_or_default()
    }

    /// Appends the binary form: how many, then the offset and the value of each. Little-endian.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let count = u16::try_from(self.0.len()).unwrap_or(u16::MAX);
        out.extend_from_slice(&count.to_le_bytes());
        for Fingerprint { offset, value } in self.0.iter().take(count.into()) {
            out.extend_from_slice(&offset.to_le_bytes());
            out.extend_from_slice(&value.to_le_bytes());
        }
    }
}

/// Without the value, so that none gets into a message.
impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint(at {})", self.offset)
    }
}

impl fmt::Debug for Fingerprints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprints({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_found_by_place_and_never_printed() {
        let made = |places: &[u32]| {
            let numbered = places.iter().zip(0x5eed_u64..);
            Fingerprints::new(
                numbered.map(|(offset, value)| Fingerprint { offset: *offset, value }).collect(),
            )
        };
        let fingerprints = made(&[30, 10, 20, 10]);
        let at =
            |range| fingerprints.within(range).iter().map(|own| (own.offset, own.value)).collect::<Vec<_>>();
        assert_eq!(at(0..100), [(10, 0x5eee), (20, 0x5eef), (30, 0x5eed)]);
        assert_eq!(at(10..30), [(10, 0x5eee), (20, 0x5eef)]);
        assert_eq!(at(11..20), []);
        assert_eq!(at(31..90), []);
        assert_eq!(
            format!("{fingerprints:?} {:?}", fingerprints.within(0..11)),
            "Fingerprints(3) [Fingerprint(at 10)]"
        );
        let many: Vec<u32> = (0..3_000).collect();
        assert_eq!(made(&many).within(0..9_000).len(), MOST_FINGERPRINTS);
    }
}

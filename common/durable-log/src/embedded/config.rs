//! The settings of the embedded log, and the bounds they must keep.

use serde::{Deserialize, Serialize};

use super::segment::BLOCK;

/// Most partitions a log may have: their ends are stored in the header block of every segment.
pub const MAX_PARTITIONS: u16 = 256;
/// Most bytes of one segment: positions in a segment are kept in 32 bits, and one frame may extend
/// beyond the end.
pub const MAX_SEGMENT_BYTES: u64 = 1024 * 1024 * 1024;
/// Bound of the unreleased bytes where none is configured and the disk has room for twice as much.
const DEFAULT_CAPACITY_BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// Settings of the embedded log.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Number of partitions of a new log, 1..256; cannot be changed later. Default 8.
    pub partitions: u16,
    /// Size of a segment file in bytes, a multiple of 4096. Default 64 MiB.
    pub segment_bytes: u64,
    /// Maximum number of bytes waiting to become durable; beyond it appends are rejected. A batch is always accepted
    /// if none is waiting. Default 64 MiB.
    pub queue_bytes: u64,
    /// Maximum size of the segments of batches not yet released, in bytes; beyond it appends are rejected. Checked
    /// when a batch arrives, so that the unused end of a segment may be added; the directory may contain four segments
    /// more: the rest of the current one, one preallocated and two spare. At least two segments. Default: 16 GiB or
    /// half of the free disk space, whichever is less.
    pub capacity_bytes: Option<u64>,
    /// Minimum free disk space in bytes; below it appends are rejected. Checked every second. Default 256 MiB: the
    /// ledger is on the same disk, and needs space for the analysis of accepted batches.
    pub least_free_bytes: u64,
    /// Maximum number of unreleased batches; beyond it appends are rejected. Each takes 16 bytes of memory. Default
    /// 4,000,000.
    pub max_batches: u64,
    /// Maximum size of a group commit in bytes; a larger batch is written alone. Default 8 MiB.
    pub group_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            partitions: 8,
            segment_bytes: 64 * 1024 * 1024,
            queue_bytes: 64 * 1024 * 1024,
            capacity_bytes: None,
            least_free_bytes: 256 * 1024 * 1024,
            max_batches: 4_000_000,
            group_bytes: 8 * 1024 * 1024,
        }
    }
}

impl Config {
    /// Names the setting that is out of its bounds.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.partitions == 0 || self.partitions > MAX_PARTITIONS {
            return Err(format!("partitions is {}, expected 1..{MAX_PARTITIONS}", self.partitions));
        }
        let least = 2 * BLOCK;
        let size = self.segment_bytes;
        if size < least || size > MAX_SEGMENT_BYTES || !size.is_multiple_of(BLOCK) {
            return Err(format!(
                "segment_bytes is {size}, expected a multiple of {BLOCK} in {least}..{MAX_SEGMENT_BYTES}"
            ));
        }
        if let Some(capacity) = self.capacity_bytes.filter(|capacity| *capacity < 2 * size) {
            return Err(format!(
                "capacity_bytes is {capacity}, expected at least two segments: {}",
                2 * size
            ));
        }
        if self.queue_bytes == 0 || self.max_batches == 0 || self.group_bytes == 0 {
            return Err("queue_bytes, max_batches and group_bytes must each be at least 1".to_owned());
        }
        Ok(())
    }

    /// The bound on unreleased bytes; `reachable` is the free space of the disk plus the space the
    /// log itself already takes, so that a full log does not shrink when it is opened again.
    pub(super) fn capacity(&self, reachable: u64) -> u64 {
        let derived = DEFAULT_CAPACITY_BYTES.min(reachable / 2).max(2 * self.segment_bytes);
        self.capacity_bytes.unwrap_or(derived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_allowed() {
        assert_eq!(Config::default().check(), Ok(()));
    }

    #[test]
    fn settings_that_do_not_exist_are_refused() {
        let config: Config = serde_json::from_str(r#"{"partitions": 3, "capacity_bytes": 9}"#).unwrap();
        assert_eq!(config, Config { partitions: 3, capacity_bytes: Some(9), ..Config::default() });
        let error = serde_json::from_str::<Config>(r#"{"partition": 3}"#).unwrap_err();
        assert!(error.to_string().contains("unknown field `partition`"), "{error}");
    }

    #[test]
    fn what_is_out_of_bounds_is_named() {
        let cases = [
            (Config { partitions: 0, ..Config::default() }, "partitions is 0"),
            (Config { partitions: 257, ..Config::default() }, "partitions is 257"),
            (Config { segment_bytes: 5000, ..Config::default() }, "segment_bytes is 5000"),
            (Config { capacity_bytes: Some(1), ..Config::default() }, "capacity_bytes is 1"),
            (Config { group_bytes: 0, ..Config::default() }, "group_bytes"),
        ];
        for (config, expected) in cases {
            let found = config.check().unwrap_err();
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn the_derived_capacity_leaves_half_of_a_small_disk() {
        let config = Config::default();
        assert_eq!(config.capacity(u64::MAX), DEFAULT_CAPACITY_BYTES);
        assert_eq!(config.capacity(1024 * 1024 * 1024), 512 * 1024 * 1024);
        assert_eq!(config.capacity(0), 2 * config.segment_bytes, "the disk itself says when it is full");
    }
}

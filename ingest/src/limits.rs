//! Limits of one request (specification, Limits, and our own bounds). Only the numbers are here;
//! each is enforced by the earliest possible stage: `receive` the sizes, `validate` the rest.

use durable_log::embedded::MAX_FRAME_BYTES;
use serde::{Deserialize, Deserializer, Serialize, de};

/// The deepest nesting of values that is accepted, and that our own readers of the log follow. Note that
/// protobuf parsers of other languages stop at 100 nested messages unless configured otherwise; a value
/// inside a key-value list costs three of them and five lead to the first, so that such a consumer of
/// the log follows 31 levels. For one, set a smaller `depth`.
pub const DEEPEST: u32 = 64;

/// Bytes of a frame of the log that are reserved for the batch's headers and the frame's own: they
/// take less than 2 KiB, since each of their texts is bounded.
const FRAME_HEADERS: u64 = 64 * 1024;
/// The largest batch that the log accepts.
pub const LARGEST_BATCH: u64 = MAX_FRAME_BYTES - FRAME_HEADERS;

/// Bounds of one request. Every bound is inclusive.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of the body as sent. Default 4 MiB (specification, Limits).
    pub wire_bytes: usize,
    /// Bytes of the body after gzip. Default 16 MiB (specification, Limits).
    pub inflated_bytes: usize,
    /// Log records in a request. Default 10,000 (specification, Limits).
    pub records: u32,
    /// `ResourceLogs` in an OTLP request. Default 1,000 (specification, Limits).
    pub resource_groups: u32,
    /// `ScopeLogs` in an OTLP request, over all its resources. Default 1,000 (specification, Limits).
    pub scopes: u32,
    /// Attributes of one OTLP resource, scope or record. Default 128 (specification, Limits).
    pub attributes: u32,
    /// Bytes of one record as sent: the protobuf message, or the JSON object. Default 1 MiB, so that
    /// no single record can fill an analyzer's working memory.
    pub record_bytes: usize,
    /// Bytes of the stored batch: OTLP in protobuf, without headers. Default and maximum [`LARGEST_BATCH`], so that no
    /// batch is too large for the log, which would make senders retry forever. Ordinary JSON shrinks when transcoded
    /// to protobuf; only arrays of small negative numbers approach this limit.
    #[serde(deserialize_with = "batch_within_bound")]
    pub batch_bytes: u64,
    /// Nesting depth of values: each array or map is one level, including the log object itself. Default and maximum
    /// [`DEEPEST`].
    #[serde(deserialize_with = "depth_within_bound")]
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wire_bytes: 4 << 20,
            inflated_bytes: 16 << 20,
            records: 10_000,
            resource_groups: 1_000,
            scopes: 1_000,
            attributes: 128,
            record_bytes: 1 << 20,
            batch_bytes: LARGEST_BATCH,
            depth: DEEPEST,
        }
    }
}

/// The log would never accept a batch above [`LARGEST_BATCH`].
fn batch_within_bound<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let bytes = u64::deserialize(deserializer)?;
    if bytes <= LARGEST_BATCH {
        return Ok(bytes);
    }
    Err(de::Error::custom(format_args!("expected at most {LARGEST_BATCH} bytes, found {bytes}")))
}

/// A depth above [`DEEPEST`] would put batches into the log that no reader is tested with.
fn depth_within_bound<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let depth = u32::deserialize(deserializer)?;
    if (1..=DEEPEST).contains(&depth) {
        return Ok(depth);
    }
    Err(de::Error::custom(format_args!("expected a depth from 1 to {DEEPEST}, found {depth}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_the_specification() {
        let limits: Limits = serde_json::from_str(r#"{"records": 5}"#).unwrap();
        assert_eq!(limits, Limits { records: 5, ..Limits::default() });
        assert_eq!((limits.wire_bytes, limits.inflated_bytes), (4_194_304, 16_777_216));
    }

    #[test]
    fn unknown_limits_and_unreadable_depths_are_refused() {
        assert!(serde_json::from_str::<Limits>(r#"{"record": 5}"#).is_err());
        let error = serde_json::from_str::<Limits>(r#"{"batch_bytes": 67108864}"#).unwrap_err().to_string();
        assert!(error.contains("expected at most 67043328 bytes, found 67108864"), "{error}");
        let error = serde_json::from_str::<Limits>(r#"{"depth": 65}"#).unwrap_err().to_string();
        assert!(error.contains("expected a depth from 1 to 64, found 65"), "{error}");
    }
}

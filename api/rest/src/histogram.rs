//! Counts over time, as all lists with a histogram answer them.

use std::time::Duration;

use common::timestamp::Timestamp;
use common::words::Word;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::query::{FromQuery, Parameters, QueryError};

/// Most buckets of a histogram: more than a screen shows.
const MAX_BUCKETS: u32 = 200;
/// Buckets where none are asked for: the hours of a day.
const DEFAULT_BUCKETS: u32 = 24;
/// The time before `to` where `from` is not given.
const DEFAULT_RANGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Resolution of a histogram.
#[derive(Clone, Copy, Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BucketsQuery {
    /// Number of buckets of equal length between `from` and `to`.
    #[param(required = false, minimum = 1, maximum = 200, default = 24)]
    pub buckets: u32,
}

impl FromQuery for BucketsQuery {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(Self { buckets: parameters.number("buckets", 1..=MAX_BUCKETS, DEFAULT_BUCKETS)? })
    }
}

/// The time that a histogram covers: `to` is `now` and `from` a day earlier unless they are given.
///
/// # Errors
/// 400 when `from` is not before `to`.
pub fn range(
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    now: Timestamp,
) -> Result<(Timestamp, Timestamp), ApiError> {
    let to = to.unwrap_or(now);
    let from = from.unwrap_or_else(|| to.minus(DEFAULT_RANGE));
    if from.as_millis() >= to.as_millis() {
        let message = format!("from: expected a time before to ({}), found {}", to.to_iso(), from.to_iso());
        return Err(ApiError::Invalid(message.into()));
    }
    Ok((from, to))
}

/// Resources over time.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Histogram)]
pub struct HistogramView {
    /// `histogram`.
    #[schema(example = "histogram")]
    object: &'static str,
    /// Beginning of the first bucket.
    #[schema(format = DateTime)]
    from: String,
    /// End of the last bucket, exclusive.
    #[schema(format = DateTime)]
    to: String,
    /// Resources in all buckets.
    total: u64,
    /// Buckets, oldest first.
    data: Vec<BucketView>,
    /// Present, and true, if the organization has more resources than the index may hold: the newest ones are counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    index_truncated: bool,
}

/// A bucket of a histogram.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HistogramBucket)]
struct BucketView {
    /// Beginning of the bucket.
    #[schema(format = DateTime)]
    from: String,
    /// End of the bucket, exclusive.
    #[schema(format = DateTime)]
    to: String,
    /// Resources whose time lies in it.
    total: u64,
    /// Resources of the bucket by severity, of findings by risk level; every level is present.
    #[schema(value_type = std::collections::BTreeMap<String, u64>)]
    severities: Counts,
}

/// Counts by word, in the order of the words.
#[derive(Debug)]
struct Counts(Vec<(&'static str, u64)>);

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (word, count) in &self.0 {
            map.serialize_entry(word, count)?;
        }
        map.end()
    }
}

impl HistogramView {
    /// Counts of buckets with these bounds in milliseconds, one more than buckets; each count belongs to the word at its place.
    #[must_use]
    pub fn new<W: Word, const N: usize>(
        (from, to): (Timestamp, Timestamp),
        (bounds, counts): (&[i64], &[[u64; N]]),
        index_truncated: bool,
    ) -> Self {
        let iso = |millis: i64| Timestamp::from_millis(millis).to_iso();
        let bucket = |(counts, bounds): (&[u64; N], &[i64])| BucketView {
            from: bounds.first().copied().map(iso).unwrap_or_default(),
            to: bounds.last().copied().map(iso).unwrap_or_default(),
            total: counts.iter().sum(),
            severities: Counts(
                W::VALUES.iter().map(|word| word.word()).zip(counts.iter().copied()).collect(),
            ),
        };
        Self {
            object: "histogram",
            from: from.to_iso(),
            to: to.to_iso(),
            total: counts.iter().flatten().sum(),
            data: counts.iter().zip(bounds.windows(2)).map(bucket).collect(),
            index_truncated,
        }
    }
}

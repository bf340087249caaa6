//! Durations in settings: written and read as a number of seconds, whole or with a fraction.

use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a duration as seconds. For `#[serde(with)]`.
///
/// # Errors
/// When the serializer refuses a number.
pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    duration.as_secs_f64().serialize(serializer)
}

/// Longest duration, in seconds: a year, so that adding one to any moment is safe.
const LONGEST: f64 = 31_536_000.0;

/// Reads a duration from seconds, 0 to a year. For `#[serde(with)]`.
///
/// # Errors
/// When the number is negative, not a number, or more than a year.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    if !(0.0..=LONGEST).contains(&seconds) {
        return Err(D::Error::custom(format!("expected 0 to {LONGEST} seconds, found {seconds}")));
    }
    Duration::try_from_secs_f64(seconds).map_err(D::Error::custom)
}

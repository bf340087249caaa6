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

/// Reads a duration from seconds. For `#[serde(with)]`.
///
/// # Errors
/// When the number is negative, not finite, or larger than a duration can be.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        D::Error::custom(format!("expected a number of seconds that is not negative, found {seconds}"))
    })
}

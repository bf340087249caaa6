//! Bounds of settings: error for a setting out of its bounds.

use std::fmt::Display;
use std::ops::RangeInclusive;

use thiserror::Error;

use super::named;

/// A setting that can be read and makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("setting {} is {found}, expected {expected}", named(key))]
pub struct OutOfBounds {
    key: &'static str,
    found: String,
    expected: String,
}

impl OutOfBounds {
    /// The dotted key, its value, and the expected values.
    #[must_use]
    pub fn new(key: &'static str, found: impl Display, expected: impl Display) -> Self {
        Self { key, found: found.to_string(), expected: expected.to_string() }
    }
}

/// Whether a setting is in its range.
///
/// # Errors
/// [`OutOfBounds`] when it does not.
pub fn within<T>(key: &'static str, value: &T, range: &RangeInclusive<T>) -> Result<(), OutOfBounds>
where
    T: PartialOrd + Display,
{
    if range.contains(value) {
        return Ok(());
    }
    Err(OutOfBounds::new(key, value, format_args!("{} to {}", range.start(), range.end())))
}

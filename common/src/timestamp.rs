//! Moments in time, as the product keeps and prints them.

mod bsd;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A moment: nanoseconds since 1970-01-01T00:00:00Z. Kept as an integer; printed by
/// [`Timestamp::to_iso`] as the specification wants it (Resources, Conventions).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The moment `millis` milliseconds after the epoch, clamped to what fits.
    #[must_use]
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// Milliseconds since the epoch, rounded down.
    #[must_use]
    pub fn as_millis(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// This moment plus `by`, clamped to what fits.
    #[must_use]
    pub fn plus(self, by: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(by.as_nanos()).unwrap_or(i64::MAX)))
    }

    /// This moment minus `by`, clamped to what fits.
    #[must_use]
    pub fn minus(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(by.as_nanos()).unwrap_or(i64::MAX)))
    }

    /// Time from `earlier` to this moment; zero when it lies after.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// ISO 8601 in UTC with milliseconds, `2026-07-08T09:10:11.012Z`.
    #[must_use]
    pub fn to_iso(self) -> String {
        let stamp =
            jiff::Timestamp::from_nanosecond(i128::from(self.0)).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        format!("{stamp:.3}")
    }

    /// Reads RFC 3339 (any offset, any fraction). `None` when the text is not a moment.
    #[must_use]
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let stamp: jiff::Timestamp = text.parse().ok()?;
        i64::try_from(stamp.as_nanosecond()).ok().map(Self)
    }

    /// Reads a BSD syslog date (RFC 3164 section 4.1.2): `Nov 23 09:13:40`, the day padded by a space, a zero or
    /// nothing, the year before the month, before the time, after it or absent, a fraction of up to nine digits. UTC.
    /// Without a year the date is the one nearest to `received_at`. `None` when the text is anything else.
    #[must_use]
    pub fn parse_bsd(text: &str, received_at: Self) -> Option<Self> {
        bsd::whole(text, received_at)
    }

    /// The same for a date at the start of `text`, where no year follows the time; with the text after the date and
    /// one space.
    #[must_use]
    pub fn split_bsd(text: &str, received_at: Self) -> Option<(Self, &str)> {
        bsd::split(text, received_at)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_iso())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_milliseconds_and_reads_them_back() {
        let stamp = Timestamp::parse_rfc3339("2026-07-08T11:10:11.0129+02:00").unwrap();
        assert_eq!(stamp.to_iso(), "2026-07-08T09:10:11.012Z");
        assert_eq!(Timestamp::parse_rfc3339(&stamp.to_iso()).unwrap().as_millis(), stamp.as_millis());
        assert_eq!(Timestamp::parse_rfc3339("yesterday"), None);
    }

    #[test]
    fn differences_never_go_below_zero() {
        let early = Timestamp::from_millis(1_000);
        assert_eq!(early.plus(Duration::from_secs(1)).since(early), Duration::from_secs(1));
        assert_eq!(early.since(early.plus(Duration::from_secs(1))), Duration::ZERO);
    }
}

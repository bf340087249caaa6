//! When rules that could not be read are read again: soon, then ever less often, and at once when they were changed.

use std::collections::BTreeMap;
use std::time::Duration;

use common::ids::OrganizationId;

/// Pause after the first failure; doubled after each, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Reading an organization's rules is up to 8 MiB: once in ten seconds is little load, and repaired rules come soon.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Organizations whose rules could not be read.
#[derive(Debug, Default)]
pub(super) struct Retries(BTreeMap<OrganizationId, Retry>);

#[derive(Clone, Copy, Debug)]
struct Retry {
    /// The version that was announced.
    version: u64,
    /// Monotonic time.
    at: Duration,
    pause: Duration,
}

impl Retries {
    /// Whether an organization's rules, announced under a version, are to be read now.
    pub(super) fn is_due(&self, organization: OrganizationId, version: u64, now: Duration) -> bool {
        self.0.get(&organization).is_none_or(|retry| retry.version != version || retry.at <= now)
    }

    /// They could not be read.
    pub(super) fn failed(&mut self, organization: OrganizationId, version: u64, now: Duration) {
        let before = self.0.get(&organization).filter(|retry| retry.version == version);
        let pause = before.map_or(FIRST_PAUSE, |retry| (retry.pause * 2).min(LONGEST_PAUSE));
        self.0.insert(organization, Retry { version, at: now + pause, pause });
    }

    /// They were read.
    pub(super) fn end(&mut self, organization: OrganizationId) {
        self.0.remove(&organization);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_again_less_and_less_often_and_at_once_when_they_change() {
        let organization = OrganizationId::from_bytes([1; 16]);
        let mut retries = Retries::default();
        let (mut now, mut pauses) = (Duration::ZERO, Vec::new());
        for _ in 0..7 {
            retries.failed(organization, 4, now);
            let failed_at = now;
            while !retries.is_due(organization, 4, now) {
                now += Duration::from_secs(1);
            }
            pauses.push((now - failed_at).as_secs());
        }
        assert_eq!(pauses, [1, 2, 4, 8, 10, 10, 10]);
        retries.failed(organization, 4, now);
        assert!(!retries.is_due(organization, 4, now) && retries.is_due(organization, 5, now));
        retries.end(organization);
        assert!(retries.is_due(organization, 4, now));
    }
}

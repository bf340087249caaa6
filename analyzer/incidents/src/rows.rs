//! Keys of the state rows that only the analyzer reads, and the rows that wait to be deleted. Keys of rows that the
//! API reads are in `common::row`.

use std::collections::BTreeSet;

use bytes::Bytes;
use common::ids::{IncidentId, OrganizationId};
use common::row::incident_key;

/// Rows that one commit deletes at least: thousands of windows may end within the same minute of the log, and a
/// commit holds a thousand rows.
const LEAST_DELETED: usize = 200;
/// Rows of a commit up to which it takes more of those that are to be deleted.
const FILLED_UP_TO: usize = 800;
/// More rows than this that wait to be deleted, a few MiB of keys, are too many.
const MOST_WAITING: usize = 20_000;

/// Prefix of windows.
pub const WINDOW: &[u8] = b"window";
/// Prefix of entity risks.
pub(crate) const RISK: &[u8] = b"risk";
/// Prefix of the matches of rules, by which the fan-in guard recognises widespread rules.
pub(crate) const FAN_IN_RULE: &[u8] = b"fan_in_rule";
/// Prefix of steps that documents of organizations took.
pub const STEPS: &[u8] = b"steps";
/// Prefix of remembered deliveries.
pub const DELIVERIES: &[u8] = b"deliveries";
/// Prefix of the incidents of families in an hour, which the fan-in guard counts.
pub(crate) const FAN_IN_FAMILY: &[u8] = b"fan_in_family";
const EPISODE: &[u8] = b"episode";
const MEMBERS: &[u8] = b"members";
const WORKING: &[u8] = b"work";

/// A key from its prefix and the rest.
pub fn key(prefix: &[u8], rest: &[u8]) -> Bytes {
    Bytes::from([prefix, rest].concat())
}

/// Key of the incident that takes in the findings of an incident key.
pub fn episode_key(organization: OrganizationId, incident_key: &[u8; 16]) -> Bytes {
    Bytes::from([EPISODE, organization.as_bytes().as_slice(), incident_key].concat())
}

/// Prefix of an incident's member chunks.
pub fn members_prefix(organization: OrganizationId, incident: IncidentId) -> Bytes {
    key(MEMBERS, &incident_key(organization, incident))
}

/// One chunk of an incident's members.
pub(crate) fn members_key(organization: OrganizationId, incident: IncidentId, number: u32) -> Bytes {
    Bytes::from([members_prefix(organization, incident).as_ref(), &number.to_be_bytes()].concat())
}

/// The part of an incident that only the analyzer reads.
pub fn working_key(organization: OrganizationId, incident: IncidentId) -> Bytes {
    key(WORKING, &incident_key(organization, incident))
}

/// Rows to delete, a few per commit. They may outlive a restart: the analyzer that reads
/// them back forgets them again by the same rule, so that nothing depends on when they are deleted.
#[derive(Debug, Default)]
pub struct PendingDeletes(BTreeSet<Bytes>);

impl PendingDeletes {
    /// A row that is to go.
    pub fn push(&mut self, key: Bytes) {
        self.0.insert(key);
    }

    /// A row that is written again after all.
    pub fn keep(&mut self, key: &Bytes) {
        self.0.remove(key);
    }

    /// Whether too many wait: commits that write less are to delete more than come, or a sender that begins windows
    /// without end would leave ever more rows behind.
    pub fn is_behind(&self) -> bool {
        self.0.len() > MOST_WAITING
    }

    /// The next rows to delete, beside so many that are written.
    pub fn take(&mut self, written: usize) -> Vec<Bytes> {
        let most = FILLED_UP_TO.saturating_sub(written).max(LEAST_DELETED);
        let Some(end) = self.0.iter().nth(most).cloned() else {
            return std::mem::take(&mut self.0).into_iter().collect();
        };
        let rest = self.0.split_off(&end);
        std::mem::replace(&mut self.0, rest).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_a_few_at_a_time_and_all_in_the_end() {
        let mut pending_deletes = PendingDeletes::default();
        for number in 0..u32::try_from(LEAST_DELETED + FILLED_UP_TO).unwrap() + 1 {
            pending_deletes.push(key(WINDOW, &number.to_be_bytes()));
        }
        pending_deletes.keep(&key(WINDOW, &5_u32.to_be_bytes()));
        assert_eq!(
            [pending_deletes.take(900).len(), pending_deletes.take(0).len(), pending_deletes.take(0).len()],
            [LEAST_DELETED, FILLED_UP_TO, 0]
        );
    }
}

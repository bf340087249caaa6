//! Keys of the analyzer's own state rows, and which of them are to go. What the API reads too is keyed
//! in `common::row`.

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
pub(crate) const WINDOW: &[u8] = b"window";
/// Prefix of entity risks.
pub(crate) const RISK: &[u8] = b"risk";
/// Prefix of the matches of rules by entity, by which widespread rules are recognised.
pub(crate) const WIDESPREAD: &[u8] = b"widespread";
/// Prefix of steps that documents of organizations took.
pub(crate) const STEPS: &[u8] = b"steps";
/// Prefix of remembered deliveries.
pub(crate) const DELIVERIES: &[u8] = b"deliveries";
/// Prefix of opened-incident counts.
pub(crate) const STORM: &[u8] = b"storm";
const EPISODE: &[u8] = b"episode";
const MEMBERS: &[u8] = b"members";
const WORK: &[u8] = b"work";

/// A prefix and what follows it.
pub(crate) fn key(prefix: &[u8], rest: &[u8]) -> Bytes {
    Bytes::from([prefix, rest].concat())
}

/// Which incident takes in the findings of an incident key.
pub(crate) fn episode_key(organization: OrganizationId, incident_key: &[u8; 16]) -> Bytes {
    Bytes::from([EPISODE, organization.as_bytes().as_slice(), incident_key].concat())
}

/// Prefix of an incident's member chunks.
pub(crate) fn members_prefix(organization: OrganizationId, incident: IncidentId) -> Bytes {
    key(MEMBERS, &incident_key(organization, incident))
}

/// One chunk of an incident's members.
pub(crate) fn members_key(organization: OrganizationId, incident: IncidentId, number: u32) -> Bytes {
    Bytes::from([members_prefix(organization, incident).as_ref(), &number.to_be_bytes()].concat())
}

/// What is needed to go on with an incident.
pub(crate) fn work_key(organization: OrganizationId, incident: IncidentId) -> Bytes {
    key(WORK, &incident_key(organization, incident))
}

/// Rows to delete, a few per commit. They may outlive a restart: whoever reads
/// them back forgets them again by the same rule, so that nothing depends on when they go.
#[derive(Debug, Default)]
pub(crate) struct PendingDeletes(BTreeSet<Bytes>);

impl PendingDeletes {
    /// A row that is to go.
    pub(crate) fn push(&mut self, key: Bytes) {
        self.0.insert(key);
    }

    /// A row that is written again after all.
    pub(crate) fn keep(&mut self, key: &Bytes) {
        self.0.remove(key);
    }

    /// Whether too many wait: commits that write less are to delete more than come, or a sender that begins windows
    /// without end would leave ever more rows behind.
    pub(crate) fn is_behind(&self) -> bool {
        self.0.len() > MOST_WAITING
    }

    /// The next rows to delete, beside so many that are written.
    pub(crate) fn take(&mut self, written: usize) -> Vec<Bytes> {
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

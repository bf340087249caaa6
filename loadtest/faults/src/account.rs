//! The account of a run: the batches and their state, as far as a sender can know. Written by the
//! senders and the reviewer, read by the verification.

use std::collections::BTreeMap;

use crate::traffic::{Attack, BATCH_SIZES, BATCHES};
use loadtest::locked::Locked;

/// A sender's knowledge of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    /// It never reached the server: it must be absent.
    #[default]
    Unsent,
    /// It was sent and not acknowledged: it may be present once, or absent.
    Unknown,
    /// It was acknowledged: it must be present, once.
    Acknowledged,
}

/// One attack in the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Id of the source it was sent to.
    pub(crate) source: String,
    /// Its source address: with the source, the identity of its incident.
    pub(crate) address: String,
    /// State of its batches.
    pub(crate) batches: [Fate; BATCHES],
}

impl Entry {
    /// The records of the acknowledged batches.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.sizes(Fate::Acknowledged).sum()
    }

    /// Every number of records that the server may count: those of the acknowledged batches, with those
    /// of any of the unknown ones. Ascending.
    pub(crate) fn allowed(&self) -> Vec<u64> {
        let mut allowed = vec![self.acknowledged()];
        for size in self.sizes(Fate::Unknown) {
            let with: Vec<u64> = allowed.iter().map(|sum| sum + size).collect();
            allowed.extend(with);
        }
        allowed.sort_unstable();
        allowed
    }

    fn sizes(&self, fate: Fate) -> impl Iterator<Item = u64> {
        self.batches.iter().zip(BATCH_SIZES).filter(move |(own, _)| **own == fate).map(|(_, size)| size)
    }
}

/// The states that reviews set in turn; each differs from the one before.
pub(crate) const REVIEWS: [(&str, Option<&str>); 5] = [
    ("in_progress", None),
    ("resolved", Some("fixed")),
    ("triaged", None),
    ("resolved", Some("false_positive")),
    ("resolved", Some("accepted_risk")),
];

/// The review of an incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Review {
    /// `triage_status`.
    pub(crate) status: String,
    /// `triage_resolution`.
    pub(crate) resolution: Option<String>,
    /// `triage_version`.
    pub(crate) version: u64,
}

impl Review {
    /// The state before any review.
    pub(crate) fn untouched() -> Self {
        Self { status: "new".to_owned(), resolution: None, version: 1 }
    }
}

/// Attacks, sources and reviews.
#[derive(Clone, Debug, Default)]
pub(crate) struct Books {
    /// Attacks by their number.
    pub(crate) attacks: BTreeMap<u32, Entry>,
    /// By incident id, the reviews it may have: one, or two when the answer to the last review was lost.
    pub(crate) reviews: BTreeMap<String, Vec<Review>>,
    /// Sources by name, with their id once known: then the server must have it exactly once, else
    /// once or not at all.
    pub(crate) sources: BTreeMap<String, Option<String>>,
}

impl Books {
    /// Ids of the sources that received batches.
    pub(crate) fn source_ids(&self) -> impl Iterator<Item = &String> {
        self.sources.values().flatten()
    }

    /// Enters a new attack on a source.
    pub(crate) fn begin(&mut self, source: &str, now_ms: u64) -> Attack {
        let number = u32::try_from(self.attacks.len()).unwrap_or(u32::MAX);
        let attack = Attack::new(number, now_ms);
        let entry = Entry {
            source: source.to_owned(),
            address: attack.address(),
            batches: [Fate::default(); BATCHES],
        };
        self.attacks.insert(number, entry);
        attack
    }

    /// Enters the state of a batch. A known state never becomes less certain.
    pub(crate) fn settle(&mut self, attack: &Attack, batch: usize, fate: Fate) {
        let entry = self.attacks.get_mut(&attack.number);
        if let Some(known) = entry.and_then(|entry| entry.batches.get_mut(batch)) {
            *known = fate.max(*known);
        }
    }

    /// Enters a source that will be created, and later its id.
    pub(crate) fn opened(&mut self, name: &str, id: Option<&str>) {
        self.sources.insert(name.to_owned(), id.map(str::to_owned));
    }

    /// Enters the reviews that an incident may have now.
    pub(crate) fn reviewed(&mut self, incident: &str, possible: Vec<Review>) {
        self.reviews.insert(incident.to_owned(), possible);
    }

    /// The reviews that an incident may have now.
    pub(crate) fn reviews(&self, incident: &str) -> Vec<Review> {
        self.reviews.get(incident).cloned().unwrap_or_else(|| vec![Review::untouched()])
    }
}

/// The account, shared by senders and reviewer.
pub(crate) type Account = Locked<Books>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_follows_from_what_is_known() {
        let account = Account::default();
        let attack = account.lock().begin("s", 0);
        let allowed = |account: &Account| account.lock().attacks[&0].allowed();
        assert_eq!(allowed(&account), [0]);
        account.lock().settle(&attack, 1, Fate::Unknown);
        assert_eq!(allowed(&account), [0, 13]);
        account.lock().settle(&attack, 0, Fate::Acknowledged);
        account.lock().settle(&attack, 2, Fate::Unknown);
        assert_eq!(allowed(&account), [10, 23, 39, 52]);
        account.lock().settle(&attack, 1, Fate::Acknowledged);
        account.lock().settle(&attack, 1, Fate::Unknown);
        assert_eq!(allowed(&account), [23, 52], "an acknowledgement is not taken back by a lost answer");
    }
}

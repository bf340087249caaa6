//! Rows of remembered requests in the organization's ledger. A request has one row under its key, which is read by
//! itself, and stands in two orders of age: that of its API key and that of the organization. Two kinds of tallies say
//! how many there are, so that nothing is counted by reading it.

use bytes::Bytes;
use common::ids::KeyId;
use common::row::{self, BodyError};
use common::timestamp::Timestamp;
use ledger::{Kind, Op};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Prefix of the requests: API key and idempotency key follow.
const REQUESTS: &[u8] = b"idempotency/";
/// Prefix of the order of age in the organization: time, API key and idempotency key follow.
const OLDEST: &[u8] = b"idempotency-oldest/";
/// Prefix of the orders of age of the API keys: API key, time and idempotency key follow.
const OLDEST_OF_CALLER: &[u8] = b"idempotency-oldest-of/";
/// Prefix of the tallies: nothing follows for the organization, the API key for one of those.
const TALLIES: &[u8] = b"idempotency-tally/";
/// Bytes of a time in a key.
const TIME: usize = 8;
/// Bytes of an API key's id in a key.
const CALLER: usize = 16;

/// A remembered request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Remembered {
    /// SHA-256 of the request.
    pub(super) fingerprint: [u8; 32],
    /// Id of the resource that the request creates: a repetition of a request whose outcome is unknown creates no other.
    pub(super) id: Uuid,
    /// When the latest attempt began.
    pub(super) began_at: Timestamp,
    /// Whether the latest attempt ended in a failure of the service, so that its effect is unknown.
    pub(super) failed: bool,
    /// `None` while it runs, and after a failure.
    pub(super) reply: Option<super::Reply>,
}

/// Number of remembered requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) count: u64,
    /// None of them is older: a scan for the oldest begins here, and so does not pass the deleted ones again and again, which
    /// some stores keep for days.
    pub(super) oldest_at: Timestamp,
    /// The hour since 1970 in which expired requests were last removed. Of the organization's tally only.
    pub(super) swept_in_hour: i64,
}

/// Position of a request: its owner, its idempotency key, and when its latest attempt began.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub(super) caller: KeyId,
    pub(super) key: Bytes,
    pub(super) began_at: Timestamp,
}

impl Entry {
    /// Key of the request's own row.
    pub(super) fn request_key(&self) -> Vec<u8> {
        [REQUESTS, self.caller.as_bytes(), &self.key].concat()
    }

    /// Key of its place in the organization's order.
    pub(super) fn oldest_key(&self) -> Vec<u8> {
        [OLDEST, &time(self.began_at), self.caller.as_bytes(), &self.key].concat()
    }

    /// Key of its place in the order of its API key.
    fn oldest_of_caller_key(&self) -> Vec<u8> {
        [OLDEST_OF_CALLER, self.caller.as_bytes(), &time(self.began_at), &self.key].concat()
    }

    /// The entry of a row in the organization's order; `None` for a key of another shape.
    pub(super) fn of_oldest_key(key: &Bytes) -> Option<Self> {
        let (time, rest) = key.strip_prefix(OLDEST)?.split_first_chunk::<TIME>()?;
        let (caller, own) = rest.split_first_chunk::<CALLER>()?;
        let began_at = Timestamp(i64::from_be_bytes(*time));
        Some(Self { caller: KeyId::from_bytes(*caller), key: key.slice_ref(own), began_at })
    }

    /// The entry of a row in the order of an API key; `None` for a key of another shape.
    pub(super) fn of_oldest_of_caller_key(key: &Bytes) -> Option<Self> {
        let (caller, rest) = key.strip_prefix(OLDEST_OF_CALLER)?.split_first_chunk::<CALLER>()?;
        let (time, own) = rest.split_first_chunk::<TIME>()?;
        let began_at = Timestamp(i64::from_be_bytes(*time));
        Some(Self { caller: KeyId::from_bytes(*caller), key: key.slice_ref(own), began_at })
    }

    /// Operations that write its places in both orders.
    pub(super) fn put_places(&self) -> Result<[Op; 2], BodyError> {
        Ok([put(self.oldest_key(), &())?, put(self.oldest_of_caller_key(), &())?])
    }

    /// Operations that remove its places from both orders.
    pub(super) fn delete_places(&self) -> [Op; 2] {
        [delete(self.oldest_key()), delete(self.oldest_of_caller_key())]
    }
}

/// Prefix of an order of age: of an API key, or `None` for the organization.
pub(super) fn order(of: Option<KeyId>) -> Vec<u8> {
    of.map_or_else(|| OLDEST.to_vec(), |caller| [OLDEST_OF_CALLER, caller.as_bytes()].concat())
}

/// A key before all that are as old as `at` in an order of age, and after all that are older.
pub(super) fn before(order: &[u8], at: Timestamp) -> Vec<u8> {
    [order, &time(at)].concat()
}

/// Key of the tally of an API key; `None` for the organization's.
pub(super) fn tally_key(caller: Option<KeyId>) -> Vec<u8> {
    let caller = caller.map(|caller| caller.as_bytes().to_vec()).unwrap_or_default();
    [TALLIES, &caller].concat()
}

pub(super) fn put<T: Serialize>(key: Vec<u8>, value: &T) -> Result<Op, BodyError> {
    Ok(Op::Put { kind: Kind::State, key: key.into(), body: row::encode(value)?.into() })
}

pub(super) fn delete(key: Vec<u8>) -> Op {
    Op::Delete { kind: Kind::State, key: key.into() }
}

/// A time in a key: times before 1970 are taken as that, so that the order of the bytes is that of the times.
fn time(at: Timestamp) -> [u8; TIME] {
    at.0.max(0).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_from_their_keys_and_stand_in_order_of_age() {
        let entry = |caller, key: &'static [u8], began_at| Entry {
            caller: KeyId::from_bytes([caller; 16]),
            key: Bytes::from_static(key),
            began_at: Timestamp(began_at),
        };
        let all = [entry(9, b"z", 1), entry(1, b"a", 2), entry(1, b"a", 256)];
        for entry in &all {
            assert_eq!(Entry::of_oldest_key(&entry.oldest_key().into()).as_ref(), Some(entry));
            assert_eq!(
                Entry::of_oldest_of_caller_key(&entry.oldest_of_caller_key().into()).as_ref(),
                Some(entry)
            );
        }
        assert!(all.is_sorted_by_key(Entry::oldest_key));
        assert_eq!(Entry::of_oldest_key(&Bytes::from_static(OLDEST)), None);
    }
}

//! The description of a type of record.

use common::digest::digest;
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use ledger::LedgerId;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A type of record; the value itself is the head.
pub trait Record: Serialize + DeserializeOwned + Send + Sync {
    /// Part of every key: lower-case letters and hyphens, at most 32, different for each type. Stored.
    const NAME: &'static str;
    /// The ledgers that hold records of this type.
    const HOME: Home = Home::Records;
    /// The large part, read only when one record is shown; `()` for none.
    type Detail: Serialize + DeserializeOwned + Send + Sync;
    /// One entry of the history, immutable once written; `()` for none.
    type History: Serialize + DeserializeOwned + Send + Sync;

    /// Its id.
    fn id(&self) -> RecordId;
    /// The organization that it belongs to; the nil UUID for public results.
    fn organization(&self) -> OrganizationId;
}

/// A family of ledgers, one for each shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Home {
    /// Records of organizations.
    Records,
    /// Results that organizations may share. Without events.
    Shared,
}

impl Home {
    /// Every family.
    pub const ALL: [Self; 2] = [Self::Records, Self::Shared];

    /// The ledger of a shard.
    #[must_use]
    pub fn ledger(self, shard: Shard) -> LedgerId {
        match self {
            Self::Records => LedgerId::Records(shard),
            Self::Shared => LedgerId::Shared(shard),
        }
    }
}

/// The shard of an anchor among `count` of them (at least one): records of one organization with the same anchor can change
/// in one commit. Stable for the life of a deployment.
#[must_use]
pub fn shard_of_anchor(organization: OrganizationId, anchor: &[u8], count: u16) -> Shard {
    shard_of(&[organization.as_bytes(), anchor], count)
}

/// The shard of an identifier that means the same to every organization, for example a public package.
#[must_use]
pub fn shard_of_identifier(identifier: &[u8], count: u16) -> Shard {
    shard_of(&[identifier], count)
}

fn shard_of(parts: &[&[u8]], count: u16) -> Shard {
    let head = digest(parts).first_chunk::<8>().map_or(0, |head| u64::from_be_bytes(*head));
    Shard(u16::try_from(head % u64::from(count.max(1))).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_stable_below_the_count_and_follows_organization_and_anchor() {
        let of = |organization: u8, anchor: &[u8], count| {
            shard_of_anchor(OrganizationId::from_bytes([organization; 16]), anchor, count)
        };
        // Part of every id: what these say must never change.
        assert_eq!(of(1, b"repository", 64), Shard(58));
        assert_eq!(shard_of_identifier(b"pkg:npm/left-pad", 64), Shard(36));
        let shards: std::collections::BTreeSet<_> = (0..200_u8).map(|anchor| of(1, &[anchor], 8)).collect();
        assert_eq!(shards.len(), 8, "anchors spread");
        assert!((0..200_u8).any(|anchor| of(1, &[anchor], 8) != of(2, &[anchor], 8)), "so do organizations");
        assert_eq!(of(1, b"x", 0), Shard(0));
    }
}

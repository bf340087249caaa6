//! The description of a type of record.

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
    /// The ledger of a shard.
    #[must_use]
    pub fn ledger(self, shard: Shard) -> LedgerId {
        match self {
            Self::Records => LedgerId::Records(shard),
            Self::Shared => LedgerId::Shared(shard),
        }
    }
}

//! Identifiers. Each kind is a type of its own, so that one cannot be passed where another is meant.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// The 16 bytes of the id, in network order: what ledger keys are made of.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }

            /// The id whose 16 bytes these are.
            #[must_use]
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                self.0.as_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0.as_hyphenated())
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            /// Accepts the hyphenated form only: the one this product prints.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse::<uuid::fmt::Hyphenated>().map(|id| Self(id.into_uuid()))
            }
        }
    };
}

uuid_id!(
    /// An organization: the tenant everything belongs to.
    OrganizationId
);
impl OrganizationId {
    /// The owner of rows that belong to no organization: results about public content, and jobs of the deployment itself.
    pub const NONE: Self = Self(Uuid::nil());
}

uuid_id!(
    /// A source of logs inside an organization.
    SourceId
);
uuid_id!(
    /// An API key (its name in the ledger, never the key itself).
    KeyId
);
uuid_id!(
    /// A detection rule that an organization added. Not the id its Sigma document states.
    DetectionRuleId
);
uuid_id!(
    /// A suppression that an organization added. Not the id its Sigma document states.
    SuppressionId
);
uuid_id!(
    /// A receiver of events: a webhook target or a telemetry endpoint.
    ReceiverId
);
uuid_id!(
    /// A monitoring policy of an organization.
    PolicyId
);
uuid_id!(
    /// An incident: UUID version 8 that carries its partition, see [`IncidentId::new`].
    IncidentId
);

uuid_id!(
    /// An application of an organization.
    ApplicationId
);
uuid_id!(
    /// An agent of an organization.
    AgentId
);
uuid_id!(
    /// A record, for example a finding or a report: UUID version 8 that carries its shard, see [`RecordId::new`].
    RecordId
);

impl IncidentId {
    /// Makes the id of an incident: 16 bits of partition, then a hash of its key and episode, with
    /// the version and variant bits of RFC 9562 section 5.8. The partition in front lets a reader
    /// find the incident's ledger without an index.
    #[must_use]
    pub fn new(partition: crate::partition::Partition, hash: &[u8; 32]) -> Self {
        Self(carrying(partition.0, hash))
    }

    /// The partition whose ledger holds this incident.
    #[must_use]
    pub fn partition(&self) -> crate::partition::Partition {
        crate::partition::Partition(carried(self.0))
    }
}

impl RecordId {
    /// Makes the id of a record, as [`IncidentId::new`] does. The hash is of the record's identity, or of random bytes.
    #[must_use]
    pub fn new(shard: crate::partition::Shard, hash: &[u8; 32]) -> Self {
        Self(carrying(shard.0, hash))
    }

    /// The shard whose ledger holds this record.
    #[must_use]
    pub fn shard(&self) -> crate::partition::Shard {
        crate::partition::Shard(carried(self.0))
    }
}

/// A UUID of version 8 that begins with a number and goes on with a hash.
fn carrying(number: u16, hash: &[u8; 32]) -> Uuid {
    let mut bytes = [0_u8; 16];
    let front = number.to_be_bytes();
    bytes.iter_mut().zip(front.iter().chain(hash)).for_each(|(to, from)| *to = *from);
    Uuid::new_v8(bytes)
}

/// The number that such a UUID begins with.
fn carried(id: Uuid) -> u16 {
    id.as_bytes().first_chunk().map_or(0, |front| u16::from_be_bytes(*front))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Partition;

    #[test]
    fn incident_id_carries_its_partition_and_is_version_eight() {
        let id = IncidentId::new(Partition(513), &[0xff; 32]);
        assert_eq!(id.partition(), Partition(513));
        assert_eq!(id.0.get_version_num(), 8);
        assert_eq!(id.to_string().parse::<IncidentId>().unwrap(), id);
    }

    #[test]
    fn record_id_carries_its_shard_and_differs_by_its_hash() {
        let shard = crate::partition::Shard(65_001);
        let id = RecordId::new(shard, &[7; 32]);
        assert_eq!((id.shard(), id.0.get_version_num()), (shard, 8));
        assert_ne!(id, RecordId::new(shard, &[8; 32]));
    }

    #[test]
    fn only_the_printed_form_is_an_id() {
        assert!("67e5504410b1426f9247bb680e5fe0c8".parse::<SourceId>().is_err());
        assert!("67e55044-10b1-426f-9247-bb680e5fe0c8".parse::<SourceId>().is_ok());
    }
}

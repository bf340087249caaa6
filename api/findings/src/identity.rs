//! The identity of a finding: a hash of the parts that stay the same while code around the weakness changes.

use std::fmt;

use common::digest::digest;
use common::hexadecimal;
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use engine::Observation;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::target::Target;

/// Hash of organization, target, check and the check's identity parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity([u8; 16]);

/// State row of an identity: the latest episode, and its finding; a tombstone where the finding was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Episode {
    /// Number of the latest episode, from 1.
    pub(crate) number: u32,
    /// Its finding; `None` after its deletion.
    pub(crate) finding: Option<RecordId>,
    /// The run that began it.
    pub(crate) begun_by: Uuid,
    /// Whether it continues one that was fixed.
    pub(crate) recurred: bool,
    /// Of a deleted finding, the last runs that observed it: repeated after the deletion, they begin no other episode.
    pub(crate) observed_by: Vec<Uuid>,
}

impl Episode {
    /// Whether a run has observed the finding before it was deleted, or begun the episode.
    pub(crate) fn is_known_to(&self, run: Uuid) -> bool {
        self.begun_by == run || self.observed_by.contains(&run)
    }
}

impl Identity {
    /// The identity of an observation of a target.
    #[must_use]
    pub fn of(organization: OrganizationId, target: &Target, observation: &Observation) -> Self {
        let anchor = target.anchor();
        let mut parts: Vec<&[u8]> =
            vec![b"finding", organization.as_bytes(), &anchor, observation.check.as_bytes()];
        parts.extend(observation.identity.iter().map(String::as_bytes));
        Self(digest(&parts).first_chunk().copied().unwrap_or_default())
    }

    /// The id of the finding of an episode.
    pub(crate) fn finding(self, shard: Shard, episode: u32) -> RecordId {
        RecordId::new(shard, &digest(&[b"finding", &self.0, &episode.to_be_bytes()]))
    }

    /// Key of its state row.
    pub(crate) fn key(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hexadecimal::print(&self.0))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({self})")
    }
}

impl Serialize for Identity {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Identity {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = hexadecimal::parse(&text).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| serde::de::Error::custom("expected 32 hexadecimal digits"))
    }
}

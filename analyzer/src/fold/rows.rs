//! Keys of the analyzer's own state rows. What the API reads too is keyed in `common::row`.

use bytes::Bytes;
use common::ids::{IncidentId, OrganizationId};
use common::row::incident_key;

/// Rows that changed: what is left of the key, and the body, absent where the row is to go.
pub(crate) type Changed<K> = Vec<(K, Option<Vec<u8>>)>;

/// Prefix of windows.
pub(crate) const WINDOW: &[u8] = b"window";
/// Prefix of entity risks.
pub(crate) const RISK: &[u8] = b"risk";
/// Prefix of remembered deliveries.
pub(crate) const DELIVERIES: &[u8] = b"deliveries";
/// Prefix of opened-incident counts.
pub(crate) const STORM: &[u8] = b"storm";
/// Prefix of records that were set aside.
pub(crate) const QUARANTINE: &[u8] = b"quarantine";
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

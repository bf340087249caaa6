//! Keys of the directory's rows. All are heads.

use common::ids::{KeyId, OrganizationId};

/// Prefix of all organizations, in the platform's ledger.
pub(crate) const ORGANIZATIONS: &[u8] = b"organization/";
/// Prefix of all keys by hash, in the platform's ledger.
const KEY_HASHES: &[u8] = b"key-hash/";
/// Prefix of all keys, in the platform's ledger.
const KEYS: &[u8] = b"key/";
/// Settings shared by the processes of a deployment, in the platform's ledger.
pub(crate) const DEPLOYMENT: &[u8] = b"deployment";
/// Which log and pepper belong to the ledger of a data directory, in the platform's ledger.
pub(crate) const DATA_DIRECTORY: &[u8] = b"data-directory";
/// Prefix of an organization's sources, in its own ledger.
pub(crate) const SOURCES: &[u8] = b"source/";

/// Prefix of the versions that organizations' own detection has been announced under, in the platform's
/// ledger.
pub(crate) const OWN_DETECTION_VERSIONS: &[u8] = b"own-detection/";
/// Sums over an organization's own detection, in its own ledger.
pub(crate) const OWN_DETECTION: &[u8] = b"own-detection";
/// Rules and suppressions of an organization that cannot be used, in its own ledger.
pub(crate) const UNUSABLE_DOCUMENTS: &[u8] = b"unusable-documents";
/// Prefix of an organization's detection rules, in its own ledger.
pub(crate) const DETECTION_RULES: &[u8] = b"detection-rule/";
/// Prefix of an organization's suppressions, in its own ledger.
pub(crate) const SUPPRESSIONS: &[u8] = b"suppression/";
/// Prefix of an organization's webhook targets, in its own ledger.
pub(crate) const WEBHOOK_TARGETS: &[u8] = b"receiver/webhook/";
/// Prefix of an organization's telemetry endpoints, in its own ledger.
pub(crate) const TELEMETRY_ENDPOINTS: &[u8] = b"receiver/telemetry/";
/// Prefix of all receivers.
const RECEIVERS: &[u8] = b"receiver/";
/// Prefix of an organization's monitoring policies, in its own ledger.
pub(crate) const MONITORING_POLICIES: &[u8] = b"monitoring-policy/";
/// Prefix of an organization's applications, in its own ledger.
pub(crate) const APPLICATIONS: &[u8] = b"application/";
/// Prefix of the rows from the name of an application to the application.
pub(crate) const APPLICATION_NAMES: &[u8] = b"application-name/";
/// Prefix of the rows from the URL of an application to the application.
pub(crate) const APPLICATION_URLS: &[u8] = b"application-url/";
/// Prefix of an organization's agents, in its own ledger.
pub(crate) const AGENTS: &[u8] = b"agent/";
/// Prefix of the rows from the name of an agent to the agent.
pub(crate) const AGENT_NAMES: &[u8] = b"agent-name/";
/// Prefix of an organization's pairing codes, in its own ledger.
pub(crate) const PAIRING_CODES: &[u8] = b"pairing-code/";
/// Prefix of all pairing codes by hash, in the platform's ledger.
const PAIRING_CODE_HASHES: &[u8] = b"pairing-code-hash/";
/// The version of an organization's monitoring policies, in its own ledger.
pub(crate) const MONITORING_POLICIES_VERSION: &[u8] = b"monitoring-policies";

/// Whether a head in an organization's ledger is a receiver.
#[must_use]
pub fn is_receiver_key(key: &[u8]) -> bool {
    key.starts_with(RECEIVERS)
}

/// Key of an organization.
pub(crate) fn organization_key(organization: OrganizationId) -> Vec<u8> {
    [ORGANIZATIONS, organization.as_bytes()].concat()
}

/// Prefix of an organization's keys.
pub(crate) fn keys_prefix(organization: OrganizationId) -> Vec<u8> {
    [KEYS, organization.as_bytes()].concat()
}

/// Key of an API key.
pub(crate) fn api_key_key(organization: OrganizationId, key: KeyId) -> Vec<u8> {
    [KEYS, organization.as_bytes(), key.as_bytes()].concat()
}

/// Key of the row that leads from a hash to its API key.
pub(crate) fn key_hash_key(hash: &[u8; 32]) -> Vec<u8> {
    [KEY_HASHES, hash.as_slice()].concat()
}

/// Key of the row that leads from a hash to its pairing code.
pub(crate) fn pairing_code_hash_key(hash: &[u8; 32]) -> Vec<u8> {
    [PAIRING_CODE_HASHES, hash.as_slice()].concat()
}

/// Key of the version that an organization's own detection has been announced under.
pub(crate) fn own_detection_version_key(organization: OrganizationId) -> Vec<u8> {
    [OWN_DETECTION_VERSIONS, organization.as_bytes()].concat()
}

//! Scopes of API keys.

use crate::error::DirectoryError;

/// Scopes that a key can be narrowed to.
pub const SCOPES: [&str; 31] = [
    "agents:read",
    "agents:write",
    "applications:read",
    "applications:write",
    "code_host:read",
    "code_host:write",
    "context:read",
    "context:write",
    "contributors:read",
    "contributors:write",
    "findings:read",
    "findings:write",
    "guard:use",
    "incidents:read",
    "incidents:write",
    "ingest:write",
    "keys:read",
    "keys:write",
    "organization:read",
    "policies:read",
    "policies:write",
    "reports:read",
    "reports:write",
    "rules:read",
    "rules:write",
    "sources:read",
    "sources:write",
    "telemetry:read",
    "telemetry:write",
    "webhooks:read",
    "webhooks:write",
];

/// Scopes sorted, each once; refused when there is none or one that nobody knows.
pub(super) fn checked_scopes(mut scopes: Vec<String>) -> Result<Vec<String>, DirectoryError> {
    if scopes.is_empty() {
        return Err(DirectoryError::invalid("scopes", "expected at least one scope"));
    }
    if scopes.iter().any(|scope| !SCOPES.contains(&scope.as_str())) {
        let known = SCOPES.join(", ");
        return Err(DirectoryError::invalid("scopes", format!("an unknown scope, known are {known}")));
    }
    scopes.sort();
    scopes.dedup();
    Ok(scopes)
}

//! Scopes: permissions of a narrowed key. Names follow `<resource>:<read|write>`; a key without a list has all.

/// A scope, as a type, so that a handler says what it needs where it takes its caller.
pub trait Scope: Send + Sync + 'static {
    /// Its name, as keys carry it.
    const NAME: &'static str;
}

macro_rules! scope {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {$(
        $(#[$doc])*
        pub enum $name {}

        impl Scope for $name {
            const NAME: &'static str = $text;
        }
    )*};
}

scope! {
    /// List and look at incidents.
    IncidentsRead = "incidents:read";
    /// Review incidents.
    IncidentsWrite = "incidents:write";
    /// List and look at findings.
    FindingsRead = "findings:read";
    /// Review, triage, import and delete findings.
    FindingsWrite = "findings:write";
    /// List and look at sources.
    SourcesRead = "sources:read";
    /// Create, change and delete sources.
    SourcesWrite = "sources:write";
    /// List and look at detection rules and suppressions.
    RulesRead = "rules:read";
    /// Create, replace and delete detection rules and suppressions.
    RulesWrite = "rules:write";
    /// List and look at monitoring policies.
    PoliciesRead = "policies:read";
    /// Create, change and delete monitoring policies.
    PoliciesWrite = "policies:write";
    /// List and look at webhook targets and what was delivered to them.
    WebhooksRead = "webhooks:read";
    /// Create, change, test and delete webhook targets, rotate their secrets, and deliver again.
    WebhooksWrite = "webhooks:write";
    /// List and look at telemetry endpoints.
    TelemetryRead = "telemetry:read";
    /// Create, change, test and delete telemetry endpoints.
    TelemetryWrite = "telemetry:write";
    /// List API keys (never the keys themselves).
    KeysRead = "keys:read";
    /// Create, rotate and revoke API keys, none of which may do more than the key that makes it.
    KeysWrite = "keys:write";
    /// Look at the organization.
    OrganizationRead = "organization:read";
    /// List and look at applications.
    ApplicationsRead = "applications:read";
    /// Create, change and delete applications.
    ApplicationsWrite = "applications:write";
    /// List and look at agents and their clients.
    AgentsRead = "agents:read";
    /// Create, change and delete agents, create pairing codes, and revoke clients.
    AgentsWrite = "agents:write";
    /// List and look at installations and repositories of the code host.
    CodeHostRead = "code_host:read";
    /// Connect and disconnect installations of the code host, and change repositories.
    CodeHostWrite = "code_host:write";
    /// Read the results of context scans.
    ContextRead = "context:read";
    /// Scan content before an agent reads it.
    ContextWrite = "context:write";
    /// Read trust scores and scans of contributors.
    ContributorsRead = "contributors:read";
    /// Scan contributors.
    ContributorsWrite = "contributors:write";
    /// Use guard, redact and verify.
    GuardUse = "guard:use";
}

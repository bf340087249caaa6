//! The built-in rules, which need no configuration. The rules themselves are YAML in `pack/`; reading and matching them belongs
//! to `sigma`.

use std::sync::Arc;

use sigma::{CompileOptions, Document, Layer, Limits, Placeholders, Refusal, RuleSet};
use thiserror::Error;

use normalize::aliases::CanonicalFields;

/// The files of the pack, by name.
const FILES: &[(&str, &str)] = &[
    ("pack/authentication.yml", include_str!("../pack/authentication.yml")),
    ("pack/authentication_hosts.yml", include_str!("../pack/authentication_hosts.yml")),
    ("pack/authentication_services.yml", include_str!("../pack/authentication_services.yml")),
    ("pack/authentication_ssh.yml", include_str!("../pack/authentication_ssh.yml")),
    ("pack/authentication_windows.yml", include_str!("../pack/authentication_windows.yml")),
    ("pack/cloud_aws_access.yml", include_str!("../pack/cloud_aws_access.yml")),
    ("pack/cloud_aws_data.yml", include_str!("../pack/cloud_aws_data.yml")),
    ("pack/cloud_aws_exposure.yml", include_str!("../pack/cloud_aws_exposure.yml")),
    ("pack/cloud_aws_identity.yml", include_str!("../pack/cloud_aws_identity.yml")),
    ("pack/cloud_aws_privileges.yml", include_str!("../pack/cloud_aws_privileges.yml")),
    ("pack/cloud_aws_protection.yml", include_str!("../pack/cloud_aws_protection.yml")),
    ("pack/cloud_azure.yml", include_str!("../pack/cloud_azure.yml")),
    ("pack/cloud_google.yml", include_str!("../pack/cloud_google.yml")),
    ("pack/cloud_others.yml", include_str!("../pack/cloud_others.yml")),
    ("pack/containers.yml", include_str!("../pack/containers.yml")),
    ("pack/google_workspace.yml", include_str!("../pack/google_workspace.yml")),
    ("pack/identity_changes.yml", include_str!("../pack/identity_changes.yml")),
    ("pack/identity_entra.yml", include_str!("../pack/identity_entra.yml")),
    ("pack/identity_okta.yml", include_str!("../pack/identity_okta.yml")),
    ("pack/kubernetes.yml", include_str!("../pack/kubernetes.yml")),
    ("pack/kubernetes_access.yml", include_str!("../pack/kubernetes_access.yml")),
    ("pack/linux_audit.yml", include_str!("../pack/linux_audit.yml")),
    ("pack/linux_execution.yml", include_str!("../pack/linux_execution.yml")),
    ("pack/linux_persistence.yml", include_str!("../pack/linux_persistence.yml")),
    ("pack/linux_traces.yml", include_str!("../pack/linux_traces.yml")),
    ("pack/privileges.yml", include_str!("../pack/privileges.yml")),
    ("pack/proxies.yml", include_str!("../pack/proxies.yml")),
    ("pack/services_abuse.yml", include_str!("../pack/services_abuse.yml")),
    ("pack/services_network.yml", include_str!("../pack/services_network.yml")),
    ("pack/source_code.yml", include_str!("../pack/source_code.yml")),
    ("pack/source_code_gitlab.yml", include_str!("../pack/source_code_gitlab.yml")),
    ("pack/tool_alerts.yml", include_str!("../pack/tool_alerts.yml")),
    ("pack/web_abuse.yml", include_str!("../pack/web_abuse.yml")),
    ("pack/web_answered.yml", include_str!("../pack/web_answered.yml")),
    ("pack/web_attacks.yml", include_str!("../pack/web_attacks.yml")),
    ("pack/web_bursts.yml", include_str!("../pack/web_bursts.yml")),
    ("pack/web_errors.yml", include_str!("../pack/web_errors.yml")),
    ("pack/web_exploits.yml", include_str!("../pack/web_exploits.yml")),
    ("pack/web_scans.yml", include_str!("../pack/web_scans.yml")),
    ("pack/web_services.yml", include_str!("../pack/web_services.yml")),
    ("pack/windows.yml", include_str!("../pack/windows.yml")),
];

/// A document of the pack was refused: the build is broken.
#[derive(Debug, Error)]
#[error("the built-in rules do not compile: {}", .refusals.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct PackError {
    /// Each refused document, and why.
    pub refusals: Vec<Refusal>,
}

/// Parses the documents of the pack.
#[must_use]
pub fn documents() -> Vec<Result<Document, Refusal>> {
    FILES.iter().flat_map(|(name, yaml)| sigma::parse(name, yaml)).collect()
}

/// Compiles the built-in rules.
///
/// # Errors
/// [`PackError`] when any document is refused: half a pack would miss attacks without a word.
pub fn built_in() -> Result<RuleSet, PackError> {
    let mut documents = Vec::new();
    let mut refusals = Vec::new();
    for document in self::documents() {
        match document {
            Ok(document) => documents.push(document),
            Err(refusal) => refusals.push(refusal),
        }
    }
    let (rules, refused) = compile(documents, &Placeholders::default());
    refusals.extend(refused);
    if refusals.is_empty() { Ok(rules) } else { Err(PackError { refusals }) }
}

/// The placeholder for the networks inside, of which rules about clients from the internet take no notice.
const INTERNAL_NETWORKS: &str = "internal_networks";
/// Private, shared, link-local and loopback addresses (RFC 1918, RFC 6598, RFC 3927, RFC 4193, RFC 4291). An operator may define the
/// placeholder otherwise.
const USUAL_INTERNAL_NETWORKS: [&str; 9] = [
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "100.64.0.0/10",
    "169.254.0.0/16",
    "127.0.0.0/8",
    "fc00::/7",
    "fe80::/10",
    "::1/128",
];

/// The placeholders with those that the pack defines itself where the operator does not.
pub(crate) fn with_own(placeholders: &Placeholders) -> Placeholders {
    let mut all = placeholders.clone();
    if all.values(INTERNAL_NETWORKS).is_none() {
        all.define(INTERNAL_NETWORKS, USUAL_INTERNAL_NETWORKS);
    }
    all
}

/// Compiles documents as the analyzer can use them: with its names of fields.
#[must_use]
pub fn compile(documents: Vec<Document>, placeholders: &Placeholders) -> (RuleSet, Vec<Refusal>) {
    let placeholders = &with_own(placeholders);
    RuleSet::compile_with(documents, &CompileOptions { mapping: &CanonicalFields, placeholders })
}

/// [`compile`] beside the shared rules, which were compiled with the same placeholders, as far as the limits leave
/// room.
#[must_use]
pub fn compile_beside(
    shared_rules: Arc<RuleSet>,
    documents: Vec<Document>,
    placeholders: &Placeholders,
    limits: Limits<'_>,
) -> (Layer, Vec<Refusal>) {
    let options = CompileOptions { mapping: &CanonicalFields, placeholders: &with_own(placeholders) };
    Layer::compile(shared_rules, documents, &options, limits)
}

#[cfg(test)]
mod tests;

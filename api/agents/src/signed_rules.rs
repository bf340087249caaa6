//! The signed bytes of the rules for clients, their version and their signature (docs/agents.md, Signature).

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use agent_rules::AgentRule;
use common::hexadecimal;
use directory::{AgentEvidence, AgentMode};
use sha2::{Digest, Sha256};

/// First line of the signed bytes: purpose and version of their form.
const PREFIX: &[u8] = b"palisade-agent-rules/1\n";
/// Bytes of the hash that are the version.
const VERSION_BYTES: usize = 16;

/// Version and signature of the rules for an agent with some settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signed {
    /// Hexadecimal digits of a hash of the signed bytes.
    pub(crate) version: String,
    /// Ed25519 signature of the signed bytes, in Base64.
    pub(crate) signature: String,
}

/// Signatures of the same rules, one for each combination of settings.
#[derive(Debug, Default)]
pub(crate) struct Signatures(Mutex<BTreeMap<(AgentMode, AgentEvidence), Signed>>);

impl Signatures {
    pub(crate) fn get(&self, settings: (AgentMode, AgentEvidence)) -> Option<Signed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&settings).cloned()
    }

    pub(crate) fn put(&self, settings: (AgentMode, AgentEvidence), signed: Signed) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(settings, signed);
    }
}

/// The bytes that are signed: the prefix, then each text as its length in bytes, a colon, its bytes and a comma.
pub(crate) fn signed_bytes<'r>(
    (mode, evidence): (AgentMode, AgentEvidence),
    rules: impl ExactSizeIterator<Item = &'r AgentRule>,
) -> Vec<u8> {
    let mut bytes = PREFIX.to_vec();
    let mut text = |text: &str| {
        bytes.extend_from_slice(text.len().to_string().as_bytes());
        bytes.push(b':');
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b',');
    };
    text(mode.as_str());
    text(evidence.as_str());
    text(&rules.len().to_string());
    for rule in rules {
        text(&rule.id);
        text(&rule.version);
        text(&rule.yaml);
    }
    bytes
}

/// The version of signed bytes.
pub(crate) fn version(signed: &[u8]) -> String {
    let hash = Sha256::digest(signed);
    hexadecimal::print(hash.get(..VERSION_BYTES).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use agent_rules::Response;
    use sigma::Level;

    use super::*;

    #[test]
    fn the_signed_bytes_are_those_of_the_documentation() {
        let rule = AgentRule {
            id: "a".to_owned(),
            version: "12".to_owned(),
            title: "t".to_owned(),
            level: Level::Low,
            response: Response::Alert,
            reason: "r".to_owned(),
            yaml: "title: é\n".to_owned(),
        };
        let bytes = signed_bytes((AgentMode::Monitor, AgentEvidence::Redacted), [&rule].into_iter());
        let expected = "palisade-agent-rules/1\n7:monitor,8:redacted,1:1,1:a,2:12,10:title: é\n,";
        assert_eq!(std::str::from_utf8(&bytes).unwrap(), expected);
        assert_eq!(version(&bytes).len(), 32);
        let other = signed_bytes((AgentMode::Enforce, AgentEvidence::Redacted), [&rule].into_iter());
        assert_ne!(version(&other), version(&bytes));
    }
}

//! Rules of names, addresses and workflows that are written so that readers do not see them.

use super::verdict;
use crate::eval::Machine;
use crate::report::{Severity, Threat};
use crate::value::{Kind, TaintId, Value};

impl Machine<'_> {
    /// A module or a member by a name that is decoded and is not known.
    pub(crate) fn chain_decoded_name(&mut self, name: &Value, what: &str) {
        if name.as_whole_text().is_some() {
            return;
        }
        let taint = self.taint_of(name);
        let found = self.source(taint, Kind::Decoded).or_else(|| self.source(taint, Kind::Recoded));
        let Some((number, source)) = found else { return };
        let severity = if self.early() { Severity::High } else { Severity::Medium };
        let text = format!("{what} is found by a name that is decoded ({})", source.detail);
        self.add_chain(verdict("decoded-name", severity, Threat::Obfuscation), Some(number), text);
    }

    /// Data goes to an address that is concealed by encoding.
    pub(crate) fn chain_concealed_address(&mut self, address: TaintId, sent: TaintId, host: &str) {
        let Some((number, source)) = self.source(address, Kind::Decoded) else { return };
        const PRIVATE: [Kind; 8] = [
            Kind::Credential,
            Kind::Environment,
            Kind::Variable,
            Kind::Identity,
            Kind::Handler,
            Kind::Captured,
            Kind::Entrusted,
            Kind::Token,
        ];
        if PRIVATE.iter().all(|kind| self.taints.source(sent, *kind).is_none()) {
            return;
        }
        let text = format!(
            "Private data is sent to {host}, an address that is concealed by encoding ({})",
            source.detail
        );
        let verdict = verdict("sent-to-concealed-address", Severity::High, Threat::Exfiltration);
        self.add_chain(verdict, Some(number), text);
    }

    /// A workflow that hands all secrets of a repository to a command.
    pub(crate) fn chain_workflow(&mut self, shown: &str) {
        let text =
            format!("The code writes a workflow that gives all secrets of a repository away ({shown})");
        self.add_chain(
            verdict("workflow-sends-secrets", Severity::High, Threat::CredentialHarvesting),
            None,
            text,
        );
    }
}

/// Whether a text is a workflow whose commands send all secrets.
pub(crate) fn sends_secrets(text: &[u8]) -> bool {
    let has = |part: &[u8]| memchr::memmem::find(text, part).is_some();
    let all = [b"toJSON(secrets)".as_slice(), b"toJson(secrets)", b"tojson(secrets)"];
    let takes = all.iter().any(|part| has(part));
    takes && [b"curl".as_slice(), b"wget", b"http:", b"https:"].iter().any(|part| has(part))
}

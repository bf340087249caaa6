//! Rules of names, addresses and workflows that are written so that readers do not see them.

use super::{LONG_LITERAL, verdict};
use crate::eval::Machine;
use crate::report::{Severity, Threat};
use crate::value::{Kind, TaintId, Value};

impl Machine<'_> {
    /// Code whose text does not stand in the files as it is executed. True if it is one.
    pub(super) fn chain_concealed(&mut self, code: &Value, taint: TaintId) -> bool {
        let is_known = code.as_whole_text().is_some();
        if let Some((number, source)) = self.source(taint, Kind::Decoded) {
            let text =
                format!("Code that is concealed by encoding ({}) is decoded and executed", source.detail);
            // Without the decoded text, an unknown decoder may have used the literal for something else.
            let is_guess = !is_known && source.detail.as_ref() == LONG_LITERAL;
            let verdict = match (self.early(), is_guess) {
                (true, _) => {
                    verdict("decoded-code-executed-early", Severity::Critical, Threat::InstallAttack)
                }
                (false, true) => verdict("decoded-code-executed", Severity::Medium, Threat::Obfuscation),
                (false, false) => verdict("decoded-code-executed", Severity::High, Threat::Obfuscation),
            };
            self.add_chain(verdict, Some(number), text);
            return true;
        }
        if let Some((number, source)) = self.source(taint, Kind::Numbers) {
            let severity = if self.early() { Severity::High } else { Severity::Medium };
            let text = format!("Code that is concealed as {} is executed", source.detail);
            let verdict = verdict("numbers-executed", severity, Threat::Obfuscation);
            self.add_chain(verdict, Some(number), text);
            return true;
        }
        let Some((number, source)) = self.source(taint, Kind::Recoded) else { return false };
        // Compressed and compiled code can be a cache; an encoding as text saves no space.
        let is_letters = matches!(source.detail.as_ref(), "base64" | "base32" | "base85" | "hex" | "rot13");
        let severity = match (self.early(), is_letters) {
            (true, true) => Severity::High,
            (true, false) => Severity::Medium,
            (false, _) => Severity::Low,
        };
        let text = "Decoded data of unknown origin is executed".to_owned();
        self.add_chain(verdict("decoded-data-executed", severity, Threat::Obfuscation), Some(number), text);
        true
    }

    /// An object is read from data in a form that executes code while it is read.
    /// Libraries download data sets of their own as files of this form; scripts of skills have no reason to.
    pub(crate) fn chain_unpickled(&mut self, taint: TaintId, is_file: bool) {
        if is_file && !self.is_skill() {
            return;
        }
        let Some((number, source)) = self.source(taint, Kind::Fetched) else { return };
        let severity = self.severity_of_fetched(&source, false);
        let text = format!(
            "Data from the network ({}) is read in a form that executes code (pickle)",
            source.detail
        );
        self.add_chain(
            verdict("fetched-object-unpickled", severity, Threat::InstallAttack),
            Some(number),
            text,
        );
    }

    /// Code that is executed from a file in memory, which leaves no file that can be read. Hidden programs of the package.
    pub(crate) fn chain_unseen_program(&mut self, path: &str) {
        let is_memory = path.starts_with("/proc/self/fd/")
            || path.strip_prefix("/proc/").is_some_and(|rest| rest.contains("/fd/"));
        if is_memory {
            let text = format!("Code is executed from a file in memory ({path})");
            self.add_chain(
                verdict("memory-file-executed", Severity::High, Threat::InstallAttack),
                None,
                text,
            );
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_hidden = name.len() > 2 && name.starts_with('.') && !name.starts_with("..");
        let is_own = path.contains('/') && !path.starts_with(['/', '~']);
        if self.early() && is_hidden && is_own {
            let text = format!("A hidden program of the package is started ({path})");
            self.add_chain(
                verdict("hidden-program-started", Severity::High, Threat::InstallAttack),
                None,
                text,
            );
        }
    }

    /// A module or a member by a name that is decoded and is not known.
    pub(crate) fn chain_decoded_name(&mut self, name: &Value, what: &str) {
        let taint = self.taint_of(name);
        let found = self.source(taint, Kind::Decoded).or_else(|| self.source(taint, Kind::Recoded));
        let Some((number, source)) = found else { return };
        // Members with a known name are judged by what they do. That of a module is short: an encoding saves no space.
        let is_known = name.as_whole_text().is_some();
        if is_known && what != "A module" {
            return;
        }
        // A path that depends on decoded settings is no concealed name.
        let is_path = !is_known && what == "A module";
        let severity = if is_known || self.early() && !is_path { Severity::High } else { Severity::Medium };
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

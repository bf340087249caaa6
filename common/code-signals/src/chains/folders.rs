//! Rules of files that belong to the user or to other packages.

use super::verdict;
use crate::endpoint::Reputation;
use crate::eval::Machine;
use crate::report::{Severity, Threat, Time};
use crate::value::{Kind, SourceId, TaintId, Value};

impl Machine<'_> {
    /// Writes a file whose path comes from a walk through a folder of the user that is fixed in the code.
    pub(crate) fn chain_walked_written(&mut self, path: TaintId, data: &Value) {
        let Some((number, source)) = self.source(path, Kind::Walked) else { return };
        let content = self.taint_of(data);
        let is_encrypted = self.taints.source(content, Kind::Encrypted).is_some();
        // What is made from the files keeps them; anything else replaces what they held.
        let is_kept = self.taints.source(content, Kind::Walked).is_some();
        let (rule, severity, what) = match (is_encrypted, is_kept, self.early()) {
            (true, _, _) => ("files-encrypted", Severity::High, "encrypted"),
            (false, false, true) => ("files-overwritten", Severity::High, "overwritten"),
            _ => return,
        };
        let text = format!("Files that a walk through {} finds are {what}", source.detail);
        self.add_chain(verdict(rule, severity, Threat::InstallAttack), Some(number), text);
    }

    /// Deletes files of the user. Programs do so on request, never while they are loaded.
    pub(crate) fn chain_deleted_of_user(&mut self, source: Option<SourceId>, shown: &str) {
        if self.early() {
            let text = format!("Files of the user are deleted ({shown})");
            self.add_chain(verdict("files-deleted", Severity::High, Threat::InstallAttack), source, text);
        }
    }

    /// Files that a walk through a folder of the user or project found leave the machine.
    pub(crate) fn chain_send_walked(&mut self, sent: TaintId, reputation: Reputation, host: &str) {
        let Some((number, source)) = self.source(sent, Kind::Walked) else { return };
        let severity = match (self.time, reputation) {
            (Time::Install, _) | (Time::Import, Reputation::Named | Reputation::Drop) => Severity::High,
            // A script of a skill has no library's callers, who may ask for it.
            (Time::Call, Reputation::Named | Reputation::Drop) if self.is_skill() => Severity::High,
            (Time::Import, _) | (Time::Call, Reputation::Drop) => Severity::Medium,
            (Time::Call, _) => return,
        };
        let text = format!("Files that a walk through {} finds are sent to {host}", source.detail);
        self.add_chain(verdict("walked-files-sent", severity, Threat::Exfiltration), Some(number), text);
    }

    /// Writes into the installed files of another package.
    pub(crate) fn chain_other_package(&mut self, name: &str, data: &Value) {
        let taint = self.taint_of(data);
        let found = self.source(taint, Kind::Fetched).or_else(|| self.source(taint, Kind::Decoded));
        if !self.early() && found.is_none() {
            return;
        }
        let text = format!("The code changes the installed files of another package ({name})");
        let verdict = verdict("other-package-changed", Severity::High, Threat::InstallAttack);
        self.add_chain(verdict, found.map(|found| found.0), text);
    }
}

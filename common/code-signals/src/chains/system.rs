//! Rules of changes to the system: publishing, mining, the clipboard, start-up, configuration of agents, deletion.

use super::verdict;
use crate::eval::Machine;
use crate::report::{Severity, Threat};
use crate::value::{Kind, Value};

impl Machine<'_> {
    /// Publishing a package while another is installed spreads code.
    pub(crate) fn chain_publish(&mut self) {
        if self.early() {
            let text = "A package is published".to_owned();
            self.add_chain(verdict("package-published", Severity::High, Threat::InstallAttack), None, text);
        }
    }

    pub(crate) fn chain_miner(&mut self) {
        let text = "A miner of cryptocurrency is started".to_owned();
        self.add_chain(verdict("miner-started", Severity::High, Threat::InstallAttack), None, text);
    }

    /// Programs that read and replace the clipboard exchange addresses of payments.
    pub(crate) fn chain_clipboard(&mut self) {
        let read =
            self.sources.iter().position(|source| source.kind == Kind::Captured && source.file == self.file);
        if let Some(number) = read.filter(|_| self.early()) {
            let text = "The clipboard is watched and replaced".to_owned();
            self.add_chain(
                verdict("clipboard-replaced", Severity::High, Threat::InstallAttack),
                u32::try_from(number).ok(),
                text,
            );
        }
    }

    fn conceals(&mut self, data: &Value) -> bool {
        let taint = self.taint_of(data);
        [Kind::Fetched, Kind::Decoded].iter().any(|kind| self.taints.source(taint, *kind).is_some())
    }

    pub(crate) fn chain_persistence(&mut self, name: &str, shown: &str, data: &Value) {
        if self.chain_login_key(shown, data) {
            return;
        }
        let high = self.early() || self.is_skill() || self.conceals(data);
        let severity = if high { Severity::High } else { Severity::Medium };
        let text = format!("The code arranges to be started again by a {name} ({shown})");
        self.add_chain(verdict("persistence", severity, Threat::InstallAttack), None, text);
    }

    pub(crate) fn chain_agent(&mut self, name: &str, shown: &str, data: &Value) {
        // A project that writes its own settings in its own folder is not an attack on others; at home it is.
        let high = self.early() || self.is_skill() || self.conceals(data);
        let severity = if high { Severity::High } else { Severity::Medium };
        let text = format!("The code changes {name} ({shown})");
        self.add_chain(verdict("agent-configuration-changed", severity, Threat::InstallAttack), None, text);
    }

    pub(crate) fn chain_destruction(&mut self, shown: &str) {
        let severity = if self.early() { Severity::High } else { Severity::Medium };
        let text = format!("The code deletes {shown}");
        self.add_chain(verdict("destruction", severity, Threat::InstallAttack), None, text);
    }
}

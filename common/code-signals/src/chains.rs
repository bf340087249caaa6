//! The rules: which origin reaching which effect at which time is a chain, and how severe it is.
//!
//! | origin | effect | on installation or import | when called |
//! |---|---|---|---|
//! | network | execution | critical | high from an address in the code, else medium |
//! | network | execution as a program | critical, medium from the own address or a registry | medium; high from a drop address or by a skill |
//! | network | objects that execute code when they are read (pickle) | critical | high from an address in the code, else medium |
//! | anything | a file in memory that is executed | high | high |
//! | hidden file of the package | execution as a program | high | |
//! | decoded literal or file | execution | critical | high |
//! | decoded unknown data | execution | medium, high from an encoding of text | low |
//! | list of numbers, literal character by character | execution | high | medium |
//! | secrets of a product | network | critical | high, if not to the own service |
//! | whole environment | network | critical | high |
//! | one secret of the environment | network | high to a drop address or by an install script | none |
//! | identity of the machine | network, DNS | high, on import to an address in the code | medium to a drop address |
//! | clipboard, keyboard, screen | network | critical | high |
//! | arguments of a handler | shell | high | high |
//! | anything | startup files, configuration of agents | high | medium; high with fetched or decoded content, or by a skill |
//! | anything | deletion of everything | high | medium |
//! | anything | deletion of files of the user, by a walk or at a fixed path | high | none |
//! | anything but their content | files that a walk through a folder of the user finds | high | none |
//! | encrypted data | the same | high | high |
//! | files that such a walk finds | network | high, on import to an address in the code, else medium | medium to a drop address; high by a skill |
//! | anything | installed files of another package | high | high with fetched or decoded content |
//! | a public key that is fixed in the code | keys that may log in | high | high |
//! | options that switch off confirmations | an agent | high | high with a prompt that is fixed in the code |
//! | memory of other processes | reading alone | high | none |
//! | search for the process of a workflow with all secrets | | high | high |
//! | secret of the environment in the content | a second service | high | high |
//! | credentials in headers of requests of others | network | high | high |
//! | private data | an address that is concealed by encoding | high | high |
//! | secrets of the caller or of forms | a host fixed in the code, neither reply nor error used | high | high |
//! | secrets of the caller | names that are looked up | high | high |
//! | anything, in a package | a bot or request bin fixed in the code | high | high |
//! | decoded name | module or member | high | medium |
//! | literal address | hidden recipient, replaced address of a payment, in texts, transactions and the clipboard | high | high |
//! | private data, in a server | an address of the code whose replies are never read | | low: the reader of the repository decides |
//! | network, in a server | description of a tool | | low: the reader of the repository decides |
//! | all secrets of a repository | workflow that is written | high | high |
//! | content of the repository or database, in a skill | an address of the code, not of a service for code | | high |
//! | remote of a repository, in a skill | the same | | high |
//! | dependency of a package | an address without encryption, or of an unknown host | high, medium | |
//! | installer started by an installation or a skill | a server of packages that is no registry | high | high in a skill |

mod agents;
mod concealed;
mod entrusted;
mod payments;
mod folders;
mod installed;
mod receivers;
mod send;
mod silent;
mod skills;
mod system;

pub(crate) use concealed::sends_secrets;
pub(crate) use entrusted::Handover;
pub(crate) use payments::is_wallet_pattern;
pub(crate) use receivers::Receiver;
pub(crate) use silent::Request;

use crate::endpoint::Reputation;
use crate::eval::Machine;
use crate::findings::FoundChain;
use crate::ir::HOLE;
use crate::report::{Severity, Threat, Time};
use crate::source::{Context, Subject};
use crate::value::{Kind, Source, SourceId, TaintId, Value};

/// A chain before its place is known.
struct Verdict {
    rule: &'static str,
    severity: Severity,
    threat: Threat,
}

const fn verdict(rule: &'static str, severity: Severity, threat: Threat) -> Verdict {
    Verdict { rule, severity, threat }
}

/// Detail of the origin of literals that look encoded.
pub(crate) const LONG_LITERAL: &str = "a long encoded literal";

impl Machine<'_> {
    pub(crate) fn early(&self) -> bool {
        self.time != Time::Call
    }

    fn is_skill(&self) -> bool {
        self.files.subject == Subject::Skill
    }

    /// Adds a chain at the current place. Tests and documentation form none unless other code loads them, and type stubs none.
    fn add_chain(&mut self, verdict: Verdict, source: Option<SourceId>, text: String) {
        let context = self.files.list.get(self.file as usize).map(|file| file.context);
        if context != Some(Context::Code) && self.time == Time::Call || context == Some(Context::Stub) {
            return;
        }
        let sink = (self.file, self.line);
        let source = source
            .and_then(|source| self.sources.get(source as usize))
            .map_or(sink, |source| (source.file, source.line));
        let explanation = format!("{text}; this happens {}.", self.time);
        let Verdict { rule, severity, threat } = verdict;
        self.findings.chain(FoundChain {
            rule,
            severity,
            threat,
            source,
            sink,
            time: self.time,
            explanation,
        });
    }

    fn source(&self, taint: TaintId, kind: Kind) -> Option<(SourceId, Source)> {
        let number = self.taints.source(taint, kind)?;
        Some((number, self.sources.get(number as usize)?.clone()))
    }

    /// Data becomes code.
    pub(crate) fn chain_execute(&mut self, code: &Value, taint: TaintId) {
        if let Some((number, source)) = self.source(taint, Kind::Fetched) {
            let severity = self.severity_of_fetched(&source, false);
            let text = format!("Code from the network ({}) is executed", source.detail);
            self.add_chain(
                verdict("fetched-code-executed", severity, Threat::InstallAttack),
                Some(number),
                text,
            );
        }
        if self.chain_concealed(code, taint) {
            // The code is not known otherwise.
        } else if taint == 0 && code.as_text().is_none() {
            self.chain_unresolved(
                &[Kind::Fetched, Kind::Decoded],
                "Code that cannot be resolved is executed",
            );
            self.add_chain(
                verdict("dynamic-execution", Severity::Low, Threat::Obfuscation),
                None,
                "A computed text is executed as code".into(),
            );
        }
        if let Some((number, _)) = self.source(taint, Kind::Handler) {
            let text = "Arguments of a handler are executed as code".to_owned();
            self.add_chain(
                verdict("handler-argument-executed", Severity::High, Threat::InstallAttack),
                Some(number),
                text,
            );
        }
    }

    /// Severity of executing what an address provides. `is_program` is a file, as installers of programs have it.
    fn severity_of_fetched(&self, source: &Source, is_program: bool) -> Severity {
        let reputation = source.endpoint.as_ref().map_or(Reputation::Unknown, |endpoint| endpoint.reputation);
        let own = source.endpoint.as_ref().is_some_and(|endpoint| self.files.is_own_host(&endpoint.host));
        match (self.early(), reputation) {
            // Many packages install a program of their own release.
            (true, Reputation::Registry) if is_program => Severity::Medium,
            (true, _) if is_program && own => Severity::Medium,
            (true, Reputation::Unknown) if is_program => Severity::Medium,
            (true, _) => Severity::Critical,
            (false, Reputation::Drop) => Severity::High,
            (false, Reputation::Named) if !own && (!is_program || self.is_skill()) => Severity::High,
            (false, _) => Severity::Medium,
        }
    }

    /// A line for a shell: all of it data, or with data in its words.
    pub(crate) fn chain_shell(&mut self, line: &Value, taint: TaintId) {
        let constant_part = line.as_text().is_some_and(|text| {
            let start: Vec<u8> = text.iter().copied().take_while(|byte| *byte != HOLE[0]).collect();
            !start.trim_ascii().is_empty()
        });
        if let Some((number, source)) = self.source(taint, Kind::Handler) {
            let text = format!("Arguments of a handler ({}) reach a shell without quoting", source.detail);
            self.add_chain(
                verdict("handler-argument-in-shell", Severity::High, Threat::InstallAttack),
                Some(number),
                text,
            );
        }
        let is_concealed =
            [Kind::Decoded, Kind::Numbers].iter().any(|kind| self.taints.source(taint, *kind).is_some());
        if !constant_part || is_concealed {
            let without = self.taints.without(taint, Kind::Handler);
            if without != 0 {
                self.chain_execute(line, without);
            }
        }
    }

    /// A program is started whose file was written from data.
    pub(crate) fn chain_program(&mut self, program: &Value, content: Option<&Value>) {
        if let Some(content) = content {
            let taint = self.taint_of(content);
            self.chain_file_run(taint, program);
        }
    }

    /// A file is executed whose content has the given origin.
    pub(crate) fn chain_file_run(&mut self, taint: TaintId, path: &Value) {
        let shown = self.text_of(path);
        if let Some((number, source)) = self.source(taint, Kind::Fetched) {
            let severity = self.severity_of_fetched(&source, !is_script(&shown));
            let text = format!("A file from the network ({}) is executed as {shown}", source.detail);
            self.add_chain(
                verdict("fetched-file-executed", severity, Threat::InstallAttack),
                Some(number),
                text,
            );
        } else if let Some((number, source)) = self.source(taint, Kind::Decoded) {
            let severity = if self.early() { Severity::Critical } else { Severity::High };
            let text = format!(
                "A file that is concealed by encoding ({}) is decoded and executed as {shown}",
                source.detail
            );
            self.add_chain(
                verdict("decoded-file-executed", severity, Threat::InstallAttack),
                Some(number),
                text,
            );
        }
    }

    pub(crate) fn chain_reverse_shell(&mut self, source: SourceId) {
        let severity = if self.early() { Severity::Critical } else { Severity::High };
        let detail =
            self.sources.get(source as usize).map(|source| source.detail.clone()).unwrap_or_default();
        let text = format!("A shell is connected to {detail}");
        self.add_chain(verdict("reverse-shell", severity, Threat::InstallAttack), Some(source), text);
    }

    /// The flow of data ends at a step that cannot be resolved: origins of the same function, early, are a weaker chain.
    pub(crate) fn chain_unresolved(&mut self, kinds: &[Kind], text: &str) {
        if !self.early() {
            return;
        }
        let own = self.sources.iter().enumerate().skip(self.sources_before);
        let found = own
            .filter(|(_, source)| source.file == self.file)
            .find(|(_, source)| kinds.contains(&source.kind));
        let Some((number, detail)) = found.map(|(number, source)| (number, source.detail.clone())) else {
            return;
        };
        let text = format!("{text} after data was read ({detail}) in the same function");
        self.add_chain(
            verdict("unresolved-flow", Severity::Medium, Threat::Obfuscation),
            u32::try_from(number).ok(),
            text,
        );
    }
}

/// Whether a file has the name of source code, which an interpreter executes. Installers download programs instead.
fn is_script(path: &str) -> bool {
    let ending =
        path.rsplit(['/', '\\']).next().unwrap_or_default().rsplit_once('.').map_or("", |(_, end)| end);
    matches!(ending, "py" | "pyw" | "js" | "mjs" | "cjs" | "rb" | "ps1" | "vbs" | "hta")
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

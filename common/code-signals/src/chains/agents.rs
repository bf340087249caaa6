//! Rules of programs that act on other programs: prompts to agents without confirmation, keys for logins, memory of build agents.

use super::verdict;
use crate::eval::Machine;
use crate::report::{Severity, Threat};
use crate::value::Value;

/// Command-line agents, by the names of their programs and packages.
const AGENTS: [&str; 18] = [
    "claude",
    "claude-code",
    "codex",
    "gemini",
    "gemini-cli",
    "qwen",
    "q",
    "kiro-cli",
    "copilot",
    "cursor-agent",
    "opencode",
    "amp",
    "aider",
    "goose",
    "crush",
    "auggie",
    "droid",
    "cline",
];

/// Options by which an agent acts without asking its user.
const WITHOUT_CONFIRMATION: [&str; 12] = [
    "--dangerously-skip-permissions",
    "--dangerously-bypass-approvals-and-sandbox",
    "--dangerously-allow-all",
    "--yolo",
    "--trust-all-tools",
    "--allow-all-tools",
    "--yes-always",
    "--full-auto",
    "--skip-permissions-unsafe",
    "--approval-mode=yolo",
    "--permission-mode=bypassPermissions",
    "bypassPermissions",
];

impl Machine<'_> {
    /// An agent that is started without confirmations. On request, only with a prompt that the code fixes: programs that drive agents
    /// take it from their caller.
    pub(crate) fn chain_unattended_agent(&mut self, base: &str, words: &[Value]) {
        let is_option = |word: &Value| {
            word.texts()
                .any(|text| WITHOUT_CONFIRMATION.iter().any(|option| text.as_ref() == option.as_bytes()))
        };
        if !words.iter().any(is_option) {
            return;
        }
        let is_agent = |text: &[u8]| {
            let name = text.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            let name = name.split(|byte| *byte == b'@').next().unwrap_or_default();
            AGENTS.iter().any(|agent| name == agent.as_bytes())
        };
        // `npx @vendor/agent` names the agent first among its words.
        let by_word =
            || words.iter().take(3).any(|word| word.as_whole_text().is_some_and(|text| is_agent(text)));
        if !is_agent(base.as_bytes()) && !by_word() {
            return;
        }
        let is_prompt = |word: &Value| {
            word.as_whole_text().is_some_and(|text| {
                text.len() >= 16 && text.iter().filter(|byte| **byte == b' ').count() >= 2
            })
        };
        if self.early() || words.iter().any(is_prompt) {
            let text = format!("The agent {base} is started with options that switch off its confirmations");
            let verdict = verdict("agent-without-confirmation", Severity::High, Threat::InstallAttack);
            self.add_chain(verdict, None, text);
        }
    }

    /// A public key that is fixed in the code may log in. Honest programs are given the key.
    pub(crate) fn chain_login_key(&mut self, shown: &str, data: &Value) -> bool {
        let adds = shown.contains("authorized_keys") && data.texts().any(|text| has_public_key(text));
        if adds {
            let text = format!("The code lets the owner of a key that is fixed in it log in ({shown})");
            let verdict = verdict("login-key-added", Severity::High, Threat::InstallAttack);
            self.add_chain(verdict, None, text);
        }
        adds
    }

    /// Debuggers read the memory of other processes on request, never while they are loaded.
    pub(crate) fn chain_process_memory(&mut self, shown: &str) {
        if self.early() {
            let text = format!("The code reads the memory of another process ({shown})");
            let verdict = verdict("process-memory-read", Severity::High, Threat::CredentialHarvesting);
            self.add_chain(verdict, None, text);
        }
    }

    /// The process that executes the steps of a workflow holds all of its secrets.
    pub(crate) fn chain_runner_searched(&mut self) {
        let text = "The code looks for the process that holds the secrets of a workflow (Runner.Worker)";
        let verdict = verdict("runner-searched", Severity::High, Threat::CredentialHarvesting);
        self.add_chain(verdict, None, text.to_owned());
    }
}

/// Whether a text has a whole public key of SSH.
fn has_public_key(text: &[u8]) -> bool {
    const TYPES: [&[u8]; 5] =
        [b"ssh-rsa AAAA", b"ssh-ed25519 AAAA", b"ssh-dss AAAA", b"nistp256 AAAA", b"nistp521 AAAA"];
    TYPES.iter().any(|kind| memchr::memmem::find(text, kind).is_some())
}

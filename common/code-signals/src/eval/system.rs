//! Commands that change the system, and all others.

use super::Machine;
use super::commands::FILTERS;
use crate::paths::{self, PathClass};
use crate::report::CapabilityKind;
use crate::source::Language;
use crate::value::{Kind, Value};

impl Machine<'_> {
    /// `npm run name`: the script of the manifest.
    pub(super) fn package_script(&mut self, words: &[Value]) -> Value {
        let words: Vec<String> = words.iter().map(|word| self.text_of(word)).collect();
        let words: Vec<&str> =
            words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
        if words.first() == Some(&"publish") {
            self.chain_publish();
        }
        let name = match words.as_slice() {
            ["run" | "run-script", name, ..] => *name,
            [name @ ("start" | "test" | "build"), ..] => *name,
            _ => return Value::default(),
        };
        match self.files.scripts.get(name).cloned() {
            Some(command) => self.inner_code(&Value::text(command.as_bytes()), Language::Bash, 0, 0),
            None => Value::default(),
        }
    }

    pub(super) fn system_command(
        &mut self,
        base: &str,
        name: &str,
        words: &[Value],
        stdin: Option<&Value>,
    ) -> Value {
        let line: String = words.iter().map(|word| self.text_of(word) + " ").collect();
        let last = words.last().cloned().unwrap_or_default();
        if line.contains("stratum+")
            || line.contains("--donate-level")
            || line.split_whitespace().any(is_mining_pool)
        {
            self.chain_miner();
        }
        if matches!(base, "pgrep" | "pidof" | "pkill" | "grep") && line.contains("Runner.Worker") {
            self.chain_runner_searched();
        }
        if base == "git" {
            self.chain_fixed_remote(words);
        }
        if let Some(content) = self.project_content(base, words) {
            return content;
        }
        match base {
            "twine" if line.starts_with("upload") => self.chain_publish(),
            "gem" if line.starts_with("push") => self.chain_publish(),
            "crontab" if !line.contains("-l") || stdin.is_some() => self.persists("cron", "crontab", stdin),
            "systemctl" if line.contains("enable") && !line.contains("disable") => {
                self.persists("system service", &line, None)
            }
            "launchctl" if line.contains("load") || line.contains("bootstrap") => {
                self.persists("launch agent", &line, None)
            }
            "schtasks" if line.to_lowercase().contains("/create") => {
                self.persists("scheduled task", &line, None)
            }
            "reg"
                if line.to_lowercase().replace('\\', "/").contains("currentversion/run")
                    && line.to_lowercase().contains("add") =>
            {
                self.persists("registry run key", &line, None)
            }
            "git"
                if line.contains("core.hooksPath")
                    || line.contains("init.templateDir") && line.contains("--global") =>
            {
                self.capability(CapabilityKind::AgentConfiguration, &line);
                self.chain_agent("git hooks", &line, &Value::default());
            }
            "cp" | "mv" | "ln" | "install" => {
                if let Some(from) = words.iter().rev().nth(1).cloned() {
                    let content = self.read_file(&from);
                    self.write_file(&last, &content);
                }
            }
            "tee" => {
                let input = stdin.cloned().unwrap_or_default();
                for word in
                    words.iter().filter(|word| word.as_text().is_some_and(|text| text.first() != Some(&b'-')))
                {
                    self.write_file(word, &input);
                }
                return input;
            }
            "rm" if line.contains("-r") || line.contains("-fr") || line.contains("-Rf") => {
                for word in words {
                    self.delete(word, true);
                }
            }
            "mkfs" | "mkfs.ext4" | "shred" | "wipefs" => self.destroys(&line),
            "dd" if line.contains("of=/dev/sd") || line.contains("of=/dev/nvme") => self.destroys(&line),
            _ => return self.other_command(base, name, words, stdin, &line),
        }
        Value::default()
    }

    pub(super) fn persists(&mut self, name: &'static str, line: &str, stdin: Option<&Value>) {
        self.capability(CapabilityKind::Persistence, line);
        let data = stdin.cloned().unwrap_or_default();
        self.chain_persistence(name, line, &data);
        self.run_startup_lines(name, &data);
    }

    pub(super) fn destroys(&mut self, line: &str) {
        self.capability(CapabilityKind::Destruction, line);
        self.chain_destruction(line);
    }

    pub(super) fn other_command(
        &mut self,
        base: &str,
        name: &str,
        words: &[Value],
        stdin: Option<&Value>,
        line: &str,
    ) -> Value {
        let secrets = [
            "auth token",
            "auth print-access-token",
            "find-generic-password",
            "find-internet-password",
            "config view --raw",
            "_authToken",
            "configure get aws",
            "dump-keychain",
        ];
        // The step that checks out a repository keeps its token in a header of git.
        let is_header = base == "git" && line.contains("--get") && line.contains("extraheader");
        if is_header
            || matches!(base, "gh" | "gcloud" | "security" | "kubectl" | "aws" | "git")
                && secrets.iter().any(|part| line.contains(part))
        {
            self.capability(CapabilityKind::CredentialRead, line);
            return Value::tainted(self.origin(Kind::Credential, format!("secrets of {base}")));
        }
        let mut taint = stdin.map_or(0, |input| self.taint_of(input));
        let reads = FILTERS.contains(&base)
            || matches!(base, "tar" | "zip" | "find" | "ls" | "7z" | "sqlite3" | "split");
        for word in words {
            let is_secret =
                word.texts().any(|text| matches!(paths::classify(text), Some(PathClass::Credential(..))));
            let content = if reads && is_secret { self.read_file(word) } else { word.clone() };
            let own = self.taint_of(&content);
            taint = self.taints.union(taint, own);
        }
        if matches!(base, "tar" | "zip" | "7z") {
            // The archive is the first file that is named.
            if let Some(archive) = words
                .iter()
                .find(|word| {
                    word.as_text().is_some_and(|text| text.first() != Some(&b'-') && text.contains(&b'.'))
                })
                .cloned()
            {
                self.write_file(&archive, &Value::tainted(taint));
            }
        }
        // A program that the set wrote or downloaded.
        let program = Value::text(name.as_bytes());
        if let Some(content) = self.written_content(&program) {
            self.chain_program(&program, Some(&content));
        } else if name.contains('/') || [".bat", ".cmd"].iter().any(|end| name.ends_with(end)) {
            self.run_file_of_set(name);
        }
        if FILTERS.contains(&base) {
            Value {
                taint,
                constant: stdin.and_then(|input| input.constant.clone()).filter(|_| base == "tee"),
                ..Value::default()
            }
        } else {
            Value::tainted(taint)
        }
    }
}

/// Whether a word is the host and port of a pool of miners.
fn is_mining_pool(word: &str) -> bool {
    let Some((host, port)) = word.rsplit_once(':') else { return false };
    let host = host.to_ascii_lowercase();
    let is_pool = host.split(['.', '-', '/']).any(|label| {
        matches!(
            label,
            "pool" | "xmr" | "monero" | "xmrpool" | "minexmr" | "supportxmr" | "nanopool" | "moneroocean"
        )
    });
    is_pool
        && host.contains('.')
        && !host.contains("ntp")
        && (2..=5).contains(&port.len())
        && port.bytes().all(|byte| byte.is_ascii_digit())
}

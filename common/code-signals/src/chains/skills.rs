//! Rules of scripts and commands of skills: what belongs to the project of the user goes to an address that the author has chosen.

use super::verdict;
use crate::endpoint::{self, Endpoint, Reputation};
use crate::eval::Machine;
use crate::report::{Severity, Threat};
use crate::value::{Kind, TaintId, Value};

/// Details of origins whose content is that of the project.
const REPOSITORY: &str = "the content of the repository";
const DATABASE: &str = "the content of the database";

/// Commands of git whose output holds files.
const CONTENT: [&str; 6] = ["archive", "diff", "format-patch", "bundle", "show", "fast-export"];
/// Programs that write a database out.
const DUMPS: [&str; 5] = ["pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump", "mongodump"];

/// Services that work on code, to which a script of their customer sends it.
const SERVICES: [&str; 17] = [
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    "sr.ht",
    "azure.com",
    "visualstudio.com",
    "amazonaws.com",
    "heroku.com",
    "googleapis.com",
    "huggingface.co",
    "openai.com",
    "anthropic.com",
    "mistral.ai",
    "openrouter.ai",
    "slack.com",
];

/// Servers of packages besides the registries that their vendors document.
const DISTRIBUTORS: [&str; 9] = [
    "pytorch.org",
    "nvidia.com",
    "jsr.io",
    "pkg.github.com",
    "pkgs.dev.azure.com",
    "pkg.dev",
    "tsinghua.edu.cn",
    "aliyun.com",
    "gitlab.com",
];

/// Whether packages of a host are the usual ones.
pub(super) fn is_distributor(host: &str) -> bool {
    DISTRIBUTORS.iter().any(|known| endpoint::is_below(host, known))
}

/// Whether an address is one that the author has chosen.
fn is_of_author(host: &str, reputation: Reputation) -> bool {
    matches!(reputation, Reputation::Named | Reputation::Drop)
        && !host.contains('\u{FFFC}')
        && !SERVICES.iter().any(|known| endpoint::is_below(host, known))
}

impl Machine<'_> {
    /// The output of a command that reads a whole project, in a skill; none for other commands.
    pub(crate) fn project_content(&mut self, base: &str, words: &[Value]) -> Option<Value> {
        if !self.is_skill() {
            return None;
        }
        let texts: Vec<String> = words.iter().map(|word| self.text_of(word)).collect();
        let command = texts.iter().take(4).position(|word| CONTENT.contains(&word.as_str()));
        let detail = match base {
            "git" if command.is_some() => REPOSITORY,
            _ if DUMPS.contains(&base) => DATABASE,
            _ => return None,
        };
        let content = Value::tainted(self.origin(Kind::File, detail.to_owned()));
        let mut previous = "";
        for (word, text) in words.iter().zip(&texts) {
            let is_output = matches!(previous, "-o" | "--output" | "-f" | "--file" | "-r" | "create");
            let joined = text.strip_prefix("--output=").or_else(|| text.strip_prefix("--file="));
            match joined {
                Some(path) => self.write_file(&Value::text(path.as_bytes()), &content),
                None if is_output => self.write_file(word, &content),
                None => {}
            }
            previous = text;
        }
        Some(content)
    }

    /// Content of the project leaves the machine.
    pub(super) fn chain_send_project(&mut self, sent: TaintId, endpoint: Option<&Endpoint>) {
        let Some(endpoint) = endpoint.filter(|_| self.is_skill()) else { return };
        if !is_of_author(&endpoint.host, endpoint.reputation) {
            return;
        }
        let found = self.source(sent, Kind::File);
        let Some((number, source)) =
            found.filter(|(_, source)| [REPOSITORY, DATABASE].contains(&source.detail.as_ref()))
        else {
            return;
        };
        let text = format!("{} is sent to {}", super::capitalized(&source.detail), endpoint.host);
        self.add_chain(verdict("project-sent", Severity::High, Threat::Exfiltration), Some(number), text);
    }

    /// A second remote of a repository, which is fixed in a skill.
    pub(crate) fn chain_fixed_remote(&mut self, words: &[Value]) {
        if !self.is_skill() {
            return;
        }
        let texts: Vec<String> = words.iter().map(|word| self.text_of(word)).collect();
        let has = |word: &str| texts.iter().any(|text| text == word);
        if !(has("push") || has("remote") && (has("add") || has("set-url"))) {
            return;
        }
        let remote = texts.iter().find_map(|text| {
            let of_login = || {
                let (host, _) = text.strip_prefix("git@")?.split_once(':')?;
                Some(endpoint::of_host(host, ""))
            };
            endpoint::find(text).or_else(of_login)
        });
        let Some(remote) = remote.filter(|remote| is_of_author(&remote.host, remote.reputation)) else {
            return;
        };
        let text = format!("The repository is pushed to {}, which is fixed in the skill", remote.host);
        self.add_chain(verdict("fixed-remote", Severity::High, Threat::Exfiltration), None, text);
    }
}

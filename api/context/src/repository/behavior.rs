//! Checks of code, and of files without readable text.

use super::reading::{Chain, Opaque, Reading, Role};
use super::server::outcome;
use super::{Kind, addresses, handlers, receivers};
use crate::artifact::{Severity, ThreatType};
use crate::check::{Check, Threat};
use crate::weights::repository as shared;

/// Places whose installers are executed by the documented command: hosts, and publishers at hosts that serve files of anybody.
const INSTALLERS: [&str; 23] = [
    "astral.sh",
    "bun.sh",
    "sh.rustup.rs",
    "deno.land/install.sh",
    "get.docker.com",
    "brew.sh",
    "cli.github.com",
    "install.python-poetry.org",
    "get.pnpm.io",
    "deb.nodesource.com",
    "fnm.vercel.app",
    "get.helm.sh",
    "fly.io",
    "ollama.com",
    "claude.ai/install.sh",
    "pyenv.run",
    "mise.run",
    "bootstrap.pypa.io",
    "raw.githubusercontent.com/homebrew",
    "raw.githubusercontent.com/nvm-sh",
    "raw.githubusercontent.com/helm",
    "raw.githubusercontent.com/ohmyzsh",
    "raw.githubusercontent.com/pyenv",
];

/// Rules of settings that a skill may be for, and the names by which it says so.
const SETTINGS: [&str; 2] = ["persistence", "agent-configuration-changed"];
const SETTING_NAMES: [&str; 8] =
    ["cron", "launchd", "launchagent", "systemd", "settings.json", "hooks", "login item", "scheduled task"];

/// Chains of capabilities in code.
pub(super) fn code(reading: &Reading, kind: Kind) -> Check {
    let threats = reading.chains.iter().map(|chain| {
        let severity = severity(reading, chain);
        let detail = format!("{}, {} line {}", chain.says.trim_end_matches('.'), chain.path, chain.line);
        Threat { kind: chain.threat, severity, detail, excerpt: None }
    });
    let mut threats: Vec<Threat> = threats.filter(|threat| threat.severity > Severity::Low).collect();
    if kind == Kind::Server {
        threats.extend(addresses::threats(reading));
    }
    outcome(&shared::CODE, threats)
}

fn severity(reading: &Reading, chain: &Chain) -> Severity {
    if receivers::is_judged(chain) {
        return receivers::severity(reading, chain);
    }
    if chain.rule.starts_with("fetched-") && is_installer(chain) {
        return Severity::Low;
    }
    if chain.rule.starts_with("handler-argument") && handlers::is_said(reading, &chain.tools) {
        return chain.severity.min(Severity::Medium);
    }
    // The service of a client may check the keys of its users.
    if chain.rule == "request-credentials-sent" && receivers::is_named_receiver(reading, chain) {
        return chain.severity.min(Severity::Medium);
    }
    if SETTINGS.contains(&chain.rule.as_str()) && says_setting(reading) {
        return chain.severity.min(Severity::Medium);
    }
    // A server that enters another one, whose address no text names, in the settings of agents.
    if chain.rule == "agent-configuration-changed"
        && addresses::holds_unnamed(reading, (&chain.path, chain.line))
    {
        return chain.severity.max(Severity::High);
    }
    chain.severity
}

/// Whether the instructions of a skill name the settings that its code changes: a user reads them before the first use.
fn says_setting(reading: &Reading) -> bool {
    let mut says = reading.texts.iter().filter(|text| text.role == Role::Instructions);
    reading.front_matter.is_some()
        && says.any(|text| {
            let lower = text.text.to_lowercase();
            SETTING_NAMES.iter().any(|name| lower.contains(name))
        })
}

/// Whether the code that a chain executes is the installer of a well-known program.
fn is_installer(chain: &Chain) -> bool {
    let says = chain.says.to_ascii_lowercase();
    INSTALLERS.iter().any(|place| says.contains(&format!("({place})")))
}

/// Programs, bytecode and archives, whose content a reader cannot review.
pub(super) fn opaque(reading: &Reading, kind: Kind) -> Check {
    let threats = reading.opaque.iter().map(|one: &Opaque| {
        let severity = match (one.is_program, one.has_source) {
            (true, true) => Severity::Low,
            (true, false) if kind == Kind::Skill => Severity::High,
            (true, false) | (false, _) => Severity::Medium,
        };
        let detail = format!("{} is {}", one.path, one.what);
        Threat { kind: ThreatType::Obfuscation, severity, detail, excerpt: None }
    });
    outcome(&shared::OPAQUE, threats.collect())
}

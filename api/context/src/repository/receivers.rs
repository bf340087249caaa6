//! Second receivers: addresses in the code of a server that receive private data, never answer anything that the server reads, and
//! are named neither in the documentation nor in a description.

use super::handlers;
use super::reading::{Chain, Effect, Reading, Role, Text, Tool};
use crate::artifact::Severity;
use crate::links::registrable;

/// The rules of code signals that are judged here.
const SENT: &str = "sent-without-reply";
const DESCRIBED: &str = "fetched-description";
/// Letters from which the name of a domain can be that of a service which a text mentions.
const LEAST_LABEL: usize = 4;
/// Words by which documentation says that the use of a server is reported.
const REPORTS: [&str; 9] = [
    "telemetry",
    "analytics",
    "usage data",
    "usage statistics",
    "error report",
    "crash report",
    "opt out",
    "opt-out",
    "diagnostics",
];

/// The address that the sentence of a chain names.
fn host(chain: &Chain) -> Option<&str> {
    let (_, rest) =
        chain.says.split_once(" are sent to ").or_else(|| chain.says.split_once(" loaded from "))?;
    rest.split([',', ';', ' ']).next()
}

/// Whether a chain is one that is judged here.
pub(super) fn is_judged(chain: &Chain) -> bool {
    chain.rule == SENT || chain.rule == DESCRIBED
}

/// Whether the documentation or a description names the address that the sentence of a chain names.
pub(super) fn is_named_receiver(reading: &Reading, chain: &Chain) -> bool {
    host(chain).is_some_and(|host| {
        let domain = registrable(host).unwrap_or_else(|| host.to_owned());
        is_named(reading, host, &domain)
    })
}

/// Severity of a receiver.
pub(super) fn severity(reading: &Reading, chain: &Chain) -> Severity {
    let Some(host) = host(chain) else { return Severity::Low };
    let domain = registrable(host).unwrap_or_else(|| host.to_owned());
    let is_declared = chain.rule == SENT && is_declared(reading, chain, &domain);
    if is_declared || is_named(reading, host, &domain) {
        return Severity::Low;
    }
    let docs = reading.texts.iter().filter(|text| text.role == Role::Docs);
    let mut docs = docs.map(|text| text.text.to_lowercase());
    // Reports of use are announced without their address.
    if chain.rule == SENT && docs.any(|text| REPORTS.iter().any(|word| text.contains(word))) {
        return Severity::Medium;
    }
    Severity::High
}

/// Whether a text for people or models names the address, or the service by its name. The name of the server itself names no receiver.
pub(super) fn is_named(reading: &Reading, host: &str, domain: &str) -> bool {
    let label = domain.split('.').next().unwrap_or_default();
    let is_name = label.len() >= LEAST_LABEL && !label.bytes().all(|byte| byte.is_ascii_digit());
    // What a skill says about itself are its instructions.
    let is_skill = reading.front_matter.is_some();
    let says = |text: &&Text| {
        matches!(text.role, Role::Docs | Role::Declared) || is_skill && text.role == Role::Instructions
    };
    reading.texts.iter().filter(says).any(|text| {
        let lower = text.text.to_lowercase();
        if lower.contains(host) || lower.contains(domain) {
            return true;
        }
        let prose = lower.lines().filter(|line| !line.trim_start().starts_with('#'));
        is_name && prose.into_iter().any(|line| has_word(line, label))
    })
}

/// Whether a line has a word between spaces or marks of sentences. Parts of names of packages and paths are none.
fn has_word(line: &str, word: &str) -> bool {
    let is_mark = |char: char| !char.is_alphanumeric();
    line.split_whitespace().any(|one| one.trim_matches(is_mark) == word)
}

/// Whether sending to this address alone is what the tools are for.
fn is_declared(reading: &Reading, chain: &Chain, domain: &str) -> bool {
    let is_other = |tool: &Tool| {
        let mut uses = tool.uses.iter().filter(|one| matches!(one.kind, Effect::Send | Effect::Fetch));
        uses.any(|one| registrable(&one.detail).is_none_or(|other| other != domain))
    };
    let reaching = reading.tools.iter().filter(|tool| chain.tools.contains(&tool.name));
    let mut reaching = reaching.peekable();
    reaching.peek().is_some() && reaching.all(|tool| handlers::says_sending(tool) && !is_other(tool))
}

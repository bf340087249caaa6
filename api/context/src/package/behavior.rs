//! Contents of a release to outcomes of checks of its code, its archive and its texts.

use super::contents::{Chain, Contents};
use crate::artifact::{Severity, ThreatType};
use crate::check::{Check, Spec, Threat};
use crate::engine::Engine;
use crate::text;
use crate::weights::package as weights;

/// Paths that a reason names.
const NAMED: usize = 3;

/// The checks of code and archive, each once.
pub(super) fn code(contents: &Contents, preceding: &Result<Option<Vec<String>>, String>) -> Vec<Check> {
    let is_obfuscation = |chain: &&Chain| chain.threat == ThreatType::Obfuscation;
    let (obfuscation, attacks): (Vec<&Chain>, Vec<&Chain>) = contents.chains.iter().partition(is_obfuscation);
    let (early, called): (Vec<&Chain>, Vec<&Chain>) = attacks.into_iter().partition(|chain| chain.is_early);
    vec![
        chains(&weights::EARLY, &early),
        chains(&weights::CALLED, &called),
        payload(contents),
        hook(contents, preceding),
        chains(&weights::OBFUSCATION, &obfuscation),
        binaries(contents),
        if contents.is_ambiguous {
            weights::AMBIGUOUS
                .failed("entries of the archive have one name, overlap, or disagree with its directory")
        } else {
            weights::AMBIGUOUS.passed()
        },
    ]
}

/// The same checks where the archive was not read.
pub(super) fn not_possible(reason: &str) -> Vec<Check> {
    let specs = [
        &weights::EARLY,
        &weights::CALLED,
        &weights::PAYLOAD,
        &weights::HOOK,
        &weights::OBFUSCATION,
        &weights::BINARIES,
        &weights::AMBIGUOUS,
    ];
    specs.into_iter().map(|spec| spec.not_possible(reason)).collect()
}

fn chains(spec: &'static Spec, found: &[&Chain]) -> Check {
    let threat = |chain: &&Chain| Threat {
        kind: chain.threat,
        severity: chain.severity,
        detail: chain.detail.clone(),
        excerpt: None,
    };
    let threats: Vec<Threat> = found.iter().map(threat).collect();
    let Some(worst) = found.iter().max_by_key(|chain| chain.severity) else { return spec.passed() };
    // Of equally severe ones the first.
    let worst = found.iter().find(|chain| chain.severity == worst.severity).unwrap_or(worst);
    let reason = match found.len() {
        1 => worst.detail.clone(),
        all => format!("{}; {all} chains in all", worst.detail),
    };
    spec.failed_with(threats, reason)
}

fn payload(contents: &Contents) -> Check {
    let Some(found) = &contents.payload else { return weights::PAYLOAD.passed() };
    let reason = format!("resembles code of malicious packages, {}", found.detail);
    let threat = Threat {
        kind: ThreatType::InstallAttack,
        severity: found.severity,
        detail: reason.clone(),
        excerpt: None,
    };
    weights::PAYLOAD.failed_with(vec![threat], reason)
}

fn hook(contents: &Contents, preceding: &Result<Option<Vec<String>>, String>) -> Check {
    let known = match preceding {
        Err(reason) => return weights::HOOK.not_possible(reason.as_str()),
        // The first release has nothing to be compared with.
        Ok(None) => return weights::HOOK.passed(),
        Ok(Some(known)) => known,
    };
    let new: Vec<&str> =
        contents.hooks.iter().filter(|hook| !known.contains(hook)).map(String::as_str).collect();
    if new.is_empty() {
        return weights::HOOK.passed();
    }
    weights::HOOK.failed(format!("the preceding release does not run {}", list(&new)))
}

fn binaries(contents: &Contents) -> Check {
    let groups = [
        ("programs", &contents.programs),
        ("bytecode", &contents.bytecode),
        ("inner archives", &contents.archives),
    ];
    let mut found: Vec<Threat> = groups
        .into_iter()
        .filter(|(_, paths)| !paths.is_empty())
        .map(|(what, paths)| {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            Threat {
                kind: ThreatType::Obfuscation,
                severity: Severity::Low,
                detail: format!("{what} that are not read: {}", list(&paths)),
                excerpt: None,
            }
        })
        .collect();
    found.extend(unaccompanied(&contents.bytecode));
    let details: Vec<&str> = found.iter().map(|threat| threat.detail.as_str()).collect();
    if details.is_empty() {
        return weights::BINARIES.passed();
    }
    let reason = details.join("; ");
    weights::BINARIES.failed_with(found, reason)
}

/// Bytecode of Python outside of the cache folder stands for a source that is missing.
fn unaccompanied(bytecode: &[String]) -> Option<Threat> {
    let path = bytecode.iter().find(|path| path.ends_with(".pyc") && !path.contains("__pycache__/"))?;
    Some(Threat {
        kind: ThreatType::Obfuscation,
        severity: Severity::Medium,
        detail: format!("bytecode without its source: {path}"),
        excerpt: None,
    })
}

/// The first paths, and the number of further ones.
fn list(paths: &[&str]) -> String {
    let named = paths.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(NAMED) {
        0 => named,
        further => format!("{named} and {further} further"),
    }
}

/// The checks of texts, each once.
pub(super) fn texts(engine: &Engine, contents: &Contents) -> Vec<Check> {
    text::agent_checks(engine, &contents.passages)
}

#[cfg(test)]
mod tests;

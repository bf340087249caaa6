//! Capabilities and chains to facts of a place: kinds of steps, and when they execute.

use std::collections::BTreeSet;

use code_signals::{Capability, Chain, Time};

/// A step of code at a line.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) line: u32,
    pub(crate) kind: String,
    pub(crate) is_early: bool,
}

pub(crate) fn of_capability(capability: &Capability) -> Step {
    Step {
        line: capability.site.line,
        kind: spaced(&format!("{:?}", capability.kind)),
        is_early: capability.time != Time::Call,
    }
}

pub(crate) fn of_chain(chain: &Chain) -> Step {
    Step { line: chain.sink.line, kind: chain.rule.replace('-', " "), is_early: chain.time != Time::Call }
}

/// `CredentialRead` to `credential read`.
fn spaced(name: &str) -> String {
    let mut spaced = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push(letter.to_ascii_lowercase());
    }
    spaced
}

/// Facts of all windows of a package: kinds of early steps, each once.
pub(crate) fn of_package<'s>(steps: impl Iterator<Item = &'s Step>) -> Vec<String> {
    let early = steps.filter(|step| step.is_early);
    each_once(early.map(|step| format!("{} on installation or import in the package", step.kind)))
}

/// Facts of all windows of a file: kinds of its steps, each once.
pub(crate) fn of_file(steps: &[Step]) -> Vec<String> {
    each_once(steps.iter().map(|step| format!("{} in the file", step.kind)))
}

/// Facts of a window, each once: its steps and pairs of them.
pub(crate) fn of_window(here: &[Step]) -> Vec<String> {
    let kinds = each_once(here.iter().map(|step| step.kind.clone()));
    let pairs = kinds.iter().enumerate().flat_map(|(place, kind)| {
        kinds.iter().skip(place + 1).map(move |other| format!("{kind} with {other}"))
    });
    let early = here.iter().filter(|step| step.is_early);
    let mut facts = each_once(early.map(|step| format!("{} on installation or import", step.kind)));
    facts.extend(pairs);
    if kinds.is_empty() {
        facts.push("no step".to_owned());
    }
    facts.extend(kinds);
    facts
}

fn each_once(facts: impl Iterator<Item = String>) -> Vec<String> {
    facts.collect::<BTreeSet<String>>().into_iter().collect()
}

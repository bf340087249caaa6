//! Attacks on the agent that reads a text: the parts that guard finds, over the whole text, with the context of each.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use guard::{Violation, Window};
use text::Disguise;

use super::{Passage, place, setting};
use crate::artifact::{Severity, ThreatType};
use crate::check::{Check, MAX_THREATS, Spec, Threat};
use crate::engine::Engine;
use crate::weights::text::{ENCODED_INJECTION, HIDDEN_INJECTION, INJECTION};

/// Levels that a match loses by its context.
const CONTEXT_LEVELS: usize = 2;
/// Levels that a match outside of the content itself loses, for example in metadata.
const ASIDE_LEVELS: usize = 1;
/// Strength of a fact from which on an attack is more than a likely wording, and the sum of several: one weaker fact stands in
/// ordinary mails too, such as words of customs, banks and offices.
const CLEAR_FACT: f32 = 2.0;
const CLEAR_SUM: f32 = 3.0;
/// Sum from which on the score does not matter in mails and messages: several facts of one order, such as to ignore what came before and
/// to print something.
const CERTAIN_SUM: f32 = 5.0;
/// Least score above the threshold of guard for more than a likely wording: in mails and messages, and in the texts of developers, which
/// have the words of attacks (prompts, tokens, overrides, orders to the user of an API) everywhere.
const CLEAR_MARGIN: f32 = 1.6;
const CLEAR_MARGIN_OF_DEVELOPERS: f32 = 2.5;
/// Words within which facts belong together: those of the longest run that guard judges by itself. A long part has unrelated ones.
const TOGETHER: usize = 60;
/// Facts about the form of a text, not its content.
const FORM: [&str; 2] = ["disguised", "hidden-text"];
/// The same of a request for secrets.
const CLEAR_EXTRACTION: f32 = 2.5;

/// An attack with its severity.
struct Match<'p> {
    severity: Severity,
    how: String,
    window: Window,
    passage: &'p Passage,
}

/// The three checks, each once.
pub(crate) fn checks(engine: &Engine, passages: &[Passage]) -> [Check; 3] {
    let [mut visible, mut hidden, mut encoded] = [Vec::new(), Vec::new(), Vec::new()];
    for passage in passages {
        let code = setting::code(&passage.text);
        let text = without_flags(&passage.text);
        for window in engine.guard.windows(&text, &passage.hidden) {
            let is_hidden = is_hidden(passage, &window);
            let (severity, how) = if is_escaped(&passage.text, &window) {
                (Severity::Low, "in escapes, which a reader sees".to_owned())
            } else if is_form_alone(passage, &window) {
                (Severity::Low, "by its form alone".to_owned())
            } else if is_hidden {
                (Severity::Critical, "in text that is not visible".to_owned())
            } else if window.is_invisible {
                (encoded_severity(passage, &window), disguises(&window))
            } else {
                visible_severity(engine, (passage, &code), &window)
            };
            let is_encoded = window.is_invisible;
            let found = Match { severity, how, window, passage };
            match (is_hidden, is_encoded) {
                (true, _) => hidden.push(found),
                (false, true) => encoded.push(found),
                (false, false) => visible.push(found),
            }
        }
    }
    [
        outcome(engine, &INJECTION, visible),
        outcome(engine, &HIDDEN_INJECTION, hidden),
        outcome(engine, &ENCODED_INJECTION, encoded),
    ]
}

/// A text of the same length with spaces for the tags of flags of regions: a black flag, at most six letters or figures, and the end.
fn without_flags(text: &str) -> Cow<'_, str> {
    const FLAG: char = '\u{1f3f4}';
    const END: char = '\u{e007f}';
    if !text.contains(FLAG) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(FLAG) {
        clean.push_str(before);
        clean.push(FLAG);
        let is_tag = |char: &char| matches!(char, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
        let tags = after.chars().take(7).take_while(is_tag).count();
        let length = (tags + 1) * END.len_utf8();
        rest = if tags > 0 && tags <= 6 && after.chars().nth(tags) == Some(END) {
            clean.push_str(&" ".repeat(length));
            after.get(length..).unwrap_or_default()
        } else {
            after
        };
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

/// Only the most severe matches become threats with a place, which takes time of its own for each.
fn outcome(engine: &Engine, spec: &'static Spec, mut matches: Vec<Match<'_>>) -> Check {
    let parts = matches.len();
    // The sort is stable: of equally severe ones the first in the content.
    matches.sort_by_key(|threat| Reverse(threat.severity));
    let threats: Vec<Threat> = matches.iter().take(MAX_THREATS).map(|found| threat(engine, found)).collect();
    let Some(worst) = threats.first().map(|threat| threat.detail.clone()) else { return spec.passed() };
    let reason = if parts == 1 { worst } else { format!("{worst}; {parts} parts in all") };
    spec.failed_with(threats, reason)
}

/// Whether a match in documentation or code has no fact about its content: comments of documents are hidden and long texts look disguised
/// in part without being an attack.
fn is_form_alone(passage: &Passage, window: &Window) -> bool {
    passage.threat.is_some() && !window.facts.iter().any(|fact| !FORM.contains(&fact.name))
}

/// Whether a match stands in text that is not visible. Documentation has comments everywhere, so that half of the match must be in them.
fn is_hidden(passage: &Passage, window: &Window) -> bool {
    let focus = &window.focus;
    let next = passage.hidden.partition_point(|part| part.end <= focus.start);
    let parts = passage.hidden.iter().skip(next).take_while(|part| part.start < focus.end);
    let hidden: usize = parts.map(|part| part.end.min(focus.end) - part.start.max(focus.start)).sum();
    let least = if passage.threat.is_some() { focus.len().div_ceil(2) } else { 1 };
    hidden >= least.max(1)
        || (window.disguises.contains(&Disguise::Tags) && !is_escaped(&passage.text, window))
}

/// Whether the tags of a match are escapes of code, such as `\U000E0020` in the pattern of a tokenizer, and none stands in the text.
fn is_escaped(text: &str, window: &Window) -> bool {
    let is_tag = |char: char| matches!(char, '\u{e0000}'..='\u{e007f}');
    window.disguises.contains(&Disguise::Tags)
        && window.disguises.contains(&Disguise::Escapes)
        && !text.get(window.source.clone()).is_some_and(|part| part.contains(is_tag))
}

/// Texts of developers have encoded configurations, for example in links that install a server: what they decode to must be clear.
fn encoded_severity(passage: &Passage, window: &Window) -> Severity {
    let is_clear = passage.threat.is_none() || window.margin >= CLEAR_MARGIN_OF_DEVELOPERS;
    if is_clear { Severity::High } else { Severity::Medium }
}

/// A match without a clear fact is a likely wording; context lowers both.
fn visible_severity(
    engine: &Engine,
    (passage, code): (&Passage, &[Range<usize>]),
    window: &Window,
) -> (Severity, String) {
    let is_extraction = |fact: &guard::Fact| fact.violation == Violation::SystemPromptExtraction;
    let clear =
        |fact: &guard::Fact| fact.strength >= if is_extraction(fact) { CLEAR_EXTRACTION } else { CLEAR_FACT };
    // Long documents have figures and letters that look like a disguise somewhere: there only facts about the content count.
    let counts = |fact: &&guard::Fact| passage.threat.is_none() || !FORM.contains(&fact.name);
    let others: Vec<&guard::Fact> =
        window.facts.iter().filter(counts).filter(|fact| !is_extraction(fact)).collect();
    let sum = strongest_together(&others);
    let least = if passage.threat.is_some() { CLEAR_MARGIN_OF_DEVELOPERS } else { CLEAR_MARGIN };
    let is_stated = window.facts.iter().filter(counts).any(clear) || sum >= CLEAR_SUM;
    let is_certain = passage.threat.is_none() && sum >= CERTAIN_SUM;
    let is_clear = is_stated && (window.margin >= least || is_certain);
    let severity = match (is_clear, window.facts.is_empty(), passage.threat) {
        (true, _, _) => Severity::High,
        // Documentation, descriptions and code are imperative: without a fact their wording is worth a note.
        (false, true, Some(_)) => Severity::Low,
        (false, _, _) => Severity::Medium,
    };
    match setting::lowering(engine, (&passage.text, code), &window.focus) {
        Some(how) => (severity.lowered(CONTEXT_LEVELS), how.to_owned()),
        None if passage.is_test => (severity.lowered(CONTEXT_LEVELS), "in a test".to_owned()),
        None if passage.is_aside => {
            (severity.lowered(ASIDE_LEVELS), "outside of the content itself".to_owned())
        }
        None => (severity, String::new()),
    }
}

/// The strength of the facts around the strongest one.
fn strongest_together(facts: &[&guard::Fact]) -> f32 {
    let Some(strongest) = facts.first() else { return 0.0 };
    let around = strongest.words.start.saturating_sub(TOGETHER)..strongest.words.end.saturating_add(TOGETHER);
    let near = |fact: &&&guard::Fact| around.start <= fact.words.start && fact.words.end <= around.end;
    facts.iter().filter(near).map(|fact| fact.strength).sum()
}

fn threat(engine: &Engine, found: &Match<'_>) -> Threat {
    let Match { severity, how, window, passage } = found;
    let of_wording = match window.violation {
        Violation::DataExfiltration => ThreatType::Exfiltration,
        Violation::Jailbreak => ThreatType::InstructionOverride,
        Violation::PromptInjection | Violation::SystemPromptExtraction | Violation::PolicyViolation => {
            ThreatType::PromptInjection
        }
    };
    let kind = match (of_wording, passage.threat) {
        (ThreatType::Exfiltration, _) | (_, None) => of_wording,
        (_, Some(of_place)) => of_place,
    };
    let says = window.facts.first().map_or("has the wording of attacks", |fact| fact.says);
    let how = if how.is_empty() { String::new() } else { format!(", {how}") };
    let detail = format!("{says}{how}, {}", place(passage, &window.focus));
    let excerpt = passage.text.get(window.focus.clone()).map(|text| engine.excerpt(text));
    Threat { kind, severity: *severity, detail, excerpt }
}

fn disguises(window: &Window) -> String {
    let names: Vec<&str> = window.disguises.iter().map(|disguise| name(*disguise)).collect();
    format!("decoded from {}", names.join(", "))
}

fn name(disguise: Disguise) -> &'static str {
    match disguise {
        Disguise::Base64 => "base64",
        Disguise::Base32 => "base32",
        Disguise::Base85 => "base85",
        Disguise::Hexadecimal => "hexadecimal",
        Disguise::Binary => "binary",
        Disguise::Decimal => "decimal codes",
        Disguise::Percent => "percent encoding",
        Disguise::Entities => "HTML entities",
        Disguise::Escapes => "escapes",
        Disguise::Rot13 => "rot13",
        Disguise::Reversed => "reversed letters",
        Disguise::Leet => "figures for letters",
        Disguise::Homoglyphs => "look-alike letters",
        Disguise::ZeroWidth => "characters without width",
        Disguise::Tags => "characters of the block of tags",
        Disguise::Spaced => "spaced letters",
        Disguise::Shuffled => "shuffled letters",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_a_flag_are_spaces_and_other_tags_stay() {
        let flag = "Flag \u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f} end";
        let clean = without_flags(flag);
        assert_eq!(clean.len(), flag.len());
        assert!(!clean.contains('\u{e0067}') && clean.ends_with(" end"));
        let hidden: String =
            "run this".chars().filter_map(|char| char::from_u32(0xe0000 + char as u32)).collect();
        let text = format!("\u{1f3f4}{hidden}\u{e007f}");
        assert_eq!(without_flags(&text), text);
    }
}

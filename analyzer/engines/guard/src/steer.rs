//! Instructions of an application's system prompt about blocking and allowing, and whether a text repeats it.

use std::collections::BTreeSet;
use std::ops::Range;

use linear_model::Feature;
use text::{View, fold, sentences, words};

use crate::Violation;
use crate::facts::Fact;

/// Bytes of a system prompt that are read.
const MAX_PROMPT: usize = 64 << 10;

/// Phrases of a system prompt that are followed.
const MAX_PHRASES: usize = 64;

/// Topics of one sentence that are followed.
const MAX_ALTERNATIVES: usize = 16;

/// Words of the system prompt in a row that show that a text repeats it.
const RUN: usize = 8;

/// Words around each other in which a blocked phrase is looked for.
const NEAR: usize = 16;

/// Share of the words of a phrase that must stand near each other.
const SHARE: f32 = 0.6;

const BLOCK: &[&str] = &[
    "block",
    "reject",
    "refuse",
    "flag",
    "forbid",
    "disallow",
    "prohibit",
    "deny",
    "never allow",
    "do not allow",
    "don't allow",
];
const ALLOW: &[&str] = &[
    "allow",
    "permit",
    "accept",
    "ignore",
    "do not block",
    "don't block",
    "do not flag",
    "don't flag",
    "never block",
];

/// Words of phrases that carry no meaning of their own.
const EMPTY: &[&str] = &[
    "the",
    "and",
    "any",
    "all",
    "that",
    "this",
    "with",
    "for",
    "are",
    "about",
    "from",
    "which",
    "who",
    "user",
    "users",
    "request",
    "requests",
    "attempt",
    "attempts",
    "message",
    "messages",
    "text",
    "texts",
    "prompt",
    "prompts",
    "input",
    "inputs",
    "question",
    "questions",
    "contain",
    "contains",
    "containing",
    "mention",
    "mentions",
    "ask",
    "asks",
    "asking",
    "please",
    "should",
    "must",
    "always",
    "never",
    "not",
    "don",
    "discussion",
    "discussions",
    "discussing",
    "related",
    "when",
    "they",
    "their",
    "every",
    "everything",
    "anything",
    "other",
    "such",
];

/// What the system prompt says.
#[derive(Debug, Default)]
pub(crate) struct Steering {
    blocked: Vec<BTreeSet<Feature>>,
    allowed: Vec<BTreeSet<Feature>>,
    runs: BTreeSet<Feature>,
}

impl Steering {
    pub(crate) fn read(system_prompt: &str) -> Self {
        let end =
            (0..=MAX_PROMPT.min(system_prompt.len())).rev().find(|end| system_prompt.is_char_boundary(*end));
        let system_prompt = system_prompt.get(..end.unwrap_or_default()).unwrap_or_default();
        let mut steering = Self::default();
        let folded = fold(system_prompt).text;
        for sentence in sentences(&folded).into_iter().filter_map(|range| folded.get(range)) {
            steering.add(sentence);
        }
        steering.runs = runs(&words(&folded).iter().map(|word| word.feature).collect::<Vec<_>>()).collect();
        steering
    }

    fn add(&mut self, sentence: &str) {
        if self.blocked.len().saturating_add(self.allowed.len()) >= MAX_PHRASES {
            return;
        }
        let find =
            |forms: &[&str]| forms.iter().filter_map(|form| Some((whole(sentence, form)?, form.len()))).min();
        // "do not block" contains "block", "never allow" contains "allow": the longer form begins earlier.
        let (is_block, (place, length)) = match (find(BLOCK), find(ALLOW)) {
            (Some(block), Some(allow)) if allow.0 < block.0 => (false, allow),
            (Some(block), _) => (true, block),
            (None, Some(allow)) => (false, allow),
            (None, None) => return,
        };
        let phrase = sentence.get(place.saturating_add(length)..).unwrap_or_default();
        let phrases = if is_block { &mut self.blocked } else { &mut self.allowed };
        let named = alternatives(phrase).map(stems).filter(|stems| !stems.is_empty());
        phrases.extend(named.take(MAX_ALTERNATIVES));
    }

    /// Whether an allowed phrase names a fact. Facts that block by themselves, hidden text, data sent out and marks of
    /// chat templates are never allowed.
    pub(crate) fn allows(&self, fact: &Fact) -> bool {
        let fixed = fact.is_sufficient()
            || fact.violation == Violation::DataExfiltration
            || matches!(
                fact.name,
                "template" | "role-tag" | "role-json" | "hidden-text" | "invisible-characters"
            );
        if fixed || self.allowed.is_empty() {
            return false;
        }
        let named = stems(&fact.name.replace('-', " "));
        let said = stems(fact.says);
        self.allowed.iter().any(|phrase| {
            let shared = phrase.iter().filter(|stem| named.contains(stem) || said.contains(stem)).count();
            shared > 0 && shared as f32 >= SHARE * phrase.len().min(3) as f32
        })
    }

    /// Facts about a view: blocked phrases, and runs of the system prompt.
    pub(crate) fn facts(&self, view: &View) -> Vec<Fact> {
        let mut facts = Vec::new();
        if !self.runs.is_empty() {
            let features: Vec<Feature> = view.words.iter().map(|word| word.feature).collect();
            let found = runs(&features).position(|run| self.runs.contains(&run));
            facts.extend(found.map(|start| repeats(start..start.saturating_add(RUN))));
        }
        if self.blocked.is_empty() {
            return facts;
        }
        let view_stems: Vec<Option<Feature>> =
            view.words.iter().map(|word| view.text.get(word.range()).and_then(stem)).collect();
        facts.extend(self.blocked.iter().filter_map(|phrase| near(phrase, &view_stems)).map(violates));
        facts
    }
}

/// Where a form stands as whole words.
fn whole(sentence: &str, form: &str) -> Option<usize> {
    let bounded = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    sentence.match_indices(form).map(|(place, _)| place).find(|place| {
        let bytes = sentence.as_bytes();
        let after = place.saturating_add(form.len());
        // "blocks" and "allowed" are forms too.
        let rest = sentence.get(after..).unwrap_or_default();
        let ending = ["s", "ed", "ing", "es"]
            .iter()
            .find(|ending| rest.starts_with(**ending))
            .map_or(0, |ending| ending.len());
        bounded(place.checked_sub(1).and_then(|before| bytes.get(before)))
            && (bounded(bytes.get(after)) || bounded(bytes.get(after.saturating_add(ending))))
    })
}

/// The runs of a text, by their first word.
fn runs(words: &[Feature]) -> impl Iterator<Item = Feature> {
    words.windows(RUN).map(|run| run.iter().fold(Feature(0), |before, word| before.then(*word)))
}

/// The topics of a phrase: "medicine, diets or other questions of health" names three. "and" separates nothing, since "terms and
/// conditions" is one topic.
fn alternatives(phrase: &str) -> impl Iterator<Item = &str> {
    phrase
        .split([',', ';'])
        .flat_map(|part| part.split(" or "))
        .map(|part| part.strip_prefix("or ").unwrap_or(part))
}

fn stems(phrase: &str) -> BTreeSet<Feature> {
    words(phrase).iter().filter_map(|word| phrase.get(word.range()).and_then(stem)).collect()
}

/// The stem of a word with a meaning of its own.
fn stem(word: &str) -> Option<Feature> {
    if word.len() < 3 || EMPTY.contains(&word) {
        return None;
    }
    let stem = ["ings", "ing", "ies", "ed", "es", "s", "y"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= 4));
    Some(Feature::of(stem.unwrap_or(word)))
}

/// The first place where enough words of a phrase stand near each other.
fn near(phrase: &BTreeSet<Feature>, stems: &[Option<Feature>]) -> Option<Range<usize>> {
    let enough = ((phrase.len() as f32 * SHARE).ceil() as usize).max(phrase.len().min(2)).max(1);
    // Latest place of each word of the phrase, counted from one.
    let mut latest: Vec<(Feature, usize)> = phrase.iter().map(|stem| (*stem, 0)).collect();
    for (place, found) in stems.iter().enumerate() {
        let Some(found) = found else { continue };
        let Some(entry) = latest.iter_mut().find(|(stem, _)| stem == found) else { continue };
        entry.1 = place.saturating_add(1);
        let oldest = place.saturating_sub(NEAR);
        let close =
            latest.iter().filter(|(_, place)| *place > oldest).map(|(_, place)| place.saturating_sub(1));
        if close.clone().count() >= enough {
            return Some(close.min().unwrap_or(place)..place.saturating_add(1));
        }
    }
    None
}

fn repeats(words: Range<usize>) -> Fact {
    Fact {
        name: "repeats-system-prompt",
        says: "repeats the system prompt of the application",
        words,
        strength: 4.0,
        violation: Violation::SystemPromptExtraction,
    }
}

fn violates(words: Range<usize>) -> Fact {
    Fact {
        name: "blocked-by-application",
        says: "is about something that the application blocks",
        words,
        strength: 3.5,
        violation: Violation::PolicyViolation,
    }
}

//! A reading → outcomes of checks: everything that skills and servers share.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::timestamp::Timestamp;

use super::directives::Directive;
use super::reading::{Reading, Role, Text};
use super::server::outcome;
use super::{Facts, Kind, Target, behavior, identity, server, skill};
use crate::artifact::{Origin, Severity, ThreatType};
use crate::check::{Check, Threat};
use crate::engine::Engine;
use crate::score::{Assessment, Skipped};
use crate::text::{Passage, code_blocks, injection, invisible, place};
use crate::weights::{self, repository as shared, text as of_text};

/// Bytes below which a text is no sentence.
const LEAST_TEXT: usize = 12;
/// Digits of base64 from which a word can be a sentence, and words of a text that are decoded.
const LEAST_ENCODED: usize = 48;
const MOST_ENCODED: usize = 16;
/// Bytes before a match that can introduce it as an example of an attack.
const BEFORE: usize = 300;
/// Bytes behind a match that can name it as one, and of a title that can say that a text is about attacks.
const AFTER: usize = 60;
const TITLE: usize = 400;
/// Words that introduce attacks as such.
const ABOUT_ATTACKS: [&str; 19] = [
    "poisoning",
    "injection",
    "attack",
    "malicious",
    "exfiltrat",
    "jailbreak",
    "suspicious",
    "vulnerab",
    "red flag",
    "threat",
    "phishing",
    "indicator",
    "unsafe",
    "dangerous pattern",
    "insecure",
    "warning sign",
    "security review",
    "forbidden",
    "disallowed",
];
/// Words directly before a match that forbid it.
const FORBIDS: [&str; 12] = [
    "never",
    "not",
    "don't",
    "avoid",
    "refuse to",
    "cannot",
    "can't",
    "won't",
    "mustn't",
    "shouldn't",
    "do not ever",
    "no longer",
];

/// All checks of a content, each once. `reading` is the reason where nothing could be read; then nothing that the host said counts.
pub(crate) fn assess(
    engine: &Engine,
    (kind, target): (Kind, Option<&Target>),
    facts: Option<&Facts>,
    reading: Result<&Reading, &str>,
    now: Timestamp,
) -> Assessment {
    let reading = reading
        .and_then(|reading| if reading.files == 0 { Err("no file of it was found") } else { Ok(reading) });
    let mut checks = identity::checks(target, facts.filter(|_| reading.is_ok()), kind, now);
    checks.push(identity::listed(engine, target));
    match reading {
        Err(reason) => {
            checks.push(shared::SNAPSHOT.not_possible(reason));
            let origin = if kind == Kind::Skill { Origin::Skill } else { Origin::Mcp };
            let all = weights::checks(origin).into_iter();
            let others = all.filter(|spec| !checks.iter().any(|check| check.spec.id == spec.id));
            let others: Vec<Check> =
                others.map(|spec| spec.not_possible("the snapshot was not read")).collect();
            checks.extend(others);
            let skipped = vec![Skipped { what: "the repository".to_owned(), reason: reason.to_owned() }];
            Assessment { checks, skipped, is_unreadable: true, ..Assessment::default() }
        }
        Ok(reading) => {
            checks.push(shared::SNAPSHOT.passed());
            checks.extend(texts(engine, reading, kind));
            checks.push(behavior::code(reading));
            checks.push(behavior::opaque(reading, kind));
            checks.extend(match kind {
                Kind::Skill => skill::checks(reading),
                Kind::Server => server::checks(engine, reading),
            });
            let (skipped, left_out) = (reading.skipped.clone(), reading.left_out.clone());
            Assessment { checks, skipped, left_out, ..Assessment::default() }
        }
    }
}

/// Levels that a match loses by the role of its text.
fn levels(role: Role) -> usize {
    match role {
        Role::Declared | Role::Instructions | Role::Literal => 0,
        Role::Docs | Role::Comment => 1,
        Role::Aside => 2,
    }
}

/// The checks of text.
fn texts(engine: &Engine, reading: &Reading, kind: Kind) -> Vec<Check> {
    let (mut passages, mut directives) = (Vec::new(), Vec::new());
    for text in reading.whole_texts().iter().filter(|text| text.text.trim().len() >= LEAST_TEXT) {
        let passage = passage(text, kind);
        directives.extend(directed(engine, text, &passage));
        directives.extend(encoded(engine, text, &passage));
        passages.push(passage);
    }
    let mut checks = vec![of_text::READ.passed()];
    checks.extend(injection::checks(engine, &passages).map(|check| softened(check, kind)));
    checks.push(invisible::check(&passages));
    checks.push(outcome(&shared::DIRECTIVES, directives));
    checks
}

/// Skills ask agents to send things: the wording of that alone is worth a review. Secrets and concealment are matters of directives.
fn softened(check: Check, kind: Kind) -> Check {
    let is_high =
        |threat: &Threat| threat.kind == ThreatType::Exfiltration && threat.severity == Severity::High;
    if kind != Kind::Skill || check.spec != &of_text::INJECTION || !check.threats().iter().any(is_high) {
        return check;
    }
    let soften = |threat: &Threat| {
        let severity = if is_high(threat) { Severity::Medium } else { threat.severity };
        Threat { severity, ..threat.clone() }
    };
    outcome(check.spec, check.threats().iter().map(soften).collect())
}

/// A text as the checks of text take it, by its role.
fn passage(text: &Text, kind: Kind) -> Passage {
    let threat = match text.role {
        Role::Declared => Some(ThreatType::DescriptionInjection),
        Role::Literal if kind == Kind::Server => Some(ThreatType::OutputPoisoning),
        Role::Literal => Some(ThreatType::PromptInjection),
        Role::Docs | Role::Comment => Some(ThreatType::DocInjection),
        Role::Instructions | Role::Aside => None,
    };
    Passage {
        name: if text.line > 1 { format!("{} line {}", text.path, text.line) } else { text.path.clone() },
        text: text.text.clone(),
        hidden: text.hidden.clone(),
        is_aside: levels(text.role) == 1,
        is_test: levels(text.role) == 2,
        threat,
    }
}

/// Directives of a text, of overlapping ones the most severe.
fn directed(engine: &Engine, text: &Text, passage: &Passage) -> Vec<Threat> {
    let mut found = engine.directives.find(&text.text, text.role);
    if found.is_empty() {
        return Vec::new();
    }
    let code = code_blocks(&text.text);
    let mut judged: Vec<(Severity, String, Directive)> = Vec::new();
    for directive in found.drain(..) {
        let is_hidden =
            text.hidden.iter().any(|part| part.start < directive.part.end && directive.part.start < part.end);
        let (severity, how) = match context(&text.text, &code, &directive.part) {
            _ if is_hidden && directive.severity >= Severity::Medium => {
                (Severity::Critical, ", in text that is not visible")
            }
            Some((levels, how)) => (directive.severity.lowered(levels), how),
            None => (directive.severity.lowered(levels(text.role)), ""),
        };
        judged.push((severity, how.to_owned(), directive));
    }
    judged.sort_by_key(|(severity, _, directive)| (std::cmp::Reverse(*severity), directive.part.len()));
    let mut kept: Vec<Range<usize>> = Vec::new();
    let mut threats = Vec::new();
    for (severity, how, directive) in judged {
        if kept.iter().any(|part| part.start < directive.part.end && directive.part.start < part.end) {
            continue;
        }
        let kind = match (text.role, directive.threat) {
            (Role::Declared, ThreatType::PromptInjection | ThreatType::InstallAttack) => {
                ThreatType::DescriptionInjection
            }
            (_, kind) => kind,
        };
        let detail = format!("{}{how}, {}", directive.says, place(passage, &directive.part));
        let excerpt = text.text.get(directive.part.clone()).map(|part| engine.excerpt(part));
        threats.push(Threat { kind, severity, detail, excerpt });
        kept.push(directive.part);
    }
    threats
}

/// Whether a text goes on in the sentence of the words before it. A blank line, an entry of a list, a heading, a block of code, and a
/// capital letter after the end of a line begin another one, to which a negation does not reach.
fn is_one_sentence(before: &str, between: &str, after: &str) -> bool {
    let Some((first, rest)) = between.split_once('\n') else { return true };
    let is_heading = before.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('#'));
    let has_marks = |part: &str| part.contains(|char: char| !char.is_whitespace());
    let begins = after.chars().next().is_some_and(char::is_uppercase);
    !(is_heading || begins || rest.contains('\n') || has_marks(first) || has_marks(rest))
}

/// Directives of a literal that is encoded: a reader of the code does not see them.
fn encoded(engine: &Engine, text: &Text, passage: &Passage) -> Option<Threat> {
    if !matches!(text.role, Role::Literal | Role::Declared) {
        return None;
    }
    let is_digit = |char: char| char.is_ascii_alphanumeric() || matches!(char, '+' | '/' | '=');
    let long = text.text.split(|char: char| !is_digit(char)).filter(|word| word.len() >= LEAST_ENCODED);
    for word in long.take(MOST_ENCODED) {
        let decoded = STANDARD.decode(word).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(decoded) = decoded else { continue };
        let found = engine.directives.find(&decoded, Role::Declared).into_iter();
        let Some(worst) = found.max_by_key(|directive| directive.severity) else { continue };
        if worst.severity >= Severity::Medium {
            let start = text.text.find(word).unwrap_or(0);
            let detail =
                format!("{}, in base64, {}", worst.says, place(passage, &(start..start + word.len())));
            let kind = ThreatType::DescriptionInjection;
            return Some(Threat { kind, severity: Severity::High, detail, excerpt: None });
        }
    }
    None
}

/// The context for which a directive is none, with the levels that it loses: a prohibition directly before it, or an entry, quotation or
/// block of code below words about attacks. Words at the beginning of the text, its title, count less than words near the match.
fn context(text: &str, code: &[Range<usize>], part: &Range<usize>) -> Option<(usize, &'static str)> {
    let before = text.get(..part.start)?;
    let is_mark = |char: char| char.is_whitespace() || char == '*' || char == '`' || char == '"';
    let kept = before.trim_end_matches(is_mark);
    let front = kept.to_lowercase();
    let ends =
        |word: &str| front.strip_suffix(word).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
    let is_one = is_one_sentence(kept, before.get(kept.len()..)?, text.get(part.start..)?);
    if is_one && FORBIDS.iter().any(|word| ends(word)) {
        return Some((2, ", in a prohibition"));
    }
    let is_about = |part: &str| {
        let part = part.to_lowercase();
        ABOUT_ATTACKS.iter().any(|word| part.contains(word))
    };
    let start = before.len().saturating_sub(BEFORE);
    let end = text.floor_char_boundary(part.end.saturating_add(AFTER).min(text.len()));
    let levels = if is_about(before.get(before.ceil_char_boundary(start)..)?)
        || is_about(text.get(part.start..end)?)
    {
        2
    } else if is_about(before.get(..before.floor_char_boundary(TITLE.min(before.len())))?) {
        1
    } else {
        return None;
    };
    let line = before.rsplit('\n').next().unwrap_or(before).trim_start();
    let is_entry =
        line.starts_with(['-', '*', '|', '>', '+']) || line.starts_with(|char: char| char.is_ascii_digit());
    let is_quoted = line.matches(['"', '`', '“']).count() % 2 == 1;
    let next = code.partition_point(|block| block.end <= part.start);
    let in_code = code.get(next).is_some_and(|block| block.start <= part.start);
    (is_entry || is_quoted || in_code).then_some((levels, ", in a text about attacks"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negation_reaches_its_own_sentence_only() {
        let lowered = |front: &str, order: &str| {
            let text = format!("{front}{order}");
            context(&text, &code_blocks(&text), &(front.len()..text.len())).is_some()
        };
        let order = "read the file ~/.ssh/id_rsa";
        for front in ["Never ", "An agent must **never** ", "An agent must never\n", "Do not\n  "] {
            assert!(lowered(front, order), "{front:?}");
        }
        for front in [
            "Some things are fine and some are not\n\n",
            "Some things are fine and some are not\n \t\n",
            "Some things are fine and some are not\n* ",
            "Some things are fine and some are not\n```\n",
            "Some things are fine and some are not\n\n\"",
            "## Things to avoid\n",
            "Some things are fine and some are not. ",
        ] {
            assert!(!lowered(front, order), "{front:?}");
        }
        assert!(!lowered("Some things are fine and some are not\n", "Read the file ~/.ssh/id_rsa"));
    }
}

//! A reading → outcomes of checks: everything that skills and servers share.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::timestamp::Timestamp;

use super::directives::Directive;
use super::reading::{Effect, Reading, Role, Text, Tool, Use};
use super::server::outcome;
use super::setting::context;
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
/// Characters without width in one run from which on they are data.
const LEAST_BITS: usize = 64;
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
            checks.push(behavior::code(reading, kind));
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
        directives.extend(directed(engine, (text, kind), &passage, reading));
        directives.extend(encoded(engine, text, &passage));
        directives.extend(in_bits(text, &passage));
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
fn directed(
    engine: &Engine,
    (text, kind): (&Text, Kind),
    passage: &Passage,
    reading: &Reading,
) -> Vec<Threat> {
    let mut found = engine.directives.find(&text.text, text.role, kind);
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
            None if of_own_effect(reading, text, &directive) > 0 => {
                let levels = of_own_effect(reading, text, &directive);
                (directive.severity.lowered(levels), ", as the tool itself does")
            }
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

/// Levels that a change of a configuration loses in the description of a tool that makes it itself: "Add a cron job" is no order to the
/// assistant. Where the handler is not understood, the first sentence says what a tool does.
fn of_own_effect(reading: &Reading, text: &Text, directive: &Directive) -> usize {
    if text.role != Role::Declared || directive.threat != ThreatType::InstallAttack || !directive.is_plain {
        return 0;
    }
    let changes = |one: &Use| matches!(one.kind, Effect::AgentConfiguration | Effect::Persistence);
    let is_tool = |tool: &&Tool| !text.tool.is_empty() && tool.path == text.path && tool.name == text.tool;
    if reading.tools.iter().filter(is_tool).any(|tool| tool.uses.iter().any(changes)) {
        return 2;
    }
    let front = text.text.get(..directive.part.start).unwrap_or_default();
    usize::from(!front.contains(['\n', '!', '?', ';']) && !front.contains(". "))
}

/// Data in a run of characters without width: two or more of them are the digits of a number that no reader sees. Mails fill their preview
/// with runs of one such character.
fn in_bits(text: &Text, passage: &Passage) -> Option<Threat> {
    let is_zero = |char: char| matches!(char, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    let run = text.text.split(|char| !is_zero(char)).max_by_key(|run| run.len())?;
    let first = run.chars().next()?;
    let others = run.chars().filter(|char| *char != first).count();
    if others < LEAST_BITS / 4 || run.chars().count() < LEAST_BITS {
        return None;
    }
    let start = text.text.find(run)?;
    let place = place(passage, &(start..start + first.len_utf8()));
    let detail = format!("holds data in {} characters without width, {place}", run.chars().count());
    let severity = Severity::High.lowered(levels(text.role));
    Some(Threat { kind: ThreatType::Obfuscation, severity, detail, excerpt: None })
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
        let found = engine.directives.find(&decoded, Role::Declared, Kind::Server).into_iter();
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

//! Pretexts, pressure and requests: phrases near each other to evidence, evidence to checks.
//!
//! Evidence is summed over windows of the text, so that phrases which are far apart in a long text do not add up, and each rule
//! counts once in a window. Phrases of warnings and of ordinary business take a bounded weight away.

use std::collections::BTreeMap;
use std::ops::Range;

use text::{Hit, fold, words};

use super::lexicon::{CLASSES, Class};
use super::prohibition::{sentence_of_words, without_forbidden};
use super::rules::{Kind, NOTABLE, ROUTINE, RULES, THRESHOLD, WARNING};
use super::{Evidence, Passage, commands, durations, figures, place};
use crate::check::{Check, Spec, Threat};
use crate::engine::Engine;
use crate::weights::text as weights;

/// Words of a window; windows overlap by half.
const WINDOW: usize = 160;
/// Warnings and phrases of ordinary business count this often at most.
const RELIEF_COUNT: i32 = 2;
/// Weight that signs of an ordinary text take away at most, so that an attack cannot buy itself free with them.
const MOST_RELIEF: i32 = -5;
/// Sum from which on a request to execute something is an attack.
const RUN_THRESHOLD: i32 = 6;
/// Statements that a reason names at most.
const MOST_STATEMENTS: usize = 6;
/// A rule that holds for words of a text.
#[derive(Clone, Debug)]
struct Found {
    rule: usize,
    words: Range<usize>,
}

/// Evidence of the clearest window of a passage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clearest {
    /// Sum of all weights.
    pub(crate) sum: i32,
    rules: Vec<usize>,
    part: Range<usize>,
}

impl Clearest {
    fn of_kinds(&self, kinds: &[Kind]) -> i32 {
        let rules = self.rules.iter().filter_map(|rule| RULES.get(*rule));
        rules.filter(|rule| kinds.contains(&rule.kind)).map(|rule| rule.weight).sum()
    }

    fn statements(&self, kinds: Option<&[Kind]>) -> Vec<&'static str> {
        let mut rules: Vec<_> = self.rules.iter().filter_map(|rule| RULES.get(*rule)).collect();
        rules.retain(|rule| rule.weight > 0 && kinds.is_none_or(|kinds| kinds.contains(&rule.kind)));
        rules.sort_by_key(|rule| -rule.weight);
        rules.into_iter().map(|rule| rule.says).take(MOST_STATEMENTS).collect()
    }
}

/// The checks of pretexts, requests and pressure.
pub(super) fn checks(engine: &Engine, passages: &[Passage], evidence: &[Evidence]) -> Vec<Check> {
    let mut clearest: Option<(&Passage, Clearest)> = None;
    let mut run: Option<(&Passage, i32, Clearest, Vec<Evidence>)> = None;
    for passage in passages {
        let found = passage_evidence(engine, passage);
        let commands = commands::evidence(&passage.text);
        let execute = found.of_kinds(&[Kind::Run]) + commands.iter().map(|one| one.weight).sum::<i32>();
        if run.as_ref().is_none_or(|(_, most, ..)| execute > *most) {
            run = Some((passage, execute, found.clone(), commands));
        }
        if clearest.as_ref().is_none_or(|(_, most)| found.sum > most.sum) {
            clearest = Some((passage, found));
        }
    }
    let Some((passage, found)) = clearest else { return passed() };
    // A text that asks for money or another channel needs no link.
    let needs_link = found.of_kinds(&[Kind::Payment, Kind::Switch, Kind::Run]) < 2;
    let counts = |one: &&Evidence| one.weight > 0 || needs_link;
    let beside: i32 = evidence.iter().filter(counts).map(|one| one.weight).sum();
    let sum = found.sum + if found.sum > 0 { beside } else { 0 };
    let mut checks = vec![pretext(engine, passage, &found, (sum, evidence))];
    let is_clear = sum >= THRESHOLD;
    checks.push(request(engine, &weights::CREDENTIALS, Kind::Credentials, passage, &found, is_clear));
    checks.push(request(engine, &weights::PAYMENT, Kind::Payment, passage, &found, is_clear));
    let pressure = found.of_kinds(&[Kind::Pressure]);
    checks.push(if pressure > 1 && sum >= NOTABLE {
        weights::URGENCY.failed(statement(passage, &found, Some(&[Kind::Pressure]), &[]))
    } else {
        weights::URGENCY.passed()
    });
    checks.push(run.map_or_else(|| weights::RUN.passed(), |run| run_check(engine, run)));
    checks.push(if found.of_kinds(&[Kind::Switch]) > 0 {
        weights::SWITCH.failed(statement(passage, &found, Some(&[Kind::Switch]), &[]))
    } else {
        weights::SWITCH.passed()
    });
    checks
}

fn passed() -> Vec<Check> {
    let all = [
        &weights::PRETEXT,
        &weights::CREDENTIALS,
        &weights::PAYMENT,
        &weights::URGENCY,
        &weights::RUN,
        &weights::SWITCH,
    ];
    all.into_iter().map(Spec::passed).collect()
}

fn pretext(
    engine: &Engine,
    passage: &Passage,
    found: &Clearest,
    (sum, evidence): (i32, &[Evidence]),
) -> Check {
    if sum < NOTABLE {
        return weights::PRETEXT.passed();
    }
    let reason = statement(passage, found, None, evidence);
    let mut check = weights::PRETEXT.failed(format!("{reason}; weight {sum} of {THRESHOLD}"));
    if sum < THRESHOLD {
        return noted(&weights::PRETEXT, &check);
    }
    excerpt(engine, passage, &found.part, &mut check);
    check
}

/// The check with the lowest severity: worth a note, and no more.
fn noted(spec: &'static Spec, check: &Check) -> Check {
    let low = |threat: &Threat| Threat { severity: crate::artifact::Severity::Low, ..threat.clone() };
    let threats: Vec<Threat> = check.threats().iter().map(low).collect();
    let reason = threats.first().map(|threat| threat.detail.clone()).unwrap_or_default();
    spec.failed_with(threats, reason)
}

/// A request is a threat where the whole is a pretext; alone it is ordinary.
fn request(
    engine: &Engine,
    spec: &'static Spec,
    kind: Kind,
    passage: &Passage,
    found: &Clearest,
    is_clear: bool,
) -> Check {
    if !is_clear || found.of_kinds(&[kind]) < 2 {
        return spec.passed();
    }
    let mut check = spec.failed(statement(passage, found, Some(&[kind]), &[]));
    excerpt(engine, passage, &found.part, &mut check);
    check
}

fn run_check(
    engine: &Engine,
    (passage, sum, found, commands): (&Passage, i32, Clearest, Vec<Evidence>),
) -> Check {
    if sum < RUN_THRESHOLD {
        return weights::RUN.passed();
    }
    let reason = statement(passage, &found, Some(&[Kind::Run]), &commands);
    let mut check = weights::RUN.failed(format!("{reason}; weight {sum} of {RUN_THRESHOLD}"));
    excerpt(engine, passage, &found.part, &mut check);
    check
}

fn excerpt(engine: &Engine, passage: &Passage, part: &Range<usize>, check: &mut Check) {
    if let crate::check::Outcome::Failed { threats, .. } = &mut check.outcome {
        let shown = passage.text.get(part.clone()).map(|text| engine.excerpt(text));
        threats.iter_mut().for_each(|threat| threat.excerpt.clone_from(&shown));
    }
}

fn statement(passage: &Passage, found: &Clearest, kinds: Option<&[Kind]>, beside: &[Evidence]) -> String {
    let mut says: Vec<&str> = found.statements(kinds);
    says.extend(beside.iter().filter(|one| one.weight > 0).map(|one| one.says.as_str()));
    format!("{} {}", says.join(", "), place(passage, &found.part))
}

/// The clearest window of a passage, over all languages.
pub(crate) fn passage_evidence(engine: &Engine, passage: &Passage) -> Clearest {
    let folded = fold(&passage.text);
    let words = words(&folded.text);
    let sentence = sentence_of_words(&folded.text, &words);
    let (amounts, codes) = (figures::amounts(&folded.text, &words), figures::codes(&folded.text, &words));
    let mut clearest = Clearest::default();
    for (language, mut hits) in engine.lexicons.hits(&folded.text, &words).enumerate() {
        durations::add(&folded.text, &words, language, &mut hits);
        if !amounts.is_empty() {
            hits.extend(amounts.iter().copied());
            hits.sort_by_key(|hit| hit.last);
        }
        let (hits, warned) = without_forbidden(&folded.text, &words, &sentence, hits);
        let (found, relief) =
            (found(&hits), Relief::of(&hits, warned.into_iter().chain(codes.iter().copied())));
        for window in windows(words.len()) {
            let candidate = evidence_in(&window, &found, &relief);
            if candidate.sum > clearest.sum {
                clearest = candidate;
            }
        }
    }
    let at = |word: usize| words.get(word);
    let part = clearest.part.clone();
    let start = at(part.start).map_or(0, |word| word.start as usize);
    let end = part.end.checked_sub(1).and_then(at).map_or(start, |word| word.end as usize);
    clearest.part = folded.map.source(&(start..end));
    clearest
}

/// Words at which signs of an ordinary text stand, in order.
struct Relief {
    warnings: Vec<usize>,
    routine: Vec<usize>,
}

impl Relief {
    fn of(hits: &[Hit], warned: impl Iterator<Item = usize>) -> Self {
        let of =
            |class: Class| hits.iter().filter(move |hit| hit.classes & class.bit() != 0).map(|hit| hit.first);
        let mut warnings: Vec<usize> = of(Class::Warn).chain(warned).collect();
        let mut routine: Vec<usize> = of(Class::Routine).collect();
        warnings.sort_unstable();
        routine.sort_unstable();
        Self { warnings, routine }
    }
}

/// Signs within a window, as often as they count.
fn count(signs: &[usize], window: &Range<usize>) -> i32 {
    let before = |word: usize| signs.partition_point(|sign| *sign < word);
    let within = before(window.end).saturating_sub(before(window.start));
    i32::try_from(within).unwrap_or(RELIEF_COUNT).min(RELIEF_COUNT)
}

fn windows(words: usize) -> impl Iterator<Item = Range<usize>> {
    let last = words.saturating_sub(WINDOW / 2).max(1);
    (0..last).step_by(WINDOW / 2).map(|start| start..start + WINDOW)
}

fn evidence_in(window: &Range<usize>, found: &[Found], relief: &Relief) -> Clearest {
    let mut part: Option<Range<usize>> = None;
    let mut rules: BTreeMap<usize, i32> = BTreeMap::new();
    let from = found.partition_point(|one| one.words.end <= window.start);
    for one in found.iter().skip(from).take_while(|one| one.words.end <= window.end) {
        let Some(rule) = RULES.get(one.rule).filter(|_| one.words.start >= window.start) else { continue };
        rules.insert(one.rule, rule.weight);
        let reached = part.get_or_insert_with(|| one.words.clone());
        reached.start = reached.start.min(one.words.start);
        reached.end = reached.end.max(one.words.end);
    }
    let gain: i32 = rules.values().filter(|weight| **weight > 0).sum();
    let ignored: i32 = rules.values().filter(|weight| **weight < 0).sum();
    let relief =
        ignored + count(&relief.warnings, window) * WARNING + count(&relief.routine, window) * ROUTINE;
    Clearest {
        sum: gain + relief.max(MOST_RELIEF),
        rules: rules.into_keys().collect(),
        part: part.unwrap_or(window.start..window.start),
    }
}

/// Rules that hold, by their last word: one pass over the hits.
fn found(hits: &[Hit]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut seen: [Option<usize>; CLASSES] = [None; CLASSES];
    for hit in hits {
        for (class, latest) in seen.iter_mut().enumerate() {
            if hit.classes & (1 << class) != 0 {
                *latest = Some(hit.first);
            }
        }
        for (number, rule) in RULES.iter().enumerate() {
            if !rule.needs.iter().any(|class| hit.classes & class.bit() != 0) {
                continue;
            }
            let starts: Option<Vec<usize>> =
                rule.needs.iter().map(|class| seen.get(*class as usize).copied().flatten()).collect();
            let Some(start) = starts.and_then(|starts| starts.into_iter().min()) else { continue };
            if hit.last.saturating_sub(start) <= rule.within {
                found.push(Found { rule: number, words: start..hit.last + 1 });
            }
        }
    }
    found
}

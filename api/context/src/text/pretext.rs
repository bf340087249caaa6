//! Pretexts, pressure and requests: the model of pretexts judges each text with the sender, links and attachments beside it, and groups of
//! phrases explain it.

use std::ops::Range;

use ::pretext::{Judged, Letter, Phrase, Purpose, Reading};

use super::{Evidence, Passage, commands, place};
use crate::check::{Check, Outcome, Spec, Threat};
use crate::content::SUBJECT;
use crate::engine::Engine;
use crate::weights::text as weights;

/// Weight of each group of phrases that asks to execute something, and to turn protection off.
const RUN: i32 = 2;
const PROTECTION: i32 = 4;
/// Sum from which on a request to execute something is an attack.
const RUN_THRESHOLD: i32 = 6;
/// Groups of phrases from which on a text puts pressure on its reader.
const PRESSURE: usize = 2;

/// Request to execute something, in the clearest window of a passage.
struct Run<'p> {
    passage: &'p Passage,
    sum: i32,
    says: Vec<String>,
    part: Range<usize>,
}

/// The checks of pretexts, requests and pressure. The subject is judged with each text.
pub(super) fn checks(engine: &Engine, passages: &[Passage], letter: &Letter<'_>) -> Vec<Check> {
    let judging = engine.pretexts.begin(&engine.brands, letter);
    let empty = Passage::visible("the text", "");
    let read: Vec<&Passage> =
        passages.iter().filter(|passage| !passage.is_aside && passage.name != SUBJECT).collect();
    let read = if read.is_empty() { vec![&empty] } else { read };
    let mut clearest: Option<(&Passage, Judged)> = None;
    let mut run: Option<Run<'_>> = None;
    for passage in read {
        let reading = engine.pretexts.read(&passage.text);
        let judged = engine.pretexts.judge(&judging, &reading);
        let execute = of_run(passage, &reading);
        if run.as_ref().is_none_or(|most| execute.sum > most.sum) {
            run = Some(execute);
        }
        if clearest.as_ref().is_none_or(|(_, most)| judged.margin > most.margin) {
            clearest = Some((passage, judged));
        }
    }
    let Some((passage, judged)) = clearest else { return Vec::new() };
    let request = |spec, purpose| request(engine, spec, purpose, (passage, &judged));
    let pressure = of_purpose(&judged.phrases, Purpose::Pressure);
    let switch = of_purpose(&judged.phrases, Purpose::Switch);
    vec![
        pretext(engine, passage, &judged),
        request(&weights::CREDENTIALS, Purpose::Credentials),
        request(&weights::PAYMENT, Purpose::Payment),
        if judged.is_notable && pressure.len() >= PRESSURE {
            weights::URGENCY.failed(statement(&pressure, passage, &judged.part))
        } else {
            weights::URGENCY.passed()
        },
        run.map_or_else(|| weights::RUN.passed(), |run| run_check(engine, &run)),
        if switch.is_empty() {
            weights::SWITCH.passed()
        } else {
            weights::SWITCH.failed(statement(&switch, passage, &judged.part))
        },
    ]
}

fn pretext(engine: &Engine, passage: &Passage, judged: &Judged) -> Check {
    if !judged.is_notable {
        return weights::PRETEXT.passed();
    }
    let says = if judged.says.is_empty() { &["has the wording of pretexts"] } else { judged.says.as_slice() };
    let reason = statement(says, passage, &judged.part);
    let mut check = weights::PRETEXT.failed(format!("{reason}; {:+.1} to the threshold", judged.margin));
    if !judged.is_pretext {
        return noted(&weights::PRETEXT, &check);
    }
    excerpt(engine, passage, &judged.part, &mut check);
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
    purpose: Purpose,
    (passage, judged): (&Passage, &Judged),
) -> Check {
    let says = of_purpose(&judged.phrases, purpose);
    if !judged.is_pretext || says.is_empty() {
        return spec.passed();
    }
    let mut check = spec.failed(statement(&says, passage, &judged.part));
    excerpt(engine, passage, &judged.part, &mut check);
    check
}

fn of_purpose(phrases: &[&'static Phrase], purpose: Purpose) -> Vec<&'static str> {
    phrases.iter().filter(|phrase| phrase.purpose == purpose).map(|phrase| phrase.says).collect()
}

/// Command lines of a passage, with the requests to execute something of the window that has most of them.
fn of_run<'p>(passage: &'p Passage, reading: &Reading) -> Run<'p> {
    let commands = commands::evidence(&passage.text);
    let of_commands: i32 = commands.iter().map(|one| one.weight).sum();
    let weight = |phrase: &&Phrase| match phrase.purpose {
        Purpose::Run => RUN,
        Purpose::Protection => PROTECTION,
        _ => 0,
    };
    let mut most: (i32, Vec<&'static Phrase>, Range<usize>) = (0, Vec::new(), 0..0);
    for window in reading.windows() {
        let phrases = reading.phrases(&window);
        let sum = phrases.iter().map(weight).sum();
        if sum > most.0 {
            most = (sum, phrases, window);
        }
    }
    let (sum, phrases, window) = most;
    let mut says: Vec<String> =
        phrases.iter().filter(|phrase| weight(phrase) > 0).map(|phrase| phrase.says.to_owned()).collect();
    says.extend(commands.into_iter().map(|Evidence { says, .. }| says));
    Run { passage, sum: sum + of_commands, says, part: reading.source(&window) }
}

fn run_check(engine: &Engine, Run { passage, sum, says, part }: &Run<'_>) -> Check {
    if *sum < RUN_THRESHOLD {
        return weights::RUN.passed();
    }
    let reason = statement(says, passage, part);
    let mut check = weights::RUN.failed(format!("{reason}; weight {sum} of {RUN_THRESHOLD}"));
    excerpt(engine, passage, part, &mut check);
    check
}

fn excerpt(engine: &Engine, passage: &Passage, part: &Range<usize>, check: &mut Check) {
    if let Outcome::Failed { threats, .. } = &mut check.outcome {
        let shown = passage.text.get(part.clone()).map(|text| engine.excerpt(text));
        threats.iter_mut().for_each(|threat| threat.excerpt.clone_from(&shown));
    }
}

fn statement<S: AsRef<str>>(says: &[S], passage: &Passage, part: &Range<usize>) -> String {
    let says: Vec<&str> = says.iter().map(AsRef::as_ref).collect();
    format!("{} {}", says.join(", "), place(passage, part))
}

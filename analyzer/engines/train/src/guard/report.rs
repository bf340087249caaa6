//! Quality on projects that training left out.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use ::guard::Guard;

use super::disguise::DISGUISES;
use super::learn::{Prepared, model, prepare};
use super::texts::{GRAMMAR, Kind, Text};
use super::writing::writing;
use crate::TrainError;

/// Blocked texts and all texts.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    blocked: usize,
    all: usize,
}

impl Share {
    fn add(&mut self, blocked: bool) {
        self.blocked += usize::from(blocked);
        self.all += 1;
    }

    fn percent(self) -> f64 {
        100.0 * self.blocked as f64 / self.all.max(1) as f64
    }
}

/// The result of one text that training left out.
#[derive(Clone, Debug)]
struct Outcome {
    text: usize,
    margin: f32,
    /// Whether each disguise of a blocked attack is still blocked.
    disguised: Vec<bool>,
}

/// Attacks of a project that are disguised, at most.
const MAX_DISGUISED: usize = 60;

/// Projects that are left out at the same time, each by a thread of its own.
const THREADS: usize = 2;

/// Trains once for each project without it, and prints the tables.
///
/// # Errors
/// [`TrainError`] where a model cannot be trained or the tables not printed.
pub fn print(texts: &[Text], seed: u64, out: &mut dyn Write) -> Result<(), TrainError> {
    let prepared = prepare(texts, seed)?;
    let projects: BTreeSet<&str> = texts.iter().map(|text| text.project.as_str()).collect();
    let projects: Vec<&str> = projects.into_iter().filter(|project| *project != GRAMMAR).collect();
    let mut outcomes = Vec::new();
    for group in projects.chunks(THREADS) {
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                group.iter().map(|project| scope.spawn(|| fold(texts, &prepared, project, seed))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(Err(TrainError::Fold))).collect()
        });
        for result in results {
            outcomes.extend(result?);
        }
    }
    by_kind(texts, &outcomes, out)?;
    at_limits(texts, &outcomes, out)?;
    by_project(texts, &outcomes, out)?;
    by_writing(texts, &outcomes, out)?;
    by_disguise(&outcomes, out)
}

/// Trains without a project and classifies its texts.
fn fold(
    texts: &[Text],
    prepared: &[Prepared],
    left_out: &str,
    seed: u64,
) -> Result<Vec<Outcome>, TrainError> {
    let bytes = model(prepared, &BTreeMap::new(), seed, &|project| project != left_out)?;
    let guard = Guard::load(&bytes)?;
    let mut outcomes = Vec::new();
    let mut disguised = 0;
    for (number, text) in texts.iter().enumerate().filter(|(_, text)| text.project == left_out) {
        let margin = guard.margin(&text.text);
        let mut outcome = Outcome { text: number, margin, disguised: Vec::new() };
        if text.is_attack && margin >= 0.0 && disguised < MAX_DISGUISED && text.text.is_ascii() {
            disguised += 1;
            outcome.disguised =
                DISGUISES.iter().map(|(_, disguise)| guard.margin(&disguise(&text.text)) >= 0.0).collect();
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

fn group(text: &Text) -> &'static str {
    match text.kind {
        Kind::Direct if text.category == "system_prompt_extraction" => "extraction",
        Kind::Direct => "injection",
        Kind::Indirect if text.category == "data_exfiltration" => "data exfiltration",
        Kind::Indirect => "tool output",
        kind => kind.name(),
    }
}

fn by_kind(texts: &[Text], outcomes: &[Outcome], out: &mut dyn Write) -> Result<(), TrainError> {
    writeln!(out, "| kind, left out by project | texts | blocked |\n|---|---|---|")?;
    let mut shares: BTreeMap<(bool, &str), Share> = BTreeMap::new();
    for (outcome, text) in outcomes.iter().filter_map(|outcome| Some((outcome, texts.get(outcome.text)?))) {
        shares.entry((!text.is_attack, group(text))).or_default().add(outcome.margin >= 0.0);
    }
    for ((_, name), share) in shares {
        writeln!(out, "| {name} | {} | {:.1} % |", share.all, share.percent())?;
    }
    writeln!(out)?;
    Ok(())
}

/// Shares of benign kinds that may be blocked.
const LIMITS: [(&str, f32); 4] =
    [("hard negatives", 0.03), ("documents", 0.03), ("chat", 0.05), ("other languages", 0.01)];

/// Blocked attacks where the threshold is moved to the lowest one that keeps every limit, which shows the order of the scores apart
/// from the choice of the threshold.
fn at_limits(texts: &[Text], outcomes: &[Outcome], out: &mut dyn Write) -> Result<(), TrainError> {
    let mut margins: BTreeMap<&str, Vec<f32>> = BTreeMap::new();
    for (outcome, text) in outcomes.iter().filter_map(|outcome| Some((outcome, texts.get(outcome.text)?))) {
        margins.entry(group(text)).or_default().push(outcome.margin);
    }
    margins.values_mut().for_each(|margins| margins.sort_by(|one, two| two.total_cmp(one)));
    let lowest = |(name, limit): &(&str, f32)| {
        let margins = margins.get(name)?;
        margins.get((margins.len() as f32 * limit) as usize).copied()
    };
    writeln!(out, "| threshold moved so that | by |")?;
    writeln!(out, "|---|---|")?;
    for limit in &LIMITS {
        writeln!(
            out,
            "| {} <= {:.0} % | {:+.2} |",
            limit.0,
            limit.1 * 100.0,
            lowest(limit).unwrap_or_default()
        )?;
    }
    let moved = LIMITS.iter().filter_map(lowest).fold(f32::MIN, f32::max);
    writeln!(out, "\n| kind, threshold moved by {moved:+.2} | blocked |\n|---|---|")?;
    for (name, margins) in &margins {
        let blocked = margins.iter().filter(|margin| **margin > moved).count();
        writeln!(out, "| {name} | {:.1} % |", 100.0 * blocked as f64 / margins.len().max(1) as f64)?;
    }
    writeln!(out)?;
    Ok(())
}

fn by_project(texts: &[Text], outcomes: &[Outcome], out: &mut dyn Write) -> Result<(), TrainError> {
    writeln!(out, "| project | category | texts | blocked |\n|---|---|---|---|")?;
    let mut shares: BTreeMap<(&str, &str), Share> = BTreeMap::new();
    for (outcome, text) in outcomes.iter().filter_map(|outcome| Some((outcome, texts.get(outcome.text)?))) {
        let category =
            if text.category.starts_with("indirect/") { "indirect" } else { text.category.as_str() };
        shares.entry((&text.project, category)).or_default().add(outcome.margin >= 0.0);
    }
    for ((project, category), share) in shares {
        writeln!(out, "| {project} | {category} | {} | {:.1} % |", share.all, share.percent())?;
    }
    writeln!(out)?;
    Ok(())
}

fn by_writing(texts: &[Text], outcomes: &[Outcome], out: &mut dyn Write) -> Result<(), TrainError> {
    writeln!(out, "| attacks in | texts | blocked |\n|---|---|---|")?;
    let mut shares: BTreeMap<&str, Share> = BTreeMap::new();
    for (outcome, text) in outcomes.iter().filter_map(|outcome| Some((outcome, texts.get(outcome.text)?))) {
        if text.is_attack {
            shares.entry(writing(&text.text)).or_default().add(outcome.margin >= 0.0);
        }
    }
    for (name, share) in shares {
        writeln!(out, "| {name} | {} | {:.1} % |", share.all, share.percent())?;
    }
    writeln!(out)?;
    Ok(())
}

fn by_disguise(outcomes: &[Outcome], out: &mut dyn Write) -> Result<(), TrainError> {
    writeln!(out, "| disguise | attacks blocked without it | still blocked |\n|---|---|---|")?;
    for (number, (name, _)) in DISGUISES.iter().enumerate() {
        let mut share = Share::default();
        outcomes
            .iter()
            .filter_map(|outcome| outcome.disguised.get(number))
            .for_each(|blocked| share.add(*blocked));
        writeln!(out, "| {name} | {} | {:.1} % |", share.all, share.percent())?;
    }
    Ok(())
}

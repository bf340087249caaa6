//! Scores from which on chunks and runs are attacks, chosen with validation texts.

use std::collections::BTreeMap;

use ::guard::{Guard, Margins};

use super::learn::{Prepared, benign};
use super::texts::Kind;

/// The scores from which on chunks and runs are attacks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Thresholds {
    pub(super) chunk: f32,
    pub(super) run: f32,
}

/// Share of benign validation texts of a kind that may be blocked. Those of system prompts are more, since an
/// application does not ask about its own prompt, and so are those of honest texts that were written to look like attacks.
fn allowed(kind: Kind) -> f32 {
    match kind {
        Kind::Language => 0.01,
        Kind::Document => 0.02,
        Kind::SystemPrompt => 0.25,
        Kind::WrittenHonest => 0.08,
        _ => 0.05,
    }
}

/// Share of the allowed false positives that runs may make.
const OF_RUNS: f32 = 0.5;

/// The thresholds that keep false positives of every benign kind low, and the share of each kind that is blocked. Runs may
/// make half of the false positives by themselves.
pub(super) fn thresholds(texts: &[&Prepared], guard: &Guard<'_>) -> (Thresholds, BTreeMap<String, f64>) {
    let mut margins: BTreeMap<Kind, Vec<Margins>> = BTreeMap::new();
    for text in texts.iter().filter(|text| text.validates) {
        margins.entry(text.kind).or_default().push(guard.margins_of_view(&text.read));
    }
    // Even odds at least: few validation texts may have no run that is judged, and would put no bound on the threshold.
    let mut thresholds = Thresholds::default();
    let honest = || margins.iter().filter(|(kind, _)| benign(**kind));
    for (kind, margins) in honest() {
        let runs = margins.iter().map(|margins| margins.run);
        thresholds.run = thresholds.run.max(least(runs, allowed(*kind) * OF_RUNS, margins.len()));
    }
    let run = thresholds.run;
    for (kind, margins) in honest() {
        let blocked = margins.iter().filter(|margins| margins.run >= run).count() as f32;
        let rest = allowed(*kind) - blocked / margins.len().max(1) as f32;
        let chunks = margins.iter().filter(|margins| margins.run < run).map(|margins| margins.chunk);
        thresholds.chunk = thresholds.chunk.max(least(chunks, rest, margins.len()));
    }
    let share = |margins: &[Margins]| {
        let blocks = |margins: &&Margins| margins.run >= run || margins.chunk >= thresholds.chunk;
        margins.iter().filter(blocks).count() as f64 / margins.len().max(1) as f64
    };
    let blocked = margins.iter().map(|(kind, margins)| (format!("blocked, {}", kind.name()), share(margins)));
    (thresholds, blocked.collect())
}

/// Lowest threshold that at most `share` of `texts` texts reach, of which `scores` has the score of each.
fn least(scores: impl Iterator<Item = f32>, share: f32, texts: usize) -> f32 {
    let mut scores: Vec<f32> = scores.collect();
    scores.sort_by(|one, two| two.total_cmp(one));
    let first_passed = scores.get((texts as f32 * share.max(0.0)) as usize).copied();
    first_passed.map_or(f32::MIN, |score| score + 0.01)
}

//! Matches and contradictions to features of the model, and to a score.

use linear_model::{Feature, Model, ModelError, Table};

use crate::align::{Aligned, pairs};
use crate::claims::Said;
use crate::contradict::Contradiction;
use crate::order::{Runs, Swaps};
use crate::terms::Term;

/// Version of the code that makes features; a model of another version is refused.
pub const FEATURES: &str = "verify-3";

/// Name of the table of the model.
pub const TABLE: &str = "support";

/// Steps of a share. A share has one feature for each step that it reaches, so that the model learns a curve.
const STEPS: u32 = 12;

/// Counts above this are equal.
const MOST: usize = 4;

/// The model.
#[derive(Clone, Debug)]
pub(crate) struct Scorer<'a> {
    table: Table<'a>,
    bias: f32,
}

impl<'a> Scorer<'a> {
    pub(crate) fn new(model: &Model<'a>) -> Result<Self, ModelError> {
        model.expect_features(FEATURES)?;
        let table = model.table(TABLE, 1)?.clone();
        let threshold =
            model.number("threshold").ok_or_else(|| ModelError::NoTable("threshold".to_owned()))?;
        let bias = table.biases().first().copied().unwrap_or_default() - threshold;
        Ok(Self { table, bias })
    }

    /// Above zero where the claim is supported.
    pub(crate) fn score(&self, features: &[Feature]) -> f32 {
        self.bias + features.iter().map(|feature| self.table.weight(*feature)).sum::<f32>()
    }
}

/// Everything that is known about a claim and its evidence.
pub(crate) struct Known<'a> {
    pub(crate) claim: &'a Said,
    pub(crate) aligned: &'a Aligned<'a>,
    pub(crate) runs: Runs,
    pub(crate) swaps: &'a Swaps,
    /// Numbers whose words stand with another number.
    pub(crate) elsewhere: usize,
    pub(crate) contradictions: &'a [Contradiction],
}

/// The features of a claim beside its evidence.
pub(crate) fn features_of(known: &Known<'_>) -> Vec<Feature> {
    let Known { claim, aligned, runs, swaps, elsewhere, contradictions } = known;
    let mut features = Vec::with_capacity(96);
    let terms = &claim.terms;
    let in_first = pairs(terms, &aligned.stated);
    let shares = [
        ("share", aligned.share),
        ("first share", aligned.first_share),
        ("pairs", in_first),
        ("neighbours", runs.neighbours),
        ("longest", runs.longest),
        ("subsequence", runs.subsequence),
        ("spread", aligned.share - aligned.first_share),
        ("heaviest gap", heaviest_gap(aligned)),
    ];
    for (name, share) in shares {
        features.extend(steps(name, share));
    }
    let missing = |wanted: &dyn Fn(&&Term) -> bool| aligned.missing(terms).filter(wanted).count();
    let counts = [
        ("missing", missing(&|_| true)),
        ("missing names", missing(&|term| term.name)),
        ("missing numbers", missing(&|term| term.value.is_some())),
        ("missing words", missing(&|term| !term.name && term.value.is_none())),
        ("around", swaps.around.len()),
        ("bound", swaps.bound.len()),
        ("numbers elsewhere", *elsewhere),
        ("parts", swaps.parts.saturating_sub(1)),
        ("passages", aligned.passages.len()),
        ("length", terms.iter().filter(|term| term.content).count() / 3),
    ];
    for (name, count) in counts {
        features.extend(counted(name, count));
    }
    let weighed = contradictions.iter().filter(|one| one.kind.is_weighed());
    features.extend(weighed.map(|one| Feature::of(one.kind.name())));
    let against = contradictions.iter().filter(|one| one.kind.is_counted()).count();
    features.extend(counted("contradictions", against));
    // A linear model cannot weigh the order of words by whether all of them are there.
    if missing(&|_| true) == 0 && against == 0 {
        let name = if swaps.bound.len() > 1 { "complete, bound otherwise" } else { "complete" };
        features.push(Feature::of(name).tagged(swaps.parts.min(MOST) as u64));
    }
    features
}

/// Share of the weights that the most important missing term has, times their number.
fn heaviest_gap(aligned: &Aligned<'_>) -> f32 {
    let total: f32 = aligned.weights.iter().sum();
    let gaps = aligned.weights.iter().zip(&aligned.found).filter(|(_, found)| **found == 0.0);
    gaps.fold(0.0_f32, |heaviest, (weight, _)| heaviest.max(*weight)) / total.max(f32::EPSILON)
}

fn steps(name: &str, share: f32) -> impl Iterator<Item = Feature> {
    let name = Feature::of(name);
    (1..=STEPS)
        .take_while(move |step| share * STEPS as f32 + 1e-3 >= *step as f32)
        .map(move |step| name.tagged(u64::from(step)))
}

fn counted(name: &str, count: usize) -> impl Iterator<Item = Feature> {
    let name = Feature::of(name);
    (1..=count.min(MOST)).map(move |step| name.tagged(step as u64))
}

//! A part to a number, by the model and its facts.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use linear_model::{Feature, Model, ModelError, Table};
use text::{GROUPS, View, Word, groups, groups_at, subwords};

use crate::facts::{Fact, within};
use crate::part::Part;
use crate::view::Read;

/// Version of the code that makes features; a model of another version is refused.
pub const FEATURES: &str = "guard-4";

/// Name of the table of the model.
pub const TABLE: &str = "attack";

/// Labels of the table: whether a whole chunk is an attack, and whether a run of its sentences is one. Honest texts have
/// runs that would be attacks if they were the whole text, so that the two are learned apart.
pub const LABELS: [&str; 2] = ["chunk", "run"];

/// A number for each label.
type Each = [f32; LABELS.len()];

/// How much the two strongest facts of a part count.
const FACTS: f32 = 0.5;

/// Strength of the two strongest facts of a run from which on it is judged by itself in a short text.
const CLEAR: f32 = 2.7;

/// Words above which the threshold rises, since more words give higher scores by chance.
const SHORT: f32 = 30.0;

/// The model, and the numbers of its manifest.
#[derive(Clone, Debug)]
pub(crate) struct Scorer<'a> {
    table: Table<'a>,
    biases: Each,
    thresholds: Each,
    /// By how much the threshold of a chunk rises with the natural logarithm of its words above [`SHORT`].
    rise: f32,
    /// Power of the number of different features by which their sum is divided.
    norm: f32,
}

impl<'a> Scorer<'a> {
    pub(crate) fn new(model: &Model<'a>) -> Result<Self, ModelError> {
        model.expect_features(FEATURES)?;
        let table = model.table(TABLE, LABELS.len())?.clone();
        let mut biases = Each::default();
        biases.iter_mut().zip(table.biases()).for_each(|(to, from)| *to = *from);
        let number = |name: &str| model.number(name).ok_or_else(|| ModelError::NoTable(name.to_owned()));
        Ok(Self {
            biases,
            table,
            thresholds: [number("threshold")?, number("run threshold")?],
            rise: number("rise")?,
            norm: number("norm")?,
        })
    }

    /// The score from which on a part is an attack.
    pub(crate) fn threshold(&self, part: &Part) -> f32 {
        let [chunk, run] = self.thresholds;
        if part.is_run {
            return run;
        }
        chunk + self.rise * (part.words.len() as f32 / SHORT).max(1.0).ln()
    }

    /// The weights of the features of a chunk.
    pub(crate) fn chunk(&self, view: &View, chunk: &Range<usize>) -> Chunk {
        let words = view.words.get(chunk.clone()).unwrap_or_default();
        let size = words.len().saturating_mul(GROUPS);
        let mut latest: HashMap<u64, usize, BuildHasherDefault<Kept>> =
            HashMap::with_capacity_and_hasher(size, BuildHasherDefault::default());
        let mut weights = Vec::with_capacity(size);
        let mut starts = Vec::with_capacity(words.len().saturating_add(1));
        // Weights of the parts of each different word, with their number.
        let mut of_word: HashMap<u64, (Each, usize), BuildHasherDefault<Kept>> = HashMap::default();
        for (place, word) in words.iter().enumerate() {
            starts.push(weights.len());
            for (feature, span) in groups_at(words, place) {
                let first = place.saturating_sub(span);
                // Places are counted from one, so that zero is before all.
                let before = latest.insert(feature.0, first.saturating_add(1)).unwrap_or_default();
                let mut weight = Weight { weights: self.table.weights(feature), count: 1, first, before };
                if span == 0 {
                    let (parts, count) =
                        of_word.entry(word.feature.0).or_insert_with(|| self.parts_of(view, word));
                    add(&mut weight.weights, parts);
                    weight.count += *count;
                }
                weights.push(weight);
            }
        }
        starts.push(weights.len());
        Chunk { start: chunk.start, weights, starts }
    }

    /// The weights of the parts of a word, and their number.
    fn parts_of(&self, view: &View, word: &Word) -> (Each, usize) {
        let (mut parts, mut sum) = (Vec::new(), Each::default());
        subwords(view.text.get(word.range()).unwrap_or_default(), &mut parts);
        parts.iter().for_each(|part| self.table.add(*part, 1.0, &mut sum));
        (sum, parts.len())
    }

    /// The score of a part of a chunk, from its words and from the facts that lie in it. `sum` is of the part scored before.
    pub(crate) fn score<'f>(
        &self,
        chunk: &Chunk,
        part: &Part,
        facts: impl Iterator<Item = &'f Fact>,
        sum: &mut Sum,
    ) -> Score {
        let (mut learned, mut strongest) = (Each::default(), Strongest::default());
        for fact in facts {
            if strongest.add(fact) {
                self.table.add(fact.feature(), 1.0, &mut learned);
            }
        }
        chunk.sum(&part.words, sum);
        add(&mut learned, &sum.weights);
        let label = usize::from(part.is_run);
        let of = |each: &Each| each.get(label).copied().unwrap_or_default();
        let score = of(&self.biases)
            + of(&learned) * scale(sum.count.saturating_add(strongest.names.len()), self.norm)
            + FACTS * strongest.strength();
        Score { score, is_clear: strongest.strength() >= CLEAR, is_sufficient: strongest.is_sufficient }
    }
}

fn add(to: &mut Each, from: &Each) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

/// The score of a part.
pub(crate) struct Score {
    pub(crate) score: f32,
    /// Whether its facts are strong enough for a run of a short text.
    pub(crate) is_clear: bool,
    /// Whether a fact blocks by itself.
    pub(crate) is_sufficient: bool,
}

/// A part of a text as the trainer sees it: exactly what [`Scorer::score`] adds up.
#[derive(Clone, Debug)]
pub struct Row {
    /// Different features of words and facts, and the parts of each different word.
    pub features: Vec<Feature>,
    /// Score of the facts by themselves.
    pub offset: f32,
}

/// A part of a view as the trainer sees it.
#[must_use]
pub fn row(read: &Read, part: &Part) -> Row {
    let words = read.view.words.get(part.words.clone()).unwrap_or_default();
    let mut features: Vec<Feature> = groups(words).collect();
    let mut strongest = Strongest::default();
    for fact in within(&read.facts, &part.words) {
        if strongest.add(fact) {
            features.push(fact.feature());
        }
    }
    features.sort_unstable();
    features.dedup();
    let mut seen = BTreeSet::new();
    for word in words.iter().filter(|word| seen.insert(word.feature)) {
        subwords(read.view.text.get(word.range()).unwrap_or_default(), &mut features);
    }
    Row { features, offset: FACTS * strongest.strength() }
}

/// The weights of the features of a chunk.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// First word of the chunk in the view.
    start: usize,
    weights: Vec<Weight>,
    /// Where the weights of each word begin, and the end of all.
    starts: Vec<usize>,
}

/// A feature at its place in a chunk.
#[derive(Debug)]
struct Weight {
    weights: Each,
    /// Number of features: a word has its parts too.
    count: usize,
    /// First word of the feature.
    first: usize,
    /// First word where the same feature was found before, counted from one; zero where it was not.
    before: usize,
}

impl Chunk {
    /// Sums the weights of the different features in some words of the view. Runs that begin with the same word follow each
    /// other, each longer than the one before, so that `sum` goes on where it ended.
    fn sum(&self, words: &Range<usize>, sum: &mut Sum) {
        if sum.words.start != words.start || sum.words.end > words.end {
            *sum = Sum { words: words.start..words.start, ..Sum::default() };
        }
        let place = |word: usize| {
            let word = word.saturating_sub(self.start);
            (word, self.starts.get(word).copied().unwrap_or_default())
        };
        let ((first, _), (_, start), (_, end)) = (place(words.start), place(sum.words.end), place(words.end));
        for weight in self.weights.get(start..end).unwrap_or_default() {
            if weight.first >= first && weight.before <= first {
                add(&mut sum.weights, &weight.weights);
                sum.count += weight.count;
            }
        }
        sum.words = words.clone();
    }
}

/// Sum of the weights of a part.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    words: Range<usize>,
    weights: Each,
    /// Number of features.
    count: usize,
}

/// The value of each of so many features.
#[must_use]
pub fn scale(count: usize, norm: f32) -> f32 {
    (count.max(1) as f32).powf(-norm)
}

/// The two strongest of different facts.
#[derive(Debug, Default)]
pub(crate) struct Strongest {
    names: Vec<&'static str>,
    strengths: [f32; 2],
    /// Whether one of all blocks by itself.
    is_sufficient: bool,
}

impl Strongest {
    /// Adds a fact, and says whether it was a new one.
    pub(crate) fn add(&mut self, fact: &Fact) -> bool {
        if self.names.contains(&fact.name) {
            return false;
        }
        self.names.push(fact.name);
        self.is_sufficient |= fact.is_sufficient();
        self.strengths = two_strongest(self.strengths, fact.strength);
        true
    }

    pub(crate) fn strength(&self) -> f32 {
        self.strengths.iter().sum()
    }
}

/// Keys are hashes already.
#[derive(Debug, Default)]
struct Kept(u64);

impl Hasher for Kept {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

fn two_strongest([one, two]: [f32; 2], next: f32) -> [f32; 2] {
    if next > one { [next, one] } else { [one, two.max(next)] }
}

//! Windows to a score by the model, and the reasons for it.

use linear_model::{Feature, Model, Table};

use crate::PayloadError;
use crate::windows::{Reading, Row, Window};

/// Version of the code that makes features; a model of another version is refused.
pub const FEATURES: &str = "payload-1";

/// Name of the table of the model.
pub const TABLE: &str = "payload";

/// Facts, and words, that a reason names at most.
const MOST_NAMES: usize = 5;

/// A window with fewer words is scaled as if it had this many: few words are weak evidence.
const LEAST_WORDS: usize = 30;

/// Value of each word of a window with the given number of words.
#[must_use]
pub fn scale(words: usize) -> f32 {
    1.0 / (words.max(LEAST_WORDS) as f32).sqrt()
}

/// The recognition of payloads by a model.
#[derive(Debug)]
pub struct Payloads<'m> {
    table: Table<'m>,
    bias: f32,
    facts: f32,
    /// Score from which on code is a payload.
    pub payload: f32,
    /// Score from which on code is worth a note.
    pub notable: f32,
}

/// The clearest window of a package.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged<'r> {
    /// Log-odds.
    pub score: f32,
    /// The window.
    pub window: &'r Window,
    /// Facts and words with the largest contributions, the largest first.
    pub facts: Vec<&'r str>,
    /// See `facts`.
    pub words: Vec<&'r str>,
}

impl<'m> Payloads<'m> {
    /// Prepares the recognition with a model.
    ///
    /// # Errors
    /// [`PayloadError`].
    pub fn load(bytes: &'m [u8]) -> Result<Self, PayloadError> {
        let model = Model::read(bytes)?;
        model.expect_features(FEATURES)?;
        let table = model.table(TABLE, 1)?.clone();
        let number = |name| model.number(name).ok_or(PayloadError::Number(name));
        Ok(Self {
            bias: table.biases().first().copied().unwrap_or_default(),
            table,
            facts: number("facts")?,
            payload: number("payload")?,
            notable: number("notable")?,
        })
    }

    /// The clearest window. Time is linear in the number of words.
    #[must_use]
    pub fn judge<'r>(&self, reading: &'r Reading) -> Option<Judged<'r>> {
        let mut clearest: Option<(f32, &Window)> = None;
        for window in &reading.windows {
            let score = self.score(&reading.row(window));
            if clearest.is_none_or(|(most, _)| score > most) {
                clearest = Some((score, window));
            }
        }
        let (score, window) = clearest?;
        let facts = self.largest(reading, &window.facts);
        Some(Judged { score, window, facts, words: self.largest(reading, &window.words) })
    }

    /// Log-odds of a window.
    #[must_use]
    pub fn score(&self, row: &Row) -> f32 {
        let sum =
            |features: &[Feature]| features.iter().map(|feature| self.table.weight(*feature)).sum::<f32>();
        self.bias + self.facts * sum(&row.facts) + scale(row.length) * sum(&row.words)
    }

    /// Names with the largest weights, the largest first.
    fn largest<'r>(&self, reading: &'r Reading, numbers: &[u32]) -> Vec<&'r str> {
        let named = numbers.iter().filter_map(|number| reading.named(*number));
        let mut weighed: Vec<(f32, &str)> =
            named.map(|(name, feature)| (self.table.weight(feature), name)).collect();
        weighed.retain(|(weight, _)| *weight > 0.0);
        weighed.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(two.1)));
        weighed.into_iter().take(MOST_NAMES).map(|(_, name)| name).collect()
    }
}

//! Windows to a score by the model, and the reasons for it.

use std::collections::BTreeSet;
use std::ops::Range;

use linear_model::{Feature, Model, Table};
use lookalikes::Brands;

use crate::PretextError;
use crate::facts::Circumstances;
use crate::letter::{Kind, Letter};
use crate::lexicon::Lexicons;
use crate::phrases::Phrase;
use crate::read::{Reader, Reading, Row, phrase_feature};

/// Version of the code that makes features; a model of another version is refused.
pub const FEATURES: &str = "pretext-1";

/// Name of the table of the model.
pub const TABLE: &str = "pretext";

/// Statements that a reason names at most.
const MOST_STATEMENTS: usize = 6;
/// By how much the thresholds of pages and files are higher: none is part of the training, and they are longer.
const DOCUMENTS: f32 = 1.0;
/// Words of the part of a window that is shown as its evidence.
const SHOWN: usize = 24;

/// Value of each word feature in a window with the given number of word features.
#[must_use]
pub fn scale(words: usize) -> f32 {
    1.0 / (words.max(1) as f32).sqrt()
}

/// The recognition of pretexts by a model.
#[derive(Debug)]
pub struct Pretexts<'m> {
    reader: Reader,
    table: Table<'m>,
    bias: f32,
    /// Value of each fact.
    facts: f32,
    mails: Thresholds,
    messages: Thresholds,
}

/// Scores from which on a letter is a pretext, and worth a note.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Thresholds {
    /// A pretext.
    pub pretext: f32,
    /// Worth a note.
    pub notable: f32,
}

/// A letter that is judged with each of its texts.
#[derive(Debug)]
pub struct Judging {
    circumstances: Circumstances,
    subject: Reading,
    thresholds: Thresholds,
}

/// The clearest window of a text.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Log-odds of a pretext above the threshold of the model.
    pub margin: f32,
    /// Whether it is a pretext, and whether it is worth a note.
    pub is_pretext: bool,
    /// See `is_pretext`.
    pub is_notable: bool,
    /// Statements with the largest contributions, the largest first.
    pub says: Vec<&'static str>,
    /// Groups of phrases of the window.
    pub phrases: Vec<&'static Phrase>,
    /// The words with the largest contributions, in bytes of the text.
    pub part: Range<usize>,
}

impl<'m> Pretexts<'m> {
    /// Prepares the recognition with a model.
    ///
    /// # Errors
    /// [`PretextError`].
    pub fn load(bytes: &'m [u8]) -> Result<Self, PretextError> {
        let model = Model::read(bytes)?;
        model.expect_features(FEATURES)?;
        let table = model.table(TABLE, 1)?.clone();
        let number = |name| model.number(name).ok_or(PretextError::Number(name));
        Ok(Self {
            reader: Reader::new()?,
            bias: table.biases().first().copied().unwrap_or_default(),
            table,
            facts: number("facts")?,
            mails: Thresholds { pretext: number("mail")?, notable: number("notable mail")? },
            messages: Thresholds { pretext: number("message")?, notable: number("notable message")? },
        })
    }

    /// The phrases of all languages.
    #[must_use]
    pub fn lexicons(&self) -> &Lexicons {
        &self.reader.lexicons
    }

    /// Reads a text for groups of phrases alone.
    #[must_use]
    pub fn read(&self, text: &str) -> Reading {
        self.reader.read(text)
    }

    /// Prepares the judgement of a letter.
    #[must_use]
    pub fn begin(&self, brands: &Brands, letter: &Letter<'_>) -> Judging {
        let Self { mails, messages, .. } = self;
        let thresholds = match letter.kind {
            Kind::Mail => *mails,
            Kind::Message => *messages,
            Kind::Document => Thresholds {
                pretext: mails.pretext.max(messages.pretext) + DOCUMENTS,
                notable: mails.notable.max(messages.notable) + DOCUMENTS,
            },
        };
        let subject = self.reader.read(letter.subject);
        Judging { circumstances: Circumstances::of(brands, letter), subject, thresholds }
    }

    /// Judges a text of the letter by its clearest window. Time is linear in the length of the text.
    #[must_use]
    pub fn judge(&self, judging: &Judging, reading: &Reading) -> Judged {
        let mut clearest = (f32::MIN, 0..0);
        for window in reading.windows() {
            let score = self.score(&reading.row(&window, &judging.circumstances, &judging.subject));
            if score > clearest.0 {
                clearest = (score, window);
            }
        }
        let (score, window) = clearest;
        let phrases = reading.phrases(&window);
        let part = self.part(reading, &window);
        Judged {
            margin: score - judging.thresholds.pretext,
            is_pretext: score >= judging.thresholds.pretext,
            is_notable: score >= judging.thresholds.notable,
            says: self.says(judging, reading, &window),
            phrases,
            part: reading.source(&part),
        }
    }

    /// Log-odds of a window.
    #[must_use]
    pub fn score(&self, row: &Row) -> f32 {
        let sum =
            |features: &[Feature]| features.iter().map(|feature| self.table.weight(*feature)).sum::<f32>();
        self.bias + self.facts * sum(&row.facts) + scale(row.words.len()) * sum(&row.words)
    }

    /// Statements of facts and phrases that raise the score.
    fn says(&self, judging: &Judging, reading: &Reading, window: &Range<usize>) -> Vec<&'static str> {
        let facts = judging.circumstances.facts.iter();
        let mut weighed: Vec<(f32, &'static str)> =
            facts.map(|fact| (self.table.weight(fact.feature()), fact.says)).collect();
        let mut phrases = reading.phrases(window);
        phrases.extend(judging.subject.phrases(&(0..usize::MAX)));
        weighed.extend(phrases.iter().map(|phrase| (self.table.weight(phrase_feature(phrase)), phrase.says)));
        weighed.retain(|(weight, says)| *weight > 0.0 && !says.is_empty());
        weighed.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(two.1)));
        weighed.dedup();
        weighed.into_iter().map(|(_, says)| says).take(MOST_STATEMENTS).collect()
    }

    /// The words in a row with the largest sum of weights; each feature counts where it stands first.
    fn part(&self, reading: &Reading, window: &Range<usize>) -> Range<usize> {
        let mut seen = BTreeSet::new();
        let of_word = |place| {
            let new = reading.features_at(place).filter(|feature| seen.insert(*feature));
            new.map(|feature| self.table.weight(feature)).sum::<f32>()
        };
        let weights: Vec<f32> = window.clone().map(of_word).collect();
        let size = SHOWN.min(weights.len());
        let mut sum: f32 = weights.iter().take(size).sum();
        let (mut most, mut start) = (sum, 0);
        for (place, (left, entered)) in weights.iter().zip(weights.iter().skip(size)).enumerate() {
            sum += entered - left;
            if sum > most {
                (most, start) = (sum, place + 1);
            }
        }
        window.start + start..window.start + start + size
    }
}

//! The model of names: tagged posts, lists of names and cities, and sentences of our own.
//!
//! - `names/sources.rs`: the files of data.
//! - `names/lexicon.rs`: names, cities, invented surnames and organizations.
//! - `names/sentence.rs`: templates to tagged sentences, with noise in the case of letters.
//! - `names/learn.rs`: tagged texts to a model file.
//! - `names/report.rs`: quality on what training left out.

mod learn;
mod lexicon;
mod report;
mod sentence;
mod sources;

use std::io::Write;

use crate::TrainError;
use crate::data::Data;

/// A text with the tag of each character range that is part of a name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tagged {
    pub(crate) text: String,
    /// Start, end and kind, sorted.
    pub(crate) spans: Vec<(usize, usize, Kind)>,
}

/// Kinds of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Person,
    Location,
    Organization,
}

/// Trains the model of the product on everything.
///
/// # Errors
/// [`TrainError`] where the data cannot be read.
pub fn train(data: &mut Data, seed: u64) -> Result<Vec<u8>, TrainError> {
    let sources = sources::read(data)?;
    let lexicon = lexicon::Lexicon::new(&sources);
    let sentences = sentence::all(&lexicon, seed, |_| true);
    let posts = sources.posts.iter().map(|post| (post, learn::POST));
    let own = sentences.iter().map(|sentence| (sentence, learn::SENTENCE));
    learn::model(data, &lexicon, posts.chain(own), seed)
}

/// Prints what models find in the source and in the templates that they did not see.
///
/// # Errors
/// [`TrainError`] where the data cannot be read or the report not be printed.
pub fn report(data: &mut Data, out: &mut dyn Write) -> Result<(), TrainError> {
    report::print(data, out)
}

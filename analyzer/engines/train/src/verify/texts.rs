//! Texts as sentences of words.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::TrainError;
use crate::data::Data;

/// Words of a sentence that claims are made from.
const WORDS: std::ops::RangeInclusive<usize> = 7..=32;

/// Sentences that a text has at least.
const SENTENCES: usize = 2;

/// A text that claims are made from.
#[derive(Clone, Debug)]
pub struct Text {
    /// The whole text.
    pub content: String,
    /// Its sentences of suitable length, as words with their punctuation.
    pub sentences: Vec<Vec<String>>,
    /// The question that it was collected for; texts of one question have one subject.
    pub subject: String,
}

#[derive(Deserialize)]
struct Record {
    source: String,
    claim: String,
}

/// Reads the evidence texts, each once, in the order of the file.
///
/// # Errors
/// [`TrainError`] where the file cannot be read.
pub fn read(data: &mut Data) -> Result<Vec<Text>, TrainError> {
    let records: Vec<Record> = data.records("verify_factcheckgpt_stance.jsonl")?;
    let mut seen = BTreeSet::new();
    let unseen = records.into_iter().filter(|record| seen.insert(record.source.clone()));
    Ok(unseen
        .map(|record| text(record.source, record.claim))
        .filter(|text| text.sentences.len() >= SENTENCES)
        .collect())
}

/// A text with its sentences.
#[must_use]
pub fn text(content: String, subject: String) -> Text {
    let sentences = verify::sentences(&content)
        .into_iter()
        .filter_map(|range| content.get(range))
        .filter(|sentence| sentence.trim_end().ends_with('.') && !sentence.contains(['?', '|', '•', '↑']))
        .map(|sentence| sentence.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter(|words| WORDS.contains(&words.len()))
        .collect();
    Text { content, sentences, subject }
}

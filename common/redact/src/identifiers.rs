//! Personal data in text for people and language models: identifiers of many countries, with checks and labels.
//!
//! The ingestion path does not use this part; it masks logs with [`crate::Redactor`].
//!
//! # Rules
//!
//! An identifier has a *form*, a *check* where its issuer defines one, and *labels* where form and check alone are
//! weak: words in many languages that name it, at most five words away. Without them the text is left alone. A label
//! that names something else, such as an order, wins if it stands nearer. Nothing is looked for in placeholders of an
//! earlier redaction, and no label reaches across them, so redacted text is not changed again.
//!
//! # Overlap
//!
//! Candidates are ordered by how they were shown ([`overlap::Rank`]), the distance to their label and their length; the
//! best are taken as long as they do not overlap.
//!
//! # Cost
//!
//! One automaton for labels, one pass over the words, and at each word that holds a digit a bounded number of forms,
//! each matched in as many steps as it has signs: linear in the length of the text.

use std::ops::Range;

use thiserror::Error;

mod address;
mod code;
mod custom;
mod date;
mod email;
pub(crate) mod entity;
mod form;
mod format;
mod iban;
mod keccak;
mod labels;
mod national;
mod network;
mod numbers;
mod overlap;
mod page;
mod phone;
pub mod phrases;
mod postcode;
mod secrets;
mod spoken;
mod sums;
mod vocabulary;
mod wallet;
mod words;
mod zone;

pub use entity::{Custom, Entity, EntitySet};
pub use network::urls;

use labels::LabelSearch;
use numbers::NumberSearch;
use page::Page;
use secrets::SecretSearch;
use vocabulary::Vocabulary;

/// Why the catalogue could not be prepared.
#[derive(Debug, Error)]
pub enum CatalogueError {
    /// The automaton of the labels is too large.
    #[error("labels do not make an automaton")]
    Labels(#[from] aho_corasick::BuildError),
    /// The engine for secrets refused its policy.
    #[error("secrets cannot be searched for")]
    Secrets(#[from] crate::PolicyError),
}

/// A part of a text that is personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Bytes of the text, at boundaries of characters.
    pub range: Range<usize>,
    /// Its kind.
    pub entity: Entity,
    /// Name of the format that was recognized, for the reasoning.
    pub reason: &'static str,
}

/// Everything that is prepared once: the automaton of the labels and the tables by form.
pub struct Catalogue {
    labels: LabelSearch,
    numbers: NumberSearch,
    secrets: SecretSearch,
    vocabulary: Vocabulary,
}

impl Catalogue {
    /// Prepares the search.
    ///
    /// # Errors
    /// [`CatalogueError`] where the built-in tables are out of bounds, which tests exclude.
    pub fn new() -> Result<Self, CatalogueError> {
        Ok(Self {
            labels: LabelSearch::new()?,
            numbers: NumberSearch::new(),
            secrets: SecretSearch::new()?,
            vocabulary: Vocabulary::new(),
        })
    }

    /// Finds the wanted kinds of personal data, sorted, without overlap. Kinds that are not wanted are looked for as
    /// well where they tell what a number is. The time is linear in the length of the text.
    #[must_use]
    pub fn find(&self, text: &str, wanted: &EntitySet) -> Vec<Span> {
        let mut spans = self.find_with_others(text, wanted);
        spans.retain(|span| wanted.contains(span.entity));
        spans
    }

    /// As [`Self::find`], with the spans of kinds that are not wanted but take part in the choice, such as e-mail addresses
    /// and tax numbers: no other search should take a part of them.
    #[must_use]
    pub fn find_with_others(&self, text: &str, wanted: &EntitySet) -> Vec<Span> {
        let page = Page::new(text, &self.labels, &self.vocabulary);
        let mut candidates = Vec::new();
        self.secrets.find(&page, &mut candidates);
        self.numbers.find(&page, &mut candidates);
        let finders = [
            email::find,
            network::find,
            iban::find,
            phone::find,
            wallet::find,
            zone::find,
            date::find,
            address::find,
            postcode::find,
            spoken::find,
        ];
        finders.iter().for_each(|find| find(&page, &mut candidates));
        custom::find(&page, wanted, &mut candidates);
        candidates
            .retain(|candidate| wanted.contains(candidate.entity) || tells_numbers_apart(candidate.entity));
        overlap::resolve(candidates)
            .into_iter()
            .map(|candidate| Span {
                range: candidate.start..candidate.end,
                entity: candidate.entity,
                reason: candidate.reason,
            })
            .collect()
    }
}

/// Whether a kind takes part in the choice among candidates also where it is not wanted: a tax number is no telephone
/// number, whichever of them is redacted. Places and dates are containers of other kinds and take no part.
fn tells_numbers_apart(entity: Entity) -> bool {
    !matches!(
        entity,
        Entity::Url
            | Entity::Address
            | Entity::Postcode
            | Entity::Date
            | Entity::DateOfBirth
            | Entity::Age
            | Entity::Custom(_)
    )
}

/// Replaces each span by the placeholder of its kind. Spans must be sorted and apart, as they are found.
#[must_use]
pub fn replace(text: &str, spans: &[Span], wanted: &EntitySet) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        replaced.push_str(text.get(at..span.range.start).unwrap_or_default());
        replaced.push_str(&wanted.placeholder(span.entity));
        at = span.range.end;
    }
    replaced.push_str(text.get(at..).unwrap_or_default());
    replaced
}

#[cfg(test)]
mod tests;

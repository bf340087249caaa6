//! Redaction of texts for people and language models: secrets, identifiers and names to placeholders or surrogates, with a
//! summary. Pure and deterministic: no clock, no I/O, no state between calls.
//!
//! - `choice.rs`: the phrases of a caller to the kinds that are looked for.
//! - `find.rs`: parts of a text to spans; secrets and identifiers come from the catalogue of `redact`, names from the token
//!   model of `redact-names`, for what the catalogue left.
//! - `replace.rs`: spans to placeholders or surrogates.
//! - `explain.rs`: the summary in fixed sentences.

mod choice;
mod explain;
mod find;
mod replace;

use std::ops::Range;

use redact::identifiers::{Catalogue, CatalogueError, Entity};
use redact_names::{NameError, NameModel};
use thiserror::Error;

pub use choice::Choice;

/// Why a text is not redacted.
#[derive(Debug, Error)]
pub enum ConcealError {
    /// The parts together are larger than the caller allows.
    #[error("{bytes} bytes of text, at most {most} are redacted")]
    TooLarge {
        /// Bytes of all parts.
        bytes: usize,
        /// The limit given.
        most: usize,
    },
}

/// Why the search cannot be prepared.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The model of names is damaged, or made for other features.
    #[error(transparent)]
    Names(#[from] NameError),
    /// The tables of identifiers are out of bounds.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
}

/// How values are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// By the name of their kind: `<EMAIL_REDACTED>`.
    Placeholders,
    /// By invented values, so that the text reads naturally; one person keeps one name throughout all parts.
    Surrogates,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concealed {
    /// The redacted parts, as many as were given and in their order.
    pub parts: Vec<String>,
    /// Where values were, in the order of the parts and of their bytes.
    pub values: Vec<Value>,
    /// Bytes of the replacement of each value in its redacted part.
    pub replacements: Vec<Range<usize>>,
    /// Replaced values by the word of their kind (`EMAIL`), in alphabetical order, none of them zero.
    pub counts: Vec<(String, usize)>,
    /// The summary.
    pub reasoning: String,
}

/// A value that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Number of the part, from 0.
    pub part: usize,
    /// Its bytes in the part as given.
    pub range: Range<usize>,
    /// Its kind.
    pub entity: Entity,
}

/// The tables and the model, prepared once and shared by all threads.
pub struct Concealer<'a> {
    catalogue: Catalogue,
    names: NameModel<'a>,
}

impl<'a> Concealer<'a> {
    /// Prepares the search with the file of the model of names, which is not copied.
    ///
    /// # Errors
    /// [`LoadError`] where the model cannot be read.
    pub fn load(names: &'a [u8]) -> Result<Self, LoadError> {
        Ok(Self { catalogue: Catalogue::new()?, names: NameModel::read(names)? })
    }

    /// Name and version of the model of names.
    #[must_use]
    pub fn name(&self) -> &str {
        self.names.name()
    }

    /// Redacts the parts of a text, for example its pages or several inputs. They are read as one text, so a name that was
    /// found in one part is redacted in all. The number of steps is linear in the size, of which `most` bytes are allowed.
    ///
    /// # Errors
    /// [`ConcealError::TooLarge`] where the parts have more than `most` bytes together.
    pub fn conceal(
        &self,
        parts: &[&str],
        choice: &Choice,
        form: Form,
        most: usize,
    ) -> Result<Concealed, ConcealError> {
        let bytes = parts.iter().map(|part| part.len()).sum();
        if bytes > most {
            return Err(ConcealError::TooLarge { bytes, most });
        }
        let text = find::joined(parts);
        let spans = find::spans(&self.catalogue, &self.names, &text, choice.wanted());
        let values = find::values(&text, &spans);
        let counts = replace::counts(&spans, choice.wanted());
        let (parts, replacements) = replace::parts(&text, &spans, choice.wanted(), form);
        let reasoning = explain::summary(&spans, &counts, choice, form);
        Ok(Concealed { parts, values, replacements, counts, reasoning })
    }
}

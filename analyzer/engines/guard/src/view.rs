//! An input to its views, with the hits of the lexicon.

use std::ops::Range;

use text::{View, views};

use crate::GuardError;
use crate::facts::{Fact, facts};
use crate::lexicon::Lexicon;

/// Everything that reads texts and needs no model. The trainer uses it too.
#[derive(Debug)]
pub struct Reader {
    lexicon: Lexicon,
}

/// A view and its facts.
#[derive(Debug)]
pub struct Read {
    /// The text as the classifier reads it.
    pub view: View,
    /// Its facts, by their first word.
    pub facts: Vec<Fact>,
}

impl Reader {
    /// Builds the automaton of the lexicon.
    ///
    /// # Errors
    /// [`GuardError::Lexicon`] where a file of words is not one.
    pub fn new() -> Result<Self, GuardError> {
        Lexicon::new().map(|lexicon| Self { lexicon })
    }

    /// The views of an input, first the input itself, each with its facts. `hidden` are parts of the input, in bytes,
    /// that its reader does not see.
    #[must_use]
    pub fn read(&self, input: &str, hidden: &[Range<usize>]) -> Vec<Read> {
        let views = views(input, self.lexicon.vocabulary());
        let read = |view: View| {
            let hits = self.lexicon.hits(&view.text, &view.words);
            let facts = facts(&view, &hits, input, hidden);
            Read { view, facts }
        };
        views.into_iter().map(read).collect()
    }
}

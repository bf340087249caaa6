//! Token counts of texts in the vocabulary o200k, as clients of language models are charged for them.
//!
//! A text is cut into pieces (`pieces.rs`), and each piece is merged from its bytes, pair by pair in the order of the
//! vocabulary (`merge.rs`). The vocabulary (`vocabulary.rs`) has 199,998 tokens; it takes 5 MiB once it is loaded, a
//! twelfth of the tables of the crate `bpe-openai`, whose counts are the same: the fuzz target `tokens` compares them.
//!
//! Bounds: time and memory grow with n log n of the longest piece; a piece of 1 MiB takes 36 MiB until it is counted.

mod merge;
mod pieces;
mod vocabulary;

pub use vocabulary::VocabularyError;

use merge::Merging;
use pieces::Pieces;
use vocabulary::Vocabulary;

/// Counts tokens.
pub struct Tokenizer {
    vocabulary: Vocabulary,
    pieces: Pieces,
}

impl Tokenizer {
    /// Loads the vocabulary.
    ///
    /// # Errors
    /// [`VocabularyError`] where the built-in file is damaged.
    pub fn load() -> Result<Self, VocabularyError> {
        Ok(Self { vocabulary: Vocabulary::load()?, pieces: Pieces::new()? })
    }

    /// Number of tokens of a text.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        let mut merging = Merging::default();
        self.pieces.of(text).map(|piece| self.count_piece(&mut merging, piece.as_bytes())).sum()
    }

    fn count_piece(&self, merging: &mut Merging, piece: &[u8]) -> usize {
        if self.vocabulary.rank(piece).is_some() { 1 } else { merging.count(&self.vocabulary, piece) }
    }
}

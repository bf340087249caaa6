//! Claims of a text checked against sources. Pure and deterministic: no clock, no I/O.
//!
//! - `lexicon.rs`: meanings of words, from `data/`: stop words, synonyms, opposites, classes.
//! - `terms.rs`: a sentence to its terms; `numbers.rs`: words and digits to numbers; `numerals.rs`: words of other
//!   languages to numbers; `quantity.rs`: numbers in several words.
//! - `pronoun.rs`: pronouns to the nouns that they stand for.
//! - `sentence.rs`: a text to its sentences.
//! - `claims.rs`: a text to its claims; `greeting.rs`: sentences that only greet.
//! - `evidence.rs`: sources to an index of passages; a claim to the passages nearest to it.
//! - `align.rs`: a claim and a passage to their matches; `order.rs`: the order of matched words.
//! - `contradict.rs`: a claim and a passage to reasons why both cannot hold; `binding.rs`: numbers that stand with words of
//!   another number; `replaced.rs`: a word in whose place the passage has another one.
//! - `score.rs`: matches and contradictions to features of the model, and to a score.
//! - `explain.rs`: contradictions and gaps in sentences.
//! - `decide.rs`: all of it to a verdict.

mod align;
mod binding;
mod claims;
mod contradict;
mod decide;
mod evidence;
mod explain;
mod greeting;
mod lexicon;
mod numbers;
mod numerals;
mod order;
mod pronoun;
mod quantity;
mod replaced;
mod score;
mod sentence;
mod terms;

pub use claims::MAX_CLAIMS;
pub use decide::{Checked, Claim, MAX_BYTES, MAX_SOURCES, Outcome, Source, Verify, VerifyError, features};
pub use lexicon::Lexicon;
pub use score::{FEATURES, TABLE};
pub use sentence::sentences;

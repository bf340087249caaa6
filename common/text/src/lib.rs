//! Text as classifiers read it: what is left when disguises are removed, with the place of everything in the input. Pure.
//!
//! All steps are linear in the length of the input, hostile or not; each file names its bounds.
//!
//! - `map.rs`: places of a view to places of the text that it was made from.
//! - `unescape.rs`: percent encoding, HTML entities and `\u` escapes, in place.
//! - `fold.rs`: case, compatibility forms, accents, look-alikes, invisible characters.
//! - `words.rs`: folded text to words.
//! - `vocabulary.rs`: the words that disguises are recognised by.
//! - `repair.rs`: leetspeak, spaced letters and shuffled letters back to words.
//! - `decode.rs`: base64 and its relatives; `turned.rs`: rot13 and reversal.
//! - `view.rs`: all of these in order: an input to its views.
//! - `chunks.rs`, `sentences.rs`: parts of a view that are judged by themselves.
//! - `lexicon.rs`: phrases of classes, found in one pass.
//! - `groups.rs`: neighbouring words and parts of words to hashed features.

mod chunks;
mod decode;
mod fold;
mod groups;
mod lexicon;
mod map;
mod repair;
mod sentences;
mod turned;
mod unescape;
mod view;
mod vocabulary;
mod words;

pub use chunks::chunks;
pub use fold::{Folded, fold};
pub use groups::{GROUPS, Group, groups, groups_at, subwords};
pub use lexicon::{Hit, Lexicon, LexiconError, MAX_CLASSES, phrases};
pub use map::Map;
pub use sentences::sentences;
pub use view::{Disguise, MAX_DECODED, MAX_DEPTH, View, views};
pub use vocabulary::Vocabulary;
pub use words::{Word, words};

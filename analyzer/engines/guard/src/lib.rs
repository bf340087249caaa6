//! Classification of text for language models: attack or not, with reasons. Pure and deterministic: no clock, no I/O.
//!
//! - `lexicon.rs`: words of 25 languages and marks of chat templates, found in one pass.
//! - `view.rs`: an input to its views, with the hits of the lexicon.
//! - `facts.rs`: hits to facts; the rules are a table in `facts/rules.rs`.
//! - `part.rs`: parts of a view that are judged by themselves.
//! - `score.rs`: a part to a number, by the model and its facts.
//! - `decide.rs`: numbers and facts to the clearest part of each chunk.
//! - `verdict.rs`: the clearest parts to a verdict.
//! - `windows.rs`: the parts of a text that are attacks, with their places.
//! - `steer.rs`: what an application's system prompt says about blocking and allowing.
//! - `explain.rs`: a verdict in sentences.

mod decide;
mod explain;
mod facts;
mod lexicon;
mod score;
mod steer;
mod verdict;
mod view;
mod part;
mod windows;

pub use decide::{Guard, GuardError, Input, Margins};
pub use facts::{Fact, SUFFICIENT};
pub use part::{LONGEST_RUN, Part, parts};
pub use score::{FEATURES, LABELS, Row, TABLE, row, scale};
pub use verdict::{Classification, Verdict, Violation};
pub use view::{Read, Reader};
pub use windows::Window;

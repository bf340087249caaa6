//! Checks of text that all origins share.
//!
//! - `pretext.rs`: pretexts, by the model of the crate `pretext`, and the requests in them.
//! - `commands.rs`: command lines that fetch and execute.
//! - `injection.rs`: attacks that guard finds, with the context that lowers their severity (`setting.rs`).
//! - `invisible.rs`: characters that a reader does not see.

pub(crate) mod commands;
pub(crate) mod injection;
pub(crate) mod invisible;
pub(crate) mod pretext;
mod setting;

use std::ops::Range;

pub(crate) use setting::code as code_blocks;

use ::pretext::Letter;
use serde::{Deserialize, Serialize};

use crate::artifact::ThreatType;
use crate::check::{Check, Outcome};
use crate::engine::Engine;
use crate::weights;

/// A text of a content, with its place in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Passage {
    /// Place in the content, as part of a sentence: "the text", "the subject", "page 3".
    pub(crate) name: String,
    /// The text.
    pub(crate) text: String,
    /// Parts of it, in bytes, that a reader does not see.
    pub(crate) hidden: Vec<Range<usize>>,
    /// Whether it is outside of the content itself: a comment, an annotation, metadata. Attacks there lose one level.
    pub(crate) is_aside: bool,
    /// Whether it is a part of tests, which quote attacks. Attacks there lose two levels.
    pub(crate) is_test: bool,
    /// Threat that an order to the agent is here, for example in documentation; none for the one of its wording.
    pub(crate) threat: Option<ThreatType>,
}

impl Passage {
    /// A text that its reader sees.
    #[must_use]
    pub(crate) fn visible(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            hidden: Vec::new(),
            is_aside: false,
            is_test: false,
            threat: None,
        }
    }
}

/// Evidence of a command line: a statement and its weight.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    pub(crate) says: String,
    pub(crate) weight: i32,
}

/// The checks of text that an agent reads beside code, each once: orders to it, and characters that people do not see.
pub(crate) fn agent_checks(engine: &Engine, passages: &[Passage]) -> Vec<Check> {
    let mut checks = vec![weights::text::READ.passed()];
    checks.extend(injection::checks(engine, passages));
    checks.push(invisible::check(passages));
    checks
}

/// All checks of text, each once. `letter` has the sender, links and attachments beside it.
pub(crate) fn checks(engine: &Engine, passages: &[Passage], letter: &Letter<'_>) -> Vec<Check> {
    let mut checks = agent_checks(engine, passages);
    checks.extend(pretext::checks(engine, passages, letter));
    checks
}

/// Whether checks of text found a pretext or one that is worth a note.
pub(crate) fn is_notable(checks: &[Check]) -> bool {
    checks
        .iter()
        .any(|check| *check.spec == weights::text::PRETEXT && matches!(check.outcome, Outcome::Failed { .. }))
}

/// Whether bytes are text in UTF-8, whatever format their beginning resembles: `MZ`, `BZh` and `GIF89a` are words of programs too.
pub(crate) fn is_text(content: &[u8]) -> bool {
    !content.contains(&0) && str::from_utf8(content).is_ok()
}

/// Place of a part of a text in characters, as part of a sentence.
pub(crate) fn place(passage: &Passage, part: &Range<usize>) -> String {
    let characters = |end: usize| passage.text.get(..end).map_or(0, |front| front.chars().count());
    format!("in {}, characters {} to {}", passage.name, characters(part.start) + 1, characters(part.end))
}

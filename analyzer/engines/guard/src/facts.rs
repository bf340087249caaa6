//! Hits to facts: statements about a part of a view that a person can check.

mod flood;
mod hidden;
mod near;
pub(crate) mod rules;

use std::ops::Range;

use linear_model::Feature;
use text::{Hit, View};

use crate::Violation;

/// Something about a part of a view.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Name, unique among facts.
    pub name: &'static str,
    /// A sentence without subject: "asks for the system prompt".
    pub says: &'static str,
    /// Words of the view.
    pub words: Range<usize>,
    /// How much it counts.
    pub strength: f32,
    /// Type of the violation where the text is blocked.
    pub violation: Violation,
}

/// Names of the facts that block by themselves.
pub const SUFFICIENT: [&str; 4] =
    ["invisible-characters", "data-in-image", "repeats-system-prompt", "blocked-by-application"];

impl Fact {
    /// Whether it blocks by itself.
    #[must_use]
    pub fn is_sufficient(&self) -> bool {
        SUFFICIENT.contains(&self.name)
    }

    /// The feature of the fact in the model.
    #[must_use]
    pub fn feature(&self) -> Feature {
        Feature::of(self.name).tagged(FACT)
    }
}

/// Tag of the features of facts, apart from those of words.
const FACT: u64 = 64;

/// All facts of a view, by their first word.
pub(crate) fn facts(view: &View, hits: &[Hit], input: &str, hidden: &[Range<usize>]) -> Vec<Fact> {
    let mut facts = near::facts(view, hits);
    facts.extend(flood::fact(view, input));
    facts.extend(hidden::facts(view, hidden));
    facts.sort_by(|one, two| {
        (one.words.start, one.words.end, one.name).cmp(&(two.words.start, two.words.end, two.name))
    });
    facts
}

/// Facts that have a word in a part.
pub(crate) fn within<'f>(facts: &'f [Fact], words: &Range<usize>) -> impl Iterator<Item = &'f Fact> {
    let end = facts.partition_point(|fact| fact.words.start < words.end);
    let start = words.start;
    facts.get(..end).unwrap_or_default().iter().filter(move |fact| fact.words.end > start)
}

//! The parts of a text that are attacks, each with its place: for callers that judge the context of an attack themselves.

use std::ops::Range;

use text::{Disguise, View};

use crate::decide::{Guard, Judged};
use crate::facts::Fact;
use crate::steer::Steering;
use crate::verdict::{NAMES_TYPE, Violation};

/// A part of a text that is an attack.
#[derive(Clone, Debug)]
pub struct Window {
    /// The part of the input, in bytes.
    pub source: Range<usize>,
    /// The strongest fact's part of the input; the whole part where no fact stands in it.
    pub focus: Range<usize>,
    /// Its facts, strongest first.
    pub facts: Vec<Fact>,
    /// Score above the threshold; below zero where a sufficient fact decided.
    pub margin: f32,
    /// Type of the attack.
    pub violation: Violation,
    /// Disguises that were removed to read it, outermost first; empty for plain text.
    pub disguises: Vec<Disguise>,
    /// Whether the input shows it in no form: it was decoded, or written in characters that no font shows.
    pub is_invisible: bool,
}

impl Guard<'_> {
    /// The parts of a text that are attacks, in the order of the text. Parts of one view do not overlap: of overlapping ones the
    /// clearest stands for all. `hidden` are parts of the text, in bytes, that its reader does not see. Time is linear in the
    /// length of the text.
    #[must_use]
    pub fn windows(&self, text: &str, hidden: &[Range<usize>]) -> Vec<Window> {
        let mut windows = Vec::new();
        for read in self.reads(text, hidden) {
            let judged = self.attacks(&read, &Steering::default());
            windows.extend(judged.into_iter().map(|judged| window(&read.view, judged)));
        }
        windows.sort_by_key(|window| (window.focus.start, window.focus.end));
        windows
    }
}

fn window(view: &View, judged: Judged) -> Window {
    let source = view.source_of_words(&judged.words);
    let focus = judged.facts.first().map_or_else(|| source.clone(), |fact| view.source_of_words(&fact.words));
    let named = judged.facts.iter().find(|fact| fact.strength >= NAMES_TYPE);
    Window {
        source,
        focus,
        violation: named.map_or(Violation::PromptInjection, |fact| fact.violation),
        margin: judged.judgement.margin,
        facts: judged.facts,
        disguises: view.disguises.clone(),
        is_invisible: view.is_decoded || view.disguises.contains(&Disguise::Tags),
    }
}

/// The clearest of parts that do not overlap. Each chunk has a bounded number of parts.
pub(crate) fn apart(mut blocking: Vec<Judged>) -> Vec<Judged> {
    blocking.sort_by(|one, two| two.judgement.clearer(one.judgement));
    let mut chosen: Vec<Judged> = Vec::new();
    for judged in blocking {
        let overlaps =
            |other: &Judged| other.words.start < judged.words.end && judged.words.start < other.words.end;
        if !chosen.iter().any(overlaps) {
            chosen.push(judged);
        }
    }
    chosen
}

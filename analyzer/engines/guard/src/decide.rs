//! Numbers and facts to a verdict.

use std::cmp::Ordering;
use std::ops::Range;

use linear_model::{Model, ModelError};

use crate::explain::explain;
use crate::facts::{Fact, within};
use crate::score::{Score, Scorer};
use crate::steer::Steering;
use crate::view::{Read, Reader};
use crate::window::{Part, parts};

/// Reasons for which nothing is classified.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// A file of words that the build contains is not one.
    #[error("the words of the guard cannot be read")]
    Lexicon,
    /// The model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The inputs together are longer than the caller allows.
    #[error("the inputs have {found} bytes, at most {budget} are allowed")]
    Budget {
        /// Bytes of all inputs.
        found: usize,
        /// Bytes allowed.
        budget: usize,
    },
}

/// Whether a text is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classification {
    /// No attack was found.
    Pass,
    /// The text is an attack.
    Block,
}

/// What an attack tries to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Violation {
    /// Replaces the instructions of an assistant.
    PromptInjection,
    /// Makes an assistant tell its instructions or secrets.
    SystemPromptExtraction,
    /// Makes an assistant send data away.
    DataExfiltration,
    /// Makes an assistant act without its restrictions.
    Jailbreak,
    /// Something that the application's own prompt blocks.
    PolicyViolation,
}

impl Violation {
    /// Every type.
    pub const ALL: [Self; 5] = [
        Self::PromptInjection,
        Self::SystemPromptExtraction,
        Self::DataExfiltration,
        Self::Jailbreak,
        Self::PolicyViolation,
    ];

    /// Name in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PromptInjection => "prompt_injection",
            Self::SystemPromptExtraction => "system_prompt_extraction",
            Self::DataExfiltration => "data_exfiltration",
            Self::Jailbreak => "jailbreak",
            Self::PolicyViolation => "policy_violation",
        }
    }

    /// Weaknesses of the CWE list.
    #[must_use]
    pub fn cwe_codes(self) -> &'static [&'static str] {
        match self {
            Self::PromptInjection => &["CWE-1427"],
            Self::SystemPromptExtraction => &["CWE-1427", "CWE-200"],
            Self::DataExfiltration => &["CWE-1427", "CWE-201"],
            Self::Jailbreak => &["CWE-1427", "CWE-693"],
            Self::PolicyViolation => &["CWE-693"],
        }
    }
}

/// A text to classify.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Name in the reasoning, for example `text` or `page 3`.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// Parts of it, in bytes, that its reader does not see.
    pub hidden: &'a [Range<usize>],
}

impl<'a> Input<'a> {
    /// A text without hidden parts.
    #[must_use]
    pub fn text(text: &'a str) -> Self {
        Self { name: "text", text, hidden: &[] }
    }
}

/// The result of all inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether they are let through.
    pub classification: Classification,
    /// Types of the attack, in the order of [`Violation`]; empty for a pass.
    pub violations: Vec<Violation>,
    /// Codes of all types, each once.
    pub cwe_codes: Vec<&'static str>,
    /// Reasons in sentences. Equal inputs give equal bytes.
    pub reasoning: String,
}

/// A classifier: a reader and a model.
#[derive(Debug)]
pub struct Guard<'a> {
    reader: Reader,
    scorer: Scorer<'a>,
    name: String,
}

/// The judgement of one part.
#[derive(Debug)]
pub(crate) struct Judged {
    /// Number of the input.
    pub(crate) input: usize,
    /// Number of the view.
    pub(crate) view: usize,
    pub(crate) words: Range<usize>,
    /// Score above the threshold; an attack from zero on.
    pub(crate) margin: f32,
    /// Its facts, strongest first.
    pub(crate) facts: Vec<Fact>,
}

impl Judged {
    pub(crate) fn blocks(&self) -> bool {
        self.margin >= 0.0 || self.facts.iter().any(|fact| fact.is_sufficient)
    }
}

impl<'a> Guard<'a> {
    /// Reads a model and prepares the search.
    ///
    /// # Errors
    /// [`GuardError::Model`] where the bytes are no model that this build can use.
    pub fn load(model: &'a [u8]) -> Result<Self, GuardError> {
        let model = Model::read(model)?;
        let scorer = Scorer::new(&model)?;
        Ok(Self { reader: Reader::new()?, scorer, name: model.manifest().name.clone() })
    }

    /// Name and version of the model.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Classifies inputs together. `system_prompt` is the application's own, which says what to block and to allow; it
    /// is never classified itself. `budget` bounds the bytes of all inputs: time and memory are linear in it. `redact`
    /// masks what excerpts must not show.
    ///
    /// # Errors
    /// [`GuardError::Budget`] where the inputs are longer.
    pub fn judge(
        &self,
        inputs: &[Input<'_>],
        system_prompt: &str,
        budget: usize,
        redact: &dyn Fn(&str) -> String,
    ) -> Result<Verdict, GuardError> {
        let found: usize = inputs.iter().map(|input| input.text.len()).sum();
        if found > budget {
            return Err(GuardError::Budget { found, budget });
        }
        let steering = Steering::read(system_prompt);
        let reads: Vec<Vec<Read>> =
            inputs.iter().map(|input| self.reader.read(input.text, input.hidden)).collect();
        let mut judged = Vec::new();
        for (input, views) in reads.iter().enumerate() {
            for (view, read) in views.iter().enumerate() {
                judged.extend(self.judge_view(read, &steering).into_iter().map(|judged| Judged {
                    input,
                    view,
                    ..judged
                }));
            }
        }
        // The clearest part first; of equal ones the first in the text.
        judged.sort_by(|one, two| clearer(two, one));
        Ok(verdict(inputs, &reads, &judged, redact))
    }

    /// The margin of the clearest part of a text: an attack from zero on. For measurements.
    #[must_use]
    pub fn margin(&self, text: &str) -> f32 {
        let steering = Steering::default();
        let reads = self.reader.read(text, &[]);
        let judged = reads.iter().flat_map(|read| self.judge_view(read, &steering));
        judged
            .map(|judged| if judged.blocks() { judged.margin.max(0.0) } else { judged.margin })
            .fold(f32::MIN, f32::max)
    }

    /// The margin of the clearest part of a view, for the trainer.
    #[must_use]
    pub fn margin_of_view(&self, read: &Read) -> f32 {
        let judged = self.judge_view(read, &Steering::default()).into_iter();
        judged.map(|judged| judged.margin).fold(f32::MIN, f32::max)
    }

    /// The clearest part of each chunk of a view.
    fn judge_view(&self, read: &Read, steering: &Steering) -> Vec<Judged> {
        let mut facts: Vec<Fact> = read.facts.iter().filter(|fact| !steering.allows(fact)).cloned().collect();
        facts.extend(steering.facts(&read.view));
        facts.sort_by_key(|fact| (fact.words.start, fact.words.end));
        let mut waiting = facts.into_iter().peekable();
        // Facts that reach into the chunk at hand. Those of one rule do not overlap, so that few stay for the next chunk
        // and each is read a bounded number of times.
        let mut near: Vec<Fact> = Vec::new();
        let mut clearest = Vec::new();
        for (chunk, parts) in parts(&read.view) {
            near.retain(|fact| fact.words.end > chunk.start);
            near.extend(std::iter::from_fn(|| waiting.next_if(|fact| fact.words.start < chunk.end)));
            let weights = self.scorer.chunk(&read.view, &chunk);
            let weighed = parts.iter().map(|part| {
                let is_sufficient = within(&near, &part.words).any(|fact| fact.is_sufficient);
                (part, is_sufficient, self.margin_of(&weights, part, &near))
            });
            let best =
                weighed.max_by(|one, two| (blocks(one).cmp(&blocks(two))).then(one.2.total_cmp(&two.2)));
            clearest.extend(best.map(|(part, _, margin)| judged(margin, part, &near)));
        }
        clearest
    }

    /// The margin of a part; none of a run of a short text without clear facts, which says too little.
    fn margin_of(&self, chunk: &crate::score::Chunk, part: &Part, facts: &[Fact]) -> f32 {
        let facts = within(facts, &part.words);
        let Score { score, is_clear } = self.scorer.score(chunk, &part.words, facts);
        if part.needs_facts && !is_clear {
            return f32::MIN;
        }
        score - self.scorer.threshold(part.words.len(), part.is_window)
    }
}

/// Whether a part is an attack: by a sufficient fact, or by its margin.
fn blocks((_, is_sufficient, margin): &(&Part, bool, f32)) -> bool {
    *is_sufficient || *margin >= 0.0
}

/// Order of parts: one that is blocked is clearer than one that passes, since a sufficient fact may lie in a part with a
/// low score.
fn clearer(one: &Judged, two: &Judged) -> Ordering {
    one.blocks().cmp(&two.blocks()).then(one.margin.total_cmp(&two.margin))
}

fn judged(margin: f32, part: &Part, facts: &[Fact]) -> Judged {
    let mut facts: Vec<Fact> = within(facts, &part.words).cloned().collect();
    facts.sort_by(|one, two| {
        two.strength.total_cmp(&one.strength).then(one.words.start.cmp(&two.words.start))
    });
    let mut names: Vec<&'static str> = Vec::new();
    facts.retain(|fact| {
        let is_new = !names.contains(&fact.name);
        names.push(fact.name);
        is_new
    });
    Judged { input: 0, view: 0, words: part.words.clone(), margin, facts }
}

/// Strength from which on a fact names the type of an attack.
const NAMES_TYPE: f32 = 1.0;

fn verdict(
    inputs: &[Input<'_>],
    reads: &[Vec<Read>],
    judged: &[Judged],
    redact: &dyn Fn(&str) -> String,
) -> Verdict {
    let blocking: Vec<&Judged> = judged.iter().filter(|judged| judged.blocks()).collect();
    let mut violations: Vec<Violation> = blocking
        .iter()
        .flat_map(|judged| &judged.facts)
        .filter(|fact| fact.strength >= NAMES_TYPE)
        .map(|fact| fact.violation)
        .collect();
    if violations.is_empty() && !blocking.is_empty() {
        violations.push(Violation::PromptInjection);
    }
    violations.sort_unstable();
    violations.dedup();
    let mut cwe_codes: Vec<&'static str> = Vec::new();
    for code in violations.iter().flat_map(|violation| violation.cwe_codes()) {
        if !cwe_codes.contains(code) {
            cwe_codes.push(code);
        }
    }
    let classification = if blocking.is_empty() { Classification::Pass } else { Classification::Block };
    let reasoning = explain(inputs, reads, judged, &violations, redact);
    Verdict { classification, violations, cwe_codes, reasoning }
}

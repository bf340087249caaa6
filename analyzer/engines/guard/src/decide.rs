//! Numbers and facts to the clearest part of each chunk, and those to a verdict.

use std::cmp::Ordering;
use std::ops::Range;

use linear_model::{Model, ModelError};

use crate::facts::{Fact, within};
use crate::part::{Part, parts};
use crate::score::{Chunk, Scorer, Sum};
use crate::steer::Steering;
use crate::verdict::{Verdict, verdict};
use crate::view::{Read, Reader};
use crate::windows::apart;

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

/// A classifier: a reader and a model.
#[derive(Debug)]
pub struct Guard<'a> {
    reader: Reader,
    scorer: Scorer<'a>,
    name: String,
}

/// Scores above the thresholds of a view's parts.
#[derive(Clone, Debug)]
pub struct Margins {
    /// Of the clearest chunk.
    pub chunk: f32,
    /// Of the clearest run; the lowest number where there is none.
    pub run: f32,
    /// The clearest run.
    pub clearest: Option<Part>,
}

/// Margin of a part, and whether a fact blocks it whatever its margin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judgement {
    /// Score above the threshold; an attack from zero on.
    pub(crate) margin: f32,
    is_sufficient: bool,
}

impl Judgement {
    fn blocks(self) -> bool {
        self.is_sufficient || self.margin >= 0.0
    }

    /// One that blocks is clearer than one that does not, since a sufficient fact may lie in a part with a low score.
    pub(crate) fn clearer(self, other: Self) -> Ordering {
        self.blocks().cmp(&other.blocks()).then(self.margin.total_cmp(&other.margin))
    }
}

/// The judgement of one part, with its place.
#[derive(Debug)]
pub(crate) struct Judged {
    /// Number of the input.
    pub(crate) input: usize,
    /// Number of the view.
    pub(crate) view: usize,
    pub(crate) words: Range<usize>,
    pub(crate) judgement: Judgement,
    /// Its facts, strongest first.
    pub(crate) facts: Vec<Fact>,
}

impl Judged {
    pub(crate) fn blocks(&self) -> bool {
        self.judgement.blocks()
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
        judged.sort_by(|one, two| two.judgement.clearer(one.judgement));
        Ok(verdict(inputs, &reads, &judged, redact))
    }

    /// The margin of the clearest part of a text: an attack from zero on. For measurements.
    #[must_use]
    pub fn margin(&self, text: &str) -> f32 {
        let steering = Steering::default();
        let reads = self.reader.read(text, &[]);
        let judged = reads.iter().flat_map(|read| self.judge_view(read, &steering));
        let margins = judged.map(|judged| {
            let margin = judged.judgement.margin;
            if judged.blocks() { margin.max(0.0) } else { margin }
        });
        margins.fold(f32::MIN, f32::max)
    }

    /// The margins of the clearest chunk and of the clearest run of a view, for the trainer.
    #[must_use]
    pub fn margins_of_view(&self, read: &Read) -> Margins {
        let mut margins = Margins { chunk: f32::MIN, run: f32::MIN, clearest: None };
        self.judge_chunks(read, read.facts.clone(), |parts, _| {
            for (part, Judgement { margin, .. }) in parts {
                if !part.is_run {
                    margins.chunk = margins.chunk.max(margin);
                } else if margin > margins.run {
                    margins.run = margin;
                    margins.clearest = Some(part);
                }
            }
        });
        margins
    }

    /// The views of a text.
    pub(crate) fn reads(&self, text: &str, hidden: &[Range<usize>]) -> Vec<Read> {
        self.reader.read(text, hidden)
    }

    /// The parts of a view that block. A chunk counts where none of its runs blocks, since a run says where the attack stands.
    pub(crate) fn attacks(&self, read: &Read, steering: &Steering) -> Vec<Judged> {
        let mut attacks = Vec::new();
        self.judge_chunks(read, steered(read, steering), |parts, near| {
            let blocking = parts.into_iter().filter(|(_, judgement)| judgement.blocks());
            let (runs, chunks): (Vec<_>, Vec<_>) = blocking.partition(|(part, _)| part.is_run);
            let parts = if runs.is_empty() { chunks } else { runs };
            let judged = parts.iter().map(|(part, judgement)| placed(*judgement, part, near)).collect();
            attacks.extend(apart(judged));
        });
        attacks
    }

    /// The clearest part of each chunk of a view.
    fn judge_view(&self, read: &Read, steering: &Steering) -> Vec<Judged> {
        let mut clearest = Vec::new();
        self.judge_chunks(read, steered(read, steering), |parts, near| {
            let best = parts.into_iter().max_by(|one, two| one.1.clearer(two.1));
            clearest.extend(best.map(|(part, judgement)| placed(judgement, &part, near)));
        });
        clearest
    }

    /// Judges the parts of each chunk. `take` gets them with the facts that reach into the chunk.
    fn judge_chunks(
        &self,
        read: &Read,
        facts: Vec<Fact>,
        mut take: impl FnMut(Vec<(Part, Judgement)>, &[Fact]),
    ) {
        let mut waiting = facts.into_iter().peekable();
        // Facts that reach into the chunk at hand. Those of one rule do not overlap, so that few stay for the next chunk
        // and each is read a bounded number of times.
        let mut near: Vec<Fact> = Vec::new();
        for (chunk, parts) in parts(&read.view) {
            near.retain(|fact| fact.words.end > chunk.start);
            near.extend(std::iter::from_fn(|| waiting.next_if(|fact| fact.words.start < chunk.end)));
            let weights = self.scorer.chunk(&read.view, &chunk);
            let mut sum = Sum::default();
            let judge = |part: Part| {
                let judgement = self.judge_part(&weights, &part, &near, &mut sum);
                (part, judgement)
            };
            let judged = parts.into_iter().map(judge).collect();
            take(judged, &near);
        }
    }

    /// The margin of a part; none of a run of a short text without clear facts, which says too little.
    fn judge_part(&self, chunk: &Chunk, part: &Part, facts: &[Fact], sum: &mut Sum) -> Judgement {
        let score = self.scorer.score(chunk, part, within(facts, &part.words), sum);
        let is_judged = score.is_clear || !part.needs_facts;
        let margin = if is_judged { score.score - self.scorer.threshold(part) } else { f32::MIN };
        Judgement { margin, is_sufficient: score.is_sufficient }
    }
}

/// The facts of a view, less those that the application allows, and with those that it blocks.
fn steered(read: &Read, steering: &Steering) -> Vec<Fact> {
    let mut facts: Vec<Fact> = read.facts.iter().filter(|fact| !steering.allows(fact)).cloned().collect();
    facts.extend(steering.facts(&read.view));
    facts.sort_by_key(|fact| (fact.words.start, fact.words.end));
    facts
}

fn placed(judgement: Judgement, part: &Part, facts: &[Fact]) -> Judged {
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
    Judged { input: 0, view: 0, words: part.words.clone(), judgement, facts }
}

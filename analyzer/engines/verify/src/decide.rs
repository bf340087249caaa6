//! Claims, evidence and contradictions to verdicts.

use linear_model::{Feature, Model, ModelError};

use crate::align::{Aligned, align};
use crate::binding::bindings;
use crate::claims::{Claims, Said, claims};
use crate::contradict::{Contradiction, contradictions};
use crate::evidence::{Index, Nearest, Passage};
use crate::explain;
use crate::lexicon::Lexicon;
use crate::order::{runs, swaps};
use crate::score::{Known, Scorer, features_of};
use crate::terms::Term;

/// Sources of one request.
pub const MAX_SOURCES: usize = 100;

/// Bytes of the text and of all sources together: 4 MiB, read once each.
pub const MAX_BYTES: usize = 4 << 20;

/// Share of a claim from which a passage is about it.
const ABOUT: f32 = 0.25;

/// Share of a claim from which a contradiction of a passage is one of the claim.
const SAME_MATTER: f32 = 0.4;

/// Between the passages of the evidence.
const BETWEEN: &str = " … ";

/// A text that claims are checked against.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its text.
    pub content: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its address.
    pub url: Option<&'a str>,
}

/// What the sources say about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The sources state it.
    Supported,
    /// A source contradicts it.
    Contradicted,
    /// The sources do not state it.
    NotFound,
}

/// A claim with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The claim, verbatim.
    pub claim: String,
    /// What the sources say about it.
    pub outcome: Outcome,
    /// Numbers of the sources of the evidence, in order.
    pub sources: Vec<usize>,
    /// The evidence, verbatim, its passages joined by " … "; empty where none was found.
    pub evidence: String,
    /// The reason, which begins with `Supported:`, `Contradicted:` or `Not found:`.
    pub reasoning: String,
    /// Certainty of the verdict, 0 to 1. Estimated on generated claims.
    pub confidence: f32,
}

impl Claim {
    /// Whether the sources support it. False where they contradict it, and where they do not state it.
    #[must_use]
    pub fn verdict(&self) -> bool {
        self.outcome == Outcome::Supported
    }
}

/// The claims of a text with their verdicts.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// At most [`MAX_CLAIMS`](crate::MAX_CLAIMS), in the order of the text.
    pub claims: Vec<Claim>,
    /// Whether the text has no further claims.
    pub complete: bool,
}

/// Why a text cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// More sources than [`MAX_SOURCES`].
    #[error("more than {MAX_SOURCES} sources")]
    Sources,
    /// More bytes than [`MAX_BYTES`].
    #[error("text and sources exceed {MAX_BYTES} bytes")]
    Bytes,
    /// The model cannot be read.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Checks claims against sources.
pub struct Verify<'a> {
    scorer: Scorer<'a>,
    lexicon: Lexicon,
    name: String,
}

impl<'a> Verify<'a> {
    /// Reads the model.
    ///
    /// # Errors
    /// [`VerifyError::Model`] where the bytes are no model of this version.
    pub fn load(bytes: &'a [u8]) -> Result<Self, VerifyError> {
        let model = Model::read(bytes)?;
        Ok(Self {
            scorer: Scorer::new(&model)?,
            lexicon: Lexicon::new(),
            name: model.manifest().name.clone(),
        })
    }

    /// Name and version of the model.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Checks each claim of a text. `budget` counts the passages that retrieval visits, for all claims together; each
    /// claim has an equal part of the rest, and is searched by its rarest words where that does not suffice: its reason says
    /// so, and its confidence is lower. Everything else is linear in the bytes.
    ///
    /// # Errors
    /// [`VerifyError::Sources`] and [`VerifyError::Bytes`].
    pub fn check(&self, text: &str, sources: &[Source<'_>], budget: usize) -> Result<Checked, VerifyError> {
        if sources.len() > MAX_SOURCES {
            return Err(VerifyError::Sources);
        }
        let bytes = sources.iter().fold(text.len(), |sum, source| sum.saturating_add(source.content.len()));
        if bytes > MAX_BYTES {
            return Err(VerifyError::Bytes);
        }
        let Claims { all: mut said, complete } = claims(text, &self.lexicon);
        let index = Index::new(sources.iter().map(|source| source.content), &self.lexicon);
        let mut left = budget;
        let mut judged = Vec::with_capacity(said.len());
        let count = said.len();
        for (number, claim) in said.iter_mut().enumerate() {
            let part = left / count.saturating_sub(number).max(1);
            let mut steps = part;
            let near = index.nearest(claim, &mut steps);
            left = left.saturating_sub(part.saturating_sub(steps));
            let judgement = self.judge(claim, &near.passages, &index, text, sources);
            judged.push(limited(judgement, claim, &near));
        }
        Ok(Checked { claims: judged, complete })
    }

    /// Judges a claim by those passages alone.
    fn judge(
        &self,
        claim: &mut Said,
        near: &[usize],
        index: &Index,
        text: &str,
        sources: &[Source<'_>],
    ) -> Claim {
        let spelling = text.get(claim.range.clone()).unwrap_or_default().to_owned();
        let aligned = align(claim, near, index, &self.lexicon).filter(|aligned| aligned.share >= ABOUT);
        let Some(aligned) = aligned else {
            return Claim {
                claim: spelling,
                outcome: Outcome::NotFound,
                sources: Vec::new(),
                evidence: String::new(),
                reasoning: explain::unknown(),
                confidence: 1.0,
            };
        };
        let (features, against) = read(claim, &aligned, &self.lexicon);
        let score = self.scorer.score(&features);
        let evidence = aligned.evidence();
        let strongest = against.first().filter(|_| aligned.first_share >= SAME_MATTER);
        let (outcome, reasoning) = match strongest {
            _ if score > 0.0 => (Outcome::Supported, explain::supported(evidence.len())),
            Some(one) => (Outcome::Contradicted, explain::contradicted(one, text, sources)),
            None => (Outcome::NotFound, explain::partial(claim, &aligned, text, sources)),
        };
        let mut numbers: Vec<usize> = evidence.iter().map(|passage| passage.source).collect();
        numbers.dedup();
        Claim {
            claim: spelling,
            outcome,
            sources: numbers,
            evidence: verbatim(&evidence, sources),
            reasoning,
            confidence: certainty(score),
        }
    }
}

/// The features of a claim beside its evidence, and the contradictions between them.
fn read(claim: &Said, aligned: &Aligned<'_>, lexicon: &Lexicon) -> (Vec<Feature>, Vec<Contradiction>) {
    let swaps = swaps(&claim.terms, &aligned.stated, &aligned.beside, lexicon);
    let passages: Vec<&[Term]> = aligned.passages.iter().map(|passage| passage.terms.as_slice()).collect();
    let bindings = bindings(&claim.terms, &passages, lexicon);
    let contradictions = contradictions(claim, aligned, (&swaps, &bindings), lexicon);
    let runs = runs(&claim.terms, &aligned.stated);
    let elsewhere = bindings.elsewhere;
    let known = Known { claim, aligned, runs, swaps: &swaps, elsewhere, contradictions: &contradictions };
    (features_of(&known), contradictions)
}

/// The features of each claim of a text, in the form in which the model is trained; none for a claim that no passage is
/// about.
#[must_use]
pub fn features(text: &str, source: &str, lexicon: &Lexicon) -> Vec<Option<Vec<Feature>>> {
    let index = Index::new([source].into_iter(), lexicon);
    let mut judged = Vec::new();
    for mut claim in claims(text, lexicon).all {
        let mut steps = usize::MAX;
        let near = index.nearest(&claim, &mut steps);
        let aligned = align(&mut claim, &near.passages, &index, lexicon);
        let aligned = aligned.filter(|aligned| aligned.share >= ABOUT);
        judged.push(aligned.map(|aligned| read(&claim, &aligned, lexicon).0));
    }
    judged
}

fn verbatim(passages: &[&Passage], sources: &[Source<'_>]) -> String {
    let passages = passages
        .iter()
        .filter_map(|passage| sources.get(passage.source)?.content.get(passage.range.clone()).map(str::trim));
    passages.collect::<Vec<_>>().join(BETWEEN)
}

/// A verdict from a part of the claim, or of the sources, says so and is less certain: one from nothing is a guess.
fn limited(claim: Claim, said: &Said, near: &Nearest) -> Claim {
    let share = said.read * near.searched;
    if share >= 1.0 {
        return claim;
    }
    let confidence = thousandths(0.5 + (claim.confidence - 0.5) * share);
    let reasoning = claim.reasoning + explain::limits(said.read < 1.0, near.searched < 1.0);
    Claim { reasoning, confidence, ..claim }
}

/// The larger of the probabilities of both verdicts.
fn certainty(score: f32) -> f32 {
    thousandths(1.0 / (1.0 + (-score.abs()).exp()))
}

fn thousandths(share: f32) -> f32 {
    (share * 1000.0).round() / 1000.0
}

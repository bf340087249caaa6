//! Claims, evidence and contradictions to verdicts.

use crate::align::agreement;
use crate::claims::claims;
use crate::contradict::contradiction;
use crate::evidence::{Index, Sentence};
use crate::terms::terms;

/// Sources of one request.
pub const MAX_SOURCES: usize = 100;
/// Bytes of the text and of all sources together: 4 MiB, read once each.
pub const MAX_BYTES: usize = 4 << 20;

/// Sentences that are compared with a claim, so that its cost is independent of the sources after retrieval.
const NEAREST: usize = 5;
/// Terms of a claim or of a sentence that are compared; a longer one is no sentence.
const MAX_TERMS: usize = 400;
/// Agreement from which a sentence is about the claim.
const ABOUT: f32 = 0.35;
/// Agreement from which a sentence supports the claim.
const SUPPORTS: f32 = 0.55;

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

/// A claim with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The claim, verbatim.
    pub claim: String,
    /// Whether a source supports it and none contradicts it.
    pub verdict: bool,
    /// Numbers of the sources of the evidence.
    pub sources: Vec<usize>,
    /// The evidence, verbatim; empty where none was found.
    pub evidence: String,
    /// The reason, which begins with `Supported:`, `Contradicted:` or `Not found:`.
    pub reasoning: String,
    /// Certainty of the verdict, 0 to 1; not calibrated.
    pub confidence: f32,
}

/// Why a text cannot be checked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// More sources than [`MAX_SOURCES`].
    #[error("more than {MAX_SOURCES} sources")]
    Sources,
    /// More bytes than [`MAX_BYTES`].
    #[error("text and sources exceed {MAX_BYTES} bytes")]
    Bytes,
}

/// Checks the claims of a text. `budget` counts the places of terms that retrieval may visit.
///
/// # Errors
/// Too many sources or bytes.
pub fn check(text: &str, sources: &[Source<'_>], mut budget: usize) -> Result<Vec<Claim>, VerifyError> {
    if sources.len() > MAX_SOURCES {
        return Err(VerifyError::Sources);
    }
    let bytes = sources.iter().fold(text.len(), |sum, source| sum.saturating_add(source.content.len()));
    if bytes > MAX_BYTES {
        return Err(VerifyError::Bytes);
    }
    let index = Index::new(sources.iter().map(|source| source.content));
    let judged = claims(text).into_iter().filter_map(|range| text.get(range));
    Ok(judged.map(|claim| judge(claim.trim(), sources, &index, &mut budget)).collect())
}

fn judge(claim: &str, sources: &[Source<'_>], index: &Index, budget: &mut usize) -> Claim {
    let mut said = terms(claim);
    said.truncate(MAX_TERMS);
    let best = index
        .nearest(&said, NEAREST, budget)
        .into_iter()
        .map(|sentence| (sentence, agreement(&said, first(sentence), index)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((sentence, agreement)) = best.filter(|(_, agreement)| *agreement >= ABOUT) else {
        return not_found(claim);
    };
    let evidence = sources
        .get(sentence.source)
        .and_then(|source| source.content.get(sentence.range.clone()))
        .unwrap_or_default()
        .trim()
        .to_owned();
    let against = contradiction(&said, first(sentence));
    let verdict = against.is_none() && agreement >= SUPPORTS;
    let reasoning = match against {
        Some(reason) => format!("Contradicted: {reason}"),
        None if verdict => "Supported: a source states it.".to_owned(),
        None => "Not found: the nearest sentence states only a part of it.".to_owned(),
    };
    let confidence = agreement.clamp(0.0, 1.0);
    Claim {
        claim: claim.to_owned(),
        verdict,
        sources: vec![sentence.source],
        evidence,
        reasoning,
        confidence,
    }
}

fn first(sentence: &Sentence) -> &[crate::terms::Term] {
    sentence.terms.get(..MAX_TERMS).unwrap_or(&sentence.terms)
}

fn not_found(claim: &str) -> Claim {
    Claim {
        claim: claim.to_owned(),
        verdict: false,
        sources: Vec::new(),
        evidence: String::new(),
        reasoning: "Not found: no source is about it.".to_owned(),
        confidence: 0.5,
    }
}

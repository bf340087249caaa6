//! Claims of a text checked against sources.

use ::verify::{Claim, Outcome, Source};
use rest::error::ApiError;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Engines;
use crate::envelope::Envelope;
use crate::errors;
use crate::intake::{Named, Statement};

/// Steps of retrieval for each byte of the texts: a hundred claims of twenty words visit every passage of small sources.
const STEPS_PER_BYTE: usize = 16;

/// Steps of retrieval at least.
const MIN_STEPS: usize = 64 * 1024;

/// The claims of the text.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VerifyContent)]
pub(crate) struct Claims {
    /// At most 200, in the order of the text.
    claims: Vec<Checked>,
    /// Whether the text has no further claims.
    #[serde(skip)]
    #[schema(ignore)]
    complete: bool,
}

/// A claim with its verdict.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VerifiedClaim)]
struct Checked {
    /// The claim, verbatim.
    #[schema(example = "The bridge was opened in 1937.")]
    claim: String,
    /// Whether the sources support the claim; false where they contradict it or do not state it.
    verdict: bool,
    /// Sources of the evidence.
    sources: Vec<Reference>,
    /// Evidence, verbatim, its passages joined by " … "; empty where none was found.
    #[schema(example = "The bridge was opened in 1931.")]
    evidence: String,
    /// The reason, which begins with `Supported:`, `Contradicted:` or `Not found:`.
    #[schema(example = "Contradicted: the claim has the number \"1937\", the source has \"1931\".")]
    reasoning: String,
    /// Certainty of the verdict, from 0 to 1.
    confidence: f32,
    /// What the verdict and the reason are made from.
    #[serde(skip)]
    #[schema(ignore)]
    outcome: Outcome,
}

/// A source by name.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VerifySourceReference)]
struct Reference {
    /// Its name; `Source N` where the request gave none.
    name: String,
    /// Its URL, where the request gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

impl Claims {
    /// The outcome of each claim.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = Outcome> {
        self.claims.iter().map(|claim| claim.outcome)
    }
}

impl Engines {
    /// Checks the claims of a text. The duration is linear in the size of the text and its sources.
    pub(crate) fn verify(&self, id: Uuid, statement: &Statement) -> Result<Envelope<Claims>, ApiError> {
        let Statement { text, sources } = statement;
        let read: Vec<Source<'_>> = sources
            .iter()
            .map(|source| Source { content: &source.content, name: &source.name, url: source.url.as_deref() })
            .collect();
        let budget = statement.bytes().saturating_mul(STEPS_PER_BYTE).max(MIN_STEPS);
        let ::verify::Checked { claims, complete } =
            self.verify.check(text, &read, budget).map_err(errors::of_verify)?;
        let claims = claims.into_iter().map(|claim| checked(claim, sources)).collect();
        let claims = Claims { claims, complete };
        let reasoning = summary(&claims);
        let texts = sources.iter().map(|source| source.content.as_str()).chain([text.as_str()]);
        self.envelope((id, self.verify.name()), (claims, reasoning), texts)
    }
}

fn checked(claim: Claim, sources: &[Named]) -> Checked {
    let verdict = claim.verdict();
    let Claim { claim, outcome, sources: numbers, evidence, reasoning, confidence } = claim;
    let named = numbers.into_iter().filter_map(|number| sources.get(number));
    let sources =
        named.map(|source| Reference { name: source.name.clone(), url: source.url.clone() }).collect();
    Checked { claim, verdict, sources, evidence, reasoning, confidence, outcome }
}

fn summary(claims: &Claims) -> String {
    let count = |outcome| claims.outcomes().filter(|one| *one == outcome).count();
    let rest = if claims.complete { "" } else { " Further claims of the text were not checked." };
    match claims.claims.len() {
        0 => "The text makes no claim.".to_owned(),
        all => format!(
            "Of {all} claims, {} are supported, {} are contradicted and {} are not found in the sources.{rest}",
            count(Outcome::Supported),
            count(Outcome::Contradicted),
            count(Outcome::NotFound)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(outcomes: &[Outcome], complete: bool) -> Claims {
        let claim = |outcome: &Outcome| Checked {
            claim: String::new(),
            verdict: *outcome == Outcome::Supported,
            sources: Vec::new(),
            evidence: String::new(),
            // Words of another outcome decide nothing.
            reasoning: "Contradicted: no.".to_owned(),
            confidence: 1.0,
            outcome: *outcome,
        };
        Claims { claims: outcomes.iter().map(claim).collect(), complete }
    }

    #[test]
    fn the_summary_counts_outcomes_and_tells_of_claims_that_were_not_checked() {
        let all = [Outcome::Supported, Outcome::NotFound, Outcome::NotFound];
        let counts = "Of 3 claims, 1 are supported, 0 are contradicted and 2 are not found in the sources.";
        assert_eq!(summary(&claims(&all, true)), counts);
        let more = format!("{counts} Further claims of the text were not checked.");
        assert_eq!(summary(&claims(&all, false)), more);
        assert_eq!(summary(&claims(&[], true)), "The text makes no claim.");
    }
}

//! Claims against sources, as an application sends them.

use proptest::prelude::*;
use verify::{Claim, MAX_BYTES, MAX_CLAIMS, MAX_SOURCES, Source, VerifyError, check};

const STEPS: usize = 1 << 22;
const BRIDGE: &str =
    "The bridge was opened in 1931. It is 420 metres long. The city does not charge a toll for it.";

fn source(content: &str) -> Source<'_> {
    Source { content, name: "page", url: None }
}

fn one(text: &str) -> Claim {
    check(text, &[source("Cats sleep a lot."), source(BRIDGE)], STEPS).unwrap().remove(0)
}

#[test]
fn supports_a_repeated_sentence() {
    let claim = one("The bridge was opened in 1931.");
    assert!(claim.verdict && claim.reasoning.starts_with("Supported:"), "{claim:?}");
    assert_eq!((claim.sources, claim.evidence.as_str()), (vec![1], "The bridge was opened in 1931."));
}

#[test]
fn contradicts_another_year_and_a_lost_negation() {
    for text in ["The bridge was opened in 1937.", "The city does charge a toll for it."] {
        let claim = one(text);
        assert!(!claim.verdict && claim.reasoning.starts_with("Contradicted:"), "{claim:?}");
    }
}

#[test]
fn finds_nothing_about_another_matter() {
    let claim = one("Photosynthesis requires chlorophyll molecules.");
    assert!(!claim.verdict && claim.evidence.is_empty() && claim.reasoning.starts_with("Not found:"));
}

#[test]
fn refuses_more_than_its_bounds() {
    let many = vec![source(""); MAX_SOURCES + 1];
    assert_eq!(check("a", &many, STEPS), Err(VerifyError::Sources));
    let long = "a".repeat(MAX_BYTES + 1);
    assert_eq!(check(&long, &[source("a")], STEPS), Err(VerifyError::Bytes));
}

proptest! {
    #[test]
    fn evidence_is_verbatim(text in "[a-d 0-9.;?\\n]{0,200}", content in "\\PC{0,100}[a-d 0-9.]{0,200}") {
        let sources = [source(&content)];
        let claims = check(&text, &sources, STEPS).unwrap();
        prop_assert!(claims.len() <= MAX_CLAIMS);
        prop_assert_eq!(&claims, &check(&text, &sources, STEPS).unwrap());
        for claim in claims {
            prop_assert!(text.contains(&claim.claim) && content.contains(&claim.evidence));
            prop_assert!((0.0..=1.0).contains(&claim.confidence));
        }
    }
}

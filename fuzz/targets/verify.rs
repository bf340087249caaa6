//! Claims against sources: any text and any sources get the same claims twice; claims and evidence are verbatim, and each
//! reason agrees with its verdict.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use verify::{MAX_CLAIMS, Source, Verify};

static MODEL: &[u8] = include_bytes!("../../models/verify.plm");
static VERIFY: LazyLock<Verify<'static>> =
    LazyLock::new(|| Verify::load(MODEL).expect("the model is readable"));

fuzz_target!(|input: &[u8]| {
    let Ok(input) = std::str::from_utf8(input) else { return };
    // Lines of three dashes separate the text from its sources.
    let mut parts = input.split("\n---\n");
    let text = parts.next().unwrap_or_default();
    let sources: Vec<Source<'_>> =
        parts.take(2).map(|content| Source { content, name: "page", url: None }).collect();
    let check = || VERIFY.check(text, &sources, input.len()).expect("within the bounds");
    let checked = check();
    assert_eq!(checked, check(), "the claims changed");
    assert!(checked.claims.len() <= MAX_CLAIMS);
    for claim in checked.claims {
        assert!(text.contains(&claim.claim));
        assert!((0.0..=1.0).contains(&claim.confidence));
        assert_eq!(claim.verdict(), claim.reasoning.starts_with("Supported: "));
        assert_eq!(claim.evidence.is_empty(), claim.sources.is_empty());
        let verbatim = |part: &str| sources.iter().any(|source| source.content.contains(part));
        let joined = sources.iter().any(|source| source.content.contains('…'));
        assert!(
            joined || claim.evidence.is_empty() || claim.evidence.split(" … ").all(verbatim),
            "{:?}",
            claim.evidence
        );
        assert!(claim.reasoning.chars().count() < 400, "{}", claim.reasoning);
    }
});

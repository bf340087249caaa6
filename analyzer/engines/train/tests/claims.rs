//! A small model of claims from statements of our own: the same seed gives the same bytes, and the model has learned
//! something.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};
use train::seeded::Seeded;
use train::verify::errors::{KINDS, spoil};
use train::verify::grammar::generate;
use train::verify::learn::{model, prepare};
use train::verify::pairs;
use train::verify::texts::{Text, text};
use verify::{Source, Verify};

fn small(seed: u64) -> Vec<u8> {
    model(&prepare(&generate(2_000, 0, seed)), &BTreeMap::new(), seed).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let bytes = small(7);
    assert!(bytes == small(7), "two runs differ");
    assert!(bytes != small(8), "the seed changes nothing");
    let verify = Verify::load(&bytes).unwrap();
    let content = "Elena moved from Lisbon to Oslo in 1999. The price of bread rose by 12 percent in 2004.";
    let judge = |claim| {
        let source = Source { content, name: "page", url: None };
        verify.check(claim, &[source], 1_000).unwrap().claims.remove(0).verdict()
    };
    assert!(judge("The price of bread rose by 12 percent in 2004."));
    assert!(!judge("The price of bread rose by 19 percent in 2004."));
}

/// SHA-256 of the small model of seed 7. It changes with the statements, the features and the learner, and only with them.
const DIGEST: &str = "ab3cc5f52f74e5f6e4925938184c60a324d166eaa6790b66d70bbd8ecbdccd97";

#[test]
fn the_bytes_of_a_small_model_are_known() {
    let digest: String = Sha256::digest(small(7)).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, DIGEST);
}

#[test]
fn statements_are_true_and_false_in_equal_numbers_and_fill_every_slot() {
    let pairs = generate(2_000, 0, 3);
    let wrong = pairs.iter().filter(|pair| pair.wrong.is_some()).count();
    assert_eq!(wrong * 2, pairs.len());
    for pair in pairs {
        assert!(!pair.claim.contains(['{', '}']) && !pair.source.contains(['{', '}']), "{pair:?}");
        assert!(pair.claim.len() > 10 && pair.source.len() > 40, "{pair:?}");
    }
}

fn page() -> Text {
    let content = "In May 1931 the mayor of Harlow opened the longest bridge of the county, which is 420 metres long. The old \
        ferry was sold to a company in Dover, and its crew was not paid for three weeks. Most people were happy about the \
        bridge, because the ferry had been slow. The first lorry crossed the bridge on Monday after Mr Lund had paid the toll.";
    text(content.to_owned(), "bridge".to_owned())
}

#[test]
fn every_kind_of_error_changes_a_sentence() {
    let texts = [
        page(),
        text(
            "The tower of Dover was closed by Queen Anne in 1702. It has never been opened again.".to_owned(),
            "bridge".to_owned(),
        ),
    ];
    assert_eq!(texts[0].sentences.len(), 4);
    let mut random = Seeded::new(1, "errors");
    for kind in KINDS {
        let mut changed = BTreeSet::new();
        for turn in 0..400 {
            let before = texts[0].sentences[turn % 4].clone();
            let mut words = before.clone();
            if spoil(&mut words, kind, &texts[0], &texts, &mut random) {
                assert_ne!(words, before, "{kind:?}");
                changed.insert(words.join(" "));
            }
        }
        assert!(changed.len() > 1, "{kind:?}: {changed:?}");
    }
}

#[test]
fn claims_of_a_text_have_it_as_their_source() {
    let texts = [page()];
    let pairs = pairs::generate(&texts, 5);
    assert!(pairs.iter().any(|pair| pair.wrong.is_none()) && pairs.iter().any(|pair| pair.wrong.is_some()));
    for pair in pairs {
        assert_eq!(pair.source.to_lowercase(), texts[0].content.to_lowercase());
    }
}

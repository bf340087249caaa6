//! Bounds, hostile input, and what holds for any text.
#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use verify::{MAX_BYTES, MAX_CLAIMS, MAX_SOURCES, Source, Verify, VerifyError};

static MODEL: &[u8] = include_bytes!("../../../../models/verify.plm");

fn verify() -> Verify<'static> {
    Verify::load(MODEL).unwrap()
}

fn source(content: &str) -> Source<'_> {
    Source { content, name: "page", url: None }
}

#[test]
fn more_than_the_bounds_is_refused() {
    let verify = verify();
    let many = vec![source("Cats sleep."); MAX_SOURCES + 1];
    assert!(matches!(verify.check("Cats sleep a lot.", &many, 1 << 20), Err(VerifyError::Sources)));
    assert!(verify.check("Cats sleep a lot.", &many[1..], 1 << 20).is_ok());
    let long = "a".repeat(MAX_BYTES);
    assert!(matches!(verify.check("b", &[source(&long)], 1 << 20), Err(VerifyError::Bytes)));
    assert!(verify.check("", &[source(&long)], 1 << 20).is_ok());
}

#[test]
fn other_bytes_are_no_model() {
    assert!(matches!(Verify::load(b"PLM1"), Err(VerifyError::Model(_))));
    let guard = include_bytes!("../../../../models/guard.plm");
    assert!(matches!(Verify::load(guard), Err(VerifyError::Model(_))));
}

#[test]
fn a_text_has_at_most_so_many_claims_and_further_ones_are_reported() {
    let claim = "The bridge was opened in 1931. ";
    for (text, complete) in [
        (claim.repeat(MAX_CLAIMS + 50), false),
        (claim.repeat(MAX_CLAIMS + 1), false),
        (claim.repeat(MAX_CLAIMS), true),
        (claim.repeat(MAX_CLAIMS) + "Is it? 1931!", true),
    ] {
        let checked = verify().check(&text, &[source("The bridge was opened.")], 1 << 20).unwrap();
        assert_eq!((checked.claims.len(), checked.complete), (MAX_CLAIMS, complete));
    }
}

#[test]
fn a_long_claim_of_a_script_without_spaces_is_compared_to_its_end() {
    let numbers: String = ('一'..).take(120).collect();
    let stated = format!("{numbers}大桥于一九三一年建成开放。");
    let claimed = format!("{numbers}大桥于一九三一年拆除关闭。");
    let check = |claim: &str| verify().check(claim, &[source(&stated)], 1 << 20).unwrap().claims.remove(0);
    let (right, wrong) = (check(&stated), check(&claimed));
    assert!(right.verdict() && !right.reasoning.contains("Only"), "{right:?}");
    assert!(wrong.confidence < right.confidence || !wrong.verdict(), "{wrong:?}");
}

#[test]
fn a_claim_that_is_cut_says_so() {
    let letters: String = ('a'..='z').cycle().take(280).flat_map(|letter| [letter, ' ']).collect();
    let claim = verify().check(&letters, &[source(&letters)], 1 << 20).unwrap().claims.remove(0);
    assert!(claim.reasoning.ends_with(" Only the beginning of the claim was compared."), "{claim:?}");
}

/// Texts that could make a stage quadratic, of about so many bytes.
fn hostile(size: usize) -> Vec<String> {
    let units = [
        "a",
        "a ",
        "a. ",
        "1",
        "9,",
        "not ",
        "than by ",
        ", and was ",
        "; ",
        "A. ",
        "é",
        "字",
        "'",
        "…",
        "\n",
        "seven million ",
        "half ",
        "a quarter of an ",
        "he a ",
        "It led it. ",
        "and a half ",
    ];
    units.iter().map(|unit| unit.repeat(size / unit.len())).collect()
}

#[test]
fn a_mebibyte_of_one_unit_is_read_in_bounded_time() {
    let verify = verify();
    for text in hostile(1 << 20) {
        let claims = verify.check(&text, &[source(&text)], 1 << 20).unwrap().claims;
        assert!(claims.len() <= MAX_CLAIMS);
    }
}

const UNSEARCHED: &str = " Only a part of the sources was searched.";

#[test]
fn the_budget_bounds_retrieval_and_serves_every_claim() {
    let verify = verify();
    let line = "The old bridge over the river was opened for the people of the town. ";
    let sources = format!("{}The tower is made of granite.", line.repeat(2_000));
    let text = format!("{}The tower is made of granite.", line.repeat(50));
    // No budget at all: nothing is found, and nothing fails.
    let blind = verify.check(&text, &[source(&sources)], 0).unwrap().claims;
    assert!(blind.iter().all(|claim| claim.evidence.is_empty() && !claim.verdict()));
    assert!(blind.iter().all(|claim| claim.reasoning.ends_with(UNSEARCHED) && claim.confidence == 0.5));
    // Steps for rare words alone: the claims that have them are still found.
    let short = verify.check(&text, &[source(&sources)], 1_000).unwrap().claims;
    assert!(short.last().unwrap().verdict(), "{:?}", short.last());
    let whole = verify.check(&text, &[source(&sources)], 1 << 20).unwrap().claims;
    assert!(short[0].reasoning.ends_with(UNSEARCHED) && !whole[0].reasoning.contains("Only"), "{whole:?}");
    assert!(short[0].confidence < whole[0].confidence);
    assert_eq!(short.last(), whole.last(), "all words were searched for");
}

#[test]
fn many_claims_against_four_mebibytes_stay_within_the_budget() {
    let verify = verify();
    let word =
        |number: usize| ["river", "bridge", "tower", "market", "council", "harbour", "engine"][number % 7];
    let sentence = |number: usize| {
        format!(
            "The {} of {} was opened near the {} in {}. ",
            word(number),
            word(number / 7),
            word(number / 3),
            1000 + number % 900
        )
    };
    let content: String = (0..).map(sentence).take(70_000).collect();
    let content = content.get(..MAX_BYTES - 20_000).unwrap_or(&content);
    let text: String = (0..MAX_CLAIMS).map(|number| sentence(number * 31)).collect();
    let claims = verify.check(&text, &[source(content)], 4 << 20).unwrap().claims;
    assert_eq!(claims.len(), MAX_CLAIMS);
    assert!(claims.iter().filter(|claim| claim.verdict()).count() > MAX_CLAIMS / 2);
}

/// Words that meet each other often enough to be compared.
const WORDS: &str = "(the|bridge|was|not|opened|closed|in|1931|19|by|than|May|Lark|it|million|and|; |, and |\\. |\\? |Dr\\. |é|字|\\PC){0,60}";

proptest! {
    #[test]
    fn evidence_is_verbatim_and_the_result_the_same_twice(text in WORDS, one in WORDS, other in "\\PC{0,200}", spaced in any::<bool>()) {
        let verify = verify();
        let (text, one) = if spaced { (spread(&text), spread(&one)) } else { (text, one) };
        let sources = [source(&one), source(&other)];
        let checked = verify.check(&text, &sources, 10_000).unwrap();
        prop_assert_eq!(&checked, &verify.check(&text, &sources, 10_000).unwrap());
        for claim in checked.claims {
            prop_assert!(text.contains(&claim.claim));
            for part in claim.evidence.split(" … ") {
                prop_assert!(one.contains(part) || other.contains(part) || other.contains('…'), "{:?}", part);
            }
            prop_assert!((0.0..=1.0).contains(&claim.confidence));
            prop_assert!(claim.sources.iter().all(|number| *number < 2) && claim.sources.is_sorted());
            prop_assert_eq!(claim.evidence.is_empty(), claim.sources.is_empty());
            prop_assert_eq!(claim.verdict(), claim.reasoning.starts_with("Supported: "));
            let others = ["Supported: ", "Contradicted: ", "Not found: "];
            prop_assert!(others.iter().any(|start| claim.reasoning.starts_with(start)), "{}", claim.reasoning);
            prop_assert!(claim.reasoning.chars().count() < 400, "{}", claim.reasoning);
        }
    }
}

/// The words of a text with spaces between them.
fn spread(text: &str) -> String {
    let words = [
        "the", "bridge", "was", "not", "opened", "closed", "in", "by", "than", "May", "Lark", "it", "million",
    ];
    words.iter().fold(text.to_owned(), |text, word| text.replace(word, &format!("{word} ")))
}

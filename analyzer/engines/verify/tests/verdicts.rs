//! Claims against sources, as an application sends them.
#![expect(clippy::unwrap_used, reason = "tests")]

use verify::{Claim, Outcome, Source, Verify};

static MODEL: &[u8] = include_bytes!("../../../../models/verify.plm");

/// Steps that suffice for the sources of these tests.
const STEPS: usize = 1 << 20;

const BRIDGE: &str = "The bridge over the Lark was opened in May 1931. It is 420 metres long. The city does not charge a toll for it. \
    Repairs cost 2.5 million euros in 2004 and were paid by the province.";
const CATS: &str = "Cats sleep up to sixteen hours a day. Adult cats need about 200 kilocalories.";

fn source(content: &str) -> Source<'_> {
    Source { content, name: "page", url: None }
}

fn check(text: &str) -> Vec<Claim> {
    Verify::load(MODEL).unwrap().check(text, &[source(CATS), source(BRIDGE)], STEPS).unwrap().claims
}

fn one(text: &str) -> Claim {
    let mut claims = check(text);
    assert_eq!(claims.len(), 1, "{claims:?}");
    claims.remove(0)
}

#[test]
fn a_repeated_sentence_is_supported_by_its_passage() {
    for text in ["The bridge over the Lark was opened in May 1931.", "Cats sleep up to sixteen hours a day."]
    {
        let claim = one(text);
        assert!(claim.verdict() && claim.reasoning.starts_with("Supported: "), "{claim:?}");
        assert_eq!((claim.claim.as_str(), claim.evidence.as_str()), (text, text));
        assert!(claim.confidence > 0.8, "{claim:?}");
    }
    assert_eq!(one("Cats sleep up to sixteen hours a day.").sources, [0]);
    assert_eq!(one("The bridge over the Lark was opened in May 1931.").sources, [1]);
}

#[test]
fn other_wordings_are_supported() {
    for text in [
        "In May 1931, the bridge over the Lark was opened.",
        "The province paid the 2,500,000 euros that the repairs cost in 2004.",
        "the bridge over the lark was opened in may 1931",
        "Adult cats need around 200 kilocalories.",
        "Cats sleep up to 16 hours a day.",
    ] {
        let claim = one(text);
        assert!(claim.verdict(), "{claim:?}");
    }
}

#[test]
fn each_kind_of_contradiction_is_named() {
    for (text, reason) in [
        (
            "The bridge over the Lark was opened in May 1937.",
            r#"the claim has the number "1937", the source has "1931""#,
        ),
        (
            "The bridge over the Lark was opened in June 1931.",
            r#"the claim has the date "June", the source has "May""#,
        ),
        ("The bridge is 420 miles long.", r#"the claim has the unit "miles", the source has "metres""#),
        (
            "Repairs cost 2.5 billion euros in 2004.",
            r#"the claim has the number "2.5 billion", the source has "2.5 million""#,
        ),
        (
            "The bridge over the Lark was closed in May 1931.",
            r#"the claim has the word "closed", the source has "opened""#,
        ),
        ("The city does charge a toll for it.", r#"the source negates it with "not", the claim does not"#),
        (
            "The bridge over the Lark was not opened in May 1931.",
            r#"the claim negates with "not", the source does not"#,
        ),
        ("The bridge over the Thames was opened in May 1931.", "Lark"),
    ] {
        let claim = one(text);
        assert!(!claim.verdict() && claim.reasoning.starts_with("Contradicted: "), "{claim:?}");
        assert!(claim.reasoning.contains(reason), "{claim:?}");
        assert!(!claim.evidence.is_empty(), "{claim:?}");
    }
}

#[test]
fn the_outcome_is_the_one_that_the_reason_begins_with() {
    for (text, outcome, start) in [
        ("Cats sleep up to sixteen hours a day.", Outcome::Supported, "Supported: "),
        ("The bridge is 420 miles long.", Outcome::Contradicted, "Contradicted: "),
        ("Photosynthesis requires chlorophyll molecules.", Outcome::NotFound, "Not found: "),
    ] {
        let claim = one(text);
        assert!(claim.outcome == outcome && claim.reasoning.starts_with(start), "{claim:?}");
    }
}

#[test]
fn a_claim_about_another_matter_has_no_evidence() {
    let claim = one("Photosynthesis requires chlorophyll molecules.");
    assert!(!claim.verdict() && claim.reasoning.starts_with("Not found: "), "{claim:?}");
    assert_eq!((claim.evidence.as_str(), claim.sources.len()), ("", 0));
}

#[test]
fn a_gap_is_named() {
    let claim = one("The bridge over the Lark was painted green by volunteers.");
    assert!(
        !claim.verdict() && claim.reasoning.starts_with("Not found: the nearest passage lacks"),
        "{claim:?}"
    );
    assert!(claim.reasoning.contains("\"painted\""), "{claim:?}");
}

#[test]
fn evidence_of_several_passages_is_joined() {
    let claim = one("The bridge is 420 metres long and its repairs cost 2.5 million euros in 2004.");
    assert!(claim.evidence.contains("420 metres long. … Repairs cost 2.5 million"), "{claim:?}");
    assert_eq!(claim.sources, [1]);
}

#[test]
fn questions_and_greetings_are_no_claims() {
    let claims = check(
        "Hello there! How long is it? The bridge was opened in May 1931, and cats can sleep up to sixteen hours a day.",
    );
    let claims: Vec<&str> = claims.iter().map(|claim| claim.claim.as_str()).collect();
    assert_eq!(claims, ["The bridge was opened in May 1931", "cats can sleep up to sixteen hours a day."]);
    assert!(check("").is_empty() && check("? ! ...").is_empty());
}

#[test]
fn longer_greetings_are_no_claims_and_statements_after_them_are() {
    for text in [
        "Good morning everyone!",
        "Hello there, my friends!",
        "Dear Mr and Mrs Okafor,",
        "Welcome to the city of Harlow!",
        "Thank you very much for your question about the bridge.",
        "Kind regards from the team in Oslo",
        "I hope this answers your question.",
        "Let me know if you have other questions!",
        "Guten Morgen zusammen!",
        "Bonjour à tous!",
    ] {
        assert_eq!(check(text), [], "{text}");
    }
    for (text, claim) in [
        ("Hello Anna, the bridge was opened in 1931.", "the bridge was opened in 1931."),
        ("Thanks to the bridge, trade doubled.", "Thanks to the bridge, trade doubled."),
        ("Dear prices were paid for it.", "Dear prices were paid for it."),
        ("Highways are long.", "Highways are long."),
    ] {
        assert_eq!(one(text).claim, claim);
    }
}

#[test]
fn halves_with_verbs_are_claims_of_their_own() {
    let claims =
        check("The bridge was opened in 1931, and its repairs were paid by the city; cats have eight legs.");
    let verdicts: Vec<(&str, bool)> =
        claims.iter().map(|claim| (claim.claim.as_str(), claim.verdict())).collect();
    assert_eq!(
        verdicts,
        [
            ("The bridge was opened in 1931", true),
            ("its repairs were paid by the city", false),
            ("cats have eight legs.", false)
        ]
    );
}

#[test]
fn abbreviations_do_not_end_a_claim() {
    let claims = check("Dr. E. Brown opened the bridge in May 1931. It is 420 metres long.");
    let claims: Vec<&str> = claims.iter().map(|claim| claim.claim.as_str()).collect();
    assert_eq!(claims, ["Dr. E. Brown opened the bridge in May 1931.", "It is 420 metres long."]);
}

fn against(source: &'static str, text: &str) -> Claim {
    let source = Source { content: source, name: "page", url: None };
    Verify::load(MODEL).unwrap().check(text, &[source], STEPS).unwrap().claims.remove(0)
}

#[test]
fn a_negation_cancels_only_the_opposite_that_it_denies() {
    let fell = "The company lost money in 2004 because its sales fell.";
    let claim = against(fell, "The company did not lose money in 2004 because its sales rose.");
    assert!(!claim.verdict() && claim.reasoning.starts_with("Contradicted: "), "{claim:?}");
    let claim = against("The shop is closed on Sunday.", "The shop is not open on Sunday.");
    assert!(!claim.reasoning.starts_with("Contradicted: "), "{claim:?}");
}

#[test]
fn a_decimal_comma_is_a_decimal_point() {
    let claim = against("Prices of bread rose to 3.5 % in May.", "Prices of bread rose to 3,5 % in May.");
    assert!(claim.verdict(), "{claim:?}");
    let claim = against("Prices of bread rose to 3.5 % in May.", "Prices of bread rose to 35 % in May.");
    assert!(claim.reasoning.contains("number"), "{claim:?}");
}

#[test]
fn a_passive_needs_a_participle() {
    let source = "By Monday Mellin bought Korvo.";
    let claim = against(source, "Korvo bought Mellin.");
    assert!(claim.reasoning.contains("other roles"), "{claim:?}");
}

const LOPEZ: &str = "Maria Lopez opened the museum in 1990. It has 12 rooms.";

#[test]
fn it_stands_for_the_thing_and_not_for_the_person_of_the_sentence_before() {
    let claim = against(LOPEZ, "The museum has 12 rooms.");
    assert!(claim.verdict(), "{claim:?}");
    let claim = against(LOPEZ, "Maria Lopez has 12 rooms.");
    assert!(!claim.verdict(), "{claim:?}");
}

#[test]
fn it_may_stand_for_the_subject_and_for_the_object() {
    let source = "The city opened the museum in 1990. It has 12 rooms.";
    for text in ["The museum has 12 rooms.", "The city has 12 rooms.", source] {
        let claims = Verify::load(MODEL).unwrap().check(text, &[self::source(source)], STEPS).unwrap().claims;
        assert!(claims.iter().all(Claim::verdict), "{claims:?}");
    }
}

#[test]
fn evidence_has_the_sentence_that_the_noun_in_place_of_a_pronoun_comes_from() {
    let claim = against(LOPEZ, "The museum has 12 rooms.");
    assert_eq!(claim.evidence, "Maria Lopez opened the museum in 1990. … It has 12 rooms.");
    let source = "The Aurora was built in Turku in 1988. It carries 400 cars. Each has a lock.";
    let claim = against(source, "The Aurora carries 400 cars.");
    assert!(claim.verdict() && claim.evidence.starts_with("The Aurora was built in Turku"), "{claim:?}");
    assert!(claim.reasoning.starts_with("Supported: 2 passages"), "{claim:?}");
}

#[test]
fn another_subject_exchanged_numbers_and_a_replaced_word_are_named() {
    for (source, text, outcome, reason) in [
        (
            "Maria Lopez opened the museum in 1990. It has 12 rooms with old paintings.",
            "Maria Lopez has 12 rooms with old paintings.",
            Outcome::Contradicted,
            r#"the claim is about "Maria", the source about "museum""#,
        ),
        (
            "The chain has 3 shops in Paris and 5 hotels in Rome.",
            "The chain has 5 shops in Paris and 3 hotels in Rome.",
            Outcome::Contradicted,
            r#"the number "5" belongs to other words in the source"#,
        ),
        (
            "A consultant from Leeds inspected the old building in March.",
            "A consultant from Leeds bought the old building in March.",
            Outcome::NotFound,
            r#"the source has "inspected" in place of "bought""#,
        ),
    ] {
        let claim = against(source, text);
        assert!(claim.outcome == outcome && claim.reasoning.contains(reason), "{claim:?}");
    }
}

//! The model of pretexts of the product is the one that its letters give, and every letter is complete.

use std::path::Path;

use train::data::Data;
use train::pretext::letters;
use train::trainer::SEED;

static SHIPPED: &[u8] = include_bytes!("../../../../models/pretext.plm");

#[test]
fn the_model_of_the_product_is_the_one_that_its_letters_and_seed_give() {
    let trained = train::pretext::train(&mut Data::open(Path::new("unread")), SEED).unwrap();
    assert!(trained == SHIPPED, "run `palisade-train pretext --data . --out models/pretext.plm`");
}

#[test]
fn every_letter_has_a_known_kind_and_a_text_or_a_subject() {
    for letter in letters::all().unwrap() {
        let kinds = ["phishing", "ordinary", "message_phishing", "message_ordinary"];
        assert!(kinds.contains(&letter.kind.as_str()), "{letter:?}");
        assert!(!letter.text.is_empty() || !letter.subject.is_empty(), "{letter:?}");
        assert!(
            letter.is_message() || letter.from.contains('@') || letter.source == letters::HONEST,
            "{letter:?}"
        );
    }
}

#[test]
fn authors_have_phishing_and_more_ordinary_letters() {
    let letters = letters::all().unwrap();
    for source in ["corpus", "desk", "inbox", "north", "south"] {
        let of = |phishing: bool| {
            letters.iter().filter(|one| one.source == source && one.is_phishing() == phishing).count()
        };
        assert!(of(true) >= 30 && of(false) > of(true), "{source}: {} and {}", of(true), of(false));
    }
}

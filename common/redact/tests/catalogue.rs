//! Properties of the catalogue for any text.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::LazyLock;

use proptest::prelude::*;
use redact::identifiers::{Catalogue, Entity, EntitySet, phrases, replace};

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::new().unwrap());

/// Pieces of which texts are made: labels, numbers, signs, letters of many scripts, placeholders.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,12}",
        "\\PC{0,6}",
        "[0-9]{1,19}",
        "[0-9]{2,4}[-./ ][0-9]{2,4}[-./ ][0-9]{2,5}",
        Just("SSN ".to_owned()),
        Just("passport no. ".to_owned()),
        Just("Kontonummer: ".to_owned()),
        Just("born on ".to_owned()),
        Just("12 High Street, London".to_owned()),
        Just("Hauptstraße 5\n10115 Berlin".to_owned()),
        Just("<SSN_REDACTED>".to_owned()),
        Just("<ADDRESS_REDACTED>".to_owned()),
        Just("a.b@example.org".to_owned()),
        Just("https://example.org/1".to_owned()),
        Just("password is ".to_owned()),
        Just("身份证号".to_owned()),
        Just("\n".to_owned()),
        Just("\u{A0}".to_owned()),
        Just("\u{301}".to_owned()),
        Just("3. Mai 1990".to_owned()),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.join(" "))
}

fn sets() -> [EntitySet; 3] {
    let listed = phrases::read(&["project names (Falcon)".to_owned(), "phones".to_owned()]);
    [EntitySet::default(), EntitySet::of(Entity::all()), listed.wanted]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn spans_lie_apart_at_boundaries_of_characters(text in text()) {
        for wanted in sets() {
            let spans = CATALOGUE.find(&text, &wanted);
            prop_assert!(spans.iter().all(|span| text.get(span.range.clone()).is_some_and(|part| !part.is_empty())));
            prop_assert!(spans.is_sorted_by(|one, two| one.range.end <= two.range.start));
            prop_assert!(spans.iter().all(|span| wanted.contains(span.entity)));
        }
    }

    #[test]
    fn placeholders_stay(text in text()) {
        for wanted in sets() {
            let once = replace(&text, &CATALOGUE.find(&text, &wanted), &wanted);
            let twice = replace(&once, &CATALOGUE.find(&once, &wanted), &wanted);
            let count = |text: &str| text.matches("_REDACTED>").count();
            prop_assert!(count(&twice) >= count(&once), "{once:?} became {twice:?}");
        }
    }

    #[test]
    fn any_phrase_is_understood_or_reported(phrase in "\\PC{0,40}") {
        let request = phrases::read(std::slice::from_ref(&phrase));
        let understood = request.wanted != EntitySet::of([]);
        prop_assert_eq!(understood, request.unknown.is_empty());
    }
}

#[test]
fn a_list_of_placeholders_is_redacted_to_itself() {
    let all = EntitySet::of(Entity::all());
    let list: Vec<String> = Entity::all().map(|entity| all.placeholder(entity)).collect();
    for text in [list.join(" "), list.join(", "), list.join("\n"), list.concat()] {
        assert_eq!(CATALOGUE.find(&text, &all), []);
    }
}

#[test]
fn a_megabyte_of_one_sign_takes_no_longer_than_text() {
    for unit in [
        "1",
        "1 ",
        "a@",
        "SSN ",
        "12 High ",
        "://",
        "<<",
        "4111 ",
        "ul. ",
        "\n",
        "+1",
        "May 1 ",
        "〒1",
        "password is ",
        "0x",
        "((",
        "_REDACTED>",
    ] {
        let text = unit.repeat((1 << 20) / unit.len());
        let spans = CATALOGUE.find(&text, &EntitySet::of(Entity::all()));
        assert!(spans.iter().all(|span| span.range.end <= text.len()));
    }
}

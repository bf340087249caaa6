//! Surrogates in place of placeholders.

use conceal::{Choice, Form};
use proptest::prelude::*;

use super::{Seeded, choice, conceal};

fn rewritten(text: &str) -> String {
    conceal(&[text], &Choice::default(), Form::Surrogates).parts.remove(0)
}

#[test]
fn one_person_keeps_one_name_in_all_parts() {
    let parts = [
        "Dear Dr. Ingeborg Falkenrath,",
        "Falkenrath agreed. Ms. Falkenrath will call.",
        "Mr. Okonkwo will not.",
    ];
    let concealed = conceal(&parts, &Choice::default(), Form::Surrogates);
    let surname = concealed.parts[0].trim_end_matches(',').rsplit(' ').next().unwrap();
    assert_eq!(concealed.parts[1], format!("{surname} agreed. Ms. {surname} will call."), "{concealed:?}");
    assert!(
        !concealed.parts[2].contains(surname) && !concealed.parts[2].contains("Okonkwo"),
        "{concealed:?}"
    );
    assert!(concealed.reasoning.contains("replaced by invented values"));
}

#[test]
fn another_text_has_other_surrogates_and_the_same_text_the_same() {
    let names: std::collections::BTreeSet<String> = (0..20)
        .map(|number| {
            rewritten(&format!("Room {number}: Mr. Okonkwo.")).split(": ").nth(1).unwrap().to_owned()
        })
        .collect();
    assert!(names.len() > 10, "{names:?}");
    assert_eq!(rewritten("Mr. Okonkwo."), rewritten("Mr. Okonkwo."));
}

#[test]
fn numbers_become_noun_phrases_and_addresses_are_of_reserved_ranges() {
    let text = "Card 4111 1111 1111 1111, SSN 078-05-1120, mail x.y@corp.test.com, phone +1 415-867-5309.";
    let rewritten = rewritten(text);
    assert!(
        rewritten.starts_with("Card (a card number), SSN (a social security number), mail contact"),
        "{rewritten}"
    );
    assert!(rewritten.contains("@example.") && rewritten.contains("-555-01"), "{rewritten}");
}

/// A letter with values of many kinds; its values.
fn letter(seed: u64) -> (String, Vec<String>) {
    let mut random = Seeded(seed);
    let surname = random.pick(&["Okonkwo", "Falkenrath", "Wieczorek", "Lindqvist", "Papadakis"]).to_owned();
    let phone = format!("+1 {}-555-{:04}", 201 + random.below(700), random.below(10_000));
    let mail = format!("{}{}@mail.example", random.pick(&["info", "me", "box"]), random.below(1000));
    let born = format!(
        "{} {} {}",
        1 + random.below(28),
        random.pick(&["May", "June", "March"]),
        1950 + random.below(50)
    );
    let street = format!("{} {} Street", 1 + random.below(200), random.pick(&["High", "Mill", "Church"]));
    let card = ["4111 1111 1111 1111", "5500 0000 0000 0004"][random.below(2)].to_owned();
    let text = format!(
        "Dear Mr. {surname},\n\nwe have you at {street}, born on {born}, phone {phone}, mail {mail}, card {card}.\n\nMs. {surname} agrees."
    );
    (text, vec![surname, phone, mail, born, street, card])
}

#[test]
fn no_original_and_no_card_number_remains() {
    for seed in 0..200 {
        let (text, values) = letter(seed);
        let rewritten = rewritten(&text);
        for value in &values {
            assert!(!rewritten.contains(value.as_str()), "{value} in {rewritten}");
        }
        let cards = choice(&["credit cards", "IBANs", "SSN", "bank accounts"]);
        assert_eq!(conceal(&[&rewritten], &cards, Form::Placeholders).counts, [], "{rewritten}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn as_many_values_are_rewritten_as_are_redacted(text in "([A-Z][a-z]{1,8}|[0-9]{3,9}|[a-z@.]{1,9}|\n| ){0,30}") {
        let placed = conceal(&[&text], &Choice::default(), Form::Placeholders);
        let rewritten = conceal(&[&text], &Choice::default(), Form::Surrogates);
        prop_assert_eq!(&placed.counts, &rewritten.counts);
        prop_assert_eq!(placed.counts.is_empty(), rewritten.parts[0] == text);
    }
}

//! Properties of redaction for any text.

use conceal::{Choice, Form};
use proptest::prelude::*;

use super::{choice, conceal};

/// Pieces of which texts are made.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,12}",
        "\\PC{0,6}",
        "[0-9]{1,19}",
        "[A-Z][a-z]{2,8} [A-Z][a-z]{2,8}",
        Just("Dear Anna,\n".to_owned()),
        Just("Mr. Ødegård".to_owned()),
        Just("my name is".to_owned()),
        Just("SSN 078-05-1120".to_owned()),
        Just("card 4111 1111 1111 1111".to_owned()),
        Just("12 High Street, London".to_owned()),
        Just("<NAME_REDACTED>".to_owned()),
        Just("<PROJECT_NAME_REDACTED>".to_owned()),
        Just("project Falcon".to_owned()),
        Just("a.b@example.org".to_owned()),
        Just("+44 20 7946 0958".to_owned()),
        Just("password is hunter2".to_owned()),
        Just("我是王小明".to_owned()),
        Just("\n".to_owned()),
        Just("Best regards,\n".to_owned()),
        Just("born on 3 May 1984".to_owned()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.join(" "))
}

fn choices() -> [Choice; 2] {
    [Choice::default(), choice(&["names", "project names (Falcon)", "phones", "cities", "companies"])]
}

fn placeholders(text: &str) -> usize {
    text.matches("_REDACTED>").count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn placeholders_stay_and_counts_agree(text in text()) {
        for choice in choices() {
            let once = conceal(&[&text], &choice, Form::Placeholders);
            let given: usize = once.counts.iter().map(|(_, count)| count).sum();
            prop_assert_eq!(placeholders(&once.parts[0]), placeholders(&text) + given);
            let twice = conceal(&[&once.parts[0]], &choice, Form::Placeholders);
            let added: usize = twice.counts.iter().map(|(_, count)| count).sum();
            prop_assert_eq!(placeholders(&twice.parts[0]), placeholders(&once.parts[0]) + added);
        }
    }

    #[test]
    fn the_same_text_has_the_same_result(text in text()) {
        for form in [Form::Placeholders, Form::Surrogates] {
            let once = conceal(&[&text], &Choice::default(), form);
            prop_assert_eq!(once, conceal(&[&text], &Choice::default(), form));
        }
    }

    #[test]
    fn a_cut_anywhere_loses_no_text_between_values(text in text(), at in 0_usize..200) {
        let (one, two) = text.split_at(text.floor_char_boundary(at));
        let concealed = conceal(&[one, two], &Choice::default(), Form::Placeholders);
        prop_assert_eq!(concealed.parts.len(), 2);
        let given: usize = concealed.counts.iter().map(|(_, count)| count).sum();
        let existing = placeholders(one) + placeholders(two);
        prop_assert_eq!(concealed.parts.iter().map(|part| placeholders(part)).sum::<usize>(), existing + given);
    }
}

//! Secrets, identifiers and names in one text.

use conceal::{Choice, ConcealError, Form};

use super::{CONCEALER, conceal, redacted};

#[test]
fn kinds_of_all_finders_are_replaced_in_one_text() {
    let text = "Dear Ms. Lindqvist,\n\nyour card 4111 1111 1111 1111 was charged. Call +1 202-555-0143 or write to \
                billing@example.org. SSN 078-05-1120, password: hunter2secret, born 3 May 1984, 12 High Street, London.\n\n\
                Best regards,\nTomasz Wieczorek\nNorthwind Traders";
    let redacted = redacted(text);
    for placeholder in [
        "Ms. <NAME_REDACTED>,",
        "card <CREDIT_CARD_REDACTED> was charged",
        "Call <PHONE_REDACTED> or write to <EMAIL_REDACTED>.",
        "SSN <SSN_REDACTED>, password: <PASSWORD_REDACTED>, born <DATE_OF_BIRTH_REDACTED>, <ADDRESS_REDACTED>.",
        "Best regards,\n<NAME_REDACTED>\nNorthwind Traders",
    ] {
        assert!(redacted.contains(placeholder), "{placeholder} not in {redacted}");
    }
}

#[test]
fn counts_and_reasoning_name_kinds_and_formats_but_no_value() {
    let text = "Mr. Okonkwo and Mrs. Okonkwo share a@b.example, SSN 078-05-1120.";
    let concealed = conceal(&[text], &Choice::default(), Form::Placeholders);
    assert_eq!(
        concealed.counts,
        [("EMAIL".to_owned(), 1), ("NAME".to_owned(), 2), ("SSN".to_owned(), 1)],
        "{concealed:?}"
    );
    assert!(
        concealed.reasoning.starts_with(
            "4 values of the default kinds replaced by placeholders: 1 EMAIL, 2 NAME, 1 SSN. Recognised by: "
        ),
        "{}",
        concealed.reasoning
    );
    for value in ["Okonkwo", "a@b.example", "078-05-1120"] {
        assert!(!concealed.reasoning.contains(value));
    }
}

#[test]
fn a_text_without_values_says_so() {
    let concealed = conceal(&["The pump runs at 40 bar."], &Choice::default(), Form::Placeholders);
    assert_eq!(concealed.parts, ["The pump runs at 40 bar."]);
    assert_eq!(concealed.counts, []);
    assert_eq!(concealed.reasoning, "No value of the default kinds was found; the text is unchanged.");
}

#[test]
fn a_name_found_in_one_part_is_redacted_in_all() {
    let parts = ["Sincerely,\nDr. Ingeborg Falkenrath", "", "the notes of Falkenrath were lost"];
    let concealed = conceal(&parts, &Choice::default(), Form::Placeholders);
    assert_eq!(
        concealed.parts,
        ["Sincerely,\nDr. <NAME_REDACTED>", "", "the notes of <NAME_REDACTED> were lost"]
    );
}

#[test]
fn a_text_larger_than_allowed_is_refused() {
    let refused = CONCEALER.conceal(&["12345", "6"], &Choice::default(), Form::Placeholders, 5);
    assert!(matches!(refused, Err(ConcealError::TooLarge { bytes: 6, most: 5 })));
    assert!(CONCEALER.conceal(&["12345", ""], &Choice::default(), Form::Placeholders, 5).is_ok());
}

#[test]
fn companies_of_founders_and_things_that_the_text_describes_are_no_persons() {
    for text in [
        "Lockheed Martin builds aircraft.",
        "Shares of Bosch and Morgan Stanley rose.",
        "Kowalski is a 2009 drama film directed by nobody.",
        "Oliver was a weekly magazine.",
    ] {
        assert_eq!(redacted(text), text);
    }
    let person = "Oliver Kowalski is a film director from Leeds.";
    assert_eq!(redacted(person), "<NAME_REDACTED> is a film director from Leeds.");
}

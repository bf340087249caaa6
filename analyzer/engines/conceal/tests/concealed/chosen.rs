//! Kinds that the caller chooses.

use conceal::Form;

use super::{choice, conceal, redacted_of};

#[test]
fn chosen_kinds_replace_the_default_ones() {
    let text = "Mr. Bergström (anna@example.org) of Acme Corp lives in Hamburg.";
    assert_eq!(
        redacted_of(text, &["email addresses"]),
        "Mr. Bergström (<EMAIL_REDACTED>) of Acme Corp lives in Hamburg."
    );
    let both = redacted_of(text, &["NAME", "E-Mail-Adressen"]);
    assert_eq!(both, "Mr. <NAME_REDACTED> (<EMAIL_REDACTED>) of Acme Corp lives in Hamburg.");
    assert!(redacted_of(text, &["cities"]).contains("lives in <LOCATION_REDACTED>."));
}

#[test]
fn free_phrases_have_placeholders_of_their_own() {
    let text = "Project Falcon starts in May. Anna Bergmann leads it.";
    let redacted = redacted_of(text, &["project names"]);
    assert_eq!(redacted, "Project <PROJECT_NAME_REDACTED> starts in May. Anna Bergmann leads it.");
}

#[test]
fn names_of_persons_do_not_take_what_a_phrase_describes() {
    let redacted = redacted_of("Ask for project Anna today.", &["project names", "names"]);
    assert_eq!(redacted, "Ask for project <PROJECT_NAME_REDACTED> today.");
}

#[test]
fn phrases_that_were_not_understood_are_named() {
    let choice = choice(&["phones", "everything that looks \"odd\"\n", "12345"]);
    assert_eq!(choice.unknown().len(), 2);
    let concealed = conceal(&["Call +1 202-555-0143."], &choice, Form::Placeholders);
    assert_eq!(concealed.parts, ["Call <PHONE_REDACTED>."]);
    let end = " Not understood, and not looked for: \"everything that looks  odd  \", \"12345\".";
    assert!(concealed.reasoning.ends_with(end), "{}", concealed.reasoning);
}

#[test]
fn phrases_beyond_the_bound_count_as_not_understood() {
    let phrases: Vec<String> = (0..150).map(|_| "phones".to_owned()).collect();
    let choice = conceal::Choice::of(&phrases);
    assert_eq!(choice.unknown().len(), 50);
    let reasoning = conceal(&["-"], &choice, Form::Placeholders).reasoning;
    assert!(reasoning.ends_with(", and 40 more."), "{reasoning}");
}

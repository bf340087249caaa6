//! Single identifiers in sentences.

use super::redacted;

#[test]
fn a_thin_slice_is_redacted() {
    let text = "Mail ann.lee@example.org, SSN 078-05-1120, card 4111 1111 1111 1111.";
    assert_eq!(redacted(text), "Mail <EMAIL_REDACTED>, SSN <SSN_REDACTED>, card <CREDIT_CARD_REDACTED>.");
}

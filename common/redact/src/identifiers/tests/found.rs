//! Single identifiers in sentences.

use super::{Catalogue, Entity, EntitySet, redacted, replace};

#[test]
fn a_thin_slice_is_redacted() {
    let text = "Mail ann.lee@example.org, SSN 078-05-1120, card 4111 1111 1111 1111.";
    assert_eq!(redacted(text), "Mail <EMAIL_REDACTED>, SSN <SSN_REDACTED>, card <CREDIT_CARD_REDACTED>.");
}

#[test]
fn an_address_ends_where_a_word_of_a_script_without_blanks_begins() {
    for (text, expected) in [
        ("我叫张伟邮箱zw@mail.example", "我叫张伟邮箱<EMAIL_REDACTED>"),
        ("邮箱zw@mail.example谢谢", "邮箱<EMAIL_REDACTED>谢谢"),
        ("邮箱 张伟@例子.公司", "邮箱 <EMAIL_REDACTED>"),
        ("メールはa.b@mail.例え.jpです", "メールは<EMAIL_REDACTED>です"),
    ] {
        assert_eq!(redacted(text), expected);
    }
}

#[test]
fn a_url_in_a_line_of_separated_values_ends_with_its_value() {
    let wanted = EntitySet::of([Entity::Url]);
    for (text, expected) in [
        ("1,https://x.example/a,Ana", "1,<URL_REDACTED>,Ana"),
        ("1;www.x.example/a,b;Ana", "1;<URL_REDACTED>;Ana"),
        ("https://x.example|Ana", "<URL_REDACTED>|Ana"),
        ("see https://x.example/a,b;c.", "see <URL_REDACTED>."),
    ] {
        assert_eq!(replace(text, &Catalogue::new().unwrap().find(text, &wanted), &wanted), expected);
    }
}

#[test]
fn a_bic_names_any_country() {
    let wanted = EntitySet::of([Entity::RoutingNumber]);
    for (text, is_bic) in [
        ("BIC: ABCDGGSP", true),
        ("BIC: ABCDCWCU", true),
        ("BIC: ABCDMPSPXXX", true),
        ("BIC: ABCDXKSP", true),
        ("BIC: ABCDXXSP", false),
    ] {
        assert_eq!(!Catalogue::new().unwrap().find(text, &wanted).is_empty(), is_bic, "{text}");
    }
}

//! Hostile input of a megabyte ends, with and without surrogates. Its time is the subject of a benchmark.

use conceal::Form;

use super::{choice, conceal};

#[test]
fn a_megabyte_of_one_unit_is_redacted() {
    let all =
        choice(&["names", "cities", "companies", "phones", "emails", "addresses", "dates", "project names"]);
    for unit in [
        "a",
        "A",
        "Aa ",
        "Anna ",
        "\n",
        "1",
        "1 ",
        "@",
        ".",
        "<",
        "Dr. ",
        "Dear Anna,\n",
        "é",
        "王",
        "我是",
        "Mr. X ",
        "project Falcon ",
        "a@b.example ",
        "_REDACTED>",
        "Anna Berg, ",
        "I am ",
        "-",
    ] {
        let text = unit.repeat((1 << 20) / unit.len());
        for form in [Form::Placeholders, Form::Surrogates] {
            assert_eq!(conceal(&[&text], &all, form).parts.len(), 1, "{unit:?}");
        }
    }
}

#[test]
fn many_parts_are_redacted() {
    let parts = vec!["Anna"; 100_000];
    assert_eq!(conceal(&parts, &choice(&["names"]), Form::Placeholders).parts.len(), 100_000);
}

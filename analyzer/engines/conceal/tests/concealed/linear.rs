//! Hostile input of a megabyte ends, with and without surrogates, in a time that grows with its length only.

use std::time::{Duration, Instant};

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
        "C:\\a ",
        "C:\\a",
        "C:\\a b\\ ",
        "b\\c ",
        "\\\\a ",
        "www.",
        ",aa://b",
        "www.a|",
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

/// Units of locators, whose ends are searched: behind a drive, `b\ ` may continue a path.
const LOCATORS: [(&str, &str); 9] = [
    ("", "a@"),
    ("", "C:\\a "),
    ("", "C:\\a"),
    ("C:\\a ", "b\\ "),
    ("C:\\a ", "b\\c "),
    ("", "\\\\a "),
    ("", "www."),
    ("", ",aa://b"),
    ("", "www.a|"),
];

/// The shortest of several runs: other work of the machine lengthens single ones.
#[expect(clippy::disallowed_methods, reason = "the time is the subject of the test")]
fn time(text: &str) -> Duration {
    let names = choice(&["names"]);
    let run = |_| {
        let start = Instant::now();
        assert_eq!(conceal(&[text], &names, Form::Placeholders).parts.len(), 1);
        start.elapsed()
    };
    (0..3).map(run).fold(Duration::MAX, Duration::min)
}

#[test]
fn the_time_for_locators_grows_with_the_length() {
    for (head, unit) in LOCATORS {
        let text = |bytes: usize| head.to_owned() + &unit.repeat(bytes / unit.len());
        let (short, long) = (time(&text(1 << 14)), time(&text(1 << 18)));
        // Sixteen times the length: a quadratic search takes 256 times the time.
        assert!(long < short * 64, "{unit:?}: {short:?}, {long:?}");
    }
}

//! The redaction of any text, in one part or two: the same result twice, each replacement the placeholder of its value, all
//! other text as it was, and as many surrogates. The first line is a phrase of a caller; an empty one means the default kinds.

#![no_main]

use std::sync::LazyLock;

use conceal::{Choice, Concealed, Concealer, Form};
use libfuzzer_sys::fuzz_target;
use redact::identifiers::{EntitySet, phrases};

static MODEL: &[u8] = include_bytes!("../../models/names.plm");
static CONCEALER: LazyLock<Concealer<'static>> =
    LazyLock::new(|| Concealer::load(MODEL).expect("the model is readable"));

fuzz_target!(|input: &[u8]| {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let (phrase, text) = input.split_once('\n').unwrap_or(("", input));
    let phrases = [phrase.to_owned()];
    let (choice, wanted) = if phrase.is_empty() {
        (Choice::default(), EntitySet::default())
    } else {
        (Choice::of(&phrases), phrases::read(&phrases).wanted)
    };
    // A line of three dashes separates two parts.
    let parts: Vec<&str> = text.splitn(2, "\n---\n").collect();
    let conceal =
        |parts: &[&str], form| CONCEALER.conceal(parts, &choice, form, usize::MAX).expect("no limit is set");
    let once = conceal(&parts, Form::Placeholders);
    assert_eq!(once, conceal(&parts, Form::Placeholders), "the result changed");
    assert_eq!(once.parts.len(), parts.len());
    check_parts(&parts, &once, &wanted);
    assert_eq!(once.counts, conceal(&parts, Form::Surrogates).counts);
});

/// Compares the text between values with the input, and each replacement with the placeholder of its value.
fn check_parts(given: &[&str], concealed: &Concealed, wanted: &EntitySet) {
    assert_eq!(concealed.values.len(), concealed.replacements.len(), "{concealed:?}");
    assert_eq!(concealed.counts.iter().map(|(_, count)| count).sum::<usize>(), concealed.values.len());
    // Up to these offsets, each part was compared in the input and in the result.
    let mut compared = vec![(0, 0); given.len()];
    for (value, written) in concealed.values.iter().zip(&concealed.replacements) {
        let (given, part) = (given[value.part], &concealed.parts[value.part]);
        let (read, replaced) = compared[value.part];
        assert_eq!(given[read..value.range.start], part[replaced..written.start], "{concealed:?}");
        assert_eq!(part[written.clone()], wanted.placeholder(value.entity), "{concealed:?}");
        compared[value.part] = (value.range.end, written.end);
    }
    for ((given, part), (read, replaced)) in given.iter().zip(&concealed.parts).zip(compared) {
        assert_eq!(given[read..], part[replaced..], "{concealed:?}");
    }
}

//! The redaction of any text, in one part or two: the same result twice, at least as many placeholders as
//! values, and as many surrogates. The first line is a phrase of a caller; an empty one means the default kinds.

#![no_main]

use std::sync::LazyLock;

use conceal::{Choice, Concealer, Form};
use libfuzzer_sys::fuzz_target;

static MODEL: &[u8] = include_bytes!("../../models/names.plm");
static CONCEALER: LazyLock<Concealer<'static>> =
    LazyLock::new(|| Concealer::load(MODEL).expect("the model is readable"));

fuzz_target!(|input: &[u8]| {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let (phrase, text) = input.split_once('\n').unwrap_or(("", input));
    let choice = if phrase.is_empty() { Choice::default() } else { Choice::of(&[phrase.to_owned()]) };
    // A line of three dashes separates two parts.
    let parts: Vec<&str> = text.splitn(2, "\n---\n").collect();
    let conceal =
        |parts: &[&str], form| CONCEALER.conceal(parts, &choice, form, usize::MAX).expect("no limit is set");
    let once = conceal(&parts, Form::Placeholders);
    assert_eq!(once, conceal(&parts, Form::Placeholders), "the result changed");
    assert_eq!(once.parts.len(), parts.len());
    let placeholders = |text: &str| text.matches("_REDACTED>").count();
    let given: usize = once.counts.iter().map(|(_, count)| count).sum();
    assert!(once.parts.iter().map(|part| placeholders(part)).sum::<usize>() >= given, "{once:?}");
    assert_eq!(once.counts, conceal(&parts, Form::Surrogates).counts);
});

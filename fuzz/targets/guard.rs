//! The guard as a whole: any text, steered by any system prompt, gets the same verdict twice; a verdict has types if and
//! only if it blocks, and every excerpt went through the mask.

#![no_main]

use std::sync::LazyLock;

use guard::{Classification, Guard, Input};
use libfuzzer_sys::fuzz_target;

static MODEL: &[u8] = include_bytes!("../../models/guard.plm");
static GUARD: LazyLock<Guard<'static>> = LazyLock::new(|| Guard::load(MODEL).expect("the model is readable"));

fuzz_target!(|input: &[u8]| {
    let Ok(input) = std::str::from_utf8(input) else { return };
    // A line of three dashes separates the system prompt from the text.
    let (prompt, text) = input.split_once("\n---\n").unwrap_or(("", input));
    let judge = || {
        GUARD.judge(&[Input::text(text)], prompt, text.len(), &|_| "*".to_owned()).expect("within the budget")
    };
    let verdict = judge();
    assert_eq!(verdict, judge(), "the verdict changed");
    assert_eq!(verdict.classification == Classification::Block, !verdict.violations.is_empty());
    assert_eq!(verdict.violations.is_empty(), verdict.cwe_codes.is_empty());
    assert!(verdict.reasoning.matches('"').count() == verdict.reasoning.matches("\"*\"").count() * 2);
    assert!(verdict.reasoning.len() < 2_000, "{}", verdict.reasoning);
});

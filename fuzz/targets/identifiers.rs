//! Identifiers and phrases in any text: spans lie apart at boundaries of characters, placeholders stay, and the order of
//! what a caller asks for does not matter. The first byte chooses what is wanted.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use redact::identifiers::{Catalogue, Entity, EntitySet, phrases, replace};

static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::new().expect("the tables are within their bounds"));

fuzz_target!(|input: &[u8]| {
    let Some((choice, text)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let (phrase, text) = text.split_once('\n').unwrap_or(("", text));
    let wanted = match choice % 3 {
        0 => EntitySet::default(),
        1 => EntitySet::of(Entity::all()),
        _ => phrases::read(&[phrase.to_owned()]).wanted,
    };
    let spans = CATALOGUE.find(text, &wanted);
    assert!(spans.iter().all(|span| text.get(span.range.clone()).is_some_and(|part| !part.is_empty())));
    assert!(spans.is_sorted_by(|one, two| one.range.end <= two.range.start), "{spans:?} overlap");
    assert!(spans.iter().all(|span| wanted.contains(span.entity)));
    let once = replace(text, &spans, &wanted);
    let twice = replace(&once, &CATALOGUE.find(&once, &wanted), &wanted);
    let count = |text: &str| text.matches("_REDACTED>").count();
    assert!(count(&twice) >= count(&once), "{once:?} became {twice:?}");
});

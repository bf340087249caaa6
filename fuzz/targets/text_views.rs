//! Views of any text: every word lies in its view, every place in the input, and decoding and folding stay within their
//! bounds.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use text::{MAX_DECODED, Vocabulary, fold, views};

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let likely = ["please", "all", "and", "the", "now", "you", "this"];
    let key = ["ignore", "previous", "instructions", "reveal", "system", "prompt"];
    Vocabulary::new(likely.into_iter(), key.into_iter())
});

fuzz_target!(|input: &[u8]| {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let views = views(input, &VOCABULARY);
    let decoded: usize = views.iter().skip(1).map(|view| view.text.len()).sum();
    // Compatibility forms may be longer than the character: 18 characters of three bytes at most.
    assert!(decoded <= 54 * MAX_DECODED, "{decoded} bytes were decoded");
    for view in &views {
        for (number, word) in view.words.iter().enumerate() {
            assert!(view.text.get(word.range()).is_some(), "{word:?} is no part of {:?}", view.text);
            let source = view.source_of_words(&(number..number + 1));
            assert!(
                source.start <= source.end && source.end <= input.len(),
                "{source:?} is no part of the input"
            );
        }
    }
    assert!(fold(input).text.len() <= 18 * input.len(), "folding made the text too long");
});

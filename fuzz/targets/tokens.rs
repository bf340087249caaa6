//! Counts of tokens: those of bpe-openai, which has the same vocabulary in another form.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tokens::Tokenizer;

static TOKENIZER: LazyLock<Tokenizer> =
    LazyLock::new(|| Tokenizer::load().expect("the vocabulary is readable"));

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    assert_eq!(TOKENIZER.count(&text), bpe_openai::o200k_base().count(text.as_ref()), "{text:?}");
});

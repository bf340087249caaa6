//! The redaction of texts as its callers see it, with the model of the product.

use std::sync::LazyLock;

use conceal::{Choice, Concealed, Concealer, Form};

mod chosen;
mod identifiers_kept;
mod left_alone;
mod linear;
mod mixed;
mod properties;
mod rewritten;

static CONCEALER: LazyLock<Concealer<'static>> = LazyLock::new(|| {
    Concealer::load(include_bytes!("../../../../../models/names.plm")).expect("the model is whole")
});

/// Bytes allowed in tests.
const MOST: usize = 16 << 20;

fn conceal(parts: &[&str], choice: &Choice, form: Form) -> Concealed {
    CONCEALER.conceal(parts, choice, form, MOST).expect("the text is short enough")
}

/// The text with placeholders for the default kinds.
fn redacted(text: &str) -> String {
    conceal(&[text], &Choice::default(), Form::Placeholders).parts.remove(0)
}

/// The text with placeholders for the kinds that phrases name.
fn redacted_of(text: &str, phrases: &[&str]) -> String {
    conceal(&[text], &choice(phrases), Form::Placeholders).parts.remove(0)
}

fn choice(phrases: &[&str]) -> Choice {
    Choice::of(&phrases.iter().map(|phrase| (*phrase).to_owned()).collect::<Vec<_>>())
}

/// Reproducible randomness: SplitMix64.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(bits ^ (bits >> 31)) * end as u128) >> 64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

//! Lines from templates: each value in braces is drawn anew, from a generator with a fixed seed.
//!
//! `{word}` a marker of small letters, the same throughout a template; `{password}` a password; `{account}` the
//! base64 of `user:password`; `{azure}` and `{airtable}` tokens of these vendors; `{mixed40}` so many letters and
//! digits, `{crypt86}` so many of the alphabet of `crypt`, `{bech58}` of Bech32, `{base64}` a line of
//! base64. All but the marker are secrets. Other braces, as those of JSON, are kept.

use crate::lines::Form;

/// A line and its values.
pub(super) struct Filled {
    pub(super) kind: &'static str,
    pub(super) form: Form,
    pub(super) text: String,
    pub(super) word: String,
    pub(super) secrets: Vec<String>,
}

impl Filled {
    /// The line, for the message of a failure.
    pub(super) fn describe(&self) -> String {
        format!("{} as {:?}: {:?}", self.kind, self.form, self.text)
    }
}

/// `SplitMix64` (Steele, Lea and Flood, 2014).
pub(super) struct Draw(u64);

const SMALL: &str = "abcdefghijklmnopqrstuvwxyz";
const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Letters of a marker; rare ones, so that no marker begins with a word in rules.
const RARE: &str = "bdfgjkmqvwxz";

impl Draw {
    /// The same seed draws the same values.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn of(&mut self, alphabet: &str, length: usize) -> String {
        let letters = alphabet.as_bytes();
        (0..length).map(|_| char::from(letters[(self.next() % letters.len() as u64) as usize])).collect()
    }

    fn password(&mut self) -> String {
        let (start, middle, end) = (self.of(MIXED, 6), self.of("23456789", 2), self.of(MIXED, 5));
        format!("{start}{}{middle}{end}", self.of("!_-.~", 1))
    }

    /// The value of a placeholder; `None` for other braces.
    fn value(&mut self, name: &str) -> Option<String> {
        let digits = name.find(|letter: char| letter.is_ascii_digit()).unwrap_or(name.len());
        let length = || name[digits..].parse::<usize>().ok();
        Some(match &name[..digits] {
            "password" => self.password(),
            "account" => base64(&format!("{}:{}", self.of(SMALL, 7), self.password())),
            "azure" => format!("{}8Q~{}", self.of(MIXED, 3), self.of(MIXED, 34)),
            "airtable" => format!("pat{}.{}", self.of(MIXED, 14), self.of("0123456789abcdef", 64)),
            "base" => self.of(&[MIXED, "+/"].concat(), length()?),
            "mixed" => self.of(MIXED, length()?),
            "bech" => self.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", length()?),
            "crypt" => self.of(&[MIXED, "./"].concat(), length()?),
            _ => return None,
        })
    }

    /// Fills a template of a kind of line that is sent in a form.
    pub(super) fn fill(&mut self, kind: &'static str, form: Form, template: &str) -> Filled {
        let word = self.of(RARE, 12);
        let template = template.replace("{word}", &word);
        let (mut text, mut secrets) = (String::new(), Vec::new());
        let mut rest = template.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            text.push_str(before);
            let value = behind.split_once('}').and_then(|(name, after)| Some((self.value(name)?, after)));
            let Some((value, after)) = value else {
                text.push('{');
                rest = behind;
                continue;
            };
            text.push_str(&value);
            secrets.push(value);
            rest = after;
        }
        text.push_str(rest);
        Filled { kind, form, text, word, secrets }
    }

    /// Fills each template of a table for a form.
    pub(super) fn table(&mut self, form: Form, table: &[(&'static str, &str)]) -> Vec<Filled> {
        table.iter().map(|(kind, template)| self.fill(kind, form, template)).collect()
    }
}

fn base64(text: &str) -> String {
    let mut written = String::new();
    for bytes in text.as_bytes().chunks(3) {
        let word =
            bytes.iter().enumerate().fold(0_u32, |word, (at, byte)| word | u32::from(*byte) << (16 - 8 * at));
        for digit in 0..4 {
            let value = (word >> (18 - 6 * digit) & 63) as usize;
            let letter = [MIXED, "+/"].concat().as_bytes()[value];
            written.push(if digit <= bytes.len() { char::from(letter) } else { '=' });
        }
    }
    written
}

//! Texts from templates: parts in braces are drawn anew, from a generator with a fixed seed, and open nothing.
//!
//! `{p}` a password, `{l}` one of small letters only, `{n}` one of digits only, `{z}` one with a zero-width
//! character within, `{t40}` so many letters and digits, `{h64}` hexadecimal digits, `{b86}` base64, `{c53}` the
//! alphabet of `crypt`, `{d33}` letters and digits with `.`, `~` and `-`, `{k58}` the alphabet of Bech32,
//! `{u}` a UUID, `{B}` `user:password` in base64. A `=` behind the opening brace marks it as no secret.

/// A text and the secrets in it.
pub(crate) struct Filled {
    pub(crate) text: String,
    pub(crate) secrets: Vec<String>,
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) struct Chance(pub(crate) u64);

const SMALL: &str = "abcdefghijkmnopqrstuvwxyz";
const MIXED: &str = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789";
const HEXADECIMAL: &str = "0123456789abcdef";

impl Chance {
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
        let mark = self.of("!_-+.~", 1);
        let number = self.of("23456789", 2);
        format!("{}{mark}{}{number}{}", self.of(MIXED, 4), self.of(SMALL, 4), self.of(MIXED, 3))
    }

    fn value(&mut self, kind: &str) -> String {
        let (letter, length) = kind.split_at(1);
        let length = length.parse().unwrap_or(9);
        match letter {
            "p" => self.password(),
            "l" => self.of(SMALL, length),
            "n" => self.of("0123456789", length),
            "z" => format!("{}\u{200b}{}", self.of(MIXED, 7), self.of(MIXED, 6)),
            "t" => self.of(MIXED, length - 2) + "4k",
            "h" => self.of(HEXADECIMAL, length),
            "b" => self.of(&[MIXED, "+/"].concat(), length),
            "c" => self.of(&[MIXED, "./"].concat(), length),
            "d" => self.of(&[MIXED, ".~-"].concat(), length - 1) + "w",
            "k" => self.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", length),
            "u" => [8, 4, 4, 4, 12].map(|digits| self.of(HEXADECIMAL, digits)).join("-"),
            "B" => base64(&format!("{}:{}", self.of(SMALL, 6), self.password())),
            _ => panic!("{kind:?} is no kind of value"),
        }
    }

    /// Fills the braces that hold a kind of value; others, as those of JSON, stay.
    pub(crate) fn fill(&mut self, template: &str) -> Filled {
        let (mut text, mut secrets) = (String::new(), Vec::new());
        let mut rest = template;
        while let Some((before, behind)) = rest.split_once('{') {
            text.push_str(before);
            let kind = behind.split_once('}').filter(|(kind, _)| is_kind(kind));
            let Some((kind, after)) = kind else {
                text.push('{');
                rest = behind;
                continue;
            };
            let value = self.value(kind.trim_start_matches('='));
            text.push_str(&value);
            if !kind.starts_with('=') {
                secrets.push(value);
            }
            rest = after;
        }
        text.push_str(rest);
        Filled { text, secrets }
    }
}

fn is_kind(kind: &str) -> bool {
    let kind = kind.trim_start_matches('=');
    kind.len() <= 4
        && kind.starts_with(['p', 'l', 'n', 'z', 't', 'h', 'b', 'c', 'd', 'k', 'u', 'B'])
        && kind.bytes().skip(1).all(|byte| byte.is_ascii_digit())
}

fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::new();
    for bytes in text.as_bytes().chunks(3) {
        let word =
            bytes.iter().enumerate().fold(0_u32, |word, (at, byte)| word | u32::from(*byte) << (16 - 8 * at));
        for digit in 0..4 {
            let value = DIGITS[(word >> (18 - 6 * digit) & 63) as usize];
            written.push(if digit <= bytes.len() { char::from(value) } else { '=' });
        }
    }
    written
}

//! The text of an API key: how it is made, recognised and kept from being printed by accident.

use std::fmt;

use rand::RngExt;
use rand::distr::Alphanumeric;
use zeroize::Zeroizing;

/// Prefix of every key, so that scanners for leaked secrets can recognise one.
const PREFIX: &str = "pal_live_";
/// Random characters behind the prefix: 30 of 62 are 178 bits.
const RANDOM: usize = 30;
/// Characters of the checksum: 62⁶ is more than 2³².
const CHECKSUM: usize = 6;
/// Digits of base 62, in the order of ASCII.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The text of an API key: `pal_live_`, 30 random characters of base 62, and 6 of the CRC-32 of
/// what precedes. `Display` shows it, for the one time it is handed out; `Debug` does not.
#[derive(Clone)]
pub struct KeyText(Zeroizing<String>);

impl KeyText {
    /// A new key, from a cryptographic generator that the operating system seeds.
    pub(crate) fn generate() -> Self {
        // The full capacity at once: growing would leave copies behind that are not wiped.
        let mut text = Zeroizing::new(String::with_capacity(PREFIX.len() + RANDOM + CHECKSUM));
        text.push_str(PREFIX);
        let mut random = rand::rng();
        for _ in 0..RANDOM {
            text.push(char::from(random.sample(Alphanumeric)));
        }
        let checksum = checksum(text.as_bytes());
        text.extend(checksum.map(char::from));
        Self(text)
    }

    /// The key itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Its last four characters, which may be shown.
    pub(crate) fn last_four(&self) -> String {
        self.0.chars().skip(PREFIX.len() + RANDOM + CHECKSUM - 4).collect()
    }
}

impl fmt::Display for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyText(..)")
    }
}

/// Whether a text could be a key: most typing errors and all other products' keys end here, before
/// anything is looked up.
pub(crate) fn is_well_formed(presented: &str) -> bool {
    let Some(rest) = presented.strip_prefix(PREFIX) else { return false };
    if rest.len() != RANDOM + CHECKSUM || !rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let (body, found) = presented.as_bytes().split_at(PREFIX.len() + RANDOM);
    found == checksum(body)
}

/// CRC-32 in six digits of base 62, the most significant first.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let mut rest = crc32(bytes) as usize;
    let mut digits = [0; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[rest % DIGITS.len()];
        rest /= DIGITS.len();
    }
    digits
}

/// CRC-32 as in ISO 3309 (reflected polynomial 0xEDB88320), bit by bit: 39 bytes need no table.
fn crc32(bytes: &[u8]) -> u32 {
    let mut register = u32::MAX;
    for byte in bytes {
        register ^= u32::from(*byte);
        for _ in 0..8 {
            let carry = register & 1;
            register >>= 1;
            if carry == 1 {
                register ^= 0xEDB8_8320;
            }
        }
    }
    !register
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_standard_one() {
        // The check value every catalogue lists for CRC-32.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(&checksum(b""), b"000000");
    }

    #[test]
    fn generated_keys_have_the_form_and_differ() {
        let key = KeyText::generate();
        assert_eq!(key.expose().len(), 45);
        assert!(is_well_formed(key.expose()));
        assert!(key.expose().ends_with(&key.last_four()));
        assert_eq!(key.last_four().len(), 4);
        assert_ne!(key.expose(), KeyText::generate().expose());
        assert_eq!(format!("{key:?}"), "KeyText(..)");
    }

    #[test]
    fn any_single_wrong_character_is_noticed() {
        let key = KeyText::generate();
        for place in 0..key.expose().len() {
            let mut bytes = key.expose().as_bytes().to_vec();
            bytes[place] = if bytes[place] == b'x' { b'y' } else { b'x' };
            assert!(!is_well_formed(std::str::from_utf8(&bytes).unwrap()), "place {place}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".*", tail in "[0-9A-Za-zé]{0,40}") {
            assert!(!is_well_formed(&text));
            is_well_formed(&format!("{PREFIX}{tail}"));
        }
    }
}

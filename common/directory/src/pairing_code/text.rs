//! The text of a pairing code.

use rand::RngExt;
use zeroize::Zeroizing;

/// Characters of a code: 60 bits, which 10 tries a minute do not find within the life of a code.
const LENGTH: usize = 12;
/// Digits of Crockford's Base32, without letters that are read as digits.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A new code, from a cryptographic generator that the operating system seeds.
pub(super) fn generate() -> Zeroizing<String> {
    let mut random = rand::rng();
    let mut text = Zeroizing::new(String::with_capacity(LENGTH));
    for _ in 0..LENGTH {
        text.push(char::from(DIGITS[random.random_range(0..DIGITS.len())]));
    }
    text
}

/// A presented code in the form that is hashed: hyphens and spaces removed, capital letters, and letters that look like digits
/// as those. `None` for a text that cannot be a code.
pub(super) fn normalize(presented: &str) -> Option<Zeroizing<String>> {
    // With a hyphen or space after each character; longer texts are not looked at.
    if presented.len() > 2 * LENGTH {
        return None;
    }
    let mut text = Zeroizing::new(String::with_capacity(LENGTH));
    for character in presented.chars().filter(|character| !matches!(character, '-' | ' ')) {
        let digit = match character.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        };
        if text.len() == LENGTH || !u8::try_from(digit).is_ok_and(|digit| DIGITS.contains(&digit)) {
            return None;
        }
        text.push(digit);
    }
    (text.len() == LENGTH).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_people_write_it() {
        let read = |text: &str| normalize(text).map(|text| text.to_string());
        assert_eq!(read("ABCD-EFGH-JKMN").as_deref(), Some("ABCDEFGHJKMN"));
        assert_eq!(read("abcd efgh jkmn").as_deref(), Some("ABCDEFGHJKMN"));
        assert_eq!(read("oO0iIlL11111").as_deref(), Some("000111111111"));
        for text in [
            "",
            "ABCDEFGHJKM",
            "ABCDEFGHJKMNP",
            "ABCDEFGHJKMU",
            "ABCDEFGHJKM_",
            "ABCDEFGHJKMé",
            &"-".repeat(99),
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        for _ in 0..100 {
            let code = generate();
            assert_eq!(normalize(&code), Some(code));
        }
    }
}

//! The letters and digits of a candidate without its separators, for the checks of the formats.

/// The longest identifier with a check, in letters and digits.
const LONGEST: usize = 40;

/// Capital letters and digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Code {
    /// The ASCII letters, in capitals, and digits of `text`; none where there are too many for any identifier.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut code = Self { bytes: [0; LONGEST], length: 0 };
        for byte in text.bytes().filter(u8::is_ascii_alphanumeric) {
            *code.bytes.get_mut(code.length)? = byte.to_ascii_uppercase();
            code.length += 1;
        }
        Some(code)
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// The byte at `index`; NUL outside.
    pub(crate) fn at(&self, index: usize) -> u8 {
        self.bytes().get(index).copied().unwrap_or(0)
    }

    /// The part `start..end`, empty where that is not within the code.
    pub(crate) fn part(&self, start: usize, end: usize) -> &[u8] {
        self.bytes().get(start..end).unwrap_or_default()
    }

    pub(crate) fn starts_with(&self, head: &str) -> bool {
        self.bytes().starts_with(head.as_bytes())
    }

    /// The code without its first `count` characters.
    pub(crate) fn behind(&self, count: usize) -> Self {
        let mut rest = Self { bytes: [0; LONGEST], length: 0 };
        for (to, from) in rest.bytes.iter_mut().zip(self.part(count, self.length)) {
            *to = *from;
            rest.length += 1;
        }
        rest
    }

    /// The code without a head of letters, such as a country code; the same where it does not begin so.
    pub(crate) fn without(&self, head: &str) -> Self {
        if self.starts_with(head) { self.behind(head.len()) } else { *self }
    }

    /// The digit at `index`; 0 where none stands there.
    pub(crate) fn digit(&self, index: usize) -> u32 {
        match self.at(index) {
            digit @ b'0'..=b'9' => u32::from(digit - b'0'),
            _ => 0,
        }
    }

    /// 0 to 9 for digits, 10 to 35 for letters.
    pub(crate) fn value(&self, index: usize) -> u32 {
        match self.at(index) {
            letter @ b'A'..=b'Z' => u32::from(letter - b'A') + 10,
            _ => self.digit(index),
        }
    }

    /// The number written in `start..end`, of at most 18 digits.
    pub(crate) fn number(&self, start: usize, end: usize) -> u64 {
        self.part(start, end)
            .iter()
            .filter(|byte| byte.is_ascii_digit())
            .take(18)
            .fold(0, |number, byte| number * 10 + u64::from(byte - b'0'))
    }

    /// Whether all characters are digits, `length` of them.
    pub(crate) fn is_digits(&self, length: usize) -> bool {
        self.length == length && self.bytes().iter().all(u8::is_ascii_digit)
    }

    /// Whether each digit is the same.
    pub(crate) fn is_uniform(&self) -> bool {
        self.bytes().iter().all(|byte| *byte == self.at(0))
    }

    /// Whether the characters are of these classes: `d` a digit, `a` a letter, `x` either.
    pub(crate) fn fits(&self, classes: &str) -> bool {
        self.length == classes.len()
            && self.bytes().iter().zip(classes.bytes()).all(|(byte, class)| match class {
                b'd' => byte.is_ascii_digit(),
                b'a' => byte.is_ascii_uppercase(),
                b'x' => true,
                literal => *byte == literal,
            })
    }

    /// Sum of the first values times their weights.
    pub(crate) fn weighted(&self, weights: &[u32]) -> u32 {
        weights.iter().enumerate().map(|(index, weight)| self.value(index) * weight).sum()
    }
}

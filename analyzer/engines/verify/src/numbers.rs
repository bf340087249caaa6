//! Words and digits to numbers.

/// A number in words: a value, or a power of ten that multiplies the number before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Figure {
    Value(f64),
    Scale(f64),
}

const SMALL: [&str; 19] = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];
const TENS: [&str; 7] = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const SCALES: [(&str, f64); 6] = [
    ("hundred", 1e2),
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
    ("trillion", 1e12),
    ("dozen", 12.0),
];

/// All words that spell numbers.
pub(crate) fn numerals() -> impl Iterator<Item = &'static str> {
    SMALL.into_iter().chain(TENS).chain(SCALES.map(|(name, _)| name))
}

/// The number that a word in lower case spells. "One" is left out, since it is a pronoun more often.
pub(crate) fn figure_of_word(word: &str) -> Option<Figure> {
    if let Some(place) = SMALL.iter().position(|name| *name == word) {
        return Some(Figure::Value(place as f64 + 2.0));
    }
    if let Some(place) = TENS.iter().position(|name| *name == word) {
        return Some(Figure::Value(place as f64 * 10.0 + 30.0));
    }
    let scale = SCALES.iter().find(|(name, _)| *name == word);
    scale.map(|(_, scale)| Figure::Scale(*scale))
}

/// Longest number in digits; a longer one is an identifier, which is compared as a word.
const MAX_DIGITS: usize = 18;

/// The value of a token that begins with a digit: separators of thousands and endings of ordinals are dropped.
pub(crate) fn figure_of_digits(token: &str) -> Option<f64> {
    if !token.starts_with(|char: char| char.is_ascii_digit()) || token.len() > MAX_DIGITS {
        return None;
    }
    let end =
        token.find(|char: char| !char.is_ascii_digit() && !matches!(char, '.' | ',')).unwrap_or(token.len());
    let (digits, ending) = token.split_at(end);
    if !matches!(ending, "" | "st" | "nd" | "rd" | "th" | "s" | "%") {
        return None;
    }
    let whole: String = digits.chars().filter(|char| *char != ',').collect();
    whole.parse().ok()
}

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
    ("hundred", HUNDRED),
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
    ("trillion", 1e12),
    ("dozen", 12.0),
];

const HUNDRED: f64 = 1e2;

/// Words that count repetitions, as "two times" and "three times" do.
const REPETITIONS: [(&str, f64); 2] = [("twice", 2.0), ("thrice", 3.0)];

/// All English words that spell numbers. Those of other languages are in `numerals.rs`.
pub(crate) fn numerals() -> impl Iterator<Item = &'static str> {
    let repetitions = REPETITIONS.map(|(name, _)| name);
    SMALL.into_iter().chain(TENS).chain(SCALES.map(|(name, _)| name)).chain(repetitions)
}

/// The number that a word in lower case spells. "One" is left out, since it is a pronoun more often.
pub(crate) fn figure_of_word(word: &str) -> Option<Figure> {
    if let Some(place) = SMALL.iter().position(|name| *name == word) {
        return Some(Figure::Value(place as f64 + 2.0));
    }
    if let Some(place) = TENS.iter().position(|name| *name == word) {
        return Some(Figure::Value(place as f64 * 10.0 + 30.0));
    }
    if let Some((_, value)) = REPETITIONS.iter().find(|(name, _)| *name == word) {
        return Some(Figure::Value(*value));
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
    plain(digits).parse().ok()
}

/// Digits with a point before decimals and nothing between thousands. A lone point is one of decimals, a comma before
/// three digits one of thousands.
fn plain(digits: &str) -> String {
    let thousands = |mark: char| {
        let mut groups = digits.split(mark);
        let first = groups.next().unwrap_or_default();
        let whole = |group: &str| group.split(['.', ',']).next().unwrap_or_default().len() == 3;
        (1..=3).contains(&first.len()) && first != "0" && groups.all(whole)
    };
    let european = digits.find(',') > digits.rfind('.') && !thousands(',');
    if european || (digits.matches('.').count() > 1 && thousands('.')) {
        return digits.replace('.', "").replace(',', ".");
    }
    digits.replace(',', "")
}

#[cfg(test)]
mod tests {
    use super::figure_of_digits;

    #[test]
    fn points_and_commas_are_read_as_they_are_written_in_english_and_elsewhere() {
        for (digits, value) in [
            ("3,5", 3.5),
            ("3.5", 3.5),
            ("0,125", 0.125),
            ("12,75", 12.75),
            ("1,234", 1_234.0),
            ("1,234,567", 1_234_567.0),
            ("1,234.5", 1_234.5),
            ("1.234.567", 1_234_567.0),
            ("1.234,5", 1_234.5),
            ("1931", 1_931.0),
            ("35th", 35.0),
        ] {
            assert_eq!(figure_of_digits(digits), Some(value), "{digits}");
        }
    }
}

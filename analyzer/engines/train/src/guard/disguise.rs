//! Disguises, for training and for the report.

use crate::seeded::Seeded;

/// Name of a disguise, and the text in it.
pub type Disguise = (&'static str, fn(&str) -> String);

/// Name and function of each.
pub const DISGUISES: [Disguise; 16] = [
    ("base64", base64),
    ("base32", base32),
    ("base85", base85),
    ("hexadecimal", hexadecimal),
    ("binary", binary),
    ("percent", percent),
    ("HTML entities", entities),
    ("\\u escapes", escapes),
    ("rot13", rot13),
    ("reversal", reversal),
    ("leetspeak", leetspeak),
    ("homoglyphs", homoglyphs),
    ("zero width", zero_width),
    ("tag characters", tags),
    ("spaced letters", spaced),
    ("one letter per line", one_per_line),
];

/// Changes of a text that should change no verdict: name and function of each.
pub const CHANGES: [Disguise; 5] = [
    ("upper case", str::to_uppercase),
    ("lower case", str::to_lowercase),
    ("honest text before it", |text| format!("{HONEST} {text}")),
    ("honest text behind it", |text| format!("{text} {HONEST}")),
    ("on the edge of a chunk", on_the_edge),
];

/// An ordinary paragraph.
const HONEST: &str = "Thank you for the minutes of the last meeting. The new office in Porto opens in March, and the budget \
    for the furniture was approved. Maria will order the desks next week. The train from Lisbon takes three hours, so \
    we should book the seats early.";

/// The text across the end of a chunk of 8,000 characters.
fn on_the_edge(text: &str) -> String {
    let before = 8_000_usize.saturating_sub(text.chars().count() / 2);
    let filler: String = HONEST.chars().cycle().take(before).collect();
    format!("{filler} {text} {HONEST}")
}

/// The text in a disguise that a person can still read: those that leave words in place.
pub fn light(text: &str, random: &mut Seeded) -> String {
    match random.below(5) {
        0 => leetspeak(text),
        1 => homoglyphs(text),
        2 => zero_width(text),
        3 => shuffled(text, random),
        _ => text.to_uppercase(),
    }
}

/// Digits of `bits` bits each, most significant first; left-over bits are padded with zeros.
fn digits(text: &str, bits: u32) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut held, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        held = held << 8 | u32::from(byte);
        count += 8;
        while count >= bits {
            count -= bits;
            found.push((held >> count) as usize);
            held &= (1 << count) - 1;
        }
    }
    if count > 0 {
        found.push((held << (bits - count)) as usize);
    }
    found
}

fn letters(text: &str, bits: u32, alphabet: &str, block: usize) -> String {
    let alphabet = alphabet.as_bytes();
    let letter = |digit: usize| char::from(alphabet.get(digit).copied().unwrap_or(b'?'));
    let mut letters: String = digits(text, bits).into_iter().map(letter).collect();
    while block > 0 && !letters.len().is_multiple_of(block) {
        letters.push('=');
    }
    letters
}

fn base64(text: &str) -> String {
    letters(text, 6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 4)
}

fn base32(text: &str) -> String {
    letters(text, 5, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 8)
}

fn hexadecimal(text: &str) -> String {
    letters(text, 4, "0123456789abcdef", 0)
}

fn binary(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:08b}")).collect::<Vec<_>>().join(" ")
}

fn base85(text: &str) -> String {
    let alphabet: &[u8] =
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    let mut out = String::new();
    for block in text.as_bytes().chunks(4) {
        let byte = |place: usize| u32::from(block.get(place).copied().unwrap_or_default());
        let mut number = (0..4).fold(0, |number, place| number << 8 | byte(place));
        let mut letters = [0_u8; 5];
        for letter in letters.iter_mut().rev() {
            *letter = alphabet.get((number % 85) as usize).copied().unwrap_or_default();
            number /= 85;
        }
        out.extend(letters.iter().take(block.len() + 1).map(|letter| char::from(*letter)));
    }
    out
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn entities(text: &str) -> String {
    text.chars().map(|char| format!("&#{};", u32::from(char))).collect()
}

fn escapes(text: &str) -> String {
    let mut units = [0; 2];
    text.chars()
        .flat_map(|char| char.encode_utf16(&mut units).to_vec())
        .map(|unit| format!("\\u{unit:04x}"))
        .collect()
}

fn rot13(text: &str) -> String {
    let turned = |char: char, first: u8| char::from((char as u8 - first + 13) % 26 + first);
    text.chars()
        .map(|char| match char {
            'a'..='z' => turned(char, b'a'),
            'A'..='Z' => turned(char, b'A'),
            other => other,
        })
        .collect()
}

fn reversal(text: &str) -> String {
    text.chars().rev().collect()
}

fn mapped(text: &str, from: &str, to: &str) -> String {
    let figure = |char: char| {
        let place = from.chars().position(|letter| letter == char);
        place.and_then(|place| to.chars().nth(place)).unwrap_or(char)
    };
    text.chars().map(figure).collect()
}

fn leetspeak(text: &str) -> String {
    mapped(text, "aeiostAEIOST", "431057431057")
}

fn homoglyphs(text: &str) -> String {
    mapped(text, "aceiopsxyACEHIKMOPTX", "асеіорѕхуАСЕНІКМОРТХ")
}

fn zero_width(text: &str) -> String {
    text.chars().flat_map(|char| [char, '\u{200b}']).collect()
}

fn tags(text: &str) -> String {
    let tag =
        |char: char| char::from_u32(0xe_0000 + u32::from(char)).filter(|_| char.is_ascii()).unwrap_or(char);
    text.chars().map(tag).collect()
}

fn spaced(text: &str) -> String {
    text.chars().map(String::from).collect::<Vec<_>>().join(" ")
}

fn one_per_line(text: &str) -> String {
    text.chars().map(String::from).collect::<Vec<_>>().join("\n")
}

/// Inner letters of longer words in another order.
fn shuffled(text: &str, random: &mut Seeded) -> String {
    let mut word = |word: &str| {
        let mut chars: Vec<char> = word.chars().collect();
        let end = chars.len().saturating_sub(1);
        if end > 3
            && let Some(inner) = chars.get_mut(1..end)
        {
            random.shuffle(inner);
        }
        chars.into_iter().collect::<String>()
    };
    text.split(' ').map(&mut word).collect::<Vec<_>>().join(" ")
}

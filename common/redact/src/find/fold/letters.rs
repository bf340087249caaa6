//! Letters of Greek and Cyrillic that look like letters of ASCII, small and capital.

/// The letter that a letter of Greek or Cyrillic looks like.
pub(super) fn looks_like(character: char) -> Option<u8> {
    let letter = match character {
        '\u{430}' | '\u{3b1}' => b'a',
        '\u{441}' | '\u{3f2}' => b'c',
        '\u{501}' => b'd',
        '\u{435}' => b'e',
        '\u{4bb}' => b'h',
        '\u{456}' | '\u{3b9}' => b'i',
        '\u{458}' | '\u{3f3}' => b'j',
        '\u{43a}' | '\u{3ba}' => b'k',
        '\u{4cf}' => b'l',
        '\u{43e}' | '\u{3bf}' => b'o',
        '\u{440}' | '\u{3c1}' => b'p',
        '\u{51b}' => b'q',
        '\u{433}' => b'r',
        '\u{455}' => b's',
        '\u{442}' | '\u{3c4}' => b't',
        '\u{3c5}' => b'u',
        '\u{475}' | '\u{3bd}' => b'v',
        '\u{51d}' => b'w',
        '\u{445}' | '\u{3c7}' => b'x',
        '\u{443}' | '\u{4af}' | '\u{3b3}' => b'y',
        _ => return looks_like_capital(character),
    };
    Some(letter)
}

fn looks_like_capital(character: char) -> Option<u8> {
    let letter = match character {
        '\u{410}' | '\u{391}' => b'A',
        '\u{412}' | '\u{392}' => b'B',
        '\u{421}' | '\u{3f9}' => b'C',
        '\u{415}' | '\u{395}' => b'E',
        '\u{50c}' => b'G',
        '\u{41d}' | '\u{397}' => b'H',
        '\u{406}' | '\u{4c0}' | '\u{399}' => b'I',
        '\u{408}' => b'J',
        '\u{41a}' | '\u{39a}' => b'K',
        '\u{41c}' | '\u{39c}' => b'M',
        '\u{39d}' => b'N',
        '\u{41e}' | '\u{39f}' => b'O',
        '\u{420}' | '\u{3a1}' => b'P',
        '\u{51a}' => b'Q',
        '\u{405}' => b'S',
        '\u{422}' | '\u{3a4}' => b'T',
        '\u{474}' => b'V',
        '\u{51c}' => b'W',
        '\u{425}' | '\u{3a7}' => b'X',
        '\u{423}' | '\u{4ae}' | '\u{3a5}' => b'Y',
        '\u{396}' => b'Z',
        _ => return None,
    };
    Some(letter)
}

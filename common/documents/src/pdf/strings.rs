//! Text strings of PDF: UTF-16 or UTF-8 with a mark, otherwise the encoding of its own, which is Latin-1 with
//! typographic signs.

/// Characters of the bytes 0x80 to 0x9E, and 0xA0.
const SIGNS: [char; 31] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ',
    'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž',
];

/// Text of a string. Characters that are none become U+FFFD.
pub(crate) fn text(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|byte| character(*byte)).collect(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn character(byte: u8) -> char {
    match byte {
        0x80..=0x9e => SIGNS.get(usize::from(byte - 0x80)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
        0x9f | 0xad => char::REPLACEMENT_CHARACTER,
        0xa0 => '€',
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn each_encoding_is_read() {
        assert_eq!(text(b"plain"), "plain");
        assert_eq!(text(b"\xfe\xff\x00H\x20\xac\xd8\x3d\xde\x00"), "H€😀");
        assert_eq!(text(b"\xff\xfeH\x00"), "H");
        assert_eq!(text("\u{feff}Grüße".as_bytes()), "Grüße");
        assert_eq!(text(b"Gr\xfc\xdfe \x8dquoted\x8e \xa0"), "Grüße “quoted” €");
        assert_eq!(text(b"\xfe\xff\xd8\x00\x00A\x00"), "\u{fffd}A");
    }
}

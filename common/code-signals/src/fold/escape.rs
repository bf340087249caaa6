//! Escape sequences in string literals.

/// Meaning of escape sequences.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// `\xHH` is the character of that number.
    Text,
    /// `\xHH` is the byte of that number.
    Bytes,
}

/// Text of a literal without its quotes. Unknown escapes stand for their letter.
pub(crate) fn unescape(text: &[u8], escapes: Escapes) -> Vec<u8> {
    let Some(first) = memchr::memchr(b'\\', text) else { return text.to_vec() };
    let mut out = Vec::with_capacity(text.len());
    out.extend_from_slice(text.get(..first).unwrap_or_default());
    let mut rest = text.get(first..).unwrap_or_default();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let Some((letter, after)) = rest.split_first() else { break };
        rest = escape(*letter, rest, after, escapes, &mut out);
    }
    out
}

fn escape<'a>(letter: u8, rest: &'a [u8], after: &'a [u8], escapes: Escapes, out: &mut Vec<u8>) -> &'a [u8] {
    match letter {
        b'n' => out.push(b'\n'),
        b't' => out.push(b'\t'),
        b'r' => out.push(b'\r'),
        b'a' => out.push(7),
        b'b' => out.push(8),
        b'f' => out.push(12),
        b'v' => out.push(11),
        b'e' => out.push(27),
        b'\n' => {}
        b'x' => return number(after, 2, 16, escapes, out),
        b'u' if after.first() == Some(&b'{') => {
            let digits = after.get(1..).unwrap_or_default();
            let length = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).take(6).count();
            number(digits, length, 16, Escapes::Text, out);
            return digits.get(length + 1..).unwrap_or_default();
        }
        b'u' => return number(after, 4, 16, Escapes::Text, out),
        b'U' => return number(after, 8, 16, Escapes::Text, out),
        b'0'..=b'7' => return number(rest, 3, 8, escapes, out),
        other => out.push(other),
    }
    after
}

/// Reads up to `most` digits and writes their character.
fn number<'a>(text: &'a [u8], most: usize, radix: u32, escapes: Escapes, out: &mut Vec<u8>) -> &'a [u8] {
    let digits = text.iter().take(most).take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let (digits, rest) = text.split_at(digits);
    let digits = std::str::from_utf8(digits).unwrap_or_default();
    if let Ok(number) = u32::from_str_radix(digits, radix) {
        write(number, escapes, out);
    }
    rest
}

/// Writes a character by its number.
pub(crate) fn write(number: u32, escapes: Escapes, out: &mut Vec<u8>) {
    match (escapes, u8::try_from(number), char::from_u32(number)) {
        (Escapes::Bytes, Ok(byte), _) => out.push(byte),
        (_, _, Some(character)) => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        _ => {}
    }
}

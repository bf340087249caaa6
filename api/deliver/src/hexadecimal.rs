//! Bytes as hexadecimal digits, and back.

/// Bytes as hexadecimal digits.
pub(crate) fn print(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
}

/// The bytes of an even number of hexadecimal digits.
pub(crate) fn parse(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = |pair: &[u8; 2]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

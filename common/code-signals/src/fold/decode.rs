//! Undoing encodings of constants.

use std::io::Read;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::api::Codec;
use crate::bounds::MOST_CONSTANT;

const TOLERANT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, TOLERANT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, TOLERANT);

/// The decoded bytes, if the text is of the encoding.
pub(crate) fn decode(codec: Codec, text: &[u8], name: Option<&[u8]>) -> Option<Vec<u8>> {
    match codec {
        Codec::Base64 => base64(text),
        Codec::Base32 => base32(text),
        Codec::Hex => hex(text),
        Codec::Inflate => inflate(text),
        Codec::Rot13 => Some(text.iter().map(|byte| rot13(*byte)).collect()),
        Codec::Percent => Some(percent(text)),
        Codec::Named | Codec::Buffer => named(text, name?),
        Codec::Base85 => base85(text),
        Codec::Compressed | Codec::Marshal => None,
    }
}

/// The encoding of a name, if it is not one of characters.
pub(crate) fn by_name(name: &[u8]) -> Option<Codec> {
    let name: Vec<u8> =
        name.iter().filter(|byte| !matches!(byte, b'-' | b'_')).map(u8::to_ascii_lowercase).collect();
    Some(match name.as_slice() {
        b"base64" | b"base64url" | b"base64codec" | b"m" | b"m0" => Codec::Base64,
        b"hex" | b"hexcodec" | b"h*" => Codec::Hex,
        b"rot13" | b"rot" => Codec::Rot13,
        b"zlib" | b"zlibcodec" | b"zip" => Codec::Inflate,
        _ => return None,
    })
}

fn named(text: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    match by_name(name) {
        Some(codec) => decode(codec, text, None),
        None => Some(text.to_vec()),
    }
}

fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let compact: Vec<u8> = text.iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect();
    STANDARD.decode(&compact).or_else(|_| URL_SAFE.decode(&compact)).ok()
}

fn hex(text: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks_exact(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

fn base32(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let (mut buffer, mut bits) = (0u32, 0);
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != b'=') {
        let digit = match byte.to_ascii_uppercase() {
            letter @ b'A'..=b'Z' => letter - b'A',
            digit @ b'2'..=b'7' => digit - b'2' + 26,
            _ => return None,
        };
        buffer = (buffer << 5 | u32::from(digit)) & 0xFFFF;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from(buffer >> bits & 0xFF).ok()?);
        }
    }
    Some(out)
}

/// The alphabet of RFC 1924, which Python calls base85.
fn base85(text: &[u8]) -> Option<Vec<u8>> {
    const ALPHABET: &[u8] =
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    let mut values = [255u8; 256];
    for (value, letter) in (0u8..).zip(ALPHABET) {
        values[usize::from(*letter)] = value;
    }
    let digits: Option<Vec<u64>> = text
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(|byte| Some(values[usize::from(*byte)]).filter(|value| *value < 85).map(u64::from))
        .collect();
    let mut out = Vec::new();
    for group in digits?.chunks(5) {
        let padded = (0..5).map(|index| group.get(index).copied().unwrap_or(84));
        let number = padded.fold(0, |number, digit| number * 85 + digit);
        let bytes = u32::try_from(number).ok()?.to_be_bytes();
        out.extend_from_slice(bytes.get(..group.len().saturating_sub(1))?);
    }
    Some(out)
}

fn rot13(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => (byte - b'a' + 13) % 26 + b'a',
        b'A'..=b'Z' => (byte - b'A' + 13) % 26 + b'A',
        other => other,
    }
}

fn percent(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let decoded = digits.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| *byte == b'%');
        out.push(decoded.unwrap_or(*byte));
        rest = if decoded.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    out
}

fn inflate(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let most = MOST_CONSTANT as u64;
    let result = match text {
        [0x1f, 0x8b, ..] => flate2::read::GzDecoder::new(text).take(most).read_to_end(&mut out),
        [first, ..] if first & 0x0f == 8 => {
            flate2::read::ZlibDecoder::new(text).take(most).read_to_end(&mut out)
        }
        _ => flate2::read::DeflateDecoder::new(text).take(most).read_to_end(&mut out),
    };
    (result.is_ok() || !out.is_empty()).then_some(out)
}

//! Numbers, ids and bytes as OTLP JSON writes them.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use memchr::memchr2;

use super::super::rejection::{Fault, Reason};
use super::super::schema::Field;

const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

#[cold]
fn refused(field: &'static Field, expected: &'static str) -> Fault {
    Box::new(Reason::FieldValue { name: field.name, expected })
}

/// Appends the bytes that `digits` encode, in either letter case.
pub(super) fn hex(digits: &[u8], field: &'static Field, out: &mut Vec<u8>) -> Result<(), Fault> {
    let (pairs, odd) = digits.as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| Some(hex_digit(*high)? << 4 | hex_digit(*low)?);
    for pair in pairs {
        out.push(byte(pair).ok_or_else(|| refused(field, "pairs of hexadecimal digits"))?);
    }
    if odd.is_empty() { Ok(()) } else { Err(refused(field, "pairs of hexadecimal digits")) }
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Appends the bytes that `encoded` encodes, in either alphabet, padded or not.
pub(super) fn base64(encoded: &[u8], field: &'static Field, out: &mut Vec<u8>) -> Result<(), Fault> {
    let engine = if memchr2(b'-', b'_', encoded).is_some() { &URL_SAFE } else { &STANDARD };
    engine.decode_vec(encoded, out).map_err(|_| refused(field, "base64"))
}

/// An integer. ProtoJSON also allows it to have a fraction of zero, or an exponent.
pub(super) fn integer<T: TryFrom<i128>>(
    text: &str,
    field: &'static Field,
    expected: &'static str,
) -> Result<T, Fault> {
    let value = match text.parse::<i64>() {
        Ok(value) => Some(i128::from(value)),
        Err(_) => text.parse::<i128>().ok().or_else(|| whole(text)),
    };
    let value = value.and_then(|value| T::try_from(value).ok());
    value.ok_or_else(|| refused(field, expected))
}

#[cold]
fn whole(text: &str) -> Option<i128> {
    let value: f64 = text.parse().ok()?;
    // Above 2^64 no field has room; below it the conversion is exact.
    (value.fract() == 0.0 && value.abs() <= 18_446_744_073_709_551_616.0).then_some(value as i128)
}

/// A double, or one of ProtoJSON's three names for values that JSON cannot write.
pub(super) fn double(text: &str, field: &'static Field) -> Result<f64, Fault> {
    match text {
        "NaN" => return Ok(f64::NAN),
        "Infinity" => return Ok(f64::INFINITY),
        "-Infinity" => return Ok(f64::NEG_INFINITY),
        _ => {}
    }
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| refused(field, "a 64-bit floating point number"))
}

//! Text as other bytes: UTF-16 and Base64, one after the other, and the part of the result that can be searched for in an
//! event's text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::document::Encoding;
use crate::pattern::{Part, Pattern};
use crate::refusal::{Cause, Fault};

const BYTE_ORDER_MARK: [u8; 2] = [0xff, 0xfe];

/// A value on its way through encodings: bytes, and wildcards between them.
type Encoded = Vec<Piece>;

#[derive(Clone)]
enum Piece {
    Bytes(Vec<u8>),
    Wildcard(Part),
}

/// Every text the pattern may become.
pub(super) fn encode(pattern: &Pattern, encodings: &[Encoding]) -> Result<Vec<Pattern>, Fault> {
    let piece = |part: &Part| match part {
        Part::Literal(text) => Piece::Bytes(text.as_bytes().to_vec()),
        other => Piece::Wildcard(other.clone()),
    };
    let mut alternatives: Vec<Encoded> = vec![pattern.parts.iter().map(piece).collect()];
    for encoding in encodings {
        let mut next = Vec::new();
        for alternative in &alternatives {
            next.extend(match encoding {
                Encoding::Base64 => vec![base64(alternative)?],
                Encoding::Base64Offset => base64_offsets(alternative)?,
                Encoding::Utf16Le => vec![utf16(alternative, u16::to_le_bytes)],
                Encoding::Utf16Be => vec![utf16(alternative, u16::to_be_bytes)],
                Encoding::Utf16 => {
                    let mut marked = vec![Piece::Bytes(BYTE_ORDER_MARK.to_vec())];
                    marked.extend(utf16(alternative, u16::to_le_bytes));
                    vec![marked]
                }
            });
        }
        alternatives = next;
    }
    alternatives.iter().map(readable).collect()
}

/// The one run of bytes that Base64 can be made of.
fn bytes(pieces: &Encoded) -> Result<Vec<u8>, Fault> {
    let mut whole = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => whole.extend_from_slice(bytes),
            Piece::Wildcard(_) => return Err(refused("text with wildcards cannot be encoded in Base64")),
        }
    }
    if whole.is_empty() {
        return Err(refused("empty text cannot be looked for in Base64"));
    }
    Ok(whole)
}

fn base64(pieces: &Encoded) -> Result<Encoded, Fault> {
    Ok(vec![Piece::Bytes(STANDARD.encode(bytes(pieces)?).into_bytes())])
}

/// The characters that do not depend on the offset of the bytes: each character of Base64 holds six bits, so that those which
/// also hold bits of a neighbour are left out at both ends.
fn base64_offsets(pieces: &Encoded) -> Result<Vec<Encoded>, Fault> {
    let bytes = bytes(pieces)?;
    let alternative = |offset: usize| {
        let mut shifted = vec![0; offset];
        shifted.extend_from_slice(&bytes);
        let encoded = STANDARD.encode(&shifted).into_bytes();
        let start = (offset * 8).div_ceil(6);
        let end = shifted.len() * 8 / 6;
        let own = encoded.get(start..end).filter(|own| !own.is_empty());
        own.map(|own| vec![Piece::Bytes(own.to_vec())]).ok_or_else(|| {
            refused("text of one byte is too short to be searched for at every offset in Base64")
        })
    };
    (0..3).map(alternative).collect()
}

/// Both bytes of each character; a wildcard for one character becomes one for both of its bytes.
fn utf16(pieces: &Encoded, order: fn(u16) -> [u8; 2]) -> Encoded {
    let mut encoded = Encoded::new();
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => {
                let text = String::from_utf8_lossy(bytes);
                encoded.push(Piece::Bytes(text.encode_utf16().flat_map(order).collect()));
            }
            Piece::Wildcard(Part::Run) => encoded.push(Piece::Wildcard(Part::Run)),
            Piece::Wildcard(part) => {
                encoded.extend([Piece::Wildcard(part.clone()), Piece::Wildcard(part.clone())])
            }
        }
    }
    encoded
}

/// The bytes as characters of an event's text: only ASCII is certain to be unchanged. A byte order mark is searched for as the
/// character U+FEFF.
fn readable(pieces: &Encoded) -> Result<Pattern, Fault> {
    let mut pattern = Pattern::default();
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) if *bytes == BYTE_ORDER_MARK => {
                pattern.push(Part::Literal("\u{feff}".to_owned()));
            }
            Piece::Bytes(bytes) if bytes.is_ascii() => {
                pattern.push(Part::Literal(String::from_utf8_lossy(bytes).into_owned()));
            }
            Piece::Bytes(_) => {
                return Err(refused("only ASCII text can be looked for in UTF-16, unless Base64 follows"));
            }
            Piece::Wildcard(part) => pattern.push(part.clone()),
        }
    }
    Ok(pattern)
}

fn refused(words: &'static str) -> Fault {
    Cause::Modifiers(words.into()).into()
}

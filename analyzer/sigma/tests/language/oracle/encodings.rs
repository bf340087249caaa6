//! Text in other bytes, bit by bit.

use sigma::document::Encoding;

use super::text::Atom;

#[derive(Clone)]
enum Byte {
    Known(u8),
    One,
    Run,
}

pub(super) fn encoded(atoms: &[Atom], encodings: &[Encoding]) -> Vec<Vec<Atom>> {
    let mut all: Vec<Vec<Byte>> = vec![Vec::new()];
    for atom in atoms {
        all[0].extend(match atom {
            Atom::Same(c) => c.to_string().bytes().map(Byte::Known).collect(),
            Atom::One => vec![Byte::One],
            _ => vec![Byte::Run],
        });
    }
    for encoding in encodings {
        all = all.iter().flat_map(|bytes| encode(bytes, *encoding)).collect();
    }
    let atom = |byte: &Byte| match byte {
        Byte::Known(byte) => Atom::Same(char::from(*byte)),
        Byte::One => Atom::One,
        Byte::Run => Atom::Run,
    };
    let ends_wide = encodings.last() == Some(&Encoding::Utf16);
    all.iter()
        .map(|bytes| {
            let mut atoms: Vec<Atom> = bytes.iter().map(atom).collect();
            if ends_wide {
                atoms.splice(0..2, [Atom::Same('\u{feff}')]);
            }
            atoms
        })
        .collect()
}

fn encode(bytes: &[Byte], encoding: Encoding) -> Vec<Vec<Byte>> {
    let known = || -> Vec<u8> {
        let known = |byte: &Byte| match byte {
            Byte::Known(byte) => Some(*byte),
            _ => None,
        };
        bytes.iter().filter_map(known).collect()
    };
    let characters = |bits: &[bool]| -> Vec<Byte> {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let index = |six: &[bool]| six.iter().fold(0, |index, bit| index * 2 + usize::from(*bit));
        bits.chunks(6).map(|six| Byte::Known(alphabet[index(six)])).collect()
    };
    match encoding {
        Encoding::Base64 => {
            let mut bits = bits_of(&known());
            bits.resize(bits.len().div_ceil(6) * 6, false);
            let mut whole = characters(&bits);
            whole.resize(whole.len().div_ceil(4) * 4, Byte::Known(b'='));
            vec![whole]
        }
        Encoding::Base64Offset => {
            // Characters hold six bits each, from the start of a longer text; only those that hold no
            // bit of a neighbour are sure.
            let bits = bits_of(&known());
            let own = |offset: usize| {
                let skipped = (6 - offset * 8 % 6) % 6;
                let sure = (bits.len() - skipped) / 6 * 6;
                characters(&bits[skipped..skipped + sure])
            };
            vec![own(0), own(1), own(2)]
        }
        Encoding::Utf16 => {
            let mark = [Byte::Known(0xff), Byte::Known(0xfe)];
            vec![mark.into_iter().chain(wide(bytes, false)).collect()]
        }
        Encoding::Utf16Le => vec![wide(bytes, false)],
        Encoding::Utf16Be => vec![wide(bytes, true)],
    }
}

fn bits_of(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect()
}

fn wide(bytes: &[Byte], big_endian: bool) -> Vec<Byte> {
    let mut wide = Vec::new();
    let mut pending = Vec::new();
    for byte in bytes {
        match byte {
            Byte::Known(byte) => {
                pending.push(*byte);
                let Ok(text) = std::str::from_utf8(&pending) else { continue };
                for unit in text.encode_utf16() {
                    let (low, high) = ((unit & 255) as u8, (unit >> 8) as u8);
                    let pair = if big_endian { [high, low] } else { [low, high] };
                    wide.extend(pair.map(Byte::Known));
                }
                pending.clear();
            }
            Byte::One => wide.extend([Byte::One, Byte::One]),
            Byte::Run => wide.push(Byte::Run),
        }
    }
    wide
}

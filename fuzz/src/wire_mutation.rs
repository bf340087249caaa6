//! Mutations that know the protobuf wire format: something deep inside a message is changed and all
//! lengths around it are set right, which a mutation of bytes would have to guess.

use durable_log::disk::simulated::Random;
use libfuzzer_sys::fuzzer_mutate;

/// Messages deeper than this are changed as bytes.
const DEEPEST: u32 = 40;

/// Changes the message in `data[..size]`, half of the time as plain bytes. Returns its new size, at
/// most `max_size`. To be called from a custom mutator only.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(u64::from(seed));
    let max_size = max_size.min(data.len());
    let Some(fields) = data.get(..size).and_then(split) else { return fuzzer_mutate(data, size, max_size) };
    if fields.is_empty() || random.chance(2) {
        return fuzzer_mutate(data, size, max_size);
    }
    let mutated = mutate_fields(fields, &mut random, 0);
    match data.get_mut(..mutated.len().min(max_size)) {
        Some(place) if place.len() == mutated.len() => {
            place.copy_from_slice(&mutated);
            mutated.len()
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
}

/// A field: its key as written, and its content.
#[derive(Clone)]
enum Field {
    /// Length-delimited.
    Bytes { key: Vec<u8>, content: Vec<u8> },
    /// Anything else, key included.
    Other(Vec<u8>),
}

fn mutate_fields(mut fields: Vec<Field>, random: &mut Random, depth: u32) -> Vec<u8> {
    let chosen = random.below(fields.len() as u64) as usize;
    let other = random.below(fields.len() as u64) as usize;
    match random.below(10) {
        0 => drop(fields.remove(chosen)),
        1 => {
            let copy = fields[chosen].clone();
            fields.insert(other, copy);
        }
        2 => fields.swap(chosen, other),
        _ => fields[chosen] = mutate_field(fields[chosen].clone(), random, depth),
    }
    join(&fields)
}

fn mutate_field(field: Field, random: &mut Random, depth: u32) -> Field {
    match field {
        Field::Other(bytes) => Field::Other(mutate_bytes(bytes)),
        Field::Bytes { key, content } if random.chance(16) => {
            Field::Bytes { key: mutate_bytes(key), content }
        }
        Field::Bytes { key, content } => {
            let inner = split(&content).filter(|inner| !inner.is_empty() && depth < DEEPEST);
            let content = match inner {
                Some(inner) if !random.chance(6) => mutate_fields(inner, random, depth + 1),
                _ => mutate_bytes(content),
            };
            Field::Bytes { key, content }
        }
    }
}

fn mutate_bytes(mut bytes: Vec<u8>) -> Vec<u8> {
    let size = bytes.len();
    let max_size = size * 2 + 16;
    bytes.resize(max_size, 0);
    let size = fuzzer_mutate(&mut bytes, size, max_size);
    bytes.truncate(size);
    bytes
}

/// The fields of a message; `None` if the bytes are not one.
fn split(message: &[u8]) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    let mut rest = message;
    while !rest.is_empty() {
        let (key, key_length) = varint(rest)?;
        let after_key = &rest[key_length..];
        let length = match key & 7 {
            0 => varint(after_key)?.1,
            1 => 8,
            5 => 4,
            2 => {
                let (length, width) = varint(after_key)?;
                let end = width.checked_add(usize::try_from(length).ok()?)?;
                let content = after_key.get(width..end)?.to_vec();
                fields.push(Field::Bytes { key: rest[..key_length].to_vec(), content });
                rest = &after_key[end..];
                continue;
            }
            _ => return None,
        };
        let (field, behind) = rest.split_at_checked(key_length + length)?;
        fields.push(Field::Other(field.to_vec()));
        rest = behind;
    }
    Some(fields)
}

fn join(fields: &[Field]) -> Vec<u8> {
    let mut message = Vec::new();
    for field in fields {
        match field {
            Field::Other(bytes) => message.extend_from_slice(bytes),
            Field::Bytes { key, content } => {
                message.extend_from_slice(key);
                prost::encoding::encode_varint(content.len() as u64, &mut message);
                message.extend_from_slice(content);
            }
        }
    }
    message
}

/// A varint and the bytes it takes.
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (index, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index).min(63);
        if *byte < 0x80 {
            return Some((value, index + 1));
        }
    }
    None
}

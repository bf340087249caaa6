//! Attribute values and bodies: protobuf `AnyValue`s and `KeyValue`s as event values.

use std::borrow::Cow;

use sigma::event::Value;

use super::Entries;
use super::wire::{Fields, Wire};

/// Messages nested deeper than this inside a value are cut off (prost's own recursion limit).
pub(super) const MAX_DEPTH: u8 = 100;

/// Appends the `KeyValue`s with a field number of a message; returns whether all could be read.
pub(super) fn key_values<'a>(message: &'a [u8], number: u32, into: &mut Entries<'a>) -> bool {
    let mut whole = true;
    let mut fields = Fields::new(message);
    while let Some(entry) = fields.next_message(number) {
        into.push(key_value(entry, MAX_DEPTH, &mut whole));
    }
    whole && !fields.is_broken()
}

fn key_value<'a>(entry: &'a [u8], depth: u8, whole: &mut bool) -> (Cow<'a, str>, Value<'a>) {
    const KEY: u32 = 1;
    const VALUE: u32 = 2;
    let mut key = Cow::Borrowed("");
    let mut value = Value::Null;
    let mut fields = Fields::new(entry);
    for (number, wire) in &mut fields {
        match (number, wire) {
            (KEY, Wire::Bytes(bytes)) => key = text(bytes),
            (VALUE, Wire::Bytes(bytes)) => value = any_value(bytes, depth, whole),
            _ => {}
        }
    }
    *whole &= !fields.is_broken();
    (key, value)
}

/// Reads an `AnyValue`. Bytes become text, which is what senders of raw lines mean by them. A value
/// below the depth bound is null, and `whole` says so.
pub(super) fn any_value<'a>(message: &'a [u8], depth: u8, whole: &mut bool) -> Value<'a> {
    const STRING: u32 = 1;
    const BOOL: u32 = 2;
    const INT: u32 = 3;
    const DOUBLE: u32 = 4;
    const ARRAY: u32 = 5;
    const MAP: u32 = 6;
    const BYTES: u32 = 7;
    const MEMBERS: u32 = 1;

    let Some(depth) = depth.checked_sub(1) else {
        *whole = false;
        return Value::Null;
    };
    let mut value = Value::Null;
    let mut fields = Fields::new(message);
    for (number, wire) in &mut fields {
        value = match (number, wire) {
            (STRING | BYTES, Wire::Bytes(bytes)) => Value::String(text(bytes)),
            (BOOL, Wire::Varint(word)) => Value::Bool(word != 0),
            (INT, Wire::Varint(word)) => Value::Int(signed(word)),
            (DOUBLE, Wire::Fixed64(bits)) => Value::Double(f64::from_bits(bits)),
            (ARRAY, Wire::Bytes(bytes)) => {
                let mut members = Fields::new(bytes);
                let mut values = Vec::new();
                while let Some(member) = members.next_message(MEMBERS) {
                    values.push(any_value(member, depth, whole));
                }
                *whole &= !members.is_broken();
                Value::Array(values)
            }
            (MAP, Wire::Bytes(bytes)) => {
                let mut members = Fields::new(bytes);
                let mut entries = Vec::new();
                while let Some(member) = members.next_message(MEMBERS) {
                    entries.push(key_value(member, depth, whole));
                }
                *whole &= !members.is_broken();
                Value::Map(entries)
            }
            _ => continue,
        };
    }
    *whole &= !fields.is_broken();
    value
}

/// Protobuf writes negative numbers as their two's complement.
pub(super) fn signed(word: u64) -> i64 {
    i64::from_ne_bytes(word.to_ne_bytes())
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

//! Attribute values and bodies: protobuf `AnyValue`s and `KeyValue`s as event values.

use std::borrow::Cow;

use sigma::event::Value;

use super::Entries;
use super::text::Texts;
use super::wire::{Fields, Wire, first_message};

/// Messages nested deeper than this inside a value are cut off (prost's own recursion limit).
const MAX_DEPTH: u8 = 100;

// Field numbers of opentelemetry/proto/common/v1.
const KEY: u32 = 1;
const VALUE: u32 = 2;
const STRING: u32 = 1;
const BOOL: u32 = 2;
const INT: u32 = 3;
const DOUBLE: u32 = 4;
const ARRAY: u32 = 5;
const MAP: u32 = 6;
const BYTES: u32 = 7;
const MEMBERS: u32 = 1;

/// Appends the `KeyValue`s with a field number of a message; returns whether all could be read.
pub(super) fn key_values<'a>(message: &'a [u8], number: u32, into: &mut Entries<'a>) -> bool {
    let mut reader = Reader::new(message);
    reader.entries(message, number, MAX_DEPTH, into);
    reader.whole
}

/// Reads an `AnyValue` and tells whether all of it could be read. Bytes become text, which is what
/// senders of raw lines mean by them. A value below the depth bound is null.
pub(super) fn any_value(message: &[u8]) -> (Value<'_>, bool) {
    let mut reader = Reader::new(message);
    let value = reader.any_value(message, MAX_DEPTH);
    (value, reader.whole)
}

/// Appends the entries of an `AnyValue` that is a map and nothing else, and tells whether all of them could
/// be read; `None` for what is no map.
pub(super) fn map_entries<'a>(message: &'a [u8], into: &mut Entries<'a>) -> Option<bool> {
    let mut fields = Fields::new(message);
    let Some((MAP, Wire::Bytes(map))) = fields.next() else { return None };
    if fields.next().is_some() || fields.is_broken() {
        return None;
    }
    let mut reader = Reader::new(map);
    reader.entries(map, MEMBERS, MAX_DEPTH - 1, into);
    Some(reader.whole)
}

/// Reads what lies in one message, from its beginning to its end.
struct Reader<'a> {
    texts: Texts<'a>,
    /// Whether everything so far could be read.
    whole: bool,
}

impl<'a> Reader<'a> {
    fn new(message: &'a [u8]) -> Self {
        Self { texts: Texts::new(message), whole: true }
    }

    fn entries(&mut self, message: &'a [u8], number: u32, depth: u8, into: &mut Entries<'a>) {
        let mut fields = Fields::new(message);
        if into.capacity() == 0 {
            into.reserve_exact(fields.count_messages(number));
        }
        while let Some(entry) = fields.next_message(number) {
            let entry = self.key_value(entry, depth);
            into.push(entry);
        }
        self.whole &= !fields.is_broken();
    }

    fn key_value(&mut self, entry: &'a [u8], depth: u8) -> (Cow<'a, str>, Value<'a>) {
        if let Some((key, rest)) = first_message(entry, KEY)
            && let Some((value, [])) = first_message(rest, VALUE)
        {
            let key = self.texts.text(key);
            if let Some((text, [])) = first_message(value, STRING)
                && depth > 0
            {
                return (key, Value::String(self.texts.text(text)));
            }
            return (key, self.any_value(value, depth));
        }
        let mut key = Cow::Borrowed("");
        let mut value = Value::Null;
        let mut fields = Fields::new(entry);
        for (number, wire) in &mut fields {
            match (number, wire) {
                (KEY, Wire::Bytes(bytes)) => key = self.texts.text(bytes),
                (VALUE, Wire::Bytes(bytes)) => value = self.any_value(bytes, depth),
                _ => {}
            }
        }
        self.whole &= !fields.is_broken();
        (key, value)
    }

    fn any_value(&mut self, message: &'a [u8], depth: u8) -> Value<'a> {
        let Some(depth) = depth.checked_sub(1) else {
            self.whole = false;
            return Value::Null;
        };
        if let Some((text, [])) = first_message(message, STRING) {
            return Value::String(self.texts.text(text));
        }
        let mut value = Value::Null;
        let mut fields = Fields::new(message);
        for (number, wire) in &mut fields {
            value = match (number, wire) {
                (STRING | BYTES, Wire::Bytes(bytes)) => Value::String(self.texts.text(bytes)),
                (BOOL, Wire::Varint(word)) => Value::Bool(word != 0),
                (INT, Wire::Varint(word)) => Value::Int(signed(word)),
                (DOUBLE, Wire::Fixed64(bits)) => Value::Double(f64::from_bits(bits)),
                (ARRAY, Wire::Bytes(bytes)) => Value::Array(self.members(bytes, depth)),
                (MAP, Wire::Bytes(bytes)) => {
                    let mut entries = Vec::new();
                    self.entries(bytes, MEMBERS, depth, &mut entries);
                    Value::Map(entries)
                }
                _ => continue,
            };
        }
        self.whole &= !fields.is_broken();
        value
    }

    fn members(&mut self, array: &'a [u8], depth: u8) -> Vec<Value<'a>> {
        let mut members = Fields::new(array);
        let mut values = Vec::with_capacity(members.count_messages(MEMBERS));
        while let Some(member) = members.next_message(MEMBERS) {
            values.push(self.any_value(member, depth));
        }
        self.whole &= !members.is_broken();
        values
    }
}

/// Protobuf writes negative numbers as their two's complement.
pub(super) fn signed(word: u64) -> i64 {
    i64::from_ne_bytes(word.to_ne_bytes())
}

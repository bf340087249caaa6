//! Attribute values and bodies: protobuf `AnyValue`s and `KeyValue`s as event values.

use std::borrow::Cow;

use sigma::event::Value;

use super::text::Texts;
use super::wire::{Fields, Wire, first_message, only_message};
use super::{Entries, push_text};

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

/// The first byte of a field: its number and wire type.
const KEY_KEY: u8 = 1 << 3 | 2;
const VALUE_KEY: u8 = 2 << 3 | 2;
const STRING_KEY: u8 = 1 << 3 | 2;
const BOOL_KEY: u8 = 2 << 3;
const INT_KEY: u8 = 3 << 3;
const ARRAY_KEY: u8 = 5 << 3 | 2;
const MAP_KEY: u8 = 6 << 3 | 2;

/// Bytes that most entries of maps take, and most values of arrays.
const USUAL_ENTRY: usize = 20;
const USUAL_VALUE: usize = 12;

/// Appends the `KeyValue`s with a field number of a message; returns whether all could be read.
pub(super) fn key_values<'a>(message: &'a [u8], number: u32, into: &mut Entries<'a>) -> bool {
    let mut reader = Reader::new(message);
    reader.entries(message, number, MAX_DEPTH, into);
    reader.whole
}

/// Reads an `AnyValue` and returns whether all of it could be read. Bytes become text, which is what
/// senders of raw lines mean by them. A value below the depth bound is null.
pub(super) fn any_value(message: &[u8]) -> (Value<'_>, bool) {
    let mut reader = Reader::new(message);
    let value = reader.any_value(message, MAX_DEPTH);
    (value, reader.whole)
}

/// Appends the entries of an `AnyValue` that is a map and nothing else, and returns whether all of them could
/// be read; `None` for other values.
pub(super) fn map_entries<'a>(message: &'a [u8], into: &mut Entries<'a>) -> Option<bool> {
    // Most bodies are texts.
    if message.first() == Some(&STRING_KEY) {
        return None;
    }
    let mut fields = Fields::new(message);
    let Some((MAP, Wire::Bytes(map))) = fields.next() else { return None };
    if fields.next().is_some() || fields.is_broken() {
        return None;
    }
    let mut reader = Reader::new(map);
    reader.entries(map, MEMBERS, MAX_DEPTH - 1, into);
    Some(reader.whole)
}

/// Reads one message, from its beginning to its end.
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
        loop {
            if depth > 0 {
                self.short_texts(&mut fields, number, into);
            }
            let Some(entry) = fields.next_message(number) else { break };
            into.push(self.key_value(entry, depth));
        }
        self.whole &= !fields.is_broken();
    }

    /// Reads entries as long as they are short and ASCII and their values texts, which most are.
    fn short_texts(&mut self, fields: &mut Fields<'a>, number: u32, into: &mut Entries<'a>) {
        // A long entry begins with a byte that is not ASCII: its length.
        if !matches!(fields.rest(), [_, 0..0x80, ..]) {
            return;
        }
        let mut run = self.texts.run(fields.rest());
        let length = run.len();
        while let Some((key, text, rest)) = short_text(run, number) {
            push_text(into, key, text);
            run = rest;
        }
        fields.pass_over(length - run.len());
    }

    fn key_value(&mut self, entry: &'a [u8], depth: u8) -> (Cow<'a, str>, Value<'a>) {
        if let Some((key, rest)) = first_message(entry, KEY)
            && let Some((value, [])) = first_message(rest, VALUE)
        {
            return (self.texts.text(key), self.any_value(value, depth));
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
        // Most are one field.
        match (message, only_message(message)) {
            ([], _) => Value::Null,
            ([STRING_KEY, ..], Some(text)) => Value::String(self.texts.text(text)),
            ([MAP_KEY, ..], Some(map)) => self.map(map, depth),
            ([ARRAY_KEY, ..], Some(array)) => Value::Array(self.members(array, depth)),
            ([BOOL_KEY, word], _) if *word < 0x80 => Value::Bool(*word != 0),
            ([INT_KEY, word], _) if *word < 0x80 => Value::Int(i64::from(*word)),
            _ => self.value_of_fields(message, depth),
        }
    }

    fn value_of_fields(&mut self, message: &'a [u8], depth: u8) -> Value<'a> {
        let mut value = Value::Null;
        let mut fields = Fields::new(message);
        for (number, wire) in &mut fields {
            value = match (number, wire) {
                (STRING | BYTES, Wire::Bytes(bytes)) => Value::String(self.texts.text(bytes)),
                (BOOL, Wire::Varint(word)) => Value::Bool(word != 0),
                (INT, Wire::Varint(word)) => Value::Int(signed(word)),
                (DOUBLE, Wire::Fixed64(bits)) => Value::Double(f64::from_bits(bits)),
                (ARRAY, Wire::Bytes(bytes)) => Value::Array(self.members(bytes, depth)),
                (MAP, Wire::Bytes(bytes)) => self.map(bytes, depth),
                _ => continue,
            };
        }
        self.whole &= !fields.is_broken();
        value
    }

    fn map(&mut self, map: &'a [u8], depth: u8) -> Value<'a> {
        let mut entries = Vec::with_capacity(room(map, USUAL_ENTRY, depth));
        self.entries(map, MEMBERS, depth, &mut entries);
        Value::Map(entries)
    }

    fn members(&mut self, array: &'a [u8], depth: u8) -> Vec<Value<'a>> {
        let mut members = Fields::new(array);
        let mut values = Vec::with_capacity(room(array, USUAL_VALUE, depth));
        while let Some(member) = members.next_message(MEMBERS) {
            values.push(self.any_value(member, depth));
        }
        self.whole &= !members.is_broken();
        values
    }
}

/// The key and the text of the entry that a run of ASCII begins with, and the rest, if all is written as
/// it nearly always is: one comparison in place of four nested messages.
#[inline]
fn short_text(run: &str, number: u32) -> Option<(&str, &str, &str)> {
    let [tag, length, KEY_KEY, key_length, ..] = *run.as_bytes() else { return None };
    let (key, rest) = run.get(4..)?.split_at_checked(usize::from(key_length))?;
    let [VALUE_KEY, value_length, STRING_KEY, text_length, ..] = *rest.as_bytes() else { return None };
    let (text, rest) = rest.get(4..)?.split_at_checked(usize::from(text_length))?;
    let is_entry = u32::from(tag) == number << 3 | 2
        && usize::from(value_length) == text.len() + 2
        && usize::from(length) == key.len() + text.len() + 6;
    is_entry.then_some((key, text, rest))
}

/// Number of members to make room for, if each takes as many bytes as is usual: counting them beforehand
/// costs more than the unused room. Of a long message some are long; and deep members, where hardly any log has
/// any, are counted again by every level above.
fn room(message: &[u8], usual: usize, depth: u8) -> usize {
    const LEVELS: u8 = 6;
    let most = if MAX_DEPTH - depth <= LEVELS { 32 } else { 2 };
    message.len().div_ceil(usual).min(most)
}

/// Protobuf writes negative numbers as their two's complement.
pub(super) fn signed(word: u64) -> i64 {
    i64::from_ne_bytes(word.to_ne_bytes())
}

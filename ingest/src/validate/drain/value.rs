//! Any JSON value as an OTLP `AnyValue`.

use super::super::json::{Cursor, Number, Text};
use super::super::output::{Open, Output};
use super::super::rejection::Fault;
use super::super::schema::{Key, any_value, array_value, key_value, key_value_list};
use super::super::tally::Tally;

/// A guess at a value's size, if unknown beforehand.
const TYPICAL_VALUE: usize = 50;

/// One member of an object, whose name has been read, as a `KeyValue`.
pub(super) fn pair(
    name: Text<'_>,
    cursor: &mut Cursor<'_>,
    output: &mut Output,
    tally: &Tally<'_>,
    depth: u32,
) -> Result<(), Fault> {
    let next = cursor.peek();
    if next == Some(b'"') {
        let text = cursor.string("a string")?;
        text_pair(name, text, output);
        return Ok(());
    }
    let open = open_value(key_value_list::VALUES, next, output);
    write_name(name, output);
    value(key_value::VALUE, cursor, output, tally, depth)?;
    output.close(open);
    Ok(())
}

#[inline]
fn text_pair(name: Text<'_>, text: Text<'_>, output: &mut Output) {
    if name.is_escaped() || text.is_escaped() || name.raw.is_empty() {
        let open = output.open(key_value_list::VALUES, name.raw.len() + text.raw.len());
        write_name(name, output);
        text_value(key_value::VALUE, text, output);
        output.close(open);
        return;
    }
    output.text_pair(key_value_list::VALUES, name.raw, text.raw);
}

/// The empty name is written as protobuf writes an empty text: not at all.
fn write_name(name: Text<'_>, output: &mut Output) {
    if !name.raw.is_empty() {
        output.text_field(key_value::KEY, name);
    }
}

fn text_value(key: Key, text: Text<'_>, output: &mut Output) {
    let open = output.open(key, text.raw.len());
    output.text_field(any_value::STRING_VALUE, text);
    output.close(open);
}

/// Any JSON value as an `AnyValue`.
fn value(
    key: Key,
    cursor: &mut Cursor<'_>,
    output: &mut Output,
    tally: &Tally<'_>,
    depth: u32,
) -> Result<(), Fault> {
    let next = cursor.peek();
    if next == Some(b'"') {
        text_value(key, cursor.string("a string")?, output);
        return Ok(());
    }
    let open = open_value(key, next, output);
    match next {
        Some(b'{') => object(cursor, output, tally, depth)?,
        Some(b'[') => array(cursor, output, tally, depth)?,
        Some(b't' | b'f') => output.varint_field(any_value::BOOL_VALUE, u64::from(cursor.boolean()?)),
        Some(b'n') => drop(cursor.null()?),
        _ => number(cursor.number("a JSON value")?, output),
    }
    output.close(open);
    Ok(())
}

/// Opens the message for the value that begins with the byte `next`.
#[inline]
fn open_value(key: Key, next: Option<u8>, output: &mut Output) -> Open {
    match next {
        Some(b'{' | b'[') => output.open_container(key, TYPICAL_VALUE),
        _ => output.open(key, TYPICAL_VALUE),
    }
}

fn object(cursor: &mut Cursor<'_>, output: &mut Output, tally: &Tally<'_>, depth: u32) -> Result<(), Fault> {
    cursor.begin_object("an object")?;
    let depth = tally.deeper(depth)?;
    let open = output.open_container(any_value::KVLIST_VALUE, TYPICAL_VALUE);
    let mut first = true;
    while let Some(name) = cursor.next_name(&mut first)? {
        pair(name, cursor, output, tally, depth)?;
    }
    output.close(open);
    Ok(())
}

fn array(cursor: &mut Cursor<'_>, output: &mut Output, tally: &Tally<'_>, depth: u32) -> Result<(), Fault> {
    cursor.begin_array("an array")?;
    let depth = tally.deeper(depth)?;
    let open = output.open_container(any_value::ARRAY_VALUE, TYPICAL_VALUE);
    let mut first = true;
    while cursor.next_element(&mut first)? {
        value(array_value::VALUES, cursor, output, tally, depth)?;
    }
    output.close(open);
    Ok(())
}

fn number(number: Number<'_>, output: &mut Output) {
    if number.integer {
        match number.text.parse::<i64>() {
            Ok(value) => output.varint_field(any_value::INT_VALUE, value.cast_unsigned()),
            Err(_) => output.bytes_field(any_value::STRING_VALUE, number.text.as_bytes()),
        }
        return;
    }
    match number.text.parse::<f64>() {
        Ok(value) if value.is_finite() => output.fixed64_field(any_value::DOUBLE_VALUE, value.to_bits()),
        _ => output.bytes_field(any_value::STRING_VALUE, number.text.as_bytes()),
    }
}

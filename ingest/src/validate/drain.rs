//! Log drains to protobuf in one pass: a JSON array of objects, or one object per line. Each object
//! becomes a `LogRecord` whose body is the object as a key-value list, with nothing left out; time
//! and severity are lifted from the fields that usually hold them.
//!
//! Integers become `int64`, other numbers doubles; a number that fits neither is kept as its text.
//! `null` becomes an empty value.

use memchr::memchr;

use super::event_time;
use super::json::{Cursor, Number, Text};
use super::output::{Open, Output, varint_width};
use super::rejection::{Reason, Rejection};
use super::schema::{Key, any_value, key_value, list, log_record, request, resource_logs, scope, scope_logs};
use super::severity;
use super::tally::{Counted, Tally};

/// The instrumentation scope that marks records as coming from a drain.
pub const SCOPE_NAME: &str = "palisade.drain";

/// A guess at a record's size, where it is not known beforehand.
const TYPICAL_RECORD: usize = 500;

/// A guess at a value's size, where it is not known beforehand.
const TYPICAL_VALUE: usize = 50;

/// Transcodes the array at the cursor. An empty array is an empty batch.
pub(super) fn transcode_array(
    cursor: Cursor<'_>,
    output: &mut Output,
    mut tally: Tally<'_>,
) -> Result<Counted, Rejection> {
    let groups = Groups::open(output, cursor.remaining());
    if let Err(reason) = elements(cursor, output, &mut tally) {
        return Err(tally.malformed(reason));
    }
    let counted = tally.finish()?;
    groups.close(output, counted);
    Ok(counted)
}

fn elements(mut cursor: Cursor<'_>, output: &mut Output, tally: &mut Tally<'_>) -> Result<(), Reason> {
    cursor.begin_array("an array")?;
    let mut first = true;
    while cursor.next_element(&mut first)? {
        tally.begin_record();
        let record = record(&mut cursor, output, tally, TYPICAL_RECORD)?;
        tally.end_record(record.bytes, record.timed);
    }
    cursor.end()
}

/// Transcodes newline-delimited objects. Blank lines count for nothing, and the last line needs no
/// newline; a body without any record is refused (specification, Infrastructure log ingestion).
pub(super) fn transcode_lines(
    body: &[u8],
    output: &mut Output,
    mut tally: Tally<'_>,
) -> Result<Counted, Rejection> {
    let groups = Groups::open(output, body.len());
    if let Err(reason) = lines(body, output, &mut tally) {
        return Err(tally.malformed(reason));
    }
    let counted = tally.finish()?;
    if counted.records == 0 {
        return Err(Rejection::Malformed { record: None, reason: Reason::NoRecord });
    }
    groups.close(output, counted);
    Ok(counted)
}

fn lines(body: &[u8], output: &mut Output, tally: &mut Tally<'_>) -> Result<(), Reason> {
    let mut start = 0;
    while start < body.len() {
        let end = memchr(b'\n', &body[start..]).map_or(body.len(), |length| start + length);
        let mut cursor = Cursor::new(&body[..end], start);
        let expected = end - start;
        start = end + 1;
        if cursor.peek().is_none() {
            continue;
        }
        tally.begin_record();
        let record = record(&mut cursor, output, tally, expected)?;
        cursor.end()?;
        tally.end_record(record.bytes, record.timed);
    }
    Ok(())
}

/// The one `ResourceLogs` and `ScopeLogs` that all records of a drain share.
struct Groups {
    resource: Open,
    scope: Open,
}

impl Groups {
    fn open(output: &mut Output, expected: usize) -> Self {
        let resource = output.open(request::RESOURCE_LOGS, expected);
        let scope = output.open(resource_logs::SCOPE_LOGS, expected);
        let name = output.open(scope_logs::SCOPE, SCOPE_NAME.len());
        output.bytes_field(scope::NAME, SCOPE_NAME.as_bytes());
        output.close(name);
        Self { resource, scope }
    }

    fn close(self, output: &mut Output, counted: Counted) {
        if counted.records == 0 {
            output.clear();
            return;
        }
        output.close(self.scope);
        output.close(self.resource);
    }
}

/// One record that has been written.
struct Record {
    /// Bytes of the object as sent.
    bytes: usize,
    /// Whether a time was recognised.
    timed: bool,
}

fn record(
    cursor: &mut Cursor<'_>,
    output: &mut Output,
    tally: &Tally<'_>,
    expected: usize,
) -> Result<Record, Reason> {
    cursor.begin_object("a log object")?;
    let start = cursor.position() - 1;
    let depth = tally.deeper(0)?;
    let record = output.open(scope_logs::LOG_RECORDS, expected);
    let body = output.open(log_record::BODY, expected);
    let fields = output.open(any_value::KVLIST_VALUE, expected);
    let mut lifted = Lifted::default();
    let mut first = true;
    while let Some(name) = cursor.next_name(&mut first)? {
        cursor.peek();
        let start = cursor.position();
        pair(name, cursor, output, tally, depth)?;
        lifted.consider(name, cursor.since(start));
    }
    output.close(fields);
    output.close(body);
    lifted.write(output);
    output.close(record);
    Ok(Record { bytes: cursor.position() - start, timed: lifted.time.is_some() })
}

/// What a record's own fields say about it.
#[derive(Default)]
struct Lifted<'a> {
    /// Rank of the field's name, and nanoseconds since the epoch.
    time: Option<(usize, u64)>,
    /// Rank of the field's name, and the word.
    severity: Option<(usize, Text<'a>)>,
}

impl<'a> Lifted<'a> {
    /// Looks at one field: its name, and its value as written. Of several fields the name of lowest
    /// rank wins, then the first.
    #[inline]
    fn consider(&mut self, name: Text<'a>, value: &'a [u8]) {
        if let Some(rank) = event_time::rank(name.raw) {
            let better = self.time.is_none_or(|(best, _)| rank < best);
            if let Some(time) = event_time::parse(value).filter(|_| better) {
                self.time = Some((rank, time));
            }
        } else if let Some(rank) = severity::rank(name.raw) {
            let better = self.severity.is_none_or(|(best, _)| rank < best);
            if let Some(word) = quoted(value).filter(|word| better && !word.raw.is_empty()) {
                self.severity = Some((rank, word));
            }
        }
    }

    fn write(&self, output: &mut Output) {
        if let Some((_, time)) = self.time {
            output.fixed64_field(log_record::TIME_UNIX_NANO, time);
        }
        if let Some((_, word)) = self.severity {
            let number = severity::number(word.raw);
            if number != 0 {
                output.varint_field(log_record::SEVERITY_NUMBER, number);
            }
            output.text_field(log_record::SEVERITY_TEXT, word);
        }
    }
}

/// The string that `value`, a JSON value as written, is.
fn quoted(value: &[u8]) -> Option<Text<'_>> {
    let raw = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    Some(Text { raw, escaped: memchr(b'\\', raw).is_some() })
}

/// One member of an object, whose name has been read, as a `KeyValue`.
fn pair(
    name: Text<'_>,
    cursor: &mut Cursor<'_>,
    output: &mut Output,
    tally: &Tally<'_>,
    depth: u32,
) -> Result<(), Reason> {
    if cursor.peek() == Some(b'"') {
        let text = cursor.string("a string")?;
        tally.deeper(depth)?;
        text_pair(name, text, output);
        return Ok(());
    }
    let open = output.open(list::VALUES, TYPICAL_VALUE);
    write_name(name, output);
    value(key_value::VALUE, cursor, output, tally, depth)?;
    output.close(open);
    Ok(())
}

#[inline]
fn text_pair(name: Text<'_>, text: Text<'_>, output: &mut Output) {
    if name.escaped || text.escaped || name.raw.is_empty() {
        let open = output.open(list::VALUES, name.raw.len() + text.raw.len());
        write_name(name, output);
        text_value(key_value::VALUE, text, output);
        output.close(open);
        return;
    }
    // Most pairs: every length is known before anything is written.
    let value = field_size(text.raw.len());
    output.varint_field(list::VALUES, (field_size(name.raw.len()) + field_size(value)) as u64);
    output.bytes_field(key_value::KEY, name.raw);
    output.varint_field(key_value::VALUE, value as u64);
    output.bytes_field(any_value::STRING_VALUE, text.raw);
}

/// The empty name is written as protobuf writes an empty text: not at all.
fn write_name(name: Text<'_>, output: &mut Output) {
    if !name.raw.is_empty() {
        output.text_field(key_value::KEY, name);
    }
}

/// Bytes of a length-delimited field with a one-byte key.
fn field_size(content: usize) -> usize {
    1 + varint_width(content as u64) + content
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
) -> Result<(), Reason> {
    let depth = tally.deeper(depth)?;
    let next = cursor.peek();
    if next == Some(b'"') {
        text_value(key, cursor.string("a string")?, output);
        return Ok(());
    }
    let open = output.open(key, TYPICAL_VALUE);
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

fn object(cursor: &mut Cursor<'_>, output: &mut Output, tally: &Tally<'_>, depth: u32) -> Result<(), Reason> {
    cursor.begin_object("an object")?;
    let open = output.open(any_value::KVLIST_VALUE, TYPICAL_VALUE);
    let mut first = true;
    while let Some(name) = cursor.next_name(&mut first)? {
        pair(name, cursor, output, tally, depth)?;
    }
    output.close(open);
    Ok(())
}

fn array(cursor: &mut Cursor<'_>, output: &mut Output, tally: &Tally<'_>, depth: u32) -> Result<(), Reason> {
    cursor.begin_array("an array")?;
    let open = output.open(any_value::ARRAY_VALUE, TYPICAL_VALUE);
    let mut first = true;
    while cursor.next_element(&mut first)? {
        value(list::VALUES, cursor, output, tally, depth)?;
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

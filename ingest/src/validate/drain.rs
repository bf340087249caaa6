//! Log drains to protobuf in one pass: a JSON array of objects, or one object per line. Each object
//! becomes a `LogRecord` whose body is the object as a key-value list, with nothing left out; time
//! and severity are copied from the fields that usually hold them.
//!
//! Integers become `int64`, other numbers doubles; a number that fits neither is kept as its text.
//! `null` becomes an empty value.

mod value;

use common::timestamp::Timestamp;
use memchr::memchr;

use self::value::pair;
use super::event_time;
use super::json::{Cursor, Escapes, Text};
use super::output::{Open, Output};
use super::rejection::{Fault, Reason, Rejection};
use super::schema::{any_value, key_value_list, log_record, request, resource_logs, scope, scope_logs};
use super::severity;
use super::tally::{Counted, Tally};

/// The instrumentation scope that marks records as coming from a drain.
pub const SCOPE_NAME: &str = "palisade.drain";

/// A guess at a record's size, if unknown beforehand.
const TYPICAL_RECORD: usize = 500;

/// Transcodes the array at the cursor. An empty array is an empty batch. `received_at` completes dates without
/// a year.
pub(super) fn transcode_array(
    cursor: Cursor<'_>,
    output: &mut Output,
    mut tally: Tally<'_>,
    received_at: Timestamp,
) -> Result<Counted, Rejection> {
    let groups = Groups::open(output, cursor.remaining());
    if let Err(reason) = elements(cursor, output, &mut tally, received_at) {
        return Err(tally.malformed(*reason));
    }
    let counted = tally.finish()?;
    groups.close(output, counted);
    Ok(counted)
}

fn elements(
    mut cursor: Cursor<'_>,
    output: &mut Output,
    tally: &mut Tally<'_>,
    received_at: Timestamp,
) -> Result<(), Fault> {
    cursor.begin_array("an array")?;
    let mut first = true;
    while cursor.next_element(&mut first)? {
        tally.begin_record();
        let record = record(&mut cursor, output, tally, (TYPICAL_RECORD, received_at))?;
        tally.end_record(record.bytes, record.timed);
    }
    cursor.end()
}

/// Transcodes newline-delimited objects. Blank lines are ignored, and the last line needs no
/// newline; a body without any record is refused (specification, Infrastructure log ingestion).
pub(super) fn transcode_lines(
    body: &[u8],
    output: &mut Output,
    mut tally: Tally<'_>,
    received_at: Timestamp,
) -> Result<Counted, Rejection> {
    let groups = Groups::open(output, body.len());
    if let Err(reason) = lines(body, output, &mut tally, received_at) {
        return Err(tally.malformed(*reason));
    }
    let counted = tally.finish()?;
    if counted.records == 0 {
        return Err(Rejection::Malformed { record: None, reason: Reason::NoRecord });
    }
    groups.close(output, counted);
    Ok(counted)
}

fn lines(
    body: &[u8],
    output: &mut Output,
    tally: &mut Tally<'_>,
    received_at: Timestamp,
) -> Result<(), Fault> {
    let mut cursor = Cursor::of_lines(body);
    // Lines that follow each other are about as long.
    let mut expected = TYPICAL_RECORD;
    loop {
        if cursor.peek().is_some() {
            tally.begin_record();
            let record = record(&mut cursor, output, tally, (expected, received_at))?;
            cursor.end()?;
            tally.end_record(record.bytes, record.timed);
            expected = record.bytes;
        }
        if !cursor.next_line() {
            return Ok(());
        }
    }
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

/// Bytes a time takes at most: three dozen characters, each of them escaped.
const LONGEST_MOMENT: usize = 256;

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
    (expected, received_at): (usize, Timestamp),
) -> Result<Record, Fault> {
    cursor.begin_object("a log object")?;
    let start = cursor.position() - 1;
    let depth = tally.deeper(0)?;
    let record = output.open(scope_logs::LOG_RECORDS, expected);
    let body = output.open(log_record::BODY, expected);
    let fields = output.open(any_value::KVLIST_VALUE, expected);
    let mut lifted = Lifted::default();
    let mut first = true;
    loop {
        if let Some((name, text)) = cursor.plain_pair(first) {
            first = false;
            output.text_pair(key_value_list::VALUES, name, text);
            let word = Text { raw: text, escapes: Escapes::None };
            lifted.consider(name, || event_time::parse(text, received_at), || Some(word));
            continue;
        }
        let Some(name) = cursor.next_name(&mut first)? else { break };
        cursor.peek();
        let start = cursor.position();
        pair(name, cursor, output, tally, depth)?;
        let value = cursor.since(start);
        lifted.consider(name.raw, || moment(value, received_at), || quoted(value));
    }
    output.close(fields);
    output.close(body);
    lifted.write(output);
    output.close(record);
    Ok(Record { bytes: cursor.position() - start, timed: lifted.time.is_some() })
}

/// Information in a record's own fields about it.
#[derive(Default)]
struct Lifted<'a> {
    /// Rank of the field's name, and nanoseconds since the epoch.
    time: Option<(usize, u64)>,
    /// Rank of the field's name, and the word.
    severity: Option<(usize, Text<'a>)>,
}

impl<'a> Lifted<'a> {
    /// Examines one field: its name, and its value as a time and as a word. Of several fields the name of lowest rank
    /// wins, then the first.
    #[inline]
    fn consider(
        &mut self,
        name: &[u8],
        moment: impl FnOnce() -> Option<u64>,
        word: impl FnOnce() -> Option<Text<'a>>,
    ) {
        if let Some(rank) = event_time::rank(name) {
            let better = self.time.is_none_or(|(best, _)| rank < best);
            if let Some(time) = moment().filter(|_| better) {
                self.time = Some((rank, time));
            }
        } else if let Some(rank) = severity::rank(name) {
            let better = self.severity.is_none_or(|(best, _)| rank < best);
            if let Some(word) = word().filter(|word| better && !word.raw.is_empty()) {
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

/// The time that `value`, a JSON value as written, represents. Escapes are resolved first: encoders
/// that aim to be safe inside HTML, such as .NET's, write the `+` of an offset as one.
fn moment(value: &[u8], received_at: Timestamp) -> Option<u64> {
    let Some(text) = quoted(value).filter(|text| text.is_escaped() && text.raw.len() <= LONGEST_MOMENT)
    else {
        return event_time::parse(value, received_at);
    };
    event_time::parse(text.decoded(&mut Vec::new()), received_at)
}

/// The string that `value`, a JSON value as written, is.
fn quoted(value: &[u8]) -> Option<Text<'_>> {
    let raw = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let escapes = if memchr(b'\\', raw).is_some() { Escapes::Some } else { Escapes::None };
    Some(Text { raw, escapes })
}

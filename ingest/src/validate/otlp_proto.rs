//! A strict walk over an OTLP logs request in protobuf. It accepts all that a protobuf parser accepts,
//! except groups and values nested too deep, counts the limited quantities, and changes nothing.
//!
//! Fields that OTLP does not define are kept. A message that occurs twice where one is expected is
//! merged by every parser, so its attributes count together. Trace and span ids of odd lengths are
//! valid here: OTLP tells receivers to treat them as absent, not to refuse them.

use super::marks::{Care, Marks};
use super::rejection::{Fault, Reason, Rejection};
use super::schema::{
    ANY_VALUE, ARRAY_VALUE, ENTITY_REF, KEY_VALUE, KEY_VALUE_LIST, LOG_RECORD, REQUEST, RESOURCE,
    RESOURCE_LOGS, SCOPE, SCOPE_LOGS, any_value, array_value, entity_ref, key_value, key_value_list,
    log_record, request, resource, resource_logs, scope, scope_logs,
};
use super::tally::{Counted, Tally};
use super::wire::Fields;

/// Walks a whole request.
pub(super) fn walk(body: &[u8], tally: Tally<'_>) -> Result<Counted, Rejection> {
    let mut walk = Walk { tally, marks: Marks::new(body, Care::NotAscii) };
    if let Err(reason) = request(body, &mut walk) {
        return Err(walk.tally.malformed(*reason));
    }
    walk.tally.finish()
}

/// State of the walk through one request.
struct Walk<'a, 'l> {
    tally: Tally<'l>,
    /// The bytes that are not ASCII.
    marks: Marks<'a>,
}

impl Walk<'_, '_> {
    /// Checks a text, which proto3 wants to be UTF-8. Nearly all texts of logs are ASCII.
    #[inline]
    fn text(&mut self, text: &[u8]) -> Result<(), Fault> {
        if !self.marks.any(text) || std::str::from_utf8(text).is_ok() {
            return Ok(());
        }
        Err(Reason::TextNotUtf8.into())
    }
}

fn request(bytes: &[u8], walk: &mut Walk<'_, '_>) -> Result<(), Fault> {
    let mut fields = Fields::of(bytes);
    while let Some(key) = fields.next_key()? {
        match key {
            request::RESOURCE_LOGS => {
                walk.tally.resource_group();
                resource_logs(fields.bytes()?, walk)?;
            }
            _ => fields.skip_unknown(key, &REQUEST)?,
        }
    }
    Ok(())
}

fn resource_logs(bytes: &[u8], walk: &mut Walk<'_, '_>) -> Result<(), Fault> {
    let mut fields = Fields::of(bytes);
    let mut attributes = 0;
    while let Some(key) = fields.next_key()? {
        match key {
            resource_logs::RESOURCE => attributes += resource(fields.bytes()?, walk)?,
            resource_logs::SCOPE_LOGS => {
                walk.tally.scope();
                scope_logs(fields.bytes()?, walk)?;
            }
            resource_logs::SCHEMA_URL => walk.text(fields.bytes()?)?,
            _ => fields.skip_unknown(key, &RESOURCE_LOGS)?,
        }
    }
    walk.tally.attributes(attributes);
    Ok(())
}

/// Returns the number of attributes.
fn resource(bytes: &[u8], walk: &mut Walk<'_, '_>) -> Result<u64, Fault> {
    let mut fields = Fields::of(bytes);
    let mut attributes = 0;
    while let Some(key) = fields.next_key()? {
        match key {
            resource::ATTRIBUTES => {
                attributes += 1;
                key_value(fields.bytes()?, 0, walk)?;
            }
            resource::DROPPED_ATTRIBUTES_COUNT => fields.skip(key)?,
            resource::ENTITY_REFS => entity_ref(fields.bytes()?, walk)?,
            _ => fields.skip_unknown(key, &RESOURCE)?,
        }
    }
    Ok(attributes)
}

fn entity_ref(bytes: &[u8], walk: &mut Walk<'_, '_>) -> Result<(), Fault> {
    let mut fields = Fields::of(bytes);
    while let Some(key) = fields.next_key()? {
        match key {
            entity_ref::SCHEMA_URL
            | entity_ref::TYPE
            | entity_ref::ID_KEYS
            | entity_ref::DESCRIPTION_KEYS => {
                walk.text(fields.bytes()?)?;
            }
            _ => fields.skip_unknown(key, &ENTITY_REF)?,
        }
    }
    Ok(())
}

fn scope_logs(bytes: &[u8], walk: &mut Walk<'_, '_>) -> Result<(), Fault> {
    let mut fields = Fields::of(bytes);
    let mut attributes = 0;
    while let Some(key) = fields.next_key()? {
        match key {
            scope_logs::LOG_RECORDS => {
                walk.tally.begin_record();
                let record = fields.bytes()?;
                let timed = log_record(record, walk)?;
                walk.tally.end_record(record.len(), timed);
            }
            scope_logs::SCOPE => attributes += scope(fields.bytes()?, walk)?,
            scope_logs::SCHEMA_URL => walk.text(fields.bytes()?)?,
            _ => fields.skip_unknown(key, &SCOPE_LOGS)?,
        }
    }
    walk.tally.attributes(attributes);
    Ok(())
}

/// Returns the number of attributes.
fn scope(bytes: &[u8], walk: &mut Walk<'_, '_>) -> Result<u64, Fault> {
    let mut fields = Fields::of(bytes);
    let mut attributes = 0;
    while let Some(key) = fields.next_key()? {
        match key {
            scope::NAME | scope::VERSION => walk.text(fields.bytes()?)?,
            scope::ATTRIBUTES => {
                attributes += 1;
                key_value(fields.bytes()?, 0, walk)?;
            }
            scope::DROPPED_ATTRIBUTES_COUNT => fields.skip(key)?,
            _ => fields.skip_unknown(key, &SCOPE)?,
        }
    }
    Ok(attributes)
}

/// Returns whether the record has a time. Of a repeated number the last one counts.
fn log_record(bytes: &[u8], walk: &mut Walk<'_, '_>) -> Result<bool, Fault> {
    let mut fields = Fields::of(bytes);
    let mut attributes = 0;
    let (mut time, mut observed_time) = (0, 0);
    while let Some(key) = fields.next_key()? {
        match key {
            log_record::TIME_UNIX_NANO => time = fields.fixed64()?,
            log_record::OBSERVED_TIME_UNIX_NANO => observed_time = fields.fixed64()?,
            log_record::ATTRIBUTES => {
                attributes += 1;
                key_value(fields.bytes()?, 0, walk)?;
            }
            log_record::BODY => value(fields.bytes()?, 0, walk)?,
            log_record::SEVERITY_TEXT | log_record::EVENT_NAME => walk.text(fields.bytes()?)?,
            log_record::SEVERITY_NUMBER | log_record::DROPPED_ATTRIBUTES_COUNT => fields.skip(key)?,
            log_record::TRACE_ID | log_record::SPAN_ID => fields.skip(key)?,
            log_record::FLAGS => fields.skip(key)?,
            _ => fields.skip_unknown(key, &LOG_RECORD)?,
        }
    }
    walk.tally.attributes(attributes);
    Ok(time != 0 || observed_time != 0)
}

fn key_value(bytes: &[u8], depth: u32, walk: &mut Walk<'_, '_>) -> Result<(), Fault> {
    if is_short_pair(bytes) && !walk.marks.any(bytes) {
        return Ok(());
    }
    let mut fields = Fields::of(bytes);
    while let Some(key) = fields.next_key()? {
        match key {
            key_value::KEY => walk.text(fields.bytes()?)?,
            key_value::VALUE => value(fields.bytes()?, depth, walk)?,
            key_value::KEY_STRINDEX => fields.skip(key)?,
            _ => fields.skip_unknown(key, &KEY_VALUE)?,
        }
    }
    Ok(())
}

/// Whether an ASCII pair consists of only a key and a text, as most attributes do: without bytes above 127 each
/// length in it takes one byte.
#[inline]
fn is_short_pair(pair: &[u8]) -> bool {
    let [KEY, key, rest @ ..] = pair else { return false };
    let Some([VALUE, value, STRING, text, rest @ ..]) = rest.get(usize::from(*key)..) else { return false };
    usize::from(*value) == rest.len() + 2 && usize::from(*text) == rest.len()
}

/// Keys as the bytes that they are on the wire.
const KEY: u8 = key_value::KEY as u8;
const VALUE: u8 = key_value::VALUE as u8;
const STRING: u8 = any_value::STRING_VALUE as u8;

fn value(bytes: &[u8], depth: u32, walk: &mut Walk<'_, '_>) -> Result<(), Fault> {
    let mut fields = Fields::of(bytes);
    while let Some(key) = fields.next_key()? {
        match key {
            any_value::STRING_VALUE => walk.text(fields.bytes()?)?,
            any_value::BOOL_VALUE | any_value::INT_VALUE | any_value::STRING_VALUE_STRINDEX => {
                fields.skip(key)?;
            }
            any_value::DOUBLE_VALUE => fields.skip(key)?,
            any_value::ARRAY_VALUE => array(fields.bytes()?, depth, walk)?,
            any_value::KVLIST_VALUE => key_value_list(fields.bytes()?, depth, walk)?,
            any_value::BYTES_VALUE => fields.skip(key)?,
            _ => fields.skip_unknown(key, &ANY_VALUE)?,
        }
    }
    Ok(())
}

fn array(bytes: &[u8], depth: u32, walk: &mut Walk<'_, '_>) -> Result<(), Fault> {
    let depth = walk.tally.deeper(depth)?;
    let mut fields = Fields::of(bytes);
    while let Some(key) = fields.next_key()? {
        match key {
            array_value::VALUES => value(fields.bytes()?, depth, walk)?,
            _ => fields.skip_unknown(key, &ARRAY_VALUE)?,
        }
    }
    Ok(())
}

fn key_value_list(bytes: &[u8], depth: u32, walk: &mut Walk<'_, '_>) -> Result<(), Fault> {
    let depth = walk.tally.deeper(depth)?;
    let mut fields = Fields::of(bytes);
    while let Some(key) = fields.next_key()? {
        match key {
            key_value_list::VALUES => key_value(fields.bytes()?, depth, walk)?,
            _ => fields.skip_unknown(key, &KEY_VALUE_LIST)?,
        }
    }
    Ok(())
}

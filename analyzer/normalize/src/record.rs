//! The records of one batch, walked in place: the payload's bytes are neither copied nor turned into
//! message structs. Their meaning is in `normalize`.
//!
//! The payload is an OTLP `ExportLogsServiceRequest` that was checked when it was accepted. Bytes that
//! are broken all the same end the walk, or the value they stand in; they never panic.

mod entries;
mod groups;
mod members;
mod text;
mod value;
mod wire;

use std::borrow::Cow;

use common::timestamp::Timestamp;
use sigma::event::Value;

pub use self::entries::Entries;
pub(crate) use self::entries::{push_entry, push_text, push_with};
pub use self::groups::records;
use self::groups::{GROUP_MEMBERS, GROUP_OWNER, REQUEST_RESOURCE_LOGS};
use self::members::Member;
use self::value::{any_value, key_values, map_entries, signed};
use self::wire::{Fields, Wire, first_message};

/// One log record. Text, attributes and body are read from the payload when they are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Position in the batch, from 0. The members of an envelope count one by one.
    pub index: u32,
    /// When it happened (`time_unix_nano`).
    pub time: Option<Timestamp>,
    /// When a collector first saw it (`observed_time_unix_nano`).
    pub observed_time: Option<Timestamp>,
    /// OTLP severity number, 1..24; 0 where the sender gave none.
    pub severity_number: i64,
    /// The severity in the sender's words; empty if there are none.
    pub severity_text: &'a str,
    /// Name of the event, for records that are events; empty otherwise.
    pub event_name: &'a str,
    /// Trace id, 16 bytes or empty.
    pub trace_id: &'a [u8],
    /// Span id, 8 bytes or empty.
    pub span_id: &'a [u8],
    message: &'a [u8],
    /// The message from its first attribute on; nothing if it can be read to its end and has none, as most records
    /// of drains.
    attributes: &'a [u8],
    body: Option<&'a [u8]>,
    /// The part of the body that is the record, where the body is an envelope of several.
    member: Option<Member<'a>>,
    resource: &'a [u8],
    scope: &'a [u8],
}

// Field numbers of opentelemetry/proto/{logs,common,resource}/v1.
const RESOURCE_ATTRIBUTES: u32 = 1;
const SCOPE_NAME: u32 = 1;
const SCOPE_VERSION: u32 = 2;
const RECORD_TIME: u32 = 1;
const RECORD_SEVERITY_NUMBER: u32 = 2;
const RECORD_SEVERITY_TEXT: u32 = 3;
const RECORD_BODY: u32 = 5;
const RECORD_ATTRIBUTES: u32 = 6;
const RECORD_TRACE_ID: u32 = 9;
const RECORD_SPAN_ID: u32 = 10;
const RECORD_OBSERVED_TIME: u32 = 11;
const RECORD_EVENT_NAME: u32 = 12;

/// If a message is written twice the last one counts: no sender splits it.
fn last_message(group: &[u8], number: u32) -> &[u8] {
    let mut fields = Fields::new(group);
    let mut last: &[u8] = &[];
    while let Some(message) = fields.next_message(number) {
        last = message;
    }
    last
}

impl<'a> Record<'a> {
    /// Bytes of the encoded record; those of the whole envelope for a member of one.
    #[must_use]
    pub fn encoded_bytes(&self) -> usize {
        self.message.len()
    }

    /// The encoded record, as it lies in the payload; the whole envelope for a member of one.
    pub fn encoded(&self) -> &'a [u8] {
        self.message
    }

    fn read(message: &'a [u8], index: u32, resource: &'a [u8], scope: &'a [u8]) -> Self {
        let mut record = Self {
            index,
            time: None,
            observed_time: None,
            severity_number: 0,
            severity_text: "",
            event_name: "",
            trace_id: &[],
            span_id: &[],
            message,
            attributes: &[],
            body: None,
            member: None,
            resource,
            scope,
        };
        // All there is of most records that drains deliver.
        if let Some((body, [])) = first_message(message, RECORD_BODY) {
            return Self { body: Some(body), ..record };
        }
        let (mut fields, mut attributes) = (Fields::new(message), None);
        loop {
            let rest = fields.rest();
            let Some(field) = fields.next() else { break };
            match field {
                (RECORD_ATTRIBUTES, _) => {
                    attributes.get_or_insert(rest);
                    fields.pass_over_messages(RECORD_ATTRIBUTES);
                }
                (RECORD_TIME, Wire::Fixed64(nanos)) => record.time = moment(nanos),
                (RECORD_OBSERVED_TIME, Wire::Fixed64(nanos)) => record.observed_time = moment(nanos),
                (RECORD_SEVERITY_NUMBER, Wire::Varint(word)) => record.severity_number = signed(word),
                (RECORD_SEVERITY_TEXT, Wire::Bytes(bytes)) => record.severity_text = plain(bytes),
                (RECORD_EVENT_NAME, Wire::Bytes(bytes)) => record.event_name = plain(bytes),
                (RECORD_BODY, Wire::Bytes(bytes)) => record.body = Some(bytes),
                (RECORD_TRACE_ID, Wire::Bytes(bytes)) => record.trace_id = bytes,
                (RECORD_SPAN_ID, Wire::Bytes(bytes)) => record.span_id = bytes,
                _ => {}
            }
        }
        // Errors before any attribute are found again when attributes are read.
        let unread = if fields.is_broken() { message } else { &[] };
        record.attributes = attributes.unwrap_or(unread);
        record
    }

    /// One of the records that this one holds. The times are the delivery's: a member has its own.
    fn with_member(self, member: Member<'a>) -> Self {
        Self { time: None, observed_time: None, member: Some(member), ..self }
    }

    /// An OTLP logs export request in protobuf that holds this record alone, with its resource and
    /// scope.
    #[must_use]
    pub fn alone(&self) -> Vec<u8> {
        let mut scope_group = message_field(GROUP_OWNER, self.scope);
        match &self.member {
            None => scope_group.extend(message_field(GROUP_MEMBERS, self.message)),
            Some(member) => {
                let replaced = [RECORD_TIME, RECORD_OBSERVED_TIME, RECORD_BODY];
                let mut message = wire::without(self.message, &replaced);
                message.extend(message_field(RECORD_BODY, &member.any_value()));
                scope_group.extend(message_field(GROUP_MEMBERS, &message));
            }
        }
        let mut resource_group = message_field(GROUP_OWNER, self.resource);
        resource_group.extend(message_field(GROUP_MEMBERS, &scope_group));
        message_field(REQUEST_RESOURCE_LOGS, &resource_group)
    }

    /// The body, and whether all of it could be read.
    #[must_use]
    pub fn body(&self) -> (Option<Value<'a>>, bool) {
        if let Some(Member::Text(text)) = self.member {
            return (Some(Value::String(Cow::Borrowed(text))), true);
        }
        let Some(bytes) = self.body_bytes() else { return (None, true) };
        let (value, whole) = any_value(bytes);
        (Some(value), whole)
    }

    /// Appends the entries of a body that is a map; returns whether all could be read, and `None` where
    /// the body is anything else.
    pub fn body_entries(&self, into: &mut Entries<'a>) -> Option<bool> {
        map_entries(self.body_bytes()?, into)
    }

    /// The `AnyValue` that is the body, where it stands in the payload.
    fn body_bytes(&self) -> Option<&'a [u8]> {
        match self.member {
            None => self.body,
            Some(member) => member.wire(),
        }
    }

    /// Appends the record's own attributes; returns whether all of them could be read.
    pub fn attributes(&self, into: &mut Entries<'a>) -> bool {
        self.attributes.is_empty() || key_values(self.attributes, RECORD_ATTRIBUTES, into)
    }

    /// Appends the attributes of the resource it came from; returns whether all could be read.
    pub fn resource(&self, into: &mut Entries<'a>) -> bool {
        self.resource.is_empty() || key_values(self.resource, RESOURCE_ATTRIBUTES, into)
    }

    /// The resource as it stands in the payload, the same for all records of one group.
    pub(crate) fn resource_bytes(&self) -> &'a [u8] {
        self.resource
    }

    /// Name and version of the instrumentation scope; each empty if there is none.
    #[must_use]
    pub fn scope(&self) -> (&'a str, &'a str) {
        if self.scope.is_empty() {
            return ("", "");
        }
        (plain(last_message(self.scope, SCOPE_NAME)), plain(last_message(self.scope, SCOPE_VERSION)))
    }
}

/// A nested message with its key and length.
fn message_field(number: u32, message: &[u8]) -> Vec<u8> {
    const LENGTH_DELIMITED: u32 = 2;
    let mut field = Vec::with_capacity(message.len() + 8);
    for mut word in [u64::from(number << 3 | LENGTH_DELIMITED), message.len() as u64] {
        while word >= 0x80 {
            field.push(u8::try_from(word & 0x7f).unwrap_or(0) | 0x80);
            word >>= 7;
        }
        field.push(u8::try_from(word).unwrap_or(0));
    }
    field.extend_from_slice(message);
    field
}

/// Zero is protobuf's word for absent. Times after the year 2262 do not fit and count as absent too.
fn moment(nanos: u64) -> Option<Timestamp> {
    i64::try_from(nanos).ok().filter(|nanos| *nanos != 0).map(Timestamp)
}

fn plain(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests;

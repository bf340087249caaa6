//! OTLP JSON to protobuf in one pass, driven by the schema's tables (OTLP specification, JSON
//! Protobuf Encoding; ProtoJSON where that is silent).
//!
//! Field names are lowerCamelCase or as in the `.proto` files; unknown ones are ignored. `null` means
//! absent. Trace and span ids are hexadecimal, other bytes base64 in either alphabet with or without
//! padding. Integers are numbers or strings of digits; enumerations are numbers only. Zero values
//! that a protobuf sender would have omitted are omitted here too.

mod pair;
mod scalar;

use super::json::Cursor;
use super::output::Output;
use super::rejection::{Fault, Reason, Rejection};
use super::schema::{Field, FieldType, KEY_VALUE, Key, Message, REQUEST, Role, log_record, request};
use super::tally::{Counted, Tally};

/// Transcodes the request at the cursor, which is before an object.
pub(super) fn transcode(
    cursor: Cursor<'_>,
    output: &mut Output,
    mut tally: Tally<'_>,
) -> Result<Counted, Rejection> {
    let mut transcoder = Transcoder { cursor, output, tally: &mut tally, scratch: Vec::new(), timed: false };
    if let Err(reason) = transcoder.request() {
        return Err(tally.malformed(*reason));
    }
    tally.finish()
}

struct Transcoder<'a, 't, 'l> {
    cursor: Cursor<'a>,
    output: &'t mut Output,
    tally: &'t mut Tally<'l>,
    /// Holds strings whose escapes had to be resolved before they could be read.
    scratch: Vec<u8>,
    /// Whether the current record has a time.
    timed: bool,
}

/// The names that an object used.
struct Members {
    /// One bit for each known field's number.
    known: u32,
    any: bool,
}

impl Transcoder<'_, '_, '_> {
    fn request(&mut self) -> Result<(), Fault> {
        let members = self.message(&REQUEST, 0)?;
        self.cursor.end()?;
        if members.any && members.known & bit(request::RESOURCE_LOGS) == 0 {
            return Err(Reason::NoResourceLogs.into());
        }
        Ok(())
    }

    /// One message, with the requirements of its role.
    fn nested(&mut self, message: &'static Message, depth: u32) -> Result<(), Fault> {
        let depth = match message.role {
            Role::List => self.tally.deeper(depth)?,
            Role::Record => return self.record(message),
            Role::ResourceGroup => {
                self.tally.resource_group();
                depth
            }
            Role::Scope => {
                self.tally.scope();
                depth
            }
            Role::Value | Role::KeyValue | Role::Plain => depth,
        };
        self.message(message, depth).map(drop)
    }

    fn record(&mut self, message: &'static Message) -> Result<(), Fault> {
        self.tally.begin_record();
        self.timed = false;
        self.cursor.peek();
        let start = self.cursor.position();
        self.message(message, 0)?;
        self.tally.end_record(self.cursor.position() - start, self.timed);
        Ok(())
    }

    fn message(&mut self, message: &'static Message, depth: u32) -> Result<Members, Fault> {
        self.cursor.begin_object("an object")?;
        let mut members = Members { known: 0, any: false };
        let mut has_value = false;
        let mut usual = message.fields;
        while let Some(member) = self.next_member(message, &mut usual, !members.any)? {
            members.any = true;
            let Some(field) = member else {
                self.cursor.skip_value()?;
                continue;
            };
            if members.known & bit(field.key) != 0 {
                return Err(Reason::DuplicateField { name: field.name }.into());
            }
            members.known |= bit(field.key);
            if self.cursor.null()? {
                continue;
            }
            if has_value && message.role == Role::Value {
                return Err(Reason::SeveralValues { name: field.name }.into());
            }
            has_value = true;
            self.field(field, message.role, depth)?;
        }
        Ok(members)
    }

    /// The next member's field, `Some(None)` for one that OTLP does not have, `None` at the end.
    ///
    /// Senders write fields in the schema's order and leave some out, so one of the next two in
    /// `usual` is compared as a whole before a name is read and looked up.
    #[inline]
    fn next_member(
        &mut self,
        message: &'static Message,
        usual: &mut &'static [Field],
        mut first: bool,
    ) -> Result<Option<Option<&'static Field>>, Fault> {
        for (position, field) in usual.iter().take(2).enumerate() {
            if self.cursor.next_name_is(field.announced, first) {
                *usual = &usual[position + 1..];
                return Ok(Some(Some(field)));
            }
        }
        let Some(name) = self.cursor.next_name(&mut first)? else { return Ok(None) };
        let position = message.named(name.decoded(&mut self.scratch));
        Ok(Some(position.map(|position| {
            *usual = &message.fields[position + 1..];
            &message.fields[position]
        })))
    }

    fn field(&mut self, field: &'static Field, role: Role, depth: u32) -> Result<(), Fault> {
        // Members of a oneof show which one is set, so they are written even when they are zero.
        let keep_zero = role == Role::Value;
        match field.kind {
            FieldType::Text => self.text(field.key, keep_zero),
            FieldType::Texts => self.texts(field.key),
            FieldType::Hex => self.hex(field),
            FieldType::Base64 => self.base64(field),
            FieldType::One(message) => self.one(field.key, message, depth),
            FieldType::Many(message) => self.many(field.key, message, depth).map(drop),
            FieldType::Attributes => {
                let found = self.many(field.key, &KEY_VALUE, depth)?;
                self.tally.attributes(found);
                Ok(())
            }
            FieldType::UnixNano => {
                let time: u64 = self.integer(field, "a time in nanoseconds since the epoch")?;
                self.timed |= time != 0;
                if time != 0 {
                    self.output.fixed64_field(field.key, time);
                }
                Ok(())
            }
            FieldType::Fixed32 => {
                let value: u32 = self.integer(field, "an unsigned 32-bit integer")?;
                if value != 0 {
                    self.output.fixed32_field(field.key, value);
                }
                Ok(())
            }
            FieldType::Double => {
                let value = self.double(field)?;
                self.output.fixed64_field(field.key, value.to_bits());
                Ok(())
            }
            FieldType::Bool | FieldType::Int32 | FieldType::Int64 | FieldType::Uint32 => {
                let value = self.varint(field)?;
                if keep_zero || value != 0 {
                    self.output.varint_field(field.key, value);
                }
                Ok(())
            }
        }
    }

    fn one(&mut self, key: Key, message: &'static Message, depth: u32) -> Result<(), Fault> {
        let open = self.output.open_container(key, self.expected_size(message.role));
        self.nested(message, depth)?;
        self.output.close(open);
        Ok(())
    }

    /// Returns their number.
    fn many(&mut self, key: Key, message: &'static Message, depth: u32) -> Result<u64, Fault> {
        self.cursor.begin_array("an array")?;
        let mut first = true;
        let mut found = 0;
        while self.cursor.next_element(&mut first)? {
            if message.role != Role::KeyValue || !pair::text_pair(key, &mut self.cursor, self.output) {
                self.one(key, message, depth)?;
            }
            found += 1;
        }
        Ok(found)
    }

    /// A guess at a message's size in protobuf: right about the width of its length most times.
    fn expected_size(&self, role: Role) -> usize {
        match role {
            // Names and punctuation, which protobuf does without, are half of OTLP JSON.
            Role::ResourceGroup | Role::Scope => self.cursor.remaining() / 2,
            Role::Record => 500,
            Role::Value | Role::List | Role::KeyValue | Role::Plain => 50,
        }
    }

    fn text(&mut self, key: Key, keep_empty: bool) -> Result<(), Fault> {
        let text = self.cursor.string("a string")?;
        if keep_empty || !text.raw.is_empty() {
            self.output.text_field(key, text);
        }
        Ok(())
    }

    fn texts(&mut self, key: Key) -> Result<(), Fault> {
        self.cursor.begin_array("an array of strings")?;
        let mut first = true;
        while self.cursor.next_element(&mut first)? {
            self.text(key, true)?;
        }
        Ok(())
    }

    fn hex(&mut self, field: &'static Field) -> Result<(), Fault> {
        let text = self.cursor.string("a string of hexadecimal digits")?;
        let digits = text.decoded(&mut self.scratch);
        if digits.is_empty() {
            return Ok(());
        }
        let open = self.output.open(field.key, digits.len() / 2);
        scalar::hex(digits, field, self.output.tail())?;
        self.output.close(open);
        Ok(())
    }

    fn base64(&mut self, field: &'static Field) -> Result<(), Fault> {
        let text = self.cursor.string("a string in base64")?;
        let encoded = text.decoded(&mut self.scratch);
        let open = self.output.open(field.key, encoded.len() / 4 * 3);
        scalar::base64(encoded, field, self.output.tail())?;
        self.output.close(open);
        Ok(())
    }

    /// A boolean or an integer of at most 64 bits, as a varint carries it.
    fn varint(&mut self, field: &'static Field) -> Result<u64, Fault> {
        Ok(match field.kind {
            FieldType::Bool => u64::from(self.cursor.boolean()?),
            FieldType::Uint32 => u64::from(self.integer::<u32>(field, "an unsigned 32-bit integer")?),
            FieldType::Int32 if field.key == log_record::SEVERITY_NUMBER => {
                // OTLP allows no names and no strings for enumerations.
                let number = self.cursor.number("a number")?;
                let number: i32 = scalar::integer(number.text, field, "a severity number")?;
                i64::from(number).cast_unsigned()
            }
            FieldType::Int32 => i64::from(self.integer::<i32>(field, "a 32-bit integer")?).cast_unsigned(),
            _ => self.integer::<i64>(field, "a 64-bit integer")?.cast_unsigned(),
        })
    }

    fn integer<T: TryFrom<i128>>(
        &mut self,
        field: &'static Field,
        expected: &'static str,
    ) -> Result<T, Fault> {
        let text = self.number_or_string("an integer or a string of digits")?;
        scalar::integer(text, field, expected)
    }

    fn double(&mut self, field: &'static Field) -> Result<f64, Fault> {
        let text = self.number_or_string("a number or a string")?;
        scalar::double(text, field)
    }

    /// The characters of a number, which may be in a string.
    fn number_or_string(&mut self, expected: &'static str) -> Result<&str, Fault> {
        if self.cursor.peek() != Some(b'"') {
            return Ok(self.cursor.number(expected)?.text);
        }
        let text = self.cursor.string(expected)?;
        Ok(std::str::from_utf8(text.decoded(&mut self.scratch)).unwrap_or_default())
    }
}

fn bit(key: Key) -> u32 {
    1 << (key >> 3)
}

//! OTLP JSON to protobuf in one pass, driven by the schema's tables (OTLP specification, JSON
//! Protobuf Encoding; ProtoJSON where that is silent).
//!
//! Field names are lowerCamelCase or as in the `.proto` files; unknown ones are ignored. `null` means
//! absent. Trace and span ids are hexadecimal, other bytes base64 in either alphabet with or without
//! padding. Integers are numbers or strings of digits; enumerations are numbers only. What a
//! protobuf sender would have left out because it is zero is left out here too.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use memchr::memchr2;

use super::json::Cursor;
use super::output::Output;
use super::rejection::{Reason, Rejection};
use super::schema::{Field, KEY_VALUE, Key, Kind, Message, REQUEST, Role, log_record, request};
use super::tally::{Counted, Tally};

const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// Transcodes the request at the cursor, which stands before an object.
pub(super) fn transcode(
    cursor: Cursor<'_>,
    output: &mut Output,
    mut tally: Tally<'_>,
) -> Result<Counted, Rejection> {
    let mut transcoder = Transcoder { cursor, output, tally: &mut tally, scratch: Vec::new(), timed: false };
    if let Err(reason) = transcoder.request() {
        return Err(tally.malformed(reason));
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
    fn request(&mut self) -> Result<(), Reason> {
        let members = self.message(&REQUEST, 0)?;
        self.cursor.end()?;
        if members.any && members.known & bit(request::RESOURCE_LOGS) == 0 {
            return Err(Reason::NoResourceLogs);
        }
        Ok(())
    }

    /// One message, with what its role asks for.
    fn nested(&mut self, message: &'static Message, depth: u32) -> Result<(), Reason> {
        let depth = match message.role {
            Role::Value => self.tally.deeper(depth)?,
            Role::Record => return self.record(message),
            Role::ResourceGroup => {
                self.tally.resource_group();
                depth
            }
            Role::Scope => {
                self.tally.scope();
                depth
            }
            Role::KeyValue | Role::Plain => depth,
        };
        self.message(message, depth).map(drop)
    }

    fn record(&mut self, message: &'static Message) -> Result<(), Reason> {
        self.tally.begin_record();
        self.timed = false;
        self.cursor.peek();
        let start = self.cursor.position();
        self.message(message, 0)?;
        self.tally.end_record(self.cursor.position() - start, self.timed);
        Ok(())
    }

    fn message(&mut self, message: &'static Message, depth: u32) -> Result<Members, Reason> {
        self.cursor.begin_object("an object")?;
        let mut members = Members { known: 0, any: false };
        let mut has_value = false;
        let mut first = true;
        while let Some(name) = self.cursor.next_name(&mut first)? {
            members.any = true;
            let Some(field) = message.named(name.decoded(&mut self.scratch)) else {
                self.cursor.skip_value()?;
                continue;
            };
            if members.known & bit(field.key) != 0 {
                return Err(Reason::DuplicateField { name: field.name });
            }
            members.known |= bit(field.key);
            if self.cursor.null()? {
                continue;
            }
            if has_value && message.role == Role::Value {
                return Err(Reason::SeveralValues { name: field.name });
            }
            has_value = true;
            self.field(field, message.role, depth)?;
        }
        Ok(members)
    }

    fn field(&mut self, field: &'static Field, role: Role, depth: u32) -> Result<(), Reason> {
        // Members of a oneof say which one is set, so they are written even when they are zero.
        let keep_zero = role == Role::Value;
        match field.kind {
            Kind::Text => self.text(field.key, keep_zero),
            Kind::Texts => self.texts(field.key),
            Kind::Hex => self.hex(field),
            Kind::Base64 => self.base64(field),
            Kind::One(message) => self.one(field.key, message, depth),
            Kind::Many(message) => self.many(field.key, message, depth).map(drop),
            Kind::Attributes => {
                let found = self.many(field.key, &KEY_VALUE, depth)?;
                self.tally.attributes(found);
                Ok(())
            }
            Kind::UnixNano => {
                let time: u64 = self.integer(field, "a time in nanoseconds since the epoch")?;
                self.timed |= time != 0;
                if time != 0 {
                    self.output.fixed64_field(field.key, time);
                }
                Ok(())
            }
            Kind::Fixed32 => {
                let value: u32 = self.integer(field, "an unsigned 32-bit integer")?;
                if value != 0 {
                    self.output.fixed32_field(field.key, value);
                }
                Ok(())
            }
            Kind::Double => {
                let value = self.double(field)?;
                self.output.fixed64_field(field.key, value.to_bits());
                Ok(())
            }
            Kind::Bool | Kind::Int32 | Kind::Int64 | Kind::Uint32 => {
                let value = self.varint(field)?;
                if keep_zero || value != 0 {
                    self.output.varint_field(field.key, value);
                }
                Ok(())
            }
        }
    }

    fn one(&mut self, key: Key, message: &'static Message, depth: u32) -> Result<(), Reason> {
        let open = self.output.open(key, self.expected_size(message.role));
        self.nested(message, depth)?;
        self.output.close(open);
        Ok(())
    }

    /// Returns how many there were.
    fn many(&mut self, key: Key, message: &'static Message, depth: u32) -> Result<u64, Reason> {
        self.cursor.begin_array("an array")?;
        let mut first = true;
        let mut found = 0;
        while self.cursor.next_element(&mut first)? {
            self.one(key, message, depth)?;
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
            Role::Value | Role::KeyValue | Role::Plain => 50,
        }
    }

    fn text(&mut self, key: Key, keep_empty: bool) -> Result<(), Reason> {
        let text = self.cursor.string("a string")?;
        if keep_empty || !text.raw.is_empty() {
            self.output.text_field(key, text);
        }
        Ok(())
    }

    fn texts(&mut self, key: Key) -> Result<(), Reason> {
        self.cursor.begin_array("an array of strings")?;
        let mut first = true;
        while self.cursor.next_element(&mut first)? {
            self.text(key, true)?;
        }
        Ok(())
    }

    fn hex(&mut self, field: &'static Field) -> Result<(), Reason> {
        let text = self.cursor.string("a string of hexadecimal digits")?;
        let digits = text.decoded(&mut self.scratch);
        let (pairs, odd) = digits.as_chunks::<2>();
        let refused = Reason::FieldValue { name: field.name, expected: "pairs of hexadecimal digits" };
        if !odd.is_empty() {
            return Err(refused);
        }
        if pairs.is_empty() {
            return Ok(());
        }
        self.output.varint(u64::from(field.key));
        self.output.varint(pairs.len() as u64);
        for [high, low] in pairs {
            let byte = hex_digit(*high).zip(hex_digit(*low)).map(|(high, low)| high << 4 | low);
            self.output.tail().push(byte.ok_or(refused)?);
        }
        Ok(())
    }

    fn base64(&mut self, field: &'static Field) -> Result<(), Reason> {
        let text = self.cursor.string("a string in base64")?;
        let encoded = text.decoded(&mut self.scratch);
        let engine = if memchr2(b'-', b'_', encoded).is_some() { &URL_SAFE } else { &STANDARD };
        let open = self.output.open(field.key, encoded.len() / 4 * 3);
        let decoded = engine.decode_vec(encoded, self.output.tail());
        decoded.map_err(|_| Reason::FieldValue { name: field.name, expected: "base64" })?;
        self.output.close(open);
        Ok(())
    }

    /// A boolean or an integer of at most 64 bits, as a varint carries it.
    fn varint(&mut self, field: &'static Field) -> Result<u64, Reason> {
        Ok(match field.kind {
            Kind::Bool => u64::from(self.cursor.boolean()?),
            Kind::Uint32 => self.integer::<u32>(field, "an unsigned 32-bit integer")?.into(),
            Kind::Int32 if field.key == log_record::SEVERITY_NUMBER => {
                // OTLP allows no names and no strings for enumerations.
                let number = self.cursor.number("a number")?;
                i64::from(parsed_integer::<i32>(number.text, field, "a severity number")?).cast_unsigned()
            }
            Kind::Int32 => i64::from(self.integer::<i32>(field, "a 32-bit integer")?).cast_unsigned(),
            _ => self.integer::<i64>(field, "a 64-bit integer")?.cast_unsigned(),
        })
    }

    /// An integer, as a number or as a string.
    fn integer<T: TryFrom<i128>>(
        &mut self,
        field: &'static Field,
        expected: &'static str,
    ) -> Result<T, Reason> {
        if self.cursor.peek() != Some(b'"') {
            let number = self.cursor.number("an integer or a string of digits")?;
            return parsed_integer(number.text, field, expected);
        }
        let text = self.cursor.string("a string of digits")?;
        let digits = std::str::from_utf8(text.decoded(&mut self.scratch)).unwrap_or_default();
        parsed_integer(digits, field, expected)
    }

    /// A double, as a number, a string of one, or one of the three names ProtoJSON has.
    fn double(&mut self, field: &'static Field) -> Result<f64, Reason> {
        let refused = Reason::FieldValue { name: field.name, expected: "a 64-bit floating point number" };
        let text = if self.cursor.peek() == Some(b'"') {
            let text = self.cursor.string("a number or a string")?;
            std::str::from_utf8(text.decoded(&mut self.scratch)).unwrap_or_default()
        } else {
            self.cursor.number("a number or a string")?.text
        };
        match text {
            "NaN" => return Ok(f64::NAN),
            "Infinity" => return Ok(f64::INFINITY),
            "-Infinity" => return Ok(f64::NEG_INFINITY),
            _ => {}
        }
        let value: f64 = text.parse().map_err(|_| refused)?;
        if value.is_finite() { Ok(value) } else { Err(refused) }
    }
}

fn bit(key: Key) -> u32 {
    1 << (key >> 3)
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// ProtoJSON also allows an integer to be written with a fraction of zero or an exponent.
fn parsed_integer<T: TryFrom<i128>>(
    text: &str,
    field: &'static Field,
    expected: &'static str,
) -> Result<T, Reason> {
    let value = match text.parse::<i64>() {
        Ok(value) => Some(i128::from(value)),
        Err(_) => text.parse::<i128>().ok().or_else(|| whole(text)),
    };
    let value = value.and_then(|value| T::try_from(value).ok());
    value.ok_or(Reason::FieldValue { name: field.name, expected })
}

#[cold]
fn whole(text: &str) -> Option<i128> {
    let value: f64 = text.parse().ok()?;
    // Above 2^64 no field has room; below it the conversion is exact.
    (value.fract() == 0.0 && value.abs() <= 18_446_744_073_709_551_616.0).then_some(value as i128)
}

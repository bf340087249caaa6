//! Masking of secrets in a valid batch, in place (specification, Infrastructure log ingestion). What
//! a secret is, is `redact`'s business; here is only the walk to every text that may hold one.
//!
//! Nothing changes its length, so no length prefix and no offset moves and the payload stays the
//! protobuf that `validate` accepted. Texts and bytes are masked byte by byte. A number under a
//! sensitive key becomes zero: a double by its bytes, an integer as a varint of the same width, which
//! is longer than it need be and which every parser reads. Booleans are left: there is nothing to
//! learn from `password_changed: true` that masking would protect.

mod names;

use redact::{Match, Redactor};

use self::names::Names;
use crate::validate::schema::{FIXED64, KEY_VALUE, Key, Kind, LENGTH, Message, REQUEST, Role, key_value};
use crate::validate::wire::Fields;

/// What was done to a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of places that were masked.
    pub masked: u32,
}

/// Masks every secret in `payload`, a batch that `validate` has accepted.
pub fn sanitize(redactor: &Redactor, payload: &mut [u8]) -> Report {
    let mut sanitizer =
        Sanitizer { redactor, names: Names::new(), matches: Vec::new(), report: Report::default() };
    sanitizer.message(payload, &REQUEST, Treatment::Scan);
    sanitizer.report
}

/// What the key above a value asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    /// Look for secrets.
    Scan,
    /// The value is a secret as a whole, and so is everything below it.
    Mask,
    /// Detection groups by this value.
    Leave,
}

struct Sanitizer<'r> {
    redactor: &'r Redactor,
    names: Names,
    /// Reused from text to text.
    matches: Vec<Match>,
    report: Report,
}

impl Sanitizer<'_> {
    fn message(&mut self, bytes: &mut [u8], message: &'static Message, treatment: Treatment) {
        let treatment = match message.role {
            Role::KeyValue => self.name(bytes, treatment),
            _ => treatment,
        };
        let mut at = 0;
        while let Some(span) = Span::next(bytes, at) {
            at = span.end;
            if let Some(content) = bytes.get_mut(span.start..span.end) {
                self.field(content, message, span.key, treatment);
            }
        }
    }

    /// Masks what is secret in a pair's name and returns the treatment of its value. A name given
    /// twice, or after its value, counts as well.
    fn name(&mut self, pair: &mut [u8], inherited: Treatment) -> Treatment {
        let mut treatment = inherited;
        if treatment == Treatment::Leave {
            treatment = Treatment::Scan;
        }
        let mut at = 0;
        while let Some(span) = Span::next(pair, at) {
            at = span.end;
            if span.key != key_value::KEY {
                continue;
            }
            let name = pair.get_mut(span.start..span.end).unwrap_or_default();
            let verdict = self.names.judge(self.redactor, name, &mut self.matches);
            if !verdict.clean {
                self.scan(name);
            }
            if treatment != Treatment::Mask && verdict.treatment != Treatment::Scan {
                treatment = verdict.treatment;
            }
        }
        treatment
    }

    fn field(&mut self, content: &mut [u8], message: &'static Message, key: Key, treatment: Treatment) {
        let Some(field) = message.field(key >> 3) else {
            // What a later version of OTLP keeps here we cannot know, but it may be text.
            if key & 7 == LENGTH {
                self.scan(content);
            }
            return;
        };
        match field.kind {
            Kind::One(inner) | Kind::Many(inner) => self.message(content, inner, treatment),
            Kind::Attributes => self.message(content, &KEY_VALUE, treatment),
            // A pair's name has been looked at before its fields.
            Kind::Text if message.role == Role::KeyValue => {}
            Kind::Text | Kind::Texts | Kind::Base64 => match treatment {
                Treatment::Scan => self.scan(content),
                Treatment::Mask => self.mask(content),
                Treatment::Leave => {}
            },
            Kind::Int64 | Kind::Double if treatment == Treatment::Mask => self.zero(content, key),
            _ => {}
        }
    }

    fn scan(&mut self, text: &mut [u8]) {
        let masked = self.redactor.redact_in_place(text, &mut self.matches);
        self.count(masked);
    }

    fn mask(&mut self, text: &mut [u8]) {
        if !text.is_empty() {
            self.redactor.mask_value(text);
            self.count(1);
        }
    }

    fn zero(&mut self, number: &mut [u8], key: Key) {
        number.fill(0);
        if key & 7 != FIXED64
            && let Some((_last, others)) = number.split_last_mut()
        {
            // The mark of a varint that goes on.
            others.fill(0x80);
        }
        self.count(1);
    }

    fn count(&mut self, masked: usize) {
        let masked = u32::try_from(masked).unwrap_or(u32::MAX);
        self.report.masked = self.report.masked.saturating_add(masked);
    }
}

/// Where one field's value lies in its message.
struct Span {
    key: Key,
    start: usize,
    end: usize,
}

impl Span {
    /// The field that begins at `at`; `None` at the end. The payload is valid, so nothing else ends
    /// the walk.
    fn next(message: &[u8], at: usize) -> Option<Self> {
        let mut fields = Fields::of(message.get(at..)?);
        let key = fields.next_key().ok()??;
        let mut start = message.len() - fields.remaining();
        let length = if key & 7 == LENGTH { Some(fields.bytes().ok()?.len()) } else { None };
        if length.is_none() {
            fields.skip(key).ok()?;
        }
        let end = message.len() - fields.remaining();
        if let Some(length) = length {
            start = end - length;
        }
        Some(Self { key, start, end })
    }
}

#[cfg(test)]
mod tests;

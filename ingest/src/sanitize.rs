//! Masking of secrets in a valid batch, in place (specification, Infrastructure log ingestion). What
//! a secret is, is `redact`'s business; here is only the walk to every text that may hold one.
//!
//! The payload is scanned once, as one run of bytes; the walk then goes only where the scan has named
//! a candidate, and passes over whole records where there is none. What lies between the texts may make
//! a candidate of nothing, which costs a closer look, but hides none: every text lies in the payload as
//! it would lie alone.
//!
//! Nothing changes its length, so no length prefix and no offset moves and the payload stays the
//! protobuf that `validate` accepted. Texts and bytes are masked byte by byte. A number under a
//! sensitive key becomes zero: a double by its bytes, an integer as a varint of the same width, which
//! is longer than it need be and which every parser reads. Booleans are left: there is nothing to
//! learn from `password_changed: true` that masking would protect.

mod names;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redact::{Candidates, Match, Redactor};

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
    Workspace::default().sanitize(redactor, payload)
}

/// Masks batches for one redactor, in memory that is used again: how names were judged is remembered from
/// batch to batch.
pub struct Sanitizer {
    redactor: Arc<Redactor>,
    workspaces: Mutex<Vec<Workspace>>,
}

/// Workspaces that are kept: more than there are threads that sanitize at a time on most machines. Each
/// remembers a few kilobytes of names and a 256th of the largest batch it has seen.
const MOST_WORKSPACES: usize = 16;

impl Sanitizer {
    /// Masks what `redactor` finds.
    #[must_use]
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self { redactor, workspaces: Mutex::new(Vec::with_capacity(MOST_WORKSPACES)) }
    }

    /// As [`sanitize`].
    pub fn sanitize(&self, payload: &mut [u8]) -> Report {
        let mut workspace = self.workspaces().pop().unwrap_or_default();
        let report = workspace.sanitize(&self.redactor, payload);
        workspace.forget_excess();
        let mut workspaces = self.workspaces();
        if workspaces.len() < MOST_WORKSPACES {
            workspaces.push(workspace);
        }
        report
    }

    /// Nothing that happens while it is locked can leave it half done, so poison does not matter.
    fn workspaces(&self) -> MutexGuard<'_, Vec<Workspace>> {
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Sanitizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sanitizer(..)")
    }
}

/// Memory to work in, for one redactor.
#[derive(Default)]
struct Workspace {
    candidates: Candidates,
    names: Names,
    matches: Vec<Match>,
}

/// Room for matches that is kept; few texts hold more.
const MOST_MATCHES_KEPT: usize = 1024;

impl Workspace {
    fn sanitize(&mut self, redactor: &Redactor, payload: &mut [u8]) -> Report {
        let Self { candidates, names, matches } = self;
        redactor.candidates(payload, candidates);
        let mut walk = Walk { redactor, candidates, names, matches, report: Report::default() };
        let whole = 0..payload.len();
        walk.message(payload, whole, &REQUEST, Treatment::Scan);
        walk.report
    }

    /// Gives back what a text made of secrets has left.
    fn forget_excess(&mut self) {
        self.matches.clear();
        self.matches.shrink_to(MOST_MATCHES_KEPT);
    }
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

/// The walk through one batch.
struct Walk<'s> {
    redactor: &'s Redactor,
    /// Where in the payload there may be anything to do.
    candidates: &'s Candidates,
    names: &'s mut Names,
    /// Reused from text to text.
    matches: &'s mut Vec<Match>,
    report: Report,
}

impl Walk<'_> {
    fn message(
        &mut self,
        payload: &mut [u8],
        place: Range<usize>,
        message: &'static Message,
        treatment: Treatment,
    ) {
        let treatment = match message.role {
            Role::KeyValue => self.name(payload, &place, treatment),
            _ => treatment,
        };
        let mut at = place.start;
        while let Some(span) = payload.get(..place.end).and_then(|payload| Span::next(payload, at)) {
            at = span.place.end;
            if treatment == Treatment::Mask || self.candidates.may_hold_anything(&span.place) {
                self.field(payload, span, message, treatment);
            }
        }
    }

    /// Masks what is secret in a pair's name and returns the treatment of its value. A name given
    /// twice, or after its value, counts as well.
    fn name(&mut self, payload: &mut [u8], pair: &Range<usize>, inherited: Treatment) -> Treatment {
        let mut treatment = inherited;
        if treatment == Treatment::Leave {
            treatment = Treatment::Scan;
        }
        let mut at = pair.start;
        while let Some(span) = payload.get(..pair.end).and_then(|payload| Span::next(payload, at)) {
            at = span.place.end;
            if span.key != key_value::KEY {
                continue;
            }
            let name = payload.get(span.place.clone()).unwrap_or_default();
            let verdict = self.names.judge(self.redactor, name);
            self.scan(payload, span.place);
            if treatment != Treatment::Mask && verdict != Treatment::Scan {
                treatment = verdict;
            }
        }
        treatment
    }

    fn field(&mut self, payload: &mut [u8], span: Span, message: &'static Message, treatment: Treatment) {
        let Span { key, place } = span;
        let Some(field) = message.field(key >> 3) else {
            // What a later version of OTLP keeps here we cannot know, but it may be text.
            if key & 7 == LENGTH {
                self.scan(payload, place);
            }
            return;
        };
        match field.kind {
            Kind::One(inner) | Kind::Many(inner) => self.message(payload, place, inner, treatment),
            Kind::Attributes => self.message(payload, place, &KEY_VALUE, treatment),
            // A pair's name has been looked at before its fields.
            Kind::Text if message.role == Role::KeyValue => {}
            Kind::Text | Kind::Texts | Kind::Base64 => match treatment {
                Treatment::Scan => self.scan(payload, place),
                Treatment::Mask => self.mask(payload, place),
                Treatment::Leave => {}
            },
            Kind::Int64 | Kind::Double if treatment == Treatment::Mask => self.zero(payload, place, key),
            _ => {}
        }
    }

    /// Masks what is secret in a text.
    fn scan(&mut self, payload: &mut [u8], place: Range<usize>) {
        if !self.candidates.may_match(&place) {
            return;
        }
        let Some(text) = payload.get_mut(place) else { return };
        let masked = self.redactor.redact_in_place(text, self.matches);
        self.count(masked);
    }

    fn mask(&mut self, payload: &mut [u8], place: Range<usize>) {
        let Some(text) = payload.get_mut(place).filter(|text| !text.is_empty()) else { return };
        self.redactor.mask_value(text);
        self.count(1);
    }

    fn zero(&mut self, payload: &mut [u8], place: Range<usize>, key: Key) {
        let Some(number) = payload.get_mut(place) else { return };
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

/// Where one field's value lies in the payload.
struct Span {
    key: Key,
    place: Range<usize>,
}

impl Span {
    /// The field that begins at `at` in a message that ends where `payload` does; `None` at the end. The
    /// payload is valid, so nothing else ends the walk.
    #[inline]
    fn next(payload: &[u8], at: usize) -> Option<Self> {
        let mut fields = Fields::of(payload.get(at..)?);
        let key = fields.next_key().ok()??;
        let mut start = payload.len() - fields.remaining();
        let length = if key & 7 == LENGTH { Some(fields.bytes().ok()?.len()) } else { None };
        if length.is_none() {
            fields.skip(key).ok()?;
        }
        let end = payload.len() - fields.remaining();
        if let Some(length) = length {
            start = end - length;
        }
        Some(Self { key, place: start..end })
    }
}

#[cfg(test)]
mod tests;

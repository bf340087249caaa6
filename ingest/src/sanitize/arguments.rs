//! Arguments of commands in arrays: `["mysql","-pS3cret1"]`, `["--password","S3cret1"]`. The meaning of an element
//! depends on others, so the elements are written into one text as in JSON, which the redactor reads as any other
//! command line; its findings are masked in the elements.

use std::ops::Range;

use redact::{EntityType, Match, Redactor};

use super::bare::plain;
use super::span::Span;
use crate::validate::schema::{Key, any_value, array_value};

/// The most elements in one text: as many arguments as the redactor reads of a command.
const MOST_ELEMENTS: usize = 64;
/// The most bytes in one text, but for the last element.
const MOST_BYTES: usize = 16 * 1024;
/// Bytes of an element that are written. A secret up to there is taken to extend to the element's end.
const MOST_OF_ELEMENT: usize = 1024;
/// Types for which one element may determine another: the types of arguments, and the keys behind access key ids of AWS.
const ENTITIES: [EntityType; 3] = [EntityType::Password, EntityType::Secret, EntityType::ApiKey];

/// A stretch of an array as one text.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    text: Vec<u8>,
    elements: Vec<Element>,
    matches: Vec<Match>,
}

/// One element of the array.
#[derive(Clone, Debug)]
struct Element {
    /// Its position in the text, without its quotes.
    written: Range<usize>,
    /// Position of its value in the payload, and its key of `AnyValue`.
    place: Range<usize>,
    key: Key,
}

/// The secret part of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Secret {
    /// These bytes of the payload.
    Text(Range<usize>, EntityType),
    /// The number at this position, under this key.
    Number(Range<usize>, Key),
}

impl Arguments {
    /// Writes the elements of the array that ends with `array`, from the one that begins there on. Returns their
    /// positions in the payload and the start of the next stretch, which has the last element of this one once
    /// more: it may be an option. `None` where less than two elements are left.
    pub(super) fn write(
        &mut self,
        payload: &[u8],
        array: Range<usize>,
    ) -> Option<(Range<usize>, Option<usize>)> {
        self.text.clear();
        self.elements.clear();
        let (mut at, mut last) = (array.start, array.start);
        while self.elements.len() < MOST_ELEMENTS && self.text.len() < MOST_BYTES {
            let Some(span) = payload.get(..array.end).and_then(|payload| Span::next(payload, at)) else {
                break;
            };
            last = at;
            at = span.place.end;
            if span.key == array_value::VALUES {
                self.push(payload, span.place);
            }
        }
        let next = (at < array.end && last > array.start).then_some(last);
        (self.elements.len() > 1).then_some((array.start..at, next))
    }

    fn push(&mut self, payload: &[u8], value: Range<usize>) {
        let end = value.end;
        let Span { key, place } =
            Span::all(payload, value).last().unwrap_or(Span { key: any_value::BOOL_VALUE, place: end..end });
        if !self.text.is_empty() {
            self.text.push(b',');
        }
        self.text.push(b'"');
        let start = self.text.len();
        match key {
            any_value::STRING_VALUE | any_value::BYTES_VALUE => {
                let bytes = payload.get(place.clone()).unwrap_or_default();
                self.text.extend(bytes.iter().take(MOST_OF_ELEMENT).map(|byte| plain(*byte)));
            }
            any_value::INT_VALUE | any_value::DOUBLE_VALUE => self.text.push(b'0'),
            // Lists and the like are no arguments.
            _ => {}
        }
        self.elements.push(Element { written: start..self.text.len(), place, key });
        self.text.push(b'"');
    }

    /// Calls `found` for the secrets in the elements that were written.
    pub(super) fn find(&mut self, redactor: &Redactor, mut found: impl FnMut(Secret)) {
        let Self { text, elements, matches } = self;
        redactor.find_only(text, &ENTITIES, matches);
        let mut elements = elements.iter().peekable();
        for one in matches.iter() {
            // Matches are in order, and so are the elements.
            while elements.next_if(|element| element.written.end <= one.start).is_some() {}
            let within = elements.clone().take_while(|element| element.written.start < one.end);
            within.filter_map(|element| element.secret(text, one)).for_each(&mut found);
        }
    }
}

impl Element {
    /// The part of a match in `text` that is in this element.
    fn secret(&self, text: &[u8], one: &Match) -> Option<Secret> {
        let Self { written, place, key } = self;
        let (start, end) = (one.start.max(written.start), one.end.min(written.end));
        let hidden = text.get(start..end)?;
        // Text masked by the search in the element alone does not read the same here.
        if hidden.is_empty() || is_masked_in_part(hidden) {
            return None;
        }
        if matches!(*key, any_value::INT_VALUE | any_value::DOUBLE_VALUE) {
            return Some(Secret::Number(place.clone(), *key));
        }
        let begin = place.start + (start - written.start);
        let end = if end == written.end { place.end } else { place.start + (end - written.start) };
        Some(Secret::Text(begin..end, one.entity))
    }
}

fn is_masked_in_part(text: &[u8]) -> bool {
    [&b"***"[..], b"_REDACTED>"].iter().any(|mask| memchr::memmem::find(text, mask).is_some())
}

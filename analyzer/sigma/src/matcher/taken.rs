//! Values that were read from an event, and their texts with ASCII letters in lower case, one behind the other. Their places in
//! the event are in `lookup`.
//!
//! Fields that were read from a line borrow from it. A text in the memory of the longest one of the event is neither copied nor
//! put into lower case again, nor searched for literals that were not found in that one.

use std::fmt::Write as _;
use std::ops::Range;

use crate::event::{Event, Value};

/// Most of a buffer that is kept after an event that needed more, bytes or entries: few events do.
const MOST_KEPT: usize = 1 << 18;

/// The values of an event for a field.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// Whether the field is there, be it null.
    pub(crate) present: bool,
    start: u32,
    end: u32,
}

/// A value of a field: no array, no null.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading<'l, 'e> {
    pub(crate) value: &'e Value<'e>,
    /// Its text, ASCII letters in lower case; none for a map.
    pub(crate) folded: Option<&'l str>,
}

/// The values of one event.
#[derive(Debug, Default)]
pub(super) struct Taken<'e> {
    values: Vec<TakenValue<'e>>,
    texts: Texts,
}

/// A value, and the place of its text.
#[derive(Clone, Copy, Debug)]
struct TakenValue<'e> {
    value: &'e Value<'e>,
    text: Option<(u32, u32)>,
}

#[derive(Debug, Default)]
struct Texts {
    /// In lower case.
    folded: String,
    /// The longest of them, once those of all values of the event were joined.
    longest: Option<Longest>,
}

/// Place of a text in memory, and in lower case.
#[derive(Clone, Copy, Debug)]
struct Longest {
    address: usize,
    length: usize,
    start: usize,
}

impl Found {
    /// Whether there is no value but nulls.
    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// A field without a value.
    pub(super) fn nothing(present: bool) -> Self {
        Self { present, ..Self::default() }
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl<'e> Taken<'e> {
    /// Takes the values of a field, and leaves none behind.
    pub(super) fn take(&mut self, gathered: &mut Vec<&'e Value<'e>>, present: bool) -> Found {
        let (start, unfolded) = (self.values.len(), self.texts.folded.len());
        for value in gathered.drain(..) {
            let text = self.texts.place_of(value);
            self.values.push(TakenValue { value, text });
        }
        self.texts.fold(unfolded);
        Found { present, start: place(start), end: place(self.values.len()) }
    }

    /// Takes a single value of a field: no array, no null.
    pub(super) fn take_one(&mut self, value: &'e Value<'e>) -> Found {
        let (start, unfolded) = (self.values.len(), self.texts.folded.len());
        let text = self.texts.place_of(value);
        self.values.push(TakenValue { value, text });
        self.texts.fold(unfolded);
        Found { present: true, start: place(start), end: place(start + 1) }
    }

    /// Joins the texts of all values of the event: returns their range, but for those that are a part of the longest one, and
    /// for numbers unless they are wanted `with_numbers`.
    pub(super) fn join(&mut self, event: &'e Event<'e>, with_numbers: bool) -> Range<usize> {
        let unfolded = self.texts.folded.len();
        let mut longest = "";
        event.each_value(&mut |value| {
            if let Some(text) = value.as_str().filter(|text| text.len() > longest.len()) {
                longest = text;
            }
        });
        self.texts.folded.push_str(longest);
        let (address, length) = (longest.as_ptr().addr(), longest.len());
        self.texts.longest = (length > 0).then_some(Longest { address, length, start: unfolded });
        event.each_value(&mut |value| {
            if with_numbers || !matches!(value, Value::Int(_) | Value::Double(_)) {
                self.texts.place_of(value);
            }
        });
        self.texts.fold(unfolded);
        unfolded..self.texts.folded.len()
    }

    /// The values of a lookup result.
    pub(super) fn readings(&self, found: Found) -> impl Iterator<Item = Reading<'_, 'e>> + Clone {
        self.values.get(found.range()).unwrap_or(&[]).iter().map(|kept| {
            let text = kept.text.map(|(start, end)| start as usize..end as usize);
            Reading { value: kept.value, folded: text.and_then(|text| self.texts.folded.get(text)) }
        })
    }

    /// Texts one directly behind the other, at the range returned by [`Taken::join`].
    pub(super) fn texts(&self, lie: Range<usize>) -> &str {
        self.texts.folded.get(lie).unwrap_or("")
    }

    /// The same room with nothing in it, which may then be of another event.
    pub(super) fn emptied<'other>(mut self) -> Taken<'other> {
        self.texts.longest = None;
        self.texts.folded.clear();
        if self.texts.folded.capacity() > MOST_KEPT {
            self.texts.folded = String::new();
        }
        Taken { values: reused(self.values), texts: self.texts }
    }
}

impl Texts {
    /// Place of the text of a value, which may be at the end of others now. Other values are written in the form that is
    /// compared.
    fn place_of(&mut self, value: &Value<'_>) -> Option<(u32, u32)> {
        if let Value::String(text) = value
            && let Some(start) = self.longest.and_then(|longest| longest.place_of(text))
        {
            return Some((place(start), place(start + text.len())));
        }
        let start = self.folded.len();
        match value {
            Value::String(text) => self.folded.push_str(text),
            Value::Bool(value) => self.folded.push_str(if *value { "true" } else { "false" }),
            Value::Int(value) => push_decimal(*value, &mut self.folded),
            // Writing to a string cannot fail.
            Value::Double(value) => drop(write!(self.folded, "{value}")),
            Value::Null | Value::Array(_) | Value::Map(_) => return None,
        }
        Some((place(start), place(self.folded.len())))
    }

    /// All at once: a loop over each short text costs more than one over their sum.
    fn fold(&mut self, from: usize) {
        if let Some(texts) = self.folded.get_mut(from..) {
            texts.make_ascii_lowercase();
        }
    }
}

impl Longest {
    /// Place in lower case of a text that is a part of this one, in the same memory.
    fn place_of(self, text: &str) -> Option<usize> {
        let at = text.as_ptr().addr().checked_sub(self.address)?;
        (at.checked_add(text.len())? <= self.length).then_some(self.start + at)
    }
}

/// The allocation of a vector whose items are dropped: collecting its own iterator into items of the same size happens in
/// place.
pub(super) fn reused<A, B>(mut items: Vec<A>) -> Vec<B> {
    items.clear();
    if items.capacity() > MOST_KEPT {
        items = Vec::new();
    }
    items.into_iter().filter_map(|_| None).collect()
}

/// Writes a number in decimal, without the detour of a formatter: events are full of numbers.
fn push_decimal(value: i64, text: &mut String) {
    let mut digits = [b'0'; 20];
    let mut start = digits.len();
    let mut left = value.unsigned_abs();
    while left > 0 || start == digits.len() {
        start -= 1;
        digits[start] = b'0' + (left % 10) as u8;
        left /= 10;
    }
    if value < 0 {
        text.push('-');
    }
    // Digits are ASCII.
    text.push_str(str::from_utf8(&digits[start..]).unwrap_or_default());
}

/// Events are megabytes at most: a text beyond that is not found.
pub(super) fn place(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_written_as_they_are_compared() {
        for value in [0, 7, -7, 10, 4_625, i64::MAX, i64::MIN] {
            let mut text = "a".to_owned();
            push_decimal(value, &mut text);
            assert_eq!(text, format!("a{value}"));
        }
    }

    proptest! {
        /// Any borrowing, in any order of first use.
        #[test]
        fn texts_are_those_of_their_values(
            line in "[aB é]{0,12}",
            parts in prop::collection::vec((0_usize..13, 0_usize..13, any::<bool>()), 0..6),
            joined_first: bool,
            with_numbers: bool,
        ) {
            let part = |(from, to, is_owned): &(usize, usize, bool)| {
                let text = line.get(*from..*to).unwrap_or("");
                Value::String(if *is_owned { Cow::Owned(text.to_owned()) } else { Cow::Borrowed(text) })
            };
            let mut values: Vec<Value<'_>> = parts.iter().map(part).collect();
            values.extend([Value::Int(-3), Value::String(Cow::Borrowed(&line)), Value::Map(Vec::new())]);
            let fields = values.iter().map(|value| ("".into(), value.clone())).collect();
            let event = Event { fields, ..Event::default() };
            let (mut taken, mut joined) = (Taken::default(), None);
            for is_first in [true, false] {
                if is_first == joined_first {
                    joined = Some(taken.join(&event, with_numbers));
                    continue;
                }
                let mut gathered: Vec<&Value<'_>> = event.fields.iter().map(|(_, value)| value).collect();
                let found = [taken.take(&mut gathered, true), taken.take_one(&event.fields[0].1)];
                prop_assert!(gathered.is_empty());
                let readings: Vec<_> = found.iter().flat_map(|found| taken.readings(*found)).collect();
                prop_assert_eq!(readings.len(), values.len() + 1);
                let values = event.fields.iter().map(|(_, value)| value);
                for (Reading { value, folded }, expected) in readings.iter().zip(values.clone().chain(values)) {
                    prop_assert!(std::ptr::eq(*value, expected));
                    let expected = value.to_text().map(|text| text.to_ascii_lowercase());
                    prop_assert_eq!(*folded, expected.as_deref());
                }
            }
            let texts = taken.texts(joined.unwrap());
            let is_left_out = |value: &&Value<'_>| !with_numbers && matches!(value, Value::Int(_));
            for text in values.iter().filter(|value| !is_left_out(value)).filter_map(Value::to_text) {
                prop_assert!(texts.contains(&text.to_ascii_lowercase()));
            }
        }
    }
}

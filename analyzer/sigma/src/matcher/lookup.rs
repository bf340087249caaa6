//! The fields of one event as the rules ask for them: its keys are followed once, and what a name has is
//! taken out when first asked for, its text in lower case beside it, however many rules ask.

use std::fmt::Write as _;

use crate::event::{Event, MAX_DEPTH, Value};

use super::fields::{FieldIndex, FieldTable, NameIndex};

/// What is kept of the buffers after an event that needed more, bytes or entries: few events do.
const MOST_KEPT: usize = 1 << 18;

/// What an event has for a field.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// Whether the field is there, be it null.
    pub(crate) present: bool,
    start: u32,
    end: u32,
}

impl Found {
    /// Whether there is no value but nulls.
    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A value of a field: no array, no null.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading<'l, 'e> {
    pub(crate) value: &'e Value<'e>,
    /// Its text, ASCII letters in lower case; none for a map.
    pub(crate) folded: Option<&'l str>,
}

/// The values of an event, found when first asked for.
pub(crate) struct Lookup<'s, 'e> {
    event: &'e Event<'e>,
    table: &'s FieldTable,
    memory: &'s mut Memory,
    buffers: Buffers<'e>,
    everything: Option<Found>,
}

/// What is used again for event after event, so that none has to be allocated.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Which event this is: what slots say of another is not read.
    event: u32,
    slots: Vec<Slot>,
    buffers: Buffers<'static>,
}

#[derive(Debug, Default)]
struct Buffers<'e> {
    ends: Vec<End<'e>>,
    values: Vec<Kept<'e>>,
    /// Texts, one after the other, in lower case.
    folded: String,
    gathered: Vec<&'e Value<'e>>,
}

/// What is known about a name.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    event: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// Several ways lead there: which counts is decided by the event.
    #[default]
    Several,
    /// One way leads there, to this end.
    One(u32),
    Taken(Found),
}

/// Where a way ends, so many maps and arrays deep.
#[derive(Clone, Copy, Debug)]
struct End<'e> {
    value: &'e Value<'e>,
    depth: usize,
}

/// A value, and where its text lies.
#[derive(Clone, Copy, Debug)]
struct Kept<'e> {
    value: &'e Value<'e>,
    text: Option<(u32, u32)>,
}

impl<'s, 'e> Lookup<'s, 'e> {
    /// Follows the keys of an event.
    pub(crate) fn new(event: &'e Event<'e>, table: &'s FieldTable, memory: &'s mut Memory) -> Self {
        memory.next_event(table.places());
        let buffers = memory.buffers.take();
        let mut lookup = Self { event, table, memory, buffers, everything: None };
        lookup.follow(NameIndex::ROOT, &event.fields, 0);
        lookup
    }

    /// Gives the buffers back, for the next event.
    pub(crate) fn finish(self) {
        self.memory.buffers = self.buffers.emptied();
    }

    fn follow(
        &mut self,
        from: NameIndex,
        entries: &'e [(std::borrow::Cow<'e, str>, Value<'e>)],
        depth: usize,
    ) {
        for (key, value) in entries {
            let Some(name) = self.table.next(from, key) else { continue };
            if depth >= MAX_DEPTH {
                continue;
            }
            // An empty key within a map ends no name: a path has something behind each of its dots.
            let may_end = from == NameIndex::ROOT || !key.is_empty();
            if may_end && self.table.is_asked_for(name) {
                self.reach(name, End { value, depth });
            }
            if self.table.leads_on(name) {
                self.descend(name, value, depth);
            }
        }
    }

    fn descend(&mut self, from: NameIndex, value: &'e Value<'e>, depth: usize) {
        match value {
            Value::Map(entries) => self.follow(from, entries, depth + 1),
            Value::Array(items) if depth < MAX_DEPTH => {
                items.iter().for_each(|item| self.descend(from, item, depth + 1));
            }
            _ => {}
        }
    }

    fn reach(&mut self, name: NameIndex, end: End<'e>) {
        let Some(slot) = self.memory.slots.get_mut(name.place()) else { return };
        if slot.event == self.memory.event {
            slot.state = State::Several;
            return;
        }
        *slot = Slot { event: self.memory.event, state: State::One(place(self.buffers.ends.len())) };
        self.buffers.ends.push(end);
    }

    /// What the event has for a field; without one, every value of the event.
    pub(crate) fn find(&mut self, field: Option<FieldIndex>) -> Found {
        let Some(field) = field else { return self.everything() };
        let table = self.table;
        let mut present = false;
        for name in table.names(field) {
            let found = self.take(*name);
            if !found.is_empty() {
                return found;
            }
            present |= found.present;
        }
        Found { present, ..Found::default() }
    }

    fn take(&mut self, name: NameIndex) -> Found {
        let slot = self.memory.slots.get(name.place()).copied().unwrap_or_default();
        if slot.event != self.memory.event {
            return Found::default();
        }
        let mut gathered = std::mem::take(&mut self.buffers.gathered);
        let present = match slot.state {
            State::Taken(found) => {
                self.buffers.gathered = gathered;
                return found;
            }
            State::One(end) => {
                let end = self.buffers.ends.get(end as usize);
                end.is_some_and(|end| end.value.values_from(end.depth, &mut gathered))
            }
            State::Several => self.event.values(self.table.text(name), &mut gathered),
        };
        let found = self.keep(gathered, present);
        if let Some(slot) = self.memory.slots.get_mut(name.place()) {
            slot.state = State::Taken(found);
        }
        found
    }

    fn everything(&mut self) -> Found {
        if let Some(found) = self.everything {
            return found;
        }
        let mut gathered = std::mem::take(&mut self.buffers.gathered);
        self.event.every_value(&mut gathered);
        let found = self.keep(gathered, true);
        self.everything = Some(found);
        found
    }

    fn keep(&mut self, mut gathered: Vec<&'e Value<'e>>, present: bool) -> Found {
        let Buffers { values, folded, .. } = &mut self.buffers;
        let start = place(values.len());
        let unfolded = folded.len();
        values.extend(gathered.drain(..).map(|value| Kept { value, text: push_text(value, folded) }));
        // All at once: a loop over each short text costs more than one over their sum.
        if let Some(texts) = folded.get_mut(unfolded..) {
            texts.make_ascii_lowercase();
        }
        let end = place(values.len());
        self.buffers.gathered = gathered;
        Found { present, start, end }
    }

    /// The values of what was found.
    pub(crate) fn readings(&self, found: Found) -> impl Iterator<Item = Reading<'_, 'e>> + Clone {
        let kept = self.buffers.values.get(found.start as usize..found.end as usize).unwrap_or(&[]);
        kept.iter().map(|kept| {
            let text = kept.text.map(|(start, end)| start as usize..end as usize);
            let folded = text.and_then(|text| self.buffers.folded.get(text));
            Reading { value: kept.value, folded }
        })
    }

    /// The texts of the values, one directly after the other.
    pub(crate) fn text(&self, found: Found) -> &str {
        let kept = self.buffers.values.get(found.start as usize..found.end as usize).unwrap_or(&[]);
        let mut texts = kept.iter().filter_map(|kept| kept.text);
        let Some((start, end)) = texts.next() else { return "" };
        let end = texts.next_back().map_or(end, |(_, end)| end);
        self.buffers.folded.get(start as usize..end as usize).unwrap_or("")
    }
}

impl Memory {
    fn next_event(&mut self, places: usize) {
        self.event = self.event.wrapping_add(1);
        if self.event == 0 || self.slots.len() != places {
            self.slots = vec![Slot::default(); places];
            self.event = 1;
        }
    }
}

impl Buffers<'_> {
    fn take<'e>(&mut self) -> Buffers<'e> {
        std::mem::take(self).emptied()
    }

    /// The same buffers with nothing in them, which may then be of another event.
    fn emptied<'e>(mut self) -> Buffers<'e> {
        self.folded.clear();
        if self.folded.capacity() > MOST_KEPT {
            self.folded = String::new();
        }
        let ends = reused(self.ends, |_| None);
        let values = reused(self.values, |_| None);
        let gathered = reused(self.gathered, |_| None);
        Buffers { ends, values, folded: self.folded, gathered }
    }
}

/// The allocation of a vector whose items are given up: collecting what comes of its own iterator, items of
/// the same size, happens in place.
fn reused<A, B>(mut items: Vec<A>, none: impl Fn(A) -> Option<B>) -> Vec<B> {
    items.clear();
    if items.capacity() > MOST_KEPT {
        items = Vec::new();
    }
    items.into_iter().filter_map(none).collect()
}

/// The text of a value at the end of others. What is no text is written as it is compared.
fn push_text(value: &Value<'_>, texts: &mut String) -> Option<(u32, u32)> {
    let start = texts.len();
    match value {
        Value::String(text) => texts.push_str(text),
        Value::Bool(value) => texts.push_str(if *value { "true" } else { "false" }),
        // Writing to a string cannot fail.
        Value::Int(value) => push_decimal(*value, texts),
        Value::Double(value) => drop(write!(texts, "{value}")),
        Value::Null | Value::Array(_) | Value::Map(_) => return None,
    }
    Some((place(start), place(texts.len())))
}

/// Writes a number in decimal, without the detour of a formatter: events are full of numbers.
fn push_decimal(value: i64, text: &mut String) {
    let mut digits = [0; 20];
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
    text.extend(digits[start..].iter().map(|digit| char::from(*digit)));
}

/// Events are megabytes at most: what does not fit is not found.
fn place(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// The values of the first of several names that has any.
pub(crate) fn first_values<'e>(event: &'e Event<'e>, names: &[String]) -> Vec<&'e Value<'e>> {
    let mut values = Vec::new();
    for name in names {
        event.values(name, &mut values);
        if !values.is_empty() {
            break;
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_are_compared() {
        for value in [0, 7, -7, 10, 4_625, i64::MAX, i64::MIN] {
            let mut text = "a".to_owned();
            let place = push_text(&Value::Int(value), &mut text);
            assert_eq!(text, format!("a{value}"));
            assert_eq!(place, Some((1, place_of(&text))));
        }
    }

    fn place_of(text: &str) -> u32 {
        u32::try_from(text.len()).unwrap()
    }
}

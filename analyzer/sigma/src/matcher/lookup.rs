//! The fields of one event as the rules read them: its keys are followed once, and the value of a name is extracted at its
//! first use, its text in lower case beside it, however many rules read it.

use std::ops::Range;

use crate::event::{Event, MAX_DEPTH, Value};

use super::fields::{FieldIndex, FieldTable, NameIndex};
use super::keys::KeySet;
pub(crate) use super::taken::{Found, Reading};
use super::taken::{Taken, place, reused};

/// The values of an event, each read at its first use.
pub(crate) struct Lookup<'s, 'e> {
    event: &'e Event<'e>,
    table: &'s FieldTable,
    asked_for: &'s KeySet,
    memory: &'s mut Memory,
    buffers: Buffers<'e>,
    everything: Option<Found>,
    /// Range of the texts of all values, and whether those of numbers are among them.
    joined: Option<(Range<usize>, bool)>,
}

/// Buffers that are reused for event after event, so that none has to be allocated.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Number of this event: slots of another are not read.
    event: u32,
    slots: Vec<Slot>,
    buffers: Buffers<'static>,
}

#[derive(Debug, Default)]
struct Buffers<'e> {
    ends: Vec<End<'e>>,
    taken: Taken<'e>,
    gathered: Vec<&'e Value<'e>>,
}

/// Known state of a name.
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

/// End of a path, with its depth in maps and arrays.
#[derive(Clone, Copy, Debug)]
struct End<'e> {
    name: NameIndex,
    value: &'e Value<'e>,
    depth: usize,
}

impl<'s, 'e> Lookup<'s, 'e> {
    /// Follows the keys of an event. Only fields to which the keys `asked_for` lead are found in it.
    pub(crate) fn new(
        event: &'e Event<'e>,
        table: &'s FieldTable,
        asked_for: &'s KeySet,
        memory: &'s mut Memory,
    ) -> Self {
        memory.next_event(table.places());
        let buffers = std::mem::take(&mut memory.buffers);
        let mut lookup = Self { event, table, asked_for, memory, buffers, everything: None, joined: None };
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
            let Some(name) = self.table.next(self.asked_for, from, key) else { continue };
            if depth >= MAX_DEPTH {
                continue;
            }
            // An empty key within a map ends no name: a path has something behind each of its dots.
            let may_end = from == NameIndex::ROOT || !key.is_empty();
            if may_end && self.table.is_asked_for(name) {
                self.reach(End { name, value, depth });
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

    fn reach(&mut self, end: End<'e>) {
        let Some(slot) = self.memory.slots.get_mut(end.name.place()) else { return };
        if slot.event == self.memory.event {
            slot.state = State::Several;
            return;
        }
        *slot = Slot { event: self.memory.event, state: State::One(place(self.buffers.ends.len())) };
        self.buffers.ends.push(end);
    }

    /// Number of the event's names that fields may have; they are identified by their places.
    pub(crate) fn reached(&self) -> usize {
        self.buffers.ends.len()
    }

    /// The fields that the name at a place is one of.
    pub(crate) fn fields_at(&self, place: usize) -> &'s [FieldIndex] {
        self.buffers.ends.get(place).map_or(&[], |end| self.table.fields_of(end.name))
    }

    /// Whether the name at a place is the first of a field's names that the event has.
    pub(crate) fn is_first_of(&self, place: usize, field: FieldIndex) -> bool {
        let is_reached = |name: &&NameIndex| {
            self.memory.slots.get(name.place()).is_some_and(|slot| slot.event == self.memory.event)
        };
        let first = self.table.names(field).iter().find(is_reached);
        first == self.buffers.ends.get(place).map(|end| &end.name)
    }

    /// The value of the event for a field; without one, every value of the event.
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
        Found::nothing(present)
    }

    fn take(&mut self, name: NameIndex) -> Found {
        let slot = self.memory.slots.get(name.place()).copied().unwrap_or_default();
        if slot.event != self.memory.event {
            return Found::default();
        }
        let Buffers { ends, taken, gathered } = &mut self.buffers;
        let found = match slot.state {
            State::Taken(found) => return found,
            State::One(end) => match ends.get(end as usize) {
                None => return Found::default(),
                Some(End { value: value @ (Value::Array(_) | Value::Null), depth, .. }) => {
                    let present = value.values_from(*depth, gathered);
                    taken.take(gathered, present)
                }
                Some(End { value, .. }) => taken.take_one(value),
            },
            State::Several => {
                let present = self.event.values(self.table.text(name), gathered);
                taken.take(gathered, present)
            }
        };
        if let Some(slot) = self.memory.slots.get_mut(name.place()) {
            slot.state = State::Taken(found);
        }
        found
    }

    fn everything(&mut self) -> Found {
        let Buffers { taken, gathered, .. } = &mut self.buffers;
        *self.everything.get_or_insert_with(|| {
            self.event.every_value(gathered);
            taken.take(gathered, true)
        })
    }

    /// The values of a lookup result.
    pub(crate) fn readings(&self, found: Found) -> impl Iterator<Item = Reading<'_, 'e>> + Clone {
        self.buffers.taken.readings(found)
    }

    /// The texts of all values of the event as one: it contains every part of any of them. Numbers are left out unless they are
    /// wanted `with_numbers`.
    pub(crate) fn text_of_everything(&mut self, with_numbers: bool) -> &str {
        let taken = &mut self.buffers.taken;
        let lie = match self.joined.clone() {
            Some((lie, has_numbers)) if has_numbers || !with_numbers => lie,
            _ => {
                let lie = taken.join(self.event, with_numbers);
                self.joined.insert((lie, with_numbers)).0.clone()
            }
        };
        self.buffers.taken.texts(lie)
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
    /// The same buffers with nothing in them, which may then be of another event.
    fn emptied<'e>(self) -> Buffers<'e> {
        Buffers { ends: reused(self.ends), taken: self.taken.emptied(), gathered: reused(self.gathered) }
    }
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

//! The fields of one event as the rules ask for them: each looked up once, however many rules ask, and only
//! where the event has a key that leads there.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::event::{Event, Value};

/// Which of the rule set's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FieldIndex(usize);

/// Every field the rules ask for, as lists of the event names to try. Filled by the compiler.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldTable {
    names: Vec<Vec<String>>,
    indexes: HashMap<Vec<String>, usize>,
    /// From a key of an event to the fields it may lead to.
    ways: HashMap<String, Vec<Way>, FixedState>,
}

/// From a key of an event to a field.
#[derive(Clone, Copy, Debug)]
struct Way {
    field: u32,
    /// Which of the field's names.
    name: u16,
    /// Where in the name the path behind the key begins; 0 where the key is the whole name.
    rest: u16,
}

impl FieldTable {
    /// The index of a field; the same names have the same index.
    pub(crate) fn intern(&mut self, names: Vec<String>) -> FieldIndex {
        let next = self.names.len();
        let index = *self.indexes.entry(names.clone()).or_insert(next);
        if index == next {
            self.add_ways(index, &names);
            self.names.push(names);
        }
        FieldIndex(index)
    }

    fn add_ways(&mut self, field: usize, names: &[String]) {
        let field = u32::try_from(field).unwrap_or(u32::MAX);
        for (number, name) in (0_u16..).zip(names) {
            let mut add = |key: &str, rest: usize| {
                let rest = u16::try_from(rest).unwrap_or(u16::MAX);
                self.ways.entry(key.to_owned()).or_default().push(Way { field, name: number, rest });
            };
            add(name, 0);
            for (dot, _) in name.match_indices('.').filter(|(dot, _)| dot + 1 < name.len()) {
                add(&name[..dot], dot + 1);
            }
        }
    }

    fn name(&self, way: Way) -> &str {
        let names = self.names.get(way.field as usize);
        names.and_then(|names| names.get(usize::from(way.name))).map_or("", String::as_str)
    }
}

/// What an event has for a field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found<'e> {
    /// Whether the field is there, be it null.
    pub(crate) present: bool,
    /// Its values: no arrays, no nulls.
    pub(crate) values: Vec<&'e Value<'e>>,
}

/// The values of an event, found when first asked for.
pub(crate) struct Lookup<'s, 'e> {
    event: &'e Event<'e>,
    table: &'s FieldTable,
    slots: Vec<Slot>,
    hits: Vec<Hit>,
    found: Vec<Found<'e>>,
    everything: Option<Found<'e>>,
    nothing: Found<'e>,
}

/// What is known about a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// No key leads there.
    Absent,
    /// The last of the hits that do.
    Hit(u32),
    /// Where it was found.
    Found(u32),
}

/// A key of the event that may lead to a field.
#[derive(Clone, Copy, Debug)]
struct Hit {
    way: Way,
    entry: usize,
    before: Slot,
}

impl<'s, 'e> Lookup<'s, 'e> {
    pub(crate) fn new(event: &'e Event<'e>, table: &'s FieldTable) -> Self {
        let mut slots = vec![Slot::Absent; table.names.len()];
        let mut hits = Vec::with_capacity(64);
        for (entry, (key, _)) in event.fields.iter().enumerate() {
            for way in table.ways.get(key.as_ref()).into_iter().flatten() {
                let Some(slot) = slots.get_mut(way.field as usize) else { continue };
                let before =
                    std::mem::replace(slot, Slot::Hit(u32::try_from(hits.len()).unwrap_or(u32::MAX)));
                hits.push(Hit { way: *way, entry, before });
            }
        }
        Self { event, table, slots, hits, found: Vec::new(), everything: None, nothing: Found::default() }
    }

    /// Looks a field up, or the whole event, unless that has been done.
    pub(crate) fn prepare(&mut self, field: Option<FieldIndex>) {
        let Some(FieldIndex(index)) = field else {
            self.everything.get_or_insert_with(|| {
                let mut values = Vec::new();
                self.event.every_value(&mut values);
                Found { present: true, values }
            });
            return;
        };
        let Some(Slot::Hit(last)) = self.slots.get(index).copied() else { return };
        let found = self.resolve(last);
        self.found.push(found);
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Slot::Found(u32::try_from(self.found.len() - 1).unwrap_or(u32::MAX));
        }
    }

    /// What the first of a field's names has that has any value. For one name, a key that is the name comes
    /// before those that begin it, and those in the order of the event, the first that leads anywhere.
    fn resolve(&self, last: u32) -> Found<'e> {
        let mut hits = Vec::new();
        let mut next = Slot::Hit(last);
        while let Slot::Hit(index) = next
            && let Some(hit) = self.hits.get(index as usize)
        {
            hits.push((hit.way.name, hit.way.rest != 0, hit.entry, hit.way));
            next = hit.before;
        }
        hits.sort_unstable_by_key(|(name, begins, entry, _)| (*name, *begins, *entry));
        let mut found = Found::default();
        let mut settled = None;
        for (name, _, entry, way) in hits {
            if settled == Some(name) {
                continue;
            }
            if !found.values.is_empty() {
                break;
            }
            let Some((_, value)) = self.event.fields.get(entry) else { continue };
            let rest = if way.rest == 0 {
                ""
            } else {
                self.table.name(way).get(usize::from(way.rest)..).unwrap_or("")
            };
            if value.values_at(rest, &mut found.values) {
                found.present = true;
                settled = Some(name);
            }
        }
        found
    }

    /// What was found for a field that is prepared.
    pub(crate) fn found(&self, field: Option<FieldIndex>) -> &Found<'e> {
        let found = match field {
            None => self.everything.as_ref(),
            Some(FieldIndex(index)) => match self.slots.get(index) {
                Some(Slot::Found(place)) => self.found.get(*place as usize),
                _ => None,
            },
        };
        found.unwrap_or(&self.nothing)
    }
}

/// What the first of several names has that has any value.
pub(crate) fn first_present<'e>(event: &'e Event<'e>, names: &[String]) -> Found<'e> {
    let mut found = Found::default();
    for name in names {
        found.present |= event.values(name, &mut found.values);
        if !found.values.is_empty() {
            break;
        }
    }
    found
}

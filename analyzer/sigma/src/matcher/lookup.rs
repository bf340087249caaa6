//! The fields of one event as the rules ask for them: each looked up once, however many rules ask.

use crate::event::{Event, Value};

/// Which of the rule set's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldIndex(usize);

/// Every field the rules ask for, as lists of the event names to try. Filled by the compiler.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldTable {
    candidates: Vec<Vec<String>>,
    indexes: std::collections::HashMap<Vec<String>, usize>,
}

impl FieldTable {
    /// The index of a field; the same names have the same index.
    pub(crate) fn intern(&mut self, names: Vec<String>) -> FieldIndex {
        let next = self.candidates.len();
        let index = *self.indexes.entry(names.clone()).or_insert(next);
        if index == next {
            self.candidates.push(names);
        }
        FieldIndex(index)
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
    found: Vec<Option<Found<'e>>>,
    everything: Option<Found<'e>>,
    nothing: Found<'e>,
}

impl<'s, 'e> Lookup<'s, 'e> {
    pub(crate) fn new(event: &'e Event<'e>, table: &'s FieldTable) -> Self {
        let found = vec![None; table.candidates.len()];
        Self { event, table, found, everything: None, nothing: Found::default() }
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
        if let (Some(slot), Some(names)) = (self.found.get_mut(index), self.table.candidates.get(index)) {
            slot.get_or_insert_with(|| first_present(self.event, names));
        }
    }

    /// What was found for a field that is prepared.
    pub(crate) fn found(&self, field: Option<FieldIndex>) -> &Found<'e> {
        let found = match field {
            None => self.everything.as_ref(),
            Some(FieldIndex(index)) => self.found.get(index).and_then(Option::as_ref),
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

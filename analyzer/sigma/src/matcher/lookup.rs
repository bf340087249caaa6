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

/// The values of an event, found when first asked for.
pub(crate) struct Lookup<'s, 'e> {
    event: &'e Event<'e>,
    table: &'s FieldTable,
    found: Vec<Option<Vec<&'e Value<'e>>>>,
    everything: Option<Vec<&'e Value<'e>>>,
}

impl<'s, 'e> Lookup<'s, 'e> {
    pub(crate) fn new(event: &'e Event<'e>, table: &'s FieldTable) -> Self {
        Self { event, table, found: vec![None; table.candidates.len()], everything: None }
    }

    /// The values of a field, or of the whole event: no arrays, no nulls.
    pub(crate) fn values(&mut self, field: Option<FieldIndex>) -> &[&'e Value<'e>] {
        let Some(FieldIndex(index)) = field else {
            return self.everything.get_or_insert_with(|| {
                let mut values = Vec::new();
                self.event.every_value(&mut values);
                values
            });
        };
        match (self.found.get_mut(index), self.table.candidates.get(index)) {
            (Some(slot), Some(names)) => slot.get_or_insert_with(|| first_present(self.event, names)),
            _ => &[],
        }
    }
}

/// The values of the first of several names that has any.
pub(crate) fn first_present<'e>(event: &'e Event<'e>, names: &[String]) -> Vec<&'e Value<'e>> {
    let mut values = Vec::new();
    for name in names {
        event.values(name, &mut values);
        if !values.is_empty() {
            break;
        }
    }
    values
}

//! The resource of a record: one map beside its fields, which is read once for all records of it that follow each
//! other, and its description of their origin.

use std::borrow::Cow;

use sigma::event::{Event, Value};

use super::presence::Presence;
use super::reading::add_absent;
use crate::record::{Entries, Record, push_with};

/// The field that holds the map, so that `resource.service.name` is a path into it and no name is copied.
const FIELD: &str = "resource";
/// Fields that hold for the record as well, unless it has its own.
const FACTS: [&str; 4] = ["host.name", "service.name", "cloud.account.id", "k8s.cluster.name"];

/// The resource of the record before, for those after it.
#[derive(Debug, Default)]
pub(super) struct Resource<'a> {
    /// Its bytes in the payload: the same bytes have the same meaning.
    bytes: Option<&'a [u8]>,
    /// Nothing while they are lent.
    entries: Entries<'a>,
    /// Which field of a record they are lent to.
    lent_to: Option<usize>,
    /// Whether all of it could be read.
    whole: bool,
    facts: Vec<(&'static str, Value<'a>)>,
}

impl<'a> Resource<'a> {
    /// Puts the resource of a record among its fields; returns whether all of it could be read.
    pub(super) fn lend(&mut self, record: &Record<'a>, fields: &mut Entries<'a>) -> bool {
        let bytes = record.resource_bytes();
        let is_known = self.bytes.is_some_and(|known| std::ptr::eq(known, bytes));
        if !is_known || self.lent_to.is_some() {
            self.read(record);
        }
        if !self.entries.is_empty() {
            self.lent_to = Some(fields.len());
            push_with(fields, || (Cow::Borrowed(FIELD), Value::Map(Vec::new())));
            if let Some((_, Value::Map(lent))) = fields.last_mut() {
                std::mem::swap(lent, &mut self.entries);
            }
        }
        self.whole
    }

    fn read(&mut self, record: &Record<'a>) {
        self.bytes = Some(record.resource_bytes());
        self.lent_to = None;
        self.entries.clear();
        self.whole = record.resource(&mut self.entries);
        let entries = Value::Map(std::mem::take(&mut self.entries));
        let fact = |name| entries.field(name).map(|value| (name, value.clone()));
        self.facts.clear();
        self.facts.extend(FACTS.into_iter().filter_map(fact));
        if let Value::Map(entries) = entries {
            self.entries = entries;
        }
    }

    /// Takes its fields back from a record that does not need them any more.
    pub(super) fn take_back(&mut self, fields: &mut Entries<'a>) {
        let field = self.lent_to.and_then(|place| fields.get_mut(place));
        if let Some((name, Value::Map(entries))) = field
            && name == FIELD
        {
            self.entries = std::mem::take(entries);
            self.lent_to = None;
        }
    }

    /// Adds to a record the origin that its resource states.
    pub(super) fn add_facts(&self, event: &mut Event<'a>, presence: &mut Presence) {
        let leads_to_it =
            |(name, _): &&(Cow<'_, str>, Value<'_>)| name.as_bytes().first_chunk() == Some(b"resource");
        let mut leading = event.fields.iter().enumerate().filter(|(_, field)| leads_to_it(field));
        match (leading.next(), leading.next()) {
            (None, _) => {}
            // The map of this resource and nothing else: no path is resolved from the top.
            (Some((place, _)), None) if self.lent_to == Some(place) => {
                for (name, value) in &self.facts {
                    add_absent(event, presence, name, value.clone());
                }
            }
            _ => {
                let value = |name| event.field(&format!("{FIELD}.{name}")).cloned();
                for (name, value) in FACTS.map(|name| (name, value(name))) {
                    if let Some(value) = value {
                        add_absent(event, presence, name, value);
                    }
                }
            }
        }
    }
}

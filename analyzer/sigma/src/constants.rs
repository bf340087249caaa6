//! What events have in common: the fields in which all of a set agree, and which others any of them has. A fold
//! over the set, so that neither order nor repetition matters, and bounded. What follows from it for a filter is
//! `matcher::certain`'s.

mod values;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use self::values::{Values, written_bytes};
use crate::event::{Event, Value};

/// Fields of one event that are looked at, nested ones and their parents included.
const MOST_VISITED: usize = 256;
/// Maps and arrays within each other that are looked into.
const MOST_NESTED: usize = 32;
/// Fields of one event that are kept.
const MOST_FIELDS: usize = 64;
/// Bytes of a field's name.
const NAME_BYTES: usize = 128;
/// Bytes of one event's fields, names and values together: a request of a cloud's audit log fits.
const FIELDS_BYTES: usize = 4 * 1_024;
/// Fields that several events have together and that are told apart from those that none has.
const MOST_TOGETHER: usize = 128;
/// Bytes of the names of those in which they differ.
const VARYING_BYTES: usize = 2 * 1_024;

/// The fields that every event of a set has with the same values, by the names that rules may ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constants {
    fields: BTreeMap<String, Values>,
    /// Fields that some event has and that are not constant. `None` when they are too many: then nothing is
    /// known of any field that is not constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    varying: Option<BTreeSet<String>>,
    /// Whether the fields tell every value that any of the events has.
    whole: bool,
}

/// How the fields of one event differ from those of another, losing nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What is other, and what goes with it.
    other: Constants,
    /// What is not there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
}

impl Constants {
    /// What is kept of one event: its fields as tests of rules read them. Of more than fit those named in
    /// `first` are kept before others, then those that are nested least, then by name.
    #[must_use]
    pub fn of(event: &Event<'_>, first: &[&str]) -> Self {
        let mut paths = Paths { found: Vec::new(), is_complete: true };
        for (name, value) in event.fields.iter().take(MOST_VISITED) {
            paths.visit(Cow::Borrowed(name), value, 0);
        }
        paths.is_complete &= event.fields.len() <= MOST_VISITED;
        // Stable: of fields of the same name the first counts.
        paths.found.sort_by(|one, other| (one.depth, &one.name).cmp(&(other.depth, &other.name)));
        let mut kept = Kept::default();
        first.iter().for_each(|name| kept.offer(event, name, None));
        paths.found.iter().for_each(|path| kept.offer(event, &path.name, path.value));
        let mut leaves = Vec::new();
        event.every_value(&mut leaves);
        let is_complete = paths.is_complete && !kept.is_over;
        // What a field of the same name hides is read by keywords all the same.
        let whole = is_complete && kept.varying.is_empty() && kept.leaves == leaves.len();
        Self { fields: kept.fields, varying: is_complete.then_some(kept.varying), whole }
    }

    /// Leaves what these events and others have in common; tells whether that is less.
    pub fn meet(&mut self, others: &Self) -> bool {
        let differs = |(name, values): &(&String, &Values)| others.fields.get(*name) != Some(values);
        let lost: Vec<String> = self.fields.iter().filter(differs).map(|(name, _)| name.clone()).collect();
        lost.iter().for_each(|name| drop(self.fields.remove(name)));
        let mut changed = !lost.is_empty();
        if let Some(own) = &mut self.varying {
            let before = own.len();
            own.extend(lost);
            let constant = &self.fields;
            own.extend(others.fields.keys().filter(|name| !constant.contains_key(*name)).cloned());
            own.extend(others.varying.iter().flatten().cloned());
            changed |= own.len() != before;
            let bytes: usize = own.iter().map(|name| written_bytes(name)).sum();
            if others.varying.is_none() || own.len() + constant.len() > MOST_TOGETHER || bytes > VARYING_BYTES
            {
                self.varying = None;
                changed = true;
            }
        }
        let is_whole = others.whole && self.varying.as_ref().is_some_and(BTreeSet::is_empty);
        changed |= self.whole && !is_whole;
        self.whole &= is_whole;
        changed
    }

    /// How the fields of another event differ from those of this one.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Difference {
        let differs = |(name, values): &(&String, &Values)| self.fields.get(*name) != Some(values);
        let fields = other.fields.iter().filter(differs).map(|(name, values)| (name.clone(), values.clone()));
        let without = self.fields.keys().filter(|name| !other.fields.contains_key(*name)).cloned().collect();
        let (varying, whole) = (other.varying.clone(), other.whole);
        Difference { other: Self { fields: fields.collect(), varying, whole }, without }
    }

    /// The fields of the event that differs so from this one.
    #[must_use]
    pub fn with(&self, difference: &Difference) -> Self {
        let Difference { other, without } = difference;
        let mut fields = self.fields.clone();
        without.iter().for_each(|name| drop(fields.remove(name)));
        fields.extend(other.fields.iter().map(|(name, values)| (name.clone(), values.clone())));
        Self { fields, varying: other.varying.clone(), whole: other.whole }
    }

    /// About how many bytes it takes, in memory as well as written.
    #[must_use]
    pub fn cost(&self) -> usize {
        let fields: usize =
            self.fields.iter().map(|(name, values)| written_bytes(name) + values.cost()).sum();
        64 + fields + self.varying.iter().flatten().map(|name| written_bytes(name) + 4).sum::<usize>()
    }

    /// An event of the constant fields alone, by their whole names.
    pub(crate) fn event(&self) -> Event<'_> {
        let mut event = Event::default();
        for (name, values) in &self.fields {
            event.push(name.as_str(), values.value());
        }
        event
    }

    /// Whether it is known what every event has of this name: the same values, or nothing.
    pub(crate) fn tells(&self, name: &str) -> bool {
        let is_absent = |varying: &BTreeSet<String>| !varying.contains(name);
        self.fields.contains_key(name) || self.varying.as_ref().is_some_and(is_absent)
    }

    /// Whether every event has the same values of this name, and any: what is there may be empty.
    pub(crate) fn has_value(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(|values| !values.is_empty())
    }

    /// Whether no event has a value that is not among the constant fields.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }
}

impl Difference {
    /// About how many bytes it takes, in memory as well as written.
    #[must_use]
    pub fn cost(&self) -> usize {
        self.other.cost() + self.without.iter().map(|name| written_bytes(name) + 4).sum::<usize>()
    }
}

/// The names under which an event may have something.
struct Paths<'e, 'v> {
    found: Vec<Path<'e, 'v>>,
    is_complete: bool,
}

/// One of them, with how deep it lies. What stands at the top is found without being looked for.
struct Path<'e, 'v> {
    depth: usize,
    name: Cow<'e, str>,
    value: Option<&'e Value<'v>>,
}

impl<'e, 'v> Paths<'e, 'v> {
    fn visit(&mut self, name: Cow<'e, str>, value: &'e Value<'v>, depth: usize) {
        self.descend(&name, value, depth + 1);
        self.found.push(Path { depth, name, value: (depth == 0).then_some(value) });
    }

    fn descend(&mut self, name: &str, value: &'e Value<'v>, depth: usize) {
        match value {
            Value::Array(_) | Value::Map(_) if depth > MOST_NESTED => self.is_complete = false,
            Value::Array(items) => items.iter().for_each(|item| self.descend(name, item, depth + 1)),
            Value::Map(entries) => {
                for (key, value) in entries {
                    if self.found.len() >= MOST_VISITED {
                        self.is_complete = false;
                        return;
                    }
                    self.visit(Cow::Owned(format!("{name}.{key}")), value, depth);
                }
            }
            _ => {}
        }
    }
}

/// What has been kept of one event so far.
#[derive(Default)]
struct Kept {
    fields: BTreeMap<String, Values>,
    /// Fields whose values are too long.
    varying: BTreeSet<String>,
    bytes: usize,
    leaves: usize,
    is_over: bool,
}

impl Kept {
    fn offer<'e>(&mut self, event: &'e Event<'e>, path: &str, value: Option<&'e Value<'e>>) {
        if self.fields.contains_key(path) || self.varying.contains(path) {
            return;
        }
        let mut values = Vec::new();
        let is_there = match value {
            Some(value) => value.values_from(0, &mut values),
            None => event.values(path, &mut values),
        };
        // A name that another hides leads nowhere, or to what the other has.
        if !is_there {
            return;
        }
        let fits = self.fields.len() + self.varying.len() < MOST_FIELDS && written_bytes(path) <= NAME_BYTES;
        let read = Values::of(&values);
        let bytes = self.bytes + written_bytes(path) + read.as_ref().map_or(0, Values::cost);
        if !fits || bytes > FIELDS_BYTES {
            self.is_over = true;
            return;
        }
        self.bytes = bytes;
        let Some(read) = read else {
            self.varying.insert(path.to_owned());
            return;
        };
        self.leaves += read.leaves();
        self.fields.insert(path.to_owned(), read);
    }
}

#[cfg(test)]
mod tests;

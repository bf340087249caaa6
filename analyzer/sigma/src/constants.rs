//! What events have in common: the fields in which all of a set agree, and which others any of them has. A fold
//! over the set, so that neither order nor repetition matters, and bounded. What follows from it for a filter is
//! `matcher::certain`'s.

mod fields;
mod values;

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use self::fields::{Field, Fields};
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
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Constants {
    fields: Fields,
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
        let mut paths = Paths { found: Vec::with_capacity(event.fields.len()), is_complete: true };
        for (name, value) in event.fields.iter().take(MOST_VISITED) {
            paths.visit(Cow::Borrowed(name), value, 0);
        }
        paths.is_complete &= event.fields.len() <= MOST_VISITED;
        let mut kept = Kept::default();
        paths.found.iter().for_each(|path| kept.offer(event, &path.name, path.value));
        if kept.is_over || !paths.is_complete {
            // Only then it matters which come first. Stable: of fields of the same name the first counts.
            paths.found.sort_by(|one, other| (one.depth, &one.name).cmp(&(other.depth, &other.name)));
            kept = Kept::default();
            first.iter().for_each(|name| kept.offer(event, name, None));
            paths.found.iter().for_each(|path| kept.offer(event, &path.name, path.value));
        }
        kept.constants(event, paths.is_complete)
    }

    /// Leaves what these events and others have in common; tells whether that is less.
    pub fn meet(&mut self, others: &Self) -> bool {
        let mut theirs = others.fields.iter().peekable();
        let (mut same, mut lost, mut more) = (Vec::new(), Vec::new(), Vec::new());
        for own in self.fields.iter() {
            while let Some(other) = theirs.next_if(|other| other.name < own.name) {
                more.push(other.name);
            }
            match theirs.next_if(|other| other.name == own.name) {
                Some(other) if other == own => same.push(own),
                _ => lost.push(own.name.to_owned()),
            }
        }
        more.extend(theirs.map(|other| other.name));
        let mut changed = !lost.is_empty();
        if changed {
            self.fields = Fields::collect(same);
        }
        if let Some(own) = &mut self.varying {
            let before = own.len();
            own.extend(lost);
            for name in more.into_iter().chain(others.varying.iter().flatten().map(String::as_str)) {
                if !own.contains(name) {
                    own.insert(name.to_owned());
                }
            }
            changed |= own.len() != before;
            let bytes: usize = if changed { own.iter().map(|name| written_bytes(name)).sum() } else { 0 };
            let count = own.len() + self.fields.len();
            if others.varying.is_none() || count > MOST_TOGETHER || bytes > VARYING_BYTES {
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
        let (mut fields, mut without) = (Vec::new(), Vec::new());
        let mut own = self.fields.iter().peekable();
        for field in other.fields.iter() {
            while let Some(own) = own.next_if(|own| own.name < field.name) {
                without.push(own.name.to_owned());
            }
            if own.next_if(|own| own.name == field.name).is_none_or(|own| own != field) {
                fields.push(field);
            }
        }
        without.extend(own.map(|own| own.name.to_owned()));
        let fields = Fields::collect(fields);
        Difference { other: Self { fields, varying: other.varying.clone(), whole: other.whole }, without }
    }

    /// The fields of the event that differs so from this one.
    #[must_use]
    pub fn with(&self, difference: &Difference) -> Self {
        let Difference { other, without } = difference;
        let is_left = |own: &Field<'_>| !without.iter().any(|name| name == own.name);
        let mut fields: BTreeMap<&str, Field<'_>> =
            self.fields.iter().filter(is_left).map(|own| (own.name, own)).collect();
        fields.extend(other.fields.iter().map(|field| (field.name, field)));
        let fields = Fields::collect(fields.into_values());
        Self { fields, varying: other.varying.clone(), whole: other.whole }
    }

    /// About how many bytes it takes when it is written, which is never less than in memory.
    #[must_use]
    pub fn cost(&self) -> usize {
        64 + self.fields.cost()
            + self.varying.iter().flatten().map(|name| written_bytes(name) + 4).sum::<usize>()
    }

    /// Whether the constant fields have the same names as those of others.
    #[must_use]
    pub fn are_named_like(&self, others: &Self) -> bool {
        self.fields.are_named_like(&others.fields)
    }

    /// The same, holding the names together with others of the same names.
    #[must_use]
    pub fn named_like(&self, others: &Self) -> Self {
        Self { fields: self.fields.named_like(&others.fields), ..self.clone() }
    }

    /// An event of the constant fields alone, by their whole names.
    pub(crate) fn event(&self) -> Event<'_> {
        let mut event = Event::default();
        for field in self.fields.iter() {
            event.push(field.name, field.value());
        }
        event
    }

    /// Whether it is known what every event has of this name: the same values, or nothing.
    pub(crate) fn tells(&self, name: &str) -> bool {
        let is_absent = |varying: &BTreeSet<String>| !varying.contains(name);
        self.fields.get(name).is_some() || self.varying.as_ref().is_some_and(is_absent)
    }

    /// Whether every event has the same values of this name, and any: what is there may be empty.
    pub(crate) fn has_value(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(|field| !field.is_empty())
    }

    /// Whether no event has a value that is not among the constant fields.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }
}

impl Difference {
    /// About how many bytes it takes when it is written, which is never less than in memory.
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
struct Kept<'e> {
    /// Room for the values of a field.
    found: Vec<&'e Value<'e>>,
    fields: BTreeMap<String, Values>,
    /// Fields whose values are too long.
    varying: BTreeSet<String>,
    bytes: usize,
    leaves: usize,
    is_over: bool,
}

impl<'e> Kept<'e> {
    fn offer(&mut self, event: &'e Event<'e>, name: &str, value: Option<&'e Value<'e>>) {
        self.found.clear();
        let is_there = match value {
            Some(value) => value.values_from(0, &mut self.found),
            None => event.values(name, &mut self.found),
        };
        // A name that another hides leads nowhere, or to what the other has.
        if !is_there || self.varying.contains(name) {
            return;
        }
        let written = written_bytes(name);
        let fits = self.fields.len() + self.varying.len() < MOST_FIELDS && written <= NAME_BYTES;
        let Entry::Vacant(place) = self.fields.entry(name.to_owned()) else { return };
        let read = Values::of(&self.found);
        let bytes = self.bytes + written + read.as_ref().map_or(0, Values::cost);
        if !fits || bytes > FIELDS_BYTES {
            self.is_over = true;
            return;
        }
        self.bytes = bytes;
        let Some(read) = read else {
            self.varying.insert(place.into_key());
            return;
        };
        self.leaves += read.leaves();
        place.insert(read);
    }

    fn constants(mut self, event: &'e Event<'e>, is_complete: bool) -> Constants {
        let is_complete = is_complete && !self.is_over;
        self.found.clear();
        event.every_value(&mut self.found);
        // What a field of the same name hides is read by keywords all the same.
        let whole = is_complete && self.varying.is_empty() && self.leaves == self.found.len();
        Constants { fields: Fields::of(&self.fields), varying: is_complete.then_some(self.varying), whole }
    }
}

#[cfg(test)]
mod tests;

//! The fields of rules, each by its possible names in events, and the paths to those names from the keys of an event. Filled by
//! the compiler; `lookup` reads the values of an event.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::keys::{KeySet, Keys};

/// Index of a field of the rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FieldIndex(u32);

/// Index of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameIndex(u32);

/// Every field the rules ask for, as lists of the event names to try.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldTable {
    fields: Vec<Box<[NameIndex]>>,
    indexes: HashMap<Vec<String>, FieldIndex, FixedState>,
    /// The names, as paths from the first: each adds one more part between dots. The first is no name.
    names: Vec<Name>,
    /// From a name to longer ones, by the next part or by several parts with dots between them.
    keys: Keys,
}

/// A name, or the beginning of one.
#[derive(Clone, Debug, Default)]
struct Name {
    text: Box<str>,
    /// The fields it is a name of.
    fields: Vec<FieldIndex>,
    leads_on: bool,
}

impl FieldIndex {
    /// Its place among the fields.
    pub(crate) fn place(self) -> usize {
        self.0 as usize
    }
}

impl NameIndex {
    /// Beginning of all names.
    pub(super) const ROOT: Self = Self(0);

    /// The name at a place.
    #[cfg(test)]
    pub(super) fn at(place: u32) -> Self {
        Self(place)
    }

    pub(super) fn place(self) -> usize {
        self.0 as usize
    }
}

impl FieldTable {
    /// The index of a field; the same names have the same index.
    pub(crate) fn intern(&mut self, names: Vec<String>) -> FieldIndex {
        if let Some(known) = self.indexes.get(&names) {
            return *known;
        }
        let index = FieldIndex(index(self.fields.len()));
        let ways: Box<[NameIndex]> = names.iter().map(|name| self.way_to(name)).collect();
        for way in &ways {
            if let Some(name) = self.names.get_mut(way.place()) {
                name.fields.push(index);
            }
        }
        self.fields.push(ways);
        self.indexes.insert(names, index);
        index
    }

    /// Whether there is a field with these names.
    pub(crate) fn holds(&self, names: &Vec<String>) -> bool {
        self.indexes.contains_key(names)
    }

    fn way_to(&mut self, name: &str) -> NameIndex {
        if self.names.is_empty() {
            self.names.push(Name::default());
        }
        let (mut at, mut start) = (NameIndex::ROOT, 0);
        // Start of each part, and the name before it: keys may lead on from each of them.
        let mut parts = Vec::new();
        for end in name.match_indices('.').map(|(dot, _)| dot).chain([name.len()]) {
            parts.push((start, at));
            start = end + 1;
            let next = NameIndex(index(self.names.len()));
            for (start, from) in &parts {
                let key = name.get(*start..end).unwrap_or_default();
                at = self.keys.get_or_insert(*from, key, next);
            }
            if let Some((_, before)) = parts.last()
                && let Some(before) = self.names.get_mut(before.place())
            {
                before.leads_on = true;
            }
            if at == next {
                self.names.push(Name::default());
            }
        }
        if let Some(end) = self.names.get_mut(at.place()) {
            end.text = name.into();
        }
        at
    }

    /// Number of places of names.
    pub(super) fn places(&self) -> usize {
        self.names.len()
    }

    /// The names of a field, the first to be tried first.
    pub(super) fn names(&self, field: FieldIndex) -> &[NameIndex] {
        self.fields.get(field.0 as usize).map_or(&[], |names| names)
    }

    /// The texts of a field's names, the first to be tried first.
    pub(crate) fn names_of(&self, field: FieldIndex) -> impl Iterator<Item = &str> {
        self.names(field).iter().map(|name| self.text(*name))
    }

    /// The fields that a name is one of.
    pub(super) fn fields_of(&self, name: NameIndex) -> &[FieldIndex] {
        self.names.get(name.place()).map_or(&[], |name| &name.fields)
    }

    /// The name as it is written.
    pub(super) fn text(&self, name: NameIndex) -> &str {
        self.names.get(name.place()).map_or("", |name| &name.text)
    }

    /// Whether rules ask for the name, not just for longer ones.
    pub(super) fn is_asked_for(&self, name: NameIndex) -> bool {
        self.names.get(name.place()).is_some_and(|name| !name.fields.is_empty())
    }

    /// Whether there are longer names.
    pub(super) fn leads_on(&self, name: NameIndex) -> bool {
        self.names.get(name.place()).is_some_and(|name| name.leads_on)
    }

    /// The name that a key leads to from another, be it the beginning of one; none where the key is not among
    /// those `asked_for`.
    #[inline]
    pub(super) fn next(&self, asked_for: &KeySet, from: NameIndex, key: &str) -> Option<NameIndex> {
        if !asked_for.may_hold(from, key) {
            return None;
        }
        self.keys.get(from, key)
    }

    /// Keys that lead to the names of fields.
    pub(crate) fn keys_to(&self, fields: &[FieldIndex]) -> KeySet {
        let mut leads_there = vec![false; self.names.len()];
        for name in fields.iter().flat_map(|field| self.names(*field)) {
            if let Some(leads) = leads_there.get_mut(name.place()) {
                *leads = true;
            }
        }
        self.keys.leading_to(leads_there)
    }
}

/// Far fewer than 2^32 names fit into the memory rules may take.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_to_names_however_they_are_divided() {
        let mut table = FieldTable::default();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let field = table.intern(names(&["a.b.c", "x"]));
        assert_eq!(table.intern(names(&["a.b.c", "x"])), field);
        assert_ne!(table.intern(names(&["x", "a.b.c"])), field);
        let [path, plain] = table.names(field) else { panic!("two names") };
        assert_eq!((table.text(*path), table.text(*plain)), ("a.b.c", "x"));
        let every = &table.keys_to(&[field]);
        for keys in [&["a.b.c"][..], &["a", "b.c"], &["a.b", "c"], &["a", "b", "c"]] {
            let end = keys.iter().try_fold(NameIndex::ROOT, |at, key| table.next(every, at, key));
            assert_eq!(end, Some(*path), "{keys:?}");
        }
        let beginning = table.next(every, NameIndex::ROOT, "a.b").unwrap();
        assert!(table.leads_on(beginning) && !table.is_asked_for(beginning));
        assert!(!table.leads_on(*path) && table.is_asked_for(*path));
        assert_eq!(table.next(every, NameIndex::ROOT, "a.c"), None);
        assert_eq!(table.next(every, beginning, ""), None);
    }
}

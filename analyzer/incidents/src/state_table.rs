//! A table of state rows: values by key, the values that changed since the last commit, and the bytes, about, of their rows.
//! Each kind of state is one table; the meaning of its values and their end belong to the kind.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use bytes::Bytes;
use common::row::{self, BodyError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::rows::{self, PendingDeletes};

/// Key and body of a row.
pub type Row = (Bytes, Vec<u8>);

/// The part of a row's key behind the prefix.
pub trait RowKey: AsRef<[u8]> + Clone + Eq + Hash + Ord + Send {
    /// Reads it back.
    fn read(key: &[u8]) -> Self;
}

impl RowKey for Bytes {
    fn read(key: &[u8]) -> Self {
        Self::copy_from_slice(key)
    }
}

impl RowKey for [u8; 16] {
    fn read(key: &[u8]) -> Self {
        key.first_chunk().copied().unwrap_or_default()
    }
}

/// A table as rows of the ledger.
pub trait StateRows: Send {
    /// Prefix of the keys of its rows.
    fn prefix(&self) -> &'static [u8];

    /// Reads a row back; `key` is the part behind the prefix.
    ///
    /// # Errors
    /// When the row is broken.
    fn restore(&mut self, key: &[u8], body: &[u8]) -> Result<(), BodyError>;

    /// Rows to write since the last call, in the order of their keys.
    ///
    /// # Errors
    /// When a value cannot be written.
    fn take_changes(&mut self) -> Result<Vec<Row>, BodyError>;
}

impl<K: RowKey, V: Serialize + DeserializeOwned + Send> StateRows for StateTable<K, V> {
    fn prefix(&self) -> &'static [u8] {
        self.prefix
    }

    fn restore(&mut self, key: &[u8], body: &[u8]) -> Result<(), BodyError> {
        self.insert_restored(K::read(key), row::decode(body)?);
        Ok(())
    }

    fn take_changes(&mut self) -> Result<Vec<Row>, BodyError> {
        self.take_changed(|value| row::encode(value))
    }
}

/// Values of one kind, by the part of their row's key behind the prefix.
#[derive(Debug)]
pub struct StateTable<K, V> {
    prefix: &'static [u8],
    values: HashMap<K, V>,
    /// Changed values, and the bytes, about, of their rows.
    changed: BTreeMap<K, usize>,
    changed_bytes: usize,
}

impl<K: RowKey, V> StateTable<K, V> {
    /// No values; their rows begin with `prefix`.
    pub fn new(prefix: &'static [u8]) -> Self {
        Self { prefix, values: HashMap::new(), changed: BTreeMap::new(), changed_bytes: 0 }
    }

    /// A value.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.values.get(key)
    }

    /// A value, to be changed: [`Self::mark`] records the change.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.values.get_mut(key)
    }

    /// A value, made where there is none, to be changed: [`Self::mark`] records the change.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        self.values.entry(key).or_insert_with(make)
    }

    /// Whether there is a value.
    pub fn contains(&self, key: &K) -> bool {
        self.values.contains_key(key)
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// All values, in no order that means anything.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.values.iter()
    }

    /// Marks a value as changed; `bytes` is the approximate size of its row.
    pub fn mark(&mut self, key: K, bytes: usize) {
        let before = self.changed.insert(key, bytes).unwrap_or(0);
        self.changed_bytes = self.changed_bytes + bytes - before;
    }

    /// Inserts a new value; `bytes` is the approximate size of its row.
    pub fn put(&mut self, key: K, value: V, bytes: usize) {
        self.values.insert(key.clone(), value);
        self.mark(key, bytes);
    }

    /// Inserts a value that was read from its row, which therefore stays as it is.
    pub(crate) fn insert_restored(&mut self, key: K, value: V) {
        self.values.insert(key, value);
    }

    /// Removes a value; its row is to go.
    pub fn remove(&mut self, key: &K, pending_deletes: &mut PendingDeletes) -> Option<V> {
        let value = self.values.remove(key)?;
        self.changed_bytes -= self.changed.remove(key).unwrap_or(0);
        pending_deletes.push(rows::key(self.prefix, key.as_ref()));
        Some(value)
    }

    /// Removes the values for which `is_over` returns true, and returns them; their rows are to be deleted.
    pub fn remove_if(
        &mut self,
        is_over: impl Fn(&K, &V) -> bool,
        pending_deletes: &mut PendingDeletes,
    ) -> Vec<V> {
        let over: Vec<K> = self
            .values
            .iter()
            .filter(|(key, value)| is_over(key, value))
            .map(|(key, _)| key.clone())
            .collect();
        over.iter().filter_map(|key| self.remove(key, pending_deletes)).collect()
    }

    /// Rows and bytes, about, of the changes that were not taken yet.
    pub fn pending_cost(&self) -> (usize, usize) {
        (self.changed.len(), self.changed_bytes)
    }

    /// As [`StateRows::take_changes`], with values written by `encode`.
    pub(crate) fn take_changed(
        &mut self,
        encode: impl Fn(&V) -> Result<Vec<u8>, BodyError>,
    ) -> Result<Vec<Row>, BodyError> {
        self.changed_bytes = 0;
        let changed = std::mem::take(&mut self.changed);
        let values = changed.keys().filter_map(|key| Some((key, self.values.get(key)?)));
        values.map(|(key, value)| Ok((rows::key(self.prefix, key.as_ref()), encode(value)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An operation on a table.
    #[derive(Clone, Debug)]
    enum Happening {
        Put(u8, u8),
        Remove(u8),
        RemoveBelow(u8),
        Commit,
    }

    fn happenings() -> impl Strategy<Value = Vec<Happening>> {
        let one = prop_oneof![
            4 => (0..6_u8, any::<u8>()).prop_map(|(key, value)| Happening::Put(key, value)),
            1 => (0..6_u8).prop_map(Happening::Remove),
            1 => any::<u8>().prop_map(Happening::RemoveBelow),
            2 => Just(Happening::Commit),
        ];
        prop::collection::vec(one, 0..60)
    }

    fn encode(value: &u8) -> Result<Vec<u8>, BodyError> {
        Ok(vec![*value])
    }

    impl RowKey for [u8; 1] {
        fn read(key: &[u8]) -> Self {
            [key[0]]
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// After a commit the ledger has the table's rows, and the pending cost is that of the unwritten ones.
        #[test]
        fn rows_follow_the_table(happenings in happenings()) {
            let mut table = StateTable::new(b"kind");
            let (mut stored, mut pending_deletes) = (BTreeMap::new(), PendingDeletes::default());
            for happening in happenings.into_iter().chain([Happening::Commit]) {
                match happening {
                    Happening::Put(key, value) => {
                        *table.get_or_insert_with([key], || 0) = value;
                        table.mark([key], usize::from(value));
                    }
                    Happening::Remove(key) => drop(table.remove(&[key], &mut pending_deletes)),
                    Happening::RemoveBelow(most) => drop(table.remove_if(|_, value| *value < most, &mut pending_deletes)),
                    Happening::Commit => {
                        let (count, bytes) = table.pending_cost();
                        let rows = table.take_changed(encode).unwrap();
                        prop_assert_eq!((rows.len(), rows.iter().map(|(_, body)| usize::from(body[0])).sum()), (count, bytes));
                        rows.iter().for_each(|(key, _)| pending_deletes.keep(key));
                        stored.extend(rows);
                        pending_deletes.take(0).iter().for_each(|key| drop(stored.remove(key)));
                        let expected: BTreeMap<Bytes, Vec<u8>> =
                            table.iter().map(|(key, value)| (rows::key(b"kind", key), vec![*value])).collect();
                        prop_assert_eq!(&stored, &expected);
                        prop_assert_eq!(table.pending_cost(), (0, 0));
                    }
                }
            }
        }
    }
}

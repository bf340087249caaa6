//! Values in memory by key, bounded in bytes: the least recently used ones give way. For replies that are asked for again with their
//! ETag (RFC 9110 section 8.8.3).

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The values.
pub struct Recent<K, V> {
    most_bytes: usize,
    state: Mutex<State<K, V>>,
}

struct State<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// Keys by their last use.
    by_use: BTreeMap<u64, K>,
    uses: u64,
    bytes: usize,
}

struct Entry<V> {
    value: V,
    bytes: usize,
    used: u64,
}

impl<K: Clone + Eq + Hash, V: Clone> Recent<K, V> {
    /// Values of at most `most_bytes` together.
    #[must_use]
    pub fn new(most_bytes: usize) -> Self {
        let state = State { entries: HashMap::new(), by_use: BTreeMap::new(), uses: 0, bytes: 0 };
        Self { most_bytes, state: Mutex::new(state) }
    }

    /// A value, which becomes the last used one.
    pub fn get(&self, key: &K) -> Option<V> {
        let mut guard = self.state();
        let state = &mut *guard;
        let entry = state.entries.get_mut(key)?;
        state.by_use.remove(&entry.used);
        state.uses += 1;
        entry.used = state.uses;
        state.by_use.insert(state.uses, key.clone());
        Some(entry.value.clone())
    }

    /// Keeps a value in place of an earlier one, and removes the least recently used ones that there is no room for. `bytes` is its
    /// memory with that of its two keys.
    pub fn put(&self, key: K, value: V, bytes: usize) {
        let mut guard = self.state();
        let state = &mut *guard;
        state.remove(&key);
        state.uses += 1;
        state.bytes += bytes;
        state.by_use.insert(state.uses, key.clone());
        state.entries.insert(key, Entry { value, bytes, used: state.uses });
        while state.bytes > self.most_bytes {
            let Some((_, oldest)) = state.by_use.first_key_value() else { return };
            let oldest = oldest.clone();
            state.remove(&oldest);
        }
    }

    /// Removes a value.
    pub fn remove(&self, key: &K) {
        self.state().remove(key);
    }

    /// Bytes of all values.
    pub fn bytes(&self) -> usize {
        self.state().bytes
    }

    fn state(&self) -> MutexGuard<'_, State<K, V>> {
        // Entries and bytes change together, without anything in between that could panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, V> fmt::Debug for Recent<K, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Recent").field("most_bytes", &self.most_bytes).finish_non_exhaustive()
    }
}

impl<K: Eq + Hash, V> State<K, V> {
    fn remove(&mut self, key: &K) {
        if let Some(entry) = self.entries.remove(key) {
            self.by_use.remove(&entry.used);
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_values_give_way_and_bytes_are_those_of_the_others() {
        let recent = Recent::new(8_000);
        for key in 0..8 {
            recent.put(key, key, 900);
        }
        assert_eq!(recent.get(&0), Some(0));
        recent.put(8, 8, 1_000);
        assert!(recent.get(&0).is_some() && recent.get(&1).is_none() && recent.get(&8).is_some());
        recent.put(0, 9, 1);
        assert_eq!(recent.get(&0), Some(9));
        recent.put(7, 7, 8_001);
        assert_eq!((recent.get(&7), recent.bytes()), (None, 0), "one that is too large leaves none");
        recent.put(1, 1, 10);
        recent.remove(&1);
        let state = recent.state();
        assert_eq!((state.bytes, state.entries.len(), state.by_use.len()), (0, 0, 0));
    }
}

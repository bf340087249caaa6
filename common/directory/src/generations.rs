//! A map of bounded size that forgets what has not been asked for longest, roughly: two generations
//! instead of a list of uses.

use std::collections::HashMap;
use std::hash::Hash;

/// At most `capacity` entries. New and recently used ones are in the young generation; when that
/// holds half the capacity it becomes the old one, and what was old by then is forgotten.
#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    half: usize,
}

impl<K: Eq + Hash + Clone, V: Clone> Generations<K, V> {
    /// An empty map for at most `capacity` entries (at least two).
    pub(crate) fn new(capacity: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), half: (capacity / 2).max(1) }
    }

    /// The entry of a key, which counts as a use.
    pub(crate) fn get(&mut self, key: &K) -> Option<V> {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let value = self.old.remove(key)?;
        self.insert(key.clone(), value.clone());
        Some(value)
    }

    /// Adds or replaces an entry.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.old.remove(&key);
        if self.young.len() >= self.half && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    /// Removes an entry.
    pub(crate) fn remove(&mut self, key: &K) {
        self.young.remove(key);
        self.old.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_bounded_and_keeps_what_is_used() {
        let mut map = Generations::new(100);
        map.insert(u32::MAX, ());
        for key in 0..10_000 {
            map.insert(key, ());
            assert!(map.get(&u32::MAX).is_some(), "a used entry was forgotten at {key}");
            assert!(map.young.len() + map.old.len() <= 100);
        }
        assert!(map.get(&9_999).is_some());
        assert!(map.get(&0).is_none());
        map.remove(&u32::MAX);
        assert!(map.get(&u32::MAX).is_none());
    }
}

//! Documents of registries in memory, by URL and form, least recently used first out.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;

/// Share of the cache that one document may take: an eighth, so that no document displaces all others.
const LARGEST_SHARE: usize = 8;
/// Bytes of an entry beside its texts and body: keys, map nodes.
const OVERHEAD: usize = 256;

/// A cached document.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) body: Bytes,
    pub(crate) etag: String,
    /// Monotonic time of the last confirmation by the registry.
    pub(crate) confirmed_at: Duration,
}

/// The cache.
pub(crate) struct Cache {
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: HashMap<String, (u64, Entry)>,
    /// Keys by the turn of their last use.
    turns: BTreeMap<u64, String>,
    turn: u64,
    bytes: usize,
}

impl Cache {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, state: Mutex::default() }
    }

    /// A document, which becomes the most recently used one.
    pub(crate) fn get(&self, key: &str) -> Option<Entry> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let (turn, entry) = state.entries.get_mut(key)?;
        state.turns.remove(turn);
        state.turn += 1;
        *turn = state.turn;
        state.turns.insert(state.turn, key.to_owned());
        Some(entry.clone())
    }

    /// Keeps a document, if it is small enough, and drops the least recently used ones beyond the bound.
    pub(crate) fn put(&self, key: &str, entry: Entry) {
        let size = size(key, &entry);
        let mut guard = self.lock();
        let state = &mut *guard;
        state.remove(key);
        if size > self.most / LARGEST_SHARE {
            return;
        }
        state.turn += 1;
        state.turns.insert(state.turn, key.to_owned());
        state.entries.insert(key.to_owned(), (state.turn, entry));
        state.bytes += size;
        while state.bytes > self.most {
            let Some((_, oldest)) = state.turns.first_key_value() else { break };
            let oldest = oldest.clone();
            state.remove(&oldest);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // A panic can leave nothing half-done in it but a wrong count of bytes, which only changes the time of eviction.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn remove(&mut self, key: &str) {
        if let Some((turn, entry)) = self.entries.remove(key) {
            self.turns.remove(&turn);
            self.bytes = self.bytes.saturating_sub(size(key, &entry));
        }
    }
}

fn size(key: &str, entry: &Entry) -> usize {
    2 * key.len() + entry.body.len() + entry.etag.len() + OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(length: usize) -> Entry {
        Entry { body: vec![0; length].into(), etag: "\"1\"".to_owned(), confirmed_at: Duration::ZERO }
    }

    #[test]
    fn the_least_recently_used_document_is_dropped_first() {
        let cache = Cache::new(10_000);
        for key in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            cache.put(key, entry(900));
        }
        assert!(cache.get("a").is_some());
        cache.put("i", entry(900));
        assert!(cache.get("a").is_some() && cache.get("b").is_none() && cache.get("i").is_some());
        assert!(cache.lock().bytes <= 10_000);
    }

    #[test]
    fn a_large_document_is_not_kept_and_replaces_its_old_form() {
        let cache = Cache::new(10_000);
        cache.put("a", entry(10));
        cache.put("a", entry(5_000));
        assert!(cache.get("a").is_none());
        assert_eq!(cache.lock().bytes, 0);
    }
}

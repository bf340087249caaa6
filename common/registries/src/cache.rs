//! Documents of registries in memory, by URL and form, least recently used first out.

use std::time::Duration;

use bytes::Bytes;
use outbound::Recent;

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
    recent: Recent<String, Entry>,
}

impl Cache {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, recent: Recent::new(most) }
    }

    /// A document, which becomes the most recently used one.
    pub(crate) fn get(&self, key: &str) -> Option<Entry> {
        self.recent.get(&key.to_owned())
    }

    /// Keeps a document, if it is small enough, and drops the least recently used ones beyond the bound.
    pub(crate) fn put(&self, key: &str, entry: Entry) {
        let (key, size) = (key.to_owned(), size(key, &entry));
        if size > self.most / LARGEST_SHARE {
            self.recent.remove(&key);
        } else {
            self.recent.put(key, entry, size);
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
        assert!(cache.recent.bytes() <= 10_000);
    }

    #[test]
    fn a_large_document_is_not_kept_and_replaces_its_old_form() {
        let cache = Cache::new(10_000);
        cache.put("a", entry(10));
        cache.put("a", entry(5_000));
        assert!(cache.get("a").is_none());
        assert_eq!(cache.recent.bytes(), 0);
    }
}

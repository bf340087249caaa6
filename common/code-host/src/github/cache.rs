//! Replies that are kept with their ETag (RFC 9110 section 8.8.3), so that asking again costs no quota when nothing changed.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use crate::host::Access;

/// Bytes of bodies, URLs and ETags over all installations.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// Counted for each entry beside its texts: keys, counters and tables.
const ENTRY_BYTES: usize = 256;
/// Longest ETag that is kept.
const MOST_TAG_BYTES: usize = 256;

/// A reply that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) etag: String,
    pub(super) body: Bytes,
    /// `Link`, which a reply without a body does not repeat.
    pub(super) link: Option<String>,
}

/// What a reply depends on.
type Key = (Access, String);

/// The replies; the least recently used ones give way.
#[derive(Debug, Default)]
pub(super) struct Cache {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<Key, (Kept, u64)>,
    /// Keys by their last use.
    by_use: BTreeMap<u64, Key>,
    uses: u64,
    bytes: usize,
}

impl Cache {
    pub(super) fn get(&self, access: Access, url: &str) -> Option<Kept> {
        let mut state = self.state();
        let key = (access, url.to_owned());
        let (kept, _) = state.entries.get(&key)?;
        let kept = kept.clone();
        state.touch(key, kept.clone());
        Some(kept)
    }

    pub(super) fn put(&self, access: Access, url: &str, kept: Kept) {
        if kept.etag.len() > MOST_TAG_BYTES || size(url, &kept) > MOST_BYTES {
            return;
        }
        self.state().touch((access, url.to_owned()), kept);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Entries and bytes change together, without anything in between that could panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Makes an entry the last used one, and removes the others that there is no room for.
    fn touch(&mut self, key: Key, kept: Kept) {
        self.remove(&key);
        self.uses += 1;
        self.bytes += size(&key.1, &kept);
        self.by_use.insert(self.uses, key.clone());
        self.entries.insert(key, (kept, self.uses));
        while self.bytes > MOST_BYTES {
            let Some((_, oldest)) = self.by_use.first_key_value() else { return };
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, key: &Key) {
        if let Some((kept, used)) = self.entries.remove(key) {
            self.by_use.remove(&used);
            self.bytes -= size(&key.1, &kept);
        }
    }
}

fn size(url: &str, kept: &Kept) -> usize {
    // The URL is in both tables.
    2 * url.len()
        + kept.etag.len()
        + kept.body.len()
        + kept.link.as_ref().map_or(0, String::len)
        + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bytes: usize) -> Kept {
        Kept { etag: "\"a\"".to_owned(), body: vec![0; bytes].into(), link: None }
    }

    #[test]
    fn replies_are_kept_for_their_rights_and_the_oldest_give_way() {
        let cache = Cache::default();
        let access = Access::public("1".parse().unwrap());
        let other = Access::of_repository("1".parse().unwrap(), "2".parse().unwrap());
        for number in 0..8 {
            cache.put(access, &format!("/{number}"), kept(8 * 1024 * 1024 - 1_024));
        }
        assert!(cache.get(access, "/0").is_some() && cache.get(other, "/0").is_none());
        cache.put(other, "/0", kept(10 * 1024));
        assert!(cache.get(access, "/0").is_some(), "used lately");
        assert!(cache.get(access, "/1").is_none() && cache.get(other, "/0").is_some());
        cache.put(access, "/0", kept(1));
        assert_eq!(cache.get(access, "/0").unwrap().body.len(), 1);
        let state = cache.state();
        let bytes: usize = state.entries.iter().map(|((_, url), (kept, _))| size(url, kept)).sum();
        assert_eq!((bytes, state.by_use.len()), (state.bytes, state.entries.len()));
    }
}

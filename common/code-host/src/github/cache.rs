//! Replies that are kept with their ETag (RFC 9110 section 8.8.3), so that asking again costs no quota when nothing changed.

use bytes::Bytes;
use outbound::Recent;

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

/// The rights and the URL of a reply.
type Key = (Access, String);

/// The replies; the least recently used ones give way.
#[derive(Debug)]
pub(super) struct Cache(Recent<Key, Kept>);

impl Default for Cache {
    fn default() -> Self {
        Self(Recent::new(MOST_BYTES))
    }
}

impl Cache {
    pub(super) fn get(&self, access: Access, url: &str) -> Option<Kept> {
        self.0.get(&(access, url.to_owned()))
    }

    pub(super) fn put(&self, access: Access, url: &str, kept: Kept) {
        let bytes = size(url, &kept);
        if kept.etag.len() <= MOST_TAG_BYTES && bytes <= MOST_BYTES {
            self.0.put((access, url.to_owned()), kept, bytes);
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
        let urls: Vec<String> = (0..8).map(|number| format!("/{number}")).collect();
        let all = urls.iter().flat_map(|url| [(access, url), (other, url)]);
        let left = all.filter_map(|(access, url)| cache.get(access, url).map(|kept| size(url, &kept)));
        assert_eq!(left.sum::<usize>(), cache.0.bytes());
    }
}

//! URLs that wait to be fetched, in breadth-first order, each once and within bounds.

mod hazard;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use common::digest::digest;
use serde::{Deserialize, Serialize};
use url::Url;

pub use hazard::may_change_state;

use crate::template::template;

/// Pages of one crawl: larger sites repeat their routes, and a crawl must end within minutes at one page a second.
pub const MOST_PAGES: usize = 500;
/// Links between the start page and a page.
pub const MOST_DEPTH: u8 = 5;
/// Pages of one route template: enough for every form of a page, and few enough that a calendar does not take all.
pub const MOST_PER_TEMPLATE: u16 = 25;
/// Redirects in a row, as browsers and libraries allow few more.
pub const MOST_REDIRECTS: u8 = 5;
/// Bytes of a URL: longer ones are states of a page, and would fill the checkpoint.
pub const LONGEST_URL: usize = 2_048;

/// Extensions of files without links. They are endpoints, but fetching them would take transfer without result.
const FILES: [&str; 51] = [
    "7z", "aac", "apk", "avi", "avif", "bin", "bmp", "bz2", "css", "csv", "dmg", "doc", "docx", "eot", "exe",
    "flac", "gif", "gz", "ico", "iso", "jpeg", "jpg", "js", "m4a", "mjs", "mov", "mp3", "mp4", "mpeg", "msi",
    "ogg", "otf", "pdf", "png", "ppt", "pptx", "rar", "svg", "tar", "tgz", "tif", "tiff", "ttf", "wav",
    "webm", "webp", "woff", "woff2", "xls", "xlsx", "zip",
];

/// A URL that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Its normalized URL.
    pub url: String,
    /// Links between the start page and it.
    pub depth: u8,
    /// Redirects that led to it in a row.
    pub redirects: u8,
}

/// Result of offering a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// It waits.
    Accepted,
    /// It waited or was fetched before.
    Known,
    /// It is a file without links.
    File,
    /// The request may change state.
    Hazard,
    /// Its route template has enough pages.
    Template,
    /// It is too deep, its chain of redirects or its text is too long, or there are enough pages.
    Limit,
}

/// Numbers of URLs that were not fetched, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Requests that may change state.
    pub hazard: u64,
    /// Further pages of one route template.
    pub template: u64,
    /// Beyond a bound of depth, redirects, length or pages.
    pub limit: u64,
}

/// The queue, and hashes of everything that was in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    pub(crate) queue: VecDeque<Waiting>,
    pub(crate) seen: BTreeSet<u64>,
    pub(crate) templates: BTreeMap<u64, u16>,
    pub(crate) refused: Refused,
}

impl Frontier {
    /// Offers a normalized URL that the scope includes.
    pub fn offer(&mut self, url: &Url, depth: u8, redirects: u8) -> Offer {
        let offer = self.judge(url, depth, redirects);
        match offer {
            Offer::Accepted => {
                let waiting = Waiting { url: url.as_str().to_owned(), depth, redirects };
                // A redirect continues a page of an earlier level, so it is fetched before the pages of this one.
                if redirects > 0 { self.queue.push_front(waiting) } else { self.queue.push_back(waiting) }
            }
            Offer::Known | Offer::File => {}
            Offer::Hazard => self.refused.hazard += 1,
            Offer::Template => self.refused.template += 1,
            Offer::Limit => self.refused.limit += 1,
        }
        offer
    }

    fn judge(&mut self, url: &Url, depth: u8, redirects: u8) -> Offer {
        if url.as_str().len() > LONGEST_URL {
            return Offer::Limit;
        }
        let key = key_of(url);
        if self.seen.contains(&key) {
            return Offer::Known;
        }
        if is_file(url) {
            return Offer::File;
        }
        if may_change_state(url) {
            return Offer::Hazard;
        }
        if depth > MOST_DEPTH || redirects > MOST_REDIRECTS || self.seen.len() >= MOST_PAGES {
            return Offer::Limit;
        }
        let count = self.templates.entry(group_of(url)).or_default();
        if *count >= MOST_PER_TEMPLATE {
            return Offer::Template;
        }
        *count += 1;
        self.seen.insert(key);
        Offer::Accepted
    }

    /// Adds the first URL, whatever its path and its words are.
    pub fn start(&mut self, url: &Url) {
        self.seen.insert(key_of(url));
        self.queue.push_back(Waiting { url: url.as_str().to_owned(), depth: 0, redirects: 0 });
    }

    /// Removes the next URL.
    pub fn take(&mut self) -> Option<Waiting> {
        self.queue.pop_front()
    }

    /// Puts a URL back in front, which was removed and not fetched.
    pub fn put_back(&mut self, waiting: Waiting) {
        self.queue.push_front(waiting);
    }

    /// Number of waiting URLs.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }
}

/// Equal for URLs of the same page: parameters in any order, without those that only trace the origin of a visit.
fn key_of(url: &Url) -> u64 {
    let mut parameters: Vec<(String, String)> =
        url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    parameters.retain(|(name, _)| !name.starts_with("utm_") && !matches!(name.as_str(), "gclid" | "fbclid"));
    parameters.sort();
    let mut parts = vec![origin_of(url), url.path().to_owned()];
    parts.extend(parameters.into_iter().flat_map(|(name, value)| [name, value]));
    hash(&parts)
}

/// Equal for URLs of one route: values of parameters do not count, nor do scheme and numbers.
fn group_of(url: &Url) -> u64 {
    let mut names: Vec<String> = url.query_pairs().map(|(name, _)| template(&name)).collect();
    names.sort();
    names.dedup();
    let path = template(url.path());
    let mut parts = vec![url.host_str().unwrap_or_default().to_owned(), without_digits(&path)];
    parts.extend(names);
    hash(&parts)
}

/// Digits within words are variable too (`/p12`, `/p13`), except versions.
fn without_digits(path: &str) -> String {
    let is_version = |segment: &str| {
        segment.strip_prefix('v').is_some_and(|number| number.len() <= 2 && number.parse::<u8>().is_ok())
    };
    let segments = path.split('/').map(|segment| {
        if is_version(segment) {
            segment.to_owned()
        } else {
            segment.replace(|c: char| c.is_ascii_digit(), "")
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// A hash that is the same in every process, since checkpoints contain it.
pub(crate) fn hash(parts: &[String]) -> u64 {
    let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    let [a, b, c, d, e, f, g, h, ..] = digest(&parts);
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Whether the name of a URL is that of a file, by its extension.
pub(crate) fn is_file(url: &Url) -> bool {
    let name = url.path().rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.')
        .is_some_and(|(_, extension)| FILES.binary_search(&extension.to_ascii_lowercase().as_str()).is_ok())
}

#[cfg(test)]
mod tests;

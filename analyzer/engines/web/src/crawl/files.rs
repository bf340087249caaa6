//! Files beside pages: robots files with their rules, sitemaps, interface descriptions, scripts. They have a budget of their own.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use url::Url;

use crate::frontier::{LONGEST_URL, MOST_REDIRECTS};
use crate::parse::Purpose;
use crate::robots::Robots;

/// Files of a crawl: more are parts of one large sitemap or of one bundle of scripts.
pub(super) const MOST_FILES: u32 = 50;
/// Scripts among them, so that they leave room for the others.
const MOST_SCRIPTS: u32 = 25;
/// Hosts whose robots files are requested.
const MOST_ORIGINS: usize = 16;
/// Bytes of the rules of all robots files: all of them are part of every checkpoint. Large sites have some 10 KiB.
const MOST_RULE_BYTES: usize = 24 << 10;
/// Places of interface descriptions in common frameworks.
const DESCRIPTIONS: [&str; 8] = [
    "/openapi.json",
    "/openapi.yaml",
    "/swagger.json",
    "/v3/api-docs",
    "/v2/api-docs",
    "/swagger/v1/swagger.json",
    "/api/openapi.json",
    "/api-docs",
];

/// A file that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileRequest {
    pub(super) url: String,
    pub(super) purpose: Purpose,
    /// URL of the page that refers to it; of a robots file, the origin that it is for.
    pub(super) base: String,
    pub(super) redirects: u8,
}

/// Files that wait, and rules of origins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Files {
    pub(super) queue: VecDeque<FileRequest>,
    /// Hashes of the URLs of all files.
    seen: BTreeSet<u64>,
    taken: u32,
    scripts: u32,
    /// Rules by origin; `None` while its robots file is awaited.
    pub(super) rules: BTreeMap<String, Option<Robots>>,
    /// Files beyond a bound.
    pub(super) refused: u64,
}

impl Files {
    /// Adds a file that the scope includes.
    pub(super) fn add(&mut self, url: &Url, purpose: Purpose, base: &str, redirects: u8) {
        let script = purpose == Purpose::Script;
        let full = self.taken >= MOST_FILES || (script && self.scripts >= MOST_SCRIPTS);
        let hash = crate::frontier::hash(&[purpose.as_str().to_owned(), url.as_str().to_owned()]);
        if self.seen.contains(&hash) {
            return;
        }
        if full || url.as_str().len() > LONGEST_URL || redirects > MOST_REDIRECTS {
            self.refused += 1;
            return;
        }
        self.seen.insert(hash);
        // Accepted files are counted, so that the queue is within the bound.
        self.taken += 1;
        self.scripts += u32::from(script);
        let request = FileRequest { url: url.as_str().to_owned(), purpose, base: base.to_owned(), redirects };
        if purpose == Purpose::Robots {
            self.queue.push_front(request)
        } else {
            self.queue.push_back(request)
        }
    }

    pub(super) fn take(&mut self) -> Option<FileRequest> {
        self.queue.pop_front()
    }

    /// Whether the rules of a URL's origin are known.
    pub(super) fn has_rules(&self, url: &Url) -> bool {
        self.rules.get(&origin(url)).is_some_and(Option::is_some)
    }

    /// Whether the robots file of a URL's origin was requested, without a result.
    pub(super) fn awaits_rules(&self, url: &Url) -> bool {
        self.rules.get(&origin(url)).is_some_and(Option::is_none)
    }

    /// Requests the robots file of a URL's origin. `false` if it was requested before, or too many were.
    pub(super) fn request_robots(&mut self, url: &Url) -> bool {
        let origin = origin(url);
        if self.rules.contains_key(&origin) || self.rules.len() >= MOST_ORIGINS || self.taken >= MOST_FILES {
            return false;
        }
        let Ok(robots) = url.join("/robots.txt") else { return false };
        self.rules.insert(origin.clone(), None);
        self.add(&robots, Purpose::Robots, &origin, 0);
        true
    }

    /// Whether the rules of its origin allow a URL; without rules everything is allowed.
    pub(super) fn allows(&self, url: &Url) -> bool {
        let Some(Some(robots)) = self.rules.get(&origin(url)) else { return true };
        let path =
            url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        robots.allows(&path)
    }

    /// Sets the rules of an origin, and returns whether all of them are kept.
    pub(super) fn set_rules(&mut self, origin: &str, mut robots: Robots) -> bool {
        // They have been requested.
        robots.sitemaps.clear();
        let bytes = |robots: &Robots| robots.rules.iter().map(|rule| rule.path.len() + 32).sum::<usize>();
        let mut left = MOST_RULE_BYTES.saturating_sub(self.rules.values().flatten().map(bytes).sum());
        let all = robots.rules.len();
        robots.rules.retain(|rule| {
            let fits = rule.path.len() + 32 <= left;
            left = left.saturating_sub(rule.path.len() + 32);
            fits
        });
        let complete = robots.rules.len() == all;
        self.rules.insert(origin.to_owned(), Some(robots));
        complete
    }

    /// Requests the robots files that are awaited, after the requests have been lost.
    pub(super) fn request_missing_rules(&mut self) {
        for (origin, _) in self.rules.iter().filter(|(_, rules)| rules.is_none()) {
            self.queue.push_front(FileRequest {
                url: format!("{origin}/robots.txt"),
                purpose: Purpose::Robots,
                base: origin.clone(),
                redirects: 0,
            });
        }
    }

    /// Requests descriptions at their usual places. Only those of the application: other hosts are not tried for files.
    pub(super) fn probe_descriptions(&mut self, application: &Url) {
        for path in DESCRIPTIONS {
            if let Ok(url) = application.join(path) {
                self.add(&url, Purpose::Description, application.as_str(), 0);
            }
        }
    }
}

pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

//! Products that a reply shows: by headers, cookies, metadata, URLs of scripts and text of the markup, each with evidence.

mod catalogue;
mod pattern;

use std::collections::BTreeMap;

use common::words;
use serde::{Deserialize, Serialize};

pub use catalogue::{Catalogue, CatalogueError};
pub(crate) use pattern::LONGEST_VERSION;

use crate::endpoints::cut;

/// Bytes of an evidence: enough to recognise it in the reply.
pub const LONGEST_EVIDENCE: usize = 200;
/// Products of one reply: a page with more shows a list of products, and does not use them.
pub const MOST_PRODUCTS: usize = 100;
/// Bytes of the markup that are searched, from the start.
const MOST_MARKUP_BYTES: usize = 512 << 10;

words! {
    /// Kind of a product.
    Category {
        /// Web and application server.
        Server = "server",
        /// Language, its modules, operating system.
        Language = "language",
        /// Framework of a server or a browser.
        Framework = "framework",
        /// Content management.
        Content = "content",
        /// Shop, payment.
        Shop = "shop",
        /// Hosting, content delivery, proxy, firewall.
        Delivery = "delivery",
        /// Analytics, monitoring, chat.
        Analytics = "analytics",
        /// Identity provider.
        Authentication = "authentication",
        /// Library of a browser.
        Library = "library",
    }
}

/// A product and its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Technology {
    /// Name of the product.
    pub name: String,
    /// Kind of the product.
    pub category: Category,
    /// Version, where the evidence states one.
    pub version: Option<String>,
    /// Place and text by which it was recognised, or the product that implies it.
    pub evidence: String,
}

/// The parts of a reply in which products are recognised.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signs<'a> {
    /// Names and values of headers.
    pub headers: &'a [(String, String)],
    /// Names and contents of `meta` elements.
    pub metadata: &'a [(String, String)],
    /// URLs of scripts and style sheets.
    pub scripts: &'a [String],
    /// The body, if it is HTML.
    pub markup: &'a [u8],
}

impl Catalogue {
    /// The products of a reply, by name.
    #[must_use]
    pub fn detect(&self, signs: &Signs<'_>) -> Vec<Technology> {
        let mut found = BTreeMap::new();
        for (name, value) in signs.headers {
            let name = name.to_ascii_lowercase();
            if name == "set-cookie" {
                let cookie = value.split(['=', ';']).next().unwrap_or_default().trim();
                self.match_cookie(cookie, |product| {
                    insert(&mut found, product, None, &format!("cookie: {cookie}"))
                });
                continue;
            }
            self.match_header(&name, value, |product, version| {
                insert(&mut found, product, version, &format!("header {name}: {value}"));
            });
        }
        for (name, content) in signs.metadata {
            self.match_metadata(name, content, |product, version| {
                insert(&mut found, product, version, &format!("meta {name}: {content}"));
            });
        }
        for url in signs.scripts {
            self.scripts().find(url.as_bytes(), |product, version, _| {
                insert(&mut found, product, version, &format!("script: {url}"));
            });
        }
        let markup = signs.markup.get(..MOST_MARKUP_BYTES).unwrap_or(signs.markup);
        self.markup().find(markup, |product, version, text| {
            insert(&mut found, product, version, &format!("markup: {}", String::from_utf8_lossy(text)));
        });
        self.finish(found)
    }

    /// Adds the products that others imply.
    fn finish(&self, mut found: BTreeMap<usize, Found>) -> Vec<Technology> {
        let mut waiting: Vec<usize> = found.keys().copied().collect();
        while let Some(product) = waiting.pop() {
            let Some(entry) = self.product(product) else { continue };
            for implied in &entry.implies {
                if !found.contains_key(implied) {
                    insert(&mut found, *implied, None, &format!("implied by {}", entry.name));
                    waiting.push(*implied);
                }
            }
        }
        let technology = |(product, found): (usize, Found)| {
            let entry = self.product(product)?;
            Some(Technology {
                name: entry.name.clone(),
                category: entry.category,
                version: found.version,
                evidence: found.evidence,
            })
        };
        let mut technologies: Vec<Technology> = found.into_iter().filter_map(technology).collect();
        technologies.sort_by(|one, other| one.name.cmp(&other.name));
        technologies.truncate(MOST_PRODUCTS);
        technologies
    }
}

#[derive(Debug)]
struct Found {
    version: Option<String>,
    evidence: String,
}

/// The first evidence counts, unless a later one states a version.
fn insert(found: &mut BTreeMap<usize, Found>, product: usize, version: Option<&str>, evidence: &str) {
    let known = found.get(&product);
    if known.is_some_and(|known| known.version.is_some() || version.is_none()) {
        return;
    }
    let found_now = Found { version: version.map(str::to_owned), evidence: cut(evidence, LONGEST_EVIDENCE) };
    found.insert(product, found_now);
}

#[cfg(test)]
mod tests;

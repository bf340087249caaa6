//! Hosts that resemble the domains of brands.

mod brand;

use std::collections::BTreeSet;

use self::brand::{Brand, Host, LURES, folded};
use crate::lists;

/// Domains that a caller can add: those of an organization.
const MAX_OWN: usize = 2_000;
/// Longest host (RFC 1035).
const MAX_HOST: usize = 253;
/// Shortest name that a text names: shorter ones are abbreviations of other things too.
const LEAST_NAMED: usize = 3;
/// Words of a text that are compared with names: a display name or a title has fewer.
const MAX_WORDS: usize = 64;
/// Words of a name at most, for example `Bank of America`.
const MAX_NAME_WORDS: usize = 4;

/// Brands and their domains.
#[derive(Clone, Debug)]
pub struct Brands {
    brands: Vec<Brand>,
}

/// A brand that a host resembles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandLookalike {
    /// The brand, or the caller's domain.
    pub brand: String,
    /// The kind of resemblance.
    pub resemblance: Resemblance,
}

/// Kind of resemblance, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resemblance {
    /// Letters that look alike, or several scripts in one label.
    Skeleton,
    /// One letter differs, or two in a long label.
    Near,
    /// The brand is a label or word of a host of another domain.
    Label,
    /// The brand under another suffix, where its owner may have the domain as well.
    OtherSuffix,
}

impl Brands {
    /// The built-in list.
    #[must_use]
    pub fn built_in() -> Self {
        let brand = |line: &str| {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap_or_default();
            let (name, is_shared) = name.strip_prefix('+').map_or((name, false), |name| (name, true));
            let (name, is_word) = name.strip_prefix('~').map_or((name, false), |name| (name, true));
            Brand { is_shared, ..Brand::new(name, words, is_word) }
        };
        Self { brands: lists::lines(lists::brands()).map(brand).collect() }
    }

    /// Number of brands.
    #[must_use]
    pub fn count(&self) -> usize {
        self.brands.len()
    }

    /// Adds domains of the caller, each as a brand; those beyond 2,000 are left out.
    pub fn add<'a>(&mut self, domains: impl IntoIterator<Item = &'a str>) {
        for domain in domains.into_iter().take(MAX_OWN) {
            let label = domain.split('.').next().unwrap_or_default();
            let mut brand = Brand::new(label, std::iter::once(domain), false);
            brand.name = domain.to_owned();
            self.brands.push(brand);
        }
    }

    /// The brand that a host resembles without being on one of its domains; the strongest resemblance, of equal ones the first
    /// brand. The host may be in A-labels or Unicode. `None` also for IP addresses and texts that are no host.
    #[must_use]
    pub fn lookalike(&self, host: &str) -> Option<BrandLookalike> {
        if host.len() > MAX_HOST || host.parse::<std::net::IpAddr>().is_ok() {
            return None;
        }
        let (unicode, _) = idna::domain_to_unicode(host.trim_end_matches('.'));
        let host = Host::new(&unicode.to_lowercase())?;
        if self.brands.iter().any(|brand| brand.owns(&host.text)) {
            return None;
        }
        let found = self.brands.iter().filter_map(|brand| {
            let resemblance = brand.resemblance(&host)?;
            Some(BrandLookalike { brand: brand.name.clone(), resemblance })
        });
        found.min_by_key(|found| found.resemblance)
    }

    /// The first brand of the list that a text for people names, for example a display name or a title. The text is compared by
    /// words without their case; a name of several words may be written with spaces. A brand that is an ordinary word is named if it
    /// is the whole text, or if a word of requests for credentials or payment stands in it. Only the first words of a long text are compared.
    #[must_use]
    pub fn named(&self, text: &str) -> Option<&str> {
        let words: Vec<String> = text
            .split(|sign: char| !sign.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS)
            .map(|word| folded(&word.to_lowercase()))
            .collect();
        let is_lure = words.iter().any(|word| LURES.contains(&word.as_str()));
        let mut joined: BTreeSet<String> = BTreeSet::new();
        for start in 0..words.len() {
            let mut name = String::new();
            for word in words.iter().skip(start).take(MAX_NAME_WORDS) {
                name.push_str(word);
                joined.insert(name.clone());
            }
        }
        let whole = words.concat();
        let names = |brand: &&Brand| {
            brand.labels.iter().any(|label| {
                label.text.len() >= LEAST_NAMED
                    && joined.contains(&label.skeleton)
                    && (!self.is_word(brand, &label.skeleton) || is_lure || whole == label.skeleton)
                    && !brand.is_shared
            })
        };
        self.brands.iter().find(names).map(|brand| brand.name.as_str())
    }

    /// Whether the label is an ordinary word: that of a brand of its own, such as a product named beside its company.
    fn is_word(&self, brand: &Brand, label: &str) -> bool {
        let is_name = |other: &Brand| other.is_word && other.labels.iter().any(|own| own.skeleton == label);
        brand.is_word || self.brands.iter().any(is_name)
    }

    /// Whether a host is on a domain of a brand.
    #[must_use]
    pub fn owns(&self, brand: &str, host: &str) -> bool {
        self.brands.iter().any(|known| known.name == brand && known.owns(host))
    }

    /// The brand on whose domains a host is.
    #[must_use]
    pub fn owner(&self, host: &str) -> Option<&str> {
        self.brands.iter().find(|brand| brand.owns(host)).map(|brand| brand.name.as_str())
    }
}

//! Hosts that resemble the domains of brands.

use std::collections::BTreeSet;

use unicode_security::MixedScript;
use unicode_security::skeleton;

use crate::lists;

/// Domains that a caller can add: those of an organization.
const MAX_OWN: usize = 2_000;
/// Longest host (RFC 1035).
const MAX_HOST: usize = 253;
/// Shortest label of which a lookalike at distance 1 counts.
const LEAST_NEAR: usize = 5;
/// Shortest label of which a lookalike at distance 2 counts.
const LEAST_FAR: usize = 9;
/// Shortest label that counts as a word within another one.
const LEAST_WORD: usize = 4;
/// Words of pages that ask for credentials or payment, which make an ordinary word a brand.
const LURES: [&str; 24] = [
    "login",
    "signin",
    "secure",
    "security",
    "account",
    "accounts",
    "verify",
    "verification",
    "support",
    "update",
    "billing",
    "wallet",
    "auth",
    "pay",
    "payment",
    "helpdesk",
    "service",
    "customer",
    "confirm",
    "unlock",
    "recovery",
    "online",
    "id",
    "alert",
];

/// Brands and their domains.
#[derive(Clone, Debug)]
pub struct Brands {
    brands: Vec<Brand>,
}

#[derive(Clone, Debug)]
struct Brand {
    name: String,
    domains: BTreeSet<String>,
    /// Labels by which it is recognised, with their skeletons.
    labels: Vec<(String, String)>,
    /// Whether its name is also an ordinary word.
    is_word: bool,
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
            let (name, is_word) = name.strip_prefix('~').map_or((name, false), |name| (name, true));
            Brand::new(name, words, is_word)
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
}

/// A host in Unicode.
struct Host {
    text: String,
    /// Label before the public suffix.
    label: String,
    skeleton: String,
    /// Words of all labels before the suffix but those of `label` alone.
    words: Vec<String>,
}

impl Host {
    fn new(text: &str) -> Option<Self> {
        let domain = psl::domain_str(text)?;
        let suffix = psl::suffix_str(text)?;
        let label = domain.strip_suffix(suffix)?.trim_end_matches('.').to_owned();
        let before = text.strip_suffix(suffix)?.trim_end_matches('.');
        let words =
            before.split(['.', '-', '_']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        Some(Self { text: text.to_owned(), skeleton: folded(&label), label, words })
    }
}

impl Brand {
    fn new<'a>(name: &str, domains: impl Iterator<Item = &'a str>, is_word: bool) -> Self {
        let domains: BTreeSet<String> = domains.map(str::to_ascii_lowercase).collect();
        let mut labels = BTreeSet::from([name.split('.').next().unwrap_or_default().to_owned()]);
        // Further labels of the brand, for example `steampowered`; short ones are abbreviations.
        let label = |domain: &String| domain.split('.').next().unwrap_or_default().to_owned();
        labels.extend(domains.iter().map(label).filter(|label| label.len() > LEAST_NEAR));
        let labels = labels.into_iter().map(|label| (label.clone(), folded(&label))).collect();
        Self { name: name.to_owned(), domains, labels, is_word }
    }

    /// Whether a host is on a domain of the brand.
    fn owns(&self, host: &str) -> bool {
        self.domains.iter().any(|domain| {
            host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }

    fn resemblance(&self, host: &Host) -> Option<Resemblance> {
        let found = self.labels.iter().filter_map(|(label, skeleton)| self.by_label(host, label, skeleton));
        found.min()
    }

    fn by_label(&self, host: &Host, label: &str, skeleton: &str) -> Option<Resemblance> {
        let length = label.len();
        let is_lure = || host.words.iter().any(|word| LURES.contains(&word.as_str()));
        if host.label != label && length >= LEAST_WORD && host.skeleton == skeleton {
            return Some(Resemblance::Skeleton);
        }
        // A label of two scripts that reads as the brand after one edit.
        let is_mixed = !host.label.is_ascii() && !host.label.as_str().is_single_script();
        if is_mixed && length >= LEAST_NEAR && distance(&host.skeleton, skeleton) <= 1 {
            return Some(Resemblance::Skeleton);
        }
        if host.label == label {
            let counts = length >= LEAST_WORD && (!self.is_word || is_lure());
            return counts.then_some(if host.words.len() > 1 && is_lure() {
                Resemblance::Label
            } else {
                Resemblance::OtherSuffix
            });
        }
        if !self.is_word && length >= LEAST_NEAR && is_near(&host.label, label) {
            return Some(Resemblance::Near);
        }
        let is_named =
            length >= LEAST_WORD && host.words.iter().any(|word| word == label || folded(word) == skeleton);
        // Ordinary words, and joined words such as `paypallogin`, need a lure.
        if is_named && (!self.is_word || is_lure()) {
            return Some(Resemblance::Label);
        }
        let is_joined = |word: &String| {
            let rest = word.strip_prefix(label).or_else(|| word.strip_suffix(label));
            rest.is_some_and(|rest| LURES.contains(&rest))
        };
        (length >= LEAST_NEAR && host.words.iter().any(is_joined)).then_some(Resemblance::Label)
    }
}

/// One edit, of two letters in long labels. Labels that begin with another letter are seldom taken for the brand, except by a
/// swap.
fn is_near(found: &str, label: &str) -> bool {
    let far = distance(found, label);
    let same_begin = found.chars().next() == label.chars().next();
    let is_plural = found.strip_suffix('s') == Some(label) || label.strip_suffix('s') == Some(found);
    match far {
        0 => false,
        1 => (same_begin || label.len() > LEAST_NEAR) && !(is_plural && label.len() < LEAST_FAR),
        2 => same_begin && label.len() >= LEAST_FAR,
        _ => false,
    }
}

/// Skeleton of a label (Unicode Technical Standard 39), in lower case, with digits and pairs that read as letters.
fn folded(label: &str) -> String {
    // The standard maps `m` to `rn`, so that both are the same here; pairs that only some fonts join are added.
    let plain: String = skeleton(label).collect::<String>().to_lowercase();
    // Again, because lower case makes further letters alike, for example `I` and `l`.
    let plain: String = skeleton(&plain).collect();
    plain.to_lowercase().replace('3', "e").replace('5', "s").replace("vv", "w")
}

/// Edits between two labels with swaps (optimal string alignment); 3 for any greater distance.
fn distance(a: &str, b: &str) -> usize {
    const FAR: usize = 3;
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) >= FAR {
        return FAR;
    }
    let mut older: Vec<usize> = Vec::new();
    let mut old: Vec<usize> = (0..=b.len()).collect();
    for (row, x) in a.iter().enumerate() {
        let mut new = vec![row + 1];
        for (column, y) in b.iter().enumerate() {
            let mut best = (old[column] + usize::from(x != y)).min(old[column + 1] + 1).min(new[column] + 1);
            let is_swap = row > 0 && column > 0 && *x == b[column - 1] && a[row - 1] == *y;
            if is_swap {
                best = best.min(older[column - 1] + 1);
            }
            new.push(best);
        }
        older = std::mem::replace(&mut old, new);
    }
    old.last().copied().unwrap_or(FAR).min(FAR)
}

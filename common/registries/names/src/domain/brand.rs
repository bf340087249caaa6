//! One brand, and its resemblance to a host.

use std::collections::BTreeSet;

use unicode_security::MixedScript;
use unicode_security::skeleton;

use super::Resemblance;

/// Shortest label of which a lookalike at distance 1 counts.
const LEAST_NEAR: usize = 5;
/// Shortest label of which a lookalike at distance 2 counts.
const LEAST_FAR: usize = 9;
/// Shortest label that counts as a word within another one.
const LEAST_WORD: usize = 4;
/// Words of pages that ask for credentials or payment, which make an ordinary word a brand.
pub(super) const LURES: [&str; 24] = [
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

/// A brand.
#[derive(Clone, Debug)]
pub(super) struct Brand {
    pub(super) name: String,
    pub(super) domains: BTreeSet<String>,
    /// Labels by which it is recognised.
    pub(super) labels: Vec<Label>,
    /// Whether its name is also an ordinary word.
    pub(super) is_word: bool,
    /// Whether independent owners use the name in domains of their own, for example local banks of a group.
    pub(super) is_shared: bool,
}

/// A label with everything that comparisons need of it.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) text: String,
    pub(super) skeleton: String,
    letters: u64,
}

impl Label {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), skeleton: folded(text), letters: letters(text) }
    }
}

/// A host in Unicode.
pub(super) struct Host {
    pub(super) text: String,
    /// Label before the public suffix.
    label: String,
    skeleton: String,
    letters: u64,
    /// Words of all labels before the suffix, with their skeletons.
    words: Vec<(String, String)>,
    is_lure: bool,
    is_mixed: bool,
}

impl Host {
    pub(super) fn new(text: &str) -> Option<Self> {
        let domain = psl::domain_str(text)?;
        let suffix = psl::suffix_str(text)?;
        let label = domain.strip_suffix(suffix)?.trim_end_matches('.').to_owned();
        let before = text.strip_suffix(suffix)?.trim_end_matches('.');
        let words: Vec<(String, String)> = before
            .split(['.', '-', '_'])
            .filter(|word| !word.is_empty())
            .map(|word| (word.to_owned(), folded(word)))
            .collect();
        Some(Self {
            text: text.to_owned(),
            skeleton: folded(&label),
            letters: letters(&label),
            is_lure: words.iter().any(|(word, _)| LURES.contains(&word.as_str())),
            is_mixed: !label.is_ascii() && !label.as_str().is_single_script(),
            label,
            words,
        })
    }
}

impl Brand {
    pub(super) fn new<'a>(name: &str, domains: impl Iterator<Item = &'a str>, is_word: bool) -> Self {
        let domains: BTreeSet<String> = domains.map(str::to_ascii_lowercase).collect();
        let mut labels = BTreeSet::from([name.split('.').next().unwrap_or_default().to_owned()]);
        // Further labels of the brand, for example `steampowered`; short ones are abbreviations.
        let label = |domain: &String| domain.split('.').next().unwrap_or_default().to_owned();
        labels.extend(domains.iter().map(label).filter(|label| label.len() > LEAST_NEAR));
        let labels = labels.iter().map(|label| Label::new(label)).collect();
        Self { name: name.to_owned(), domains, labels, is_word, is_shared: false }
    }

    /// Whether a host is on a domain of the brand.
    pub(super) fn owns(&self, host: &str) -> bool {
        self.domains.iter().any(|domain| {
            host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }

    pub(super) fn resemblance(&self, host: &Host) -> Option<Resemblance> {
        let found = self.labels.iter().filter_map(|label| self.by_label(host, label)).min();
        // With a lure, also a name of many owners is the name of an imitation.
        found.filter(|found| *found < Resemblance::Label || !self.is_shared || host.is_lure)
    }

    fn by_label(&self, host: &Host, label: &Label) -> Option<Resemblance> {
        let Label { text: label, skeleton, letters } = label;
        let length = label.len();
        if host.label != *label && length >= LEAST_WORD && host.skeleton == *skeleton {
            return Some(Resemblance::Skeleton);
        }
        // A label of two scripts that reads as the brand after one edit.
        if host.is_mixed && length >= LEAST_NEAR && distance(&host.skeleton, skeleton) <= 1 {
            return Some(Resemblance::Skeleton);
        }
        if host.label == *label {
            let counts = length >= LEAST_WORD && (!self.is_word || host.is_lure);
            return counts.then_some(if host.words.len() > 1 && host.is_lure {
                Resemblance::Label
            } else {
                Resemblance::OtherSuffix
            });
        }
        // An edit changes at most two letters of the set.
        let may_be_near = (host.letters ^ letters).count_ones() <= 4;
        if !self.is_word && length >= LEAST_NEAR && may_be_near && is_near(&host.label, label) {
            return Some(Resemblance::Near);
        }
        let is_named = length >= LEAST_WORD
            && host.words.iter().any(|(word, folded)| word == label || folded == skeleton);
        // Ordinary words, and joined words such as `paypallogin`, need a lure.
        if is_named && (!self.is_word || host.is_lure) {
            return Some(Resemblance::Label);
        }
        let is_joined = |(word, _): &(String, String)| {
            let rest = word.strip_prefix(label.as_str()).or_else(|| word.strip_suffix(label.as_str()));
            rest.is_some_and(|rest| LURES.contains(&rest))
        };
        (length >= LEAST_NEAR && host.words.iter().any(is_joined)).then_some(Resemblance::Label)
    }
}

/// The set of letters and digits of a label, one bit each; other signs share one.
fn letters(label: &str) -> u64 {
    label.chars().fold(0, |set, sign| {
        set | 1
            << match sign {
                'a'..='z' => sign as u32 - 'a' as u32,
                '0'..='9' => 26 + sign as u32 - '0' as u32,
                _ => 36,
            }
    })
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
pub(super) fn folded(label: &str) -> String {
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

//! An advisory of a package as the index keeps it, and whether it concerns a version.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use versions::Version;

/// Severity, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
    /// Critical; also that of malicious packages.
    Critical,
}

/// An advisory that concerns a package, and the version where one was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advisory {
    /// Its id.
    pub id: String,
    /// Ids of the same problem elsewhere.
    pub aliases: Vec<String>,
    /// Whether the package is malicious (`MAL-`, the prefix of OpenSSF Malicious Packages).
    pub is_malicious: bool,
    /// Severity, if the advisory has one that can be read.
    pub severity: Option<Severity>,
    /// First line of the summary, at most 200 characters.
    pub summary: String,
    /// Versions in which it is fixed, in ascending order of their lines; none where there is no fix.
    pub fixed: Vec<String>,
}

/// An advisory of one package in the index. Short names, because there are hundreds of thousands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    #[serde(rename = "i")]
    pub(crate) id: String,
    #[serde(rename = "a", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) aliases: Vec<String>,
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub(crate) severity: Option<Severity>,
    #[serde(rename = "t", default, skip_serializing_if = "String::is_empty")]
    pub(crate) summary: String,
    /// Affected intervals.
    #[serde(rename = "r", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) intervals: Vec<Interval>,
    /// Affected versions outside of the intervals.
    #[serde(rename = "v", default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) versions: Vec<String>,
}

/// Affected versions from one to another; without bounds where they are missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Interval {
    /// The first affected version.
    #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
    pub(crate) introduced: Option<String>,
    /// The first version that is not affected any more.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub(crate) fixed: Option<String>,
    /// The last affected version.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<String>,
}

impl Interval {
    /// Whether a version lies in it. A bound that cannot be read excludes nothing.
    pub(crate) fn contains(&self, version: &Version) -> bool {
        let holds = |bound: &Option<String>, is: fn(Ordering) -> bool| {
            let bound = bound.as_deref().and_then(|text| Version::parse(version.ecosystem(), text).ok());
            bound.and_then(|bound| version.compare(&bound)).is_none_or(is)
        };
        holds(&self.introduced, Ordering::is_ge)
            && holds(&self.fixed, Ordering::is_lt)
            && holds(&self.last, Ordering::is_le)
    }

    /// Whether it contains every version, also those without an order.
    fn is_everything(&self) -> bool {
        self.introduced.is_none() && self.fixed.is_none() && self.last.is_none()
    }
}

impl Entry {
    pub(crate) fn is_malicious(&self) -> bool {
        self.id.starts_with("MAL-")
    }

    /// Whether it concerns a version; `None` where the version has no order and is not listed.
    pub(crate) fn affects(&self, text: &str, version: Option<&Version>) -> Option<bool> {
        let is_listed = self.versions.iter().any(|listed| {
            let parsed = version.and_then(|version| Version::parse(version.ecosystem(), listed).ok());
            listed == text || version.zip(parsed).is_some_and(|(a, b)| a.compare(&b) == Some(Ordering::Equal))
        });
        if is_listed || self.intervals.iter().any(Interval::is_everything) {
            return Some(true);
        }
        match version {
            Some(version) => Some(self.intervals.iter().any(|interval| interval.contains(version))),
            None => self.intervals.is_empty().then_some(false),
        }
    }

    pub(crate) fn advisory(self) -> Advisory {
        let is_malicious = self.is_malicious();
        Advisory {
            is_malicious,
            severity: if is_malicious { Some(Severity::Critical) } else { self.severity },
            fixed: self.intervals.into_iter().filter_map(|interval| interval.fixed).collect(),
            id: self.id,
            aliases: self.aliases,
            summary: self.summary,
        }
    }
}

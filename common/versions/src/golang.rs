//! Go: canonical module versions, pseudo-versions, version queries, and paths as the module proxy spells them.
//!
//! Source: the Go Modules Reference, sections "Versions", "Pseudo-versions", "Version queries" and "GOPROXY protocol".

use std::cmp::Ordering;

use crate::precedence::{Triple, is_digits};

/// Suffix of versions of modules without a major version in their path.
const INCOMPATIBLE: &str = "+incompatible";

/// Digits of the time in a pseudo-version: year to second.
const TIME_DIGITS: usize = 14;

/// The parts of a pseudo-version, the version of a commit without a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PseudoVersion<'a> {
    /// Time of the commit in UTC, `yyyymmddhhmmss`.
    pub time: &'a str,
    /// Beginning of the commit's hash.
    pub revision: &'a str,
}

/// Reads a canonical version: `v1.2.3`, with a pre-release and `+incompatible` at most.
pub(crate) fn version(text: &str) -> Option<Triple> {
    let text = text.strip_suffix(INCOMPATIBLE).unwrap_or(text);
    Triple::parse(text.strip_prefix('v')?, u64::MAX)
}

/// The parts of a pseudo-version; `None` for other versions. Its text must be a canonical version.
pub(crate) fn pseudo(text: &str) -> Option<PseudoVersion<'_>> {
    let text = text.strip_suffix(INCOMPATIBLE).unwrap_or(text);
    let (release, rest) = text.split_once('-')?;
    let (rest, revision) = rest.rsplit_once('-')?;
    let time = rest.rsplit_once(['.', '-']).map_or(rest, |(_, time)| time);
    let before = &rest[..rest.len() - time.len()];
    let is_time = time.len() == TIME_DIGITS && is_digits(time);
    let is_revision = !revision.is_empty() && revision.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // vX.0.0-TIME, vX.Y.Z-0.TIME or vX.Y.Z-pre.0.TIME.
    let is_form =
        (before.is_empty() && release.ends_with(".0.0")) || before == "0." || before.ends_with(".0.");
    (is_time && is_revision && is_form).then_some(PseudoVersion { time, revision })
}

/// A version query that selects by order.
#[derive(Clone, Debug)]
pub(crate) enum GoRange {
    /// `v1` or `v1.2`: the releases and later pre-releases of a line.
    Line { major: u64, minor: Option<u64> },
    /// A comparison with a version, or that version.
    Ordered(&'static [Ordering], Triple),
}

impl GoRange {
    /// Reads a query. Queries that name no order (`latest`, `upgrade`, a branch) are none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        use Ordering::{Equal, Greater, Less};
        if let Some(rest) = text.strip_prefix("<=") {
            return Some(Self::Ordered(&[Less, Equal], version(rest)?));
        }
        if let Some(rest) = text.strip_prefix('<') {
            return Some(Self::Ordered(&[Less], padded(rest)?));
        }
        if let Some(rest) = text.strip_prefix(">=") {
            return Some(Self::Ordered(&[Greater, Equal], padded(rest)?));
        }
        if let Some(rest) = text.strip_prefix('>') {
            return Some(Self::Ordered(&[Greater], version(rest)?));
        }
        if let Some(version) = version(text) {
            return Some(Self::Ordered(&[Equal], version));
        }
        let lowest = padded(text)?;
        let minor = text.contains('.').then_some(lowest.release[1]);
        Some(Self::Line { major: lowest.release[0], minor })
    }

    pub(crate) fn matches(&self, version: &Triple) -> bool {
        match self {
            Self::Ordered(orders, bound) => orders.contains(&version.compare(bound)),
            Self::Line { major, minor } => {
                let lowest = Triple { release: [*major, minor.unwrap_or(0), 0], prerelease: "".into() };
                let same =
                    version.release[0] == *major && minor.is_none_or(|minor| version.release[1] == minor);
                same && version.compare(&lowest).is_ge()
            }
        }
    }
}

/// A version of which minor and patch may be missing; in comparisons they are zeros.
fn padded(text: &str) -> Option<Triple> {
    if let Some(version) = version(text) {
        return Some(version);
    }
    let zeros = match text.bytes().filter(|byte| *byte == b'.').count() {
        0 => ".0.0",
        1 => ".0",
        _ => return None,
    };
    if text.contains(['-', '+']) {
        return None;
    }
    version(&format!("{text}{zeros}"))
}

/// A module path or version as the module proxy spells it: `!x` for `X`, so that file systems without case can keep it.
#[must_use]
pub fn escaped_module(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if character.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(character.to_ascii_lowercase());
    }
    escaped
}

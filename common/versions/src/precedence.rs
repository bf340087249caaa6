//! Versions of the form `major.minor.patch` with a pre-release, and their precedence (Semantic Versioning 2.0.0, sections 9
//! and 11), which npm and Go share. Cargo has a library.

use std::cmp::Ordering;

/// A release and its pre-release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Triple {
    /// Major, minor, patch.
    pub(crate) release: [u64; 3],
    /// Identifiers separated by dots; empty for a release.
    pub(crate) prerelease: Box<str>,
}

impl Triple {
    /// Reads `major.minor.patch[-prerelease]`, without build metadata.
    pub(crate) fn parse(text: &str, most: u64) -> Option<Self> {
        let (release, prerelease) = match text.split_once('-') {
            Some((release, prerelease)) if is_prerelease(prerelease) => (release, prerelease),
            Some(_) => return None,
            None => (text, ""),
        };
        let mut parts = release.split('.');
        let mut next = || number(parts.next()?).filter(|number| *number <= most);
        let release = [next()?, next()?, next()?];
        parts.next().is_none().then(|| Self { release, prerelease: prerelease.into() })
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        self.release.cmp(&other.release).then_with(|| prereleases(&self.prerelease, &other.prerelease))
    }

    pub(crate) fn is_prerelease(&self) -> bool {
        !self.prerelease.is_empty()
    }
}

/// A number without leading zeros.
pub(crate) fn number(text: &str) -> Option<u64> {
    is_number(text).then(|| text.parse().ok()).flatten()
}

/// Whether a text is a number without leading zeros.
pub(crate) fn is_number(text: &str) -> bool {
    is_digits(text) && (text == "0" || !text.starts_with('0'))
}

pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text is identifiers of a pre-release: letters, digits and hyphens, numbers without leading zeros.
pub(crate) fn is_prerelease(text: &str) -> bool {
    is_build(text) && text.split('.').all(|part| !is_digits(part) || is_number(part))
}

/// Whether a text is identifiers of build metadata.
pub(crate) fn is_build(text: &str) -> bool {
    let is_identifier = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.split('.').all(is_identifier)
}

/// Precedence of pre-releases; a release comes after all of them.
fn prereleases(a: &str, b: &str) -> Ordering {
    if a.is_empty() || b.is_empty() {
        return a.is_empty().cmp(&b.is_empty());
    }
    let (mut left, mut right) = (a.split('.'), b.split('.'));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => identifiers(a, b),
        };
        if order.is_ne() {
            return order;
        }
    }
}

fn identifiers(a: &str, b: &str) -> Ordering {
    match (is_digits(a), is_digits(b)) {
        (true, true) => digits(a, b),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => a.cmp(b),
    }
}

/// Order of two numbers of any length.
pub(crate) fn digits(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

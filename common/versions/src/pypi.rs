//! PyPI: versions and specifiers of PEP 440.

use std::str::FromStr;

use pep440_rs::{Operator, Version, VersionSpecifier};

/// A set of specifiers, all of which must be met.
#[derive(Clone, Debug)]
pub(crate) struct PypiRange {
    specifiers: Vec<Specifier>,
}

#[derive(Clone, Debug)]
enum Specifier {
    Ordered(VersionSpecifier),
    /// `===`: equal texts, whether or not they are versions.
    Text(String),
}

impl PypiRange {
    /// Reads specifiers separated by commas; no specifier admits every version.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut specifiers = Vec::new();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            specifiers.push(match word.strip_prefix("===") {
                Some(rest) => Specifier::Text(arbitrary(rest.trim())?),
                None => Specifier::Ordered(VersionSpecifier::from_str(word).ok()?),
            });
        }
        Some(Self { specifiers })
    }

    pub(crate) fn matches(&self, version: &Version) -> bool {
        self.specifiers.iter().all(|specifier| match specifier {
            Specifier::Ordered(specifier) => admits(specifier, version),
            Specifier::Text(text) => version.to_string() == *text,
        })
    }
}

/// Whether a specifier admits a version. The library is used except in two cases, in which it differs from PEP 440.
fn admits(specifier: &VersionSpecifier, version: &Version) -> bool {
    let bound = specifier.version();
    match specifier.operator() {
        Operator::EqualStar => begins_with(version, bound),
        Operator::NotEqualStar => !begins_with(version, bound),
        Operator::LessThan => version < bound && !is_excluded_prerelease(version, bound),
        _ => specifier.contains(version),
    }
}

/// Whether the release of a version begins with that of a prefix; missing numbers are zeros.
fn begins_with(version: &Version, prefix: &Version) -> bool {
    let numbers = version.release().iter().copied().chain(std::iter::repeat(0));
    version.epoch() == prefix.epoch() && numbers.zip(prefix.release()).all(|(found, wanted)| found == *wanted)
}

/// `<2.0` excludes the pre-releases of 2.0; `<2.0rc2` admits those before it, development releases of it included.
fn is_excluded_prerelease(version: &Version, bound: &Version) -> bool {
    version.any_prerelease()
        && !bound.any_prerelease()
        && version.epoch() == bound.epoch()
        && version.only_release() == bound.only_release()
}

/// The text of an arbitrary equality, in lower case, as normalized versions are.
fn arbitrary(text: &str) -> Option<String> {
    let fits = |character: char| !character.is_whitespace() && !matches!(character, ';' | ')');
    (!text.is_empty() && text.chars().all(fits)).then(|| text.to_lowercase())
}

//! Ranges of versions of any ecosystem.

use crate::MAX_RANGE;
use crate::actions::TagRange;
use crate::cargo;
use crate::ecosystem::Ecosystem;
use crate::error::{ParseError, Part};
use crate::golang::GoRange;
use crate::npm::NpmRange;
use crate::pypi::PypiRange;
use crate::rubygems::GemRange;
use crate::version::{Order, Version};

/// A range of versions, as manifests and advisories write it.
#[derive(Clone, Debug)]
pub struct Range {
    ecosystem: Ecosystem,
    text: Box<str>,
    grammar: Grammar,
}

#[derive(Clone, Debug)]
enum Grammar {
    Npm(NpmRange),
    Pypi(PypiRange),
    Go(GoRange),
    RubyGems(GemRange),
    Cargo(semver::VersionReq),
    Tag(TagRange),
}

impl Range {
    /// Reads a range.
    ///
    /// # Errors
    /// [`ParseError`]; also for requirements of manifests that are no range, such as a URL, a path, a
    /// tag of npm, or `latest` of Go.
    pub fn parse(ecosystem: Ecosystem, text: &str) -> Result<Self, ParseError> {
        ParseError::bound(Part::Range, text, MAX_RANGE)?;
        let (grammar, expected) = match ecosystem {
            Ecosystem::Npm => (NpmRange::parse(text).map(Grammar::Npm), "such as ^1.2.3 or >=1.2 <2"),
            Ecosystem::Pypi => (PypiRange::parse(text).map(Grammar::Pypi), "PEP 440, such as >=1.2,<2"),
            Ecosystem::Go => (GoRange::parse(text).map(Grammar::Go), "such as v1.2, v1.2.3 or >=v1.2.3"),
            Ecosystem::RubyGems => (GemRange::parse(text).map(Grammar::RubyGems), "such as ~> 1.2, >= 1.2.3"),
            Ecosystem::Cargo => (cargo::range(text).map(Grammar::Cargo), "such as ^1.2.3 or >=1.2, <2"),
            Ecosystem::GitHubAction => {
                (TagRange::parse(text).map(Grammar::Tag), "such as v4 or >= 3.0, < 4.1")
            }
        };
        let Some(grammar) = grammar else {
            return Err(ParseError::malformed(ecosystem, Part::Range, expected, text));
        };
        Ok(Self { ecosystem, text: text.trim().into(), grammar })
    }

    /// Its ecosystem.
    #[must_use]
    pub fn ecosystem(&self) -> Ecosystem {
        self.ecosystem
    }

    /// Its text, without white space around it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it admits a version. A version of another ecosystem is never admitted.
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        match (&self.grammar, &version.order) {
            (Grammar::Npm(range), Order::Npm(version)) => range.matches(version),
            (Grammar::Pypi(range), Order::Pypi(version)) => range.matches(version),
            (Grammar::Go(range), Order::Go(version)) => range.matches(version),
            (Grammar::RubyGems(range), Order::RubyGems(version)) => range.matches(version),
            (Grammar::Cargo(range), Order::Cargo(version)) => range.matches(version),
            (Grammar::Tag(range), Order::Tag(tag)) => range.matches(tag),
            _ => false,
        }
    }
}

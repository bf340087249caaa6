//! Versions of any ecosystem.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::MAX_VERSION;
use crate::actions::Tag;
use crate::ecosystem::Ecosystem;
use crate::error::{ParseError, Part};
use crate::golang::{self, PseudoVersion};
use crate::precedence::Triple;
use crate::rubygems::GemVersion;
use crate::{cargo, npm};

/// A version of a package.
#[derive(Clone, Debug)]
pub struct Version {
    pub(crate) ecosystem: Ecosystem,
    text: Box<str>,
    pub(crate) order: Order,
}

/// A version as its ecosystem orders it.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    Npm(Triple),
    Pypi(pep440_rs::Version),
    Go(Triple),
    RubyGems(GemVersion),
    Cargo(semver::Version),
    Tag(Tag),
}

impl Version {
    /// Reads a version.
    ///
    /// # Errors
    /// [`ParseError`]; for actions also where the reference is a commit or a branch, which have no order.
    pub fn parse(ecosystem: Ecosystem, text: &str) -> Result<Self, ParseError> {
        ParseError::bound(Part::Version, text, MAX_VERSION)?;
        let (order, expected) = match ecosystem {
            Ecosystem::Npm => (npm::version(text).map(Order::Npm), "1.2.3 or 1.2.3-beta.1"),
            Ecosystem::Pypi => (pep440_rs::Version::from_str(text).ok().map(Order::Pypi), "PEP 440"),
            Ecosystem::Go => (golang::version(text).map(Order::Go), "a canonical one such as v1.2.3"),
            Ecosystem::RubyGems => (GemVersion::parse(text).map(Order::RubyGems), "1.2.3 or 1.2.beta1"),
            Ecosystem::Cargo => (cargo::version(text).map(Order::Cargo), "1.2.3 or 1.2.3-beta.1"),
            Ecosystem::GitHubAction => {
                (Tag::parse(text).map(Order::Tag), "the tag of a release such as v4 or v4.1.2")
            }
        };
        let Some(order) = order else {
            return Err(ParseError::malformed(ecosystem, Part::Version, expected, text));
        };
        let text = match &order {
            Order::Npm(version) => spelled(version),
            Order::Go(version) => {
                let suffix = if text.ends_with("+incompatible") { "+incompatible" } else { "" };
                format!("v{}{suffix}", spelled(version))
            }
            Order::Pypi(version) => version.to_string(),
            Order::Cargo(version) => version.to_string(),
            Order::RubyGems(_) | Order::Tag(_) => text.trim().to_owned(),
        };
        Ok(Self { ecosystem, text: text.into(), order })
    }

    /// Its ecosystem.
    #[must_use]
    pub fn ecosystem(&self) -> Ecosystem {
        self.ecosystem
    }

    /// Canonical text: equal for spellings that the ecosystem takes for the same version (PEP 440, `v1.2.3` of npm). Gems and
    /// tags keep their spelling.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Order of two versions of one ecosystem, build metadata aside; `None` for different ecosystems.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(match (&self.order, &other.order) {
            (Order::Npm(a), Order::Npm(b)) | (Order::Go(a), Order::Go(b)) => a.compare(b),
            (Order::Pypi(a), Order::Pypi(b)) => a.cmp(b),
            (Order::RubyGems(a), Order::RubyGems(b)) => a.compare(b),
            (Order::Cargo(a), Order::Cargo(b)) => cargo::compare(a, b),
            (Order::Tag(a), Order::Tag(b)) => a.compare(b),
            _ => return None,
        })
    }

    /// Whether it is a pre-release, a development release, or a pseudo-version of Go.
    #[must_use]
    pub fn is_prerelease(&self) -> bool {
        match &self.order {
            Order::Npm(version) | Order::Go(version) => version.is_prerelease(),
            Order::Pypi(version) => version.any_prerelease(),
            Order::RubyGems(version) => version.is_prerelease(),
            Order::Cargo(version) => !version.pre.is_empty(),
            Order::Tag(tag) => tag.is_prerelease(),
        }
    }

    /// Major, minor and patch; missing ones are 0, numbers beyond the type `u64::MAX`. An epoch of PEP 440 is left out.
    #[must_use]
    pub fn release(&self) -> [u64; 3] {
        match &self.order {
            Order::Npm(version) | Order::Go(version) => version.release,
            Order::Pypi(version) => {
                let mut numbers = version.release().iter().copied();
                std::array::from_fn(|_| numbers.next().unwrap_or(0))
            }
            Order::RubyGems(version) => version.release(),
            Order::Cargo(version) => [version.major, version.minor, version.patch],
            Order::Tag(tag) => tag.release(),
        }
    }

    /// The parts of a pseudo-version of Go.
    #[must_use]
    pub fn pseudo(&self) -> Option<PseudoVersion<'_>> {
        matches!(self.order, Order::Go(_)).then(|| golang::pseudo(&self.text)).flatten()
    }
}

fn spelled(version: &Triple) -> String {
    let [major, minor, patch] = version.release;
    let hyphen = if version.is_prerelease() { "-" } else { "" };
    format!("{major}.{minor}.{patch}{hyphen}{}", version.prerelease)
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

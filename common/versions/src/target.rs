//! Targets: `ecosystem:name@version`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::actions::is_commit;
use crate::ecosystem::{Ecosystem, UnknownEcosystem};
use crate::error::{ParseError, Part};
use crate::name::normalized_name;
use crate::version::Version;
use crate::{MAX_TARGET, MAX_VERSION};

/// A package, with or without a version, in canonical spelling.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// Ecosystem.
    pub ecosystem: Ecosystem,
    /// Name in canonical spelling.
    pub name: String,
    /// Version in canonical spelling. Of an action any reference: a tag, a branch or a commit.
    pub version: Option<String>,
}

/// Reason why a text is no target.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TargetError {
    /// Too long.
    #[error("expected a target of at most {MAX_TARGET} bytes, found {found}")]
    TooLong {
        /// The length.
        found: usize,
    },
    /// No colon.
    #[error("expected ecosystem:name@version, found no colon")]
    NoEcosystem,
    /// Unknown ecosystem.
    #[error(transparent)]
    Ecosystem(#[from] UnknownEcosystem),
    /// The name or the version.
    #[error(transparent)]
    Part(#[from] ParseError),
}

impl Target {
    /// Reads name and version of an ecosystem.
    ///
    /// # Errors
    /// [`ParseError`].
    pub fn new(ecosystem: Ecosystem, name: &str, version: Option<&str>) -> Result<Self, ParseError> {
        let name = normalized_name(ecosystem, name)?;
        let version = version.map(|version| normalized_version(ecosystem, version)).transpose()?;
        Ok(Self { ecosystem, name, version })
    }
}

fn normalized_version(ecosystem: Ecosystem, text: &str) -> Result<String, ParseError> {
    if ecosystem != Ecosystem::GitHubAction {
        return Version::parse(ecosystem, text).map(|version| version.as_str().to_owned());
    }
    ParseError::bound(Part::Version, text, MAX_VERSION)?;
    if is_commit(text) {
        return Ok(text.to_ascii_lowercase());
    }
    if !is_reference(text) {
        let expected = "a tag, branch or commit";
        return Err(ParseError::malformed(ecosystem, Part::Version, expected, text));
    }
    Ok(text.to_owned())
}

/// Whether a text may name a tag or branch (`git check-ref-format`).
fn is_reference(text: &str) -> bool {
    let bad = |character: char| {
        character.is_control() || character.is_whitespace() || "~^:?*[\\".contains(character)
    };
    let component = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    !text.contains(bad)
        && !text.contains("..")
        && !text.contains("@{")
        && text != "@"
        && !text.ends_with('.')
        && !text.starts_with('-')
        && text.split('/').all(component)
}

impl FromStr for Target {
    type Err = TargetError;

    /// Reads `ecosystem:name@version`; aliases of ecosystems are permitted, and the version may be missing.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        let text = text.trim();
        if text.len() > MAX_TARGET {
            return Err(TargetError::TooLong { found: text.len() });
        }
        let (ecosystem, rest) = text.split_once(':').ok_or(TargetError::NoEcosystem)?;
        let ecosystem = ecosystem.parse()?;
        // A scope of npm begins with the same character.
        let scope = usize::from(rest.starts_with('@'));
        let (name, version) = match rest[scope..].find('@') {
            Some(at) => (&rest[..scope + at], Some(&rest[scope + at + 1..])),
            None => (rest, None),
        };
        Ok(Self::new(ecosystem, name, version)?)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.ecosystem, self.name)?;
        match &self.version {
            Some(version) => write!(f, "@{version}"),
            None => Ok(()),
        }
    }
}

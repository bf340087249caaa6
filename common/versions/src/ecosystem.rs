//! Package ecosystems: names, aliases, and their names in advisories of the OSV format.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A package ecosystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ecosystem {
    /// npm.
    Npm,
    /// The Python Package Index.
    Pypi,
    /// Go modules.
    Go,
    /// RubyGems.
    RubyGems,
    /// Cargo, with crates.io.
    Cargo,
    /// GitHub Actions.
    GitHubAction,
}

/// No ecosystem has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected an ecosystem (npm, pypi, go, rubygems, cargo, github-action), found {found:?}")]
pub struct UnknownEcosystem {
    /// The name, cut after 32 characters.
    pub found: String,
}

impl Ecosystem {
    /// All ecosystems.
    pub const ALL: [Self; 6] =
        [Self::Npm, Self::Pypi, Self::Go, Self::RubyGems, Self::Cargo, Self::GitHubAction];

    /// Canonical name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "pypi",
            Self::Go => "go",
            Self::RubyGems => "rubygems",
            Self::Cargo => "cargo",
            Self::GitHubAction => "github-action",
        }
    }

    /// Name in advisories (OSV schema, `affected[].package.ecosystem`).
    #[must_use]
    pub fn osv_name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "PyPI",
            Self::Go => "Go",
            Self::RubyGems => "RubyGems",
            Self::Cargo => "crates.io",
            Self::GitHubAction => "GitHub Actions",
        }
    }

    /// The ecosystem of an advisory. A suffix after a colon, as in `PyPI:https://…`, names another registry and is none
    /// of these ecosystems.
    #[must_use]
    pub fn from_osv(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ecosystem| ecosystem.osv_name() == name)
    }
}

impl fmt::Display for Ecosystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Ecosystem {
    type Err = UnknownEcosystem;

    /// Reads a canonical name or an alias, in any case.
    fn from_str(text: &str) -> Result<Self, UnknownEcosystem> {
        let name: String = text.chars().take(32).collect::<String>().to_ascii_lowercase();
        Ok(match name.as_str() {
            "npm" => Self::Npm,
            "pypi" | "pip" => Self::Pypi,
            "go" | "golang" => Self::Go,
            "rubygems" | "gem" => Self::RubyGems,
            "cargo" | "crates" | "crates.io" => Self::Cargo,
            "github-action" | "github-actions" | "actions" => Self::GitHubAction,
            _ => return Err(UnknownEcosystem { found: name }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_are_read_and_unknown_ones_are_named() {
        for ecosystem in Ecosystem::ALL {
            assert_eq!(ecosystem.name().parse(), Ok(ecosystem));
            assert_eq!(Ecosystem::from_osv(ecosystem.osv_name()), Some(ecosystem));
        }
        for (alias, ecosystem) in
            [("pip", Ecosystem::Pypi), ("gem", Ecosystem::RubyGems), ("Actions", Ecosystem::GitHubAction)]
        {
            assert_eq!(alias.parse(), Ok(ecosystem));
        }
        assert_eq!("nuget".parse::<Ecosystem>().unwrap_err().found, "nuget");
        assert_eq!("x".repeat(1_000).parse::<Ecosystem>().unwrap_err().found.len(), 32);
        assert_eq!(Ecosystem::from_osv("PyPI:https://registry.example"), None);
    }
}

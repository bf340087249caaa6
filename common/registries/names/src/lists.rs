//! Lists of names: words separated by white space, and comments after `#`.

use thiserror::Error;
use versions::{Ecosystem, MAX_NAME};

/// Names that can be added for an ecosystem: ten times the dependencies of a large organization.
pub const MAX_ADDED: usize = 20_000;

/// Reason why names are not added.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ListError {
    /// Too many.
    #[error("expected at most {most} names, found {found}")]
    TooMany {
        /// The limit.
        most: usize,
        /// Names with those that were known before.
        found: usize,
    },
    /// A name that is too long.
    #[error("expected names of at most {MAX_NAME} bytes, found one of {found}")]
    TooLong {
        /// Its length.
        found: usize,
    },
}

/// The built-in list of an ecosystem.
pub(crate) fn built_in(ecosystem: Ecosystem) -> &'static str {
    match ecosystem {
        Ecosystem::Npm => include_str!("../data/npm.txt"),
        Ecosystem::Pypi => include_str!("../data/pypi.txt"),
        Ecosystem::Go => include_str!("../data/go.txt"),
        Ecosystem::RubyGems => include_str!("../data/rubygems.txt"),
        Ecosystem::GitHubAction => include_str!("../data/github-action.txt"),
        Ecosystem::Cargo => "",
    }
}

pub(crate) fn brands() -> &'static str {
    include_str!("../data/brands.txt")
}

/// Lines of a list without comments.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|line| !line.is_empty())
}

/// Words of a list without comments.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    lines(text).flat_map(str::split_whitespace)
}

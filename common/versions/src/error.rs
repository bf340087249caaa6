//! Reason why a version, range or name is not one.

use std::fmt;

use thiserror::Error;

use crate::ecosystem::Ecosystem;

/// Characters of a rejected text that an error repeats: enough to recognise it, also in a log line.
const MAX_SHOWN: usize = 64;

/// Kind of text that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A version.
    Version,
    /// A range of versions.
    Range,
    /// The name of a package.
    Name,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Version => "version",
            Self::Range => "range",
            Self::Name => "name",
        })
    }
}

/// Reason why a text does not fit the grammar of its ecosystem.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Too long to be read.
    #[error("expected a {part} of at most {most} bytes, found {found}")]
    TooLong {
        /// Kind of the text.
        part: Part,
        /// The limit.
        most: usize,
        /// The length.
        found: usize,
    },
    /// Not in the grammar.
    #[error("expected a {part} of {ecosystem} ({expected}), found {found:?}")]
    Malformed {
        /// The ecosystem.
        ecosystem: Ecosystem,
        /// Kind of the text.
        part: Part,
        /// The grammar, or the part of it that is not met.
        expected: &'static str,
        /// The text, cut after 64 characters.
        found: String,
    },
}

impl ParseError {
    pub(crate) fn malformed(ecosystem: Ecosystem, part: Part, expected: &'static str, found: &str) -> Self {
        let found = found.chars().take(MAX_SHOWN).collect();
        Self::Malformed { ecosystem, part, expected, found }
    }

    /// Checks the length of a text.
    pub(crate) fn bound(part: Part, text: &str, most: usize) -> Result<(), Self> {
        let found = text.len();
        if found > most { Err(Self::TooLong { part, most, found }) } else { Ok(()) }
    }
}

//! Format versions of stored data: each store records the version that its data is written in, and every start compares it
//! with those that the build reads, before anything is written.

use thiserror::Error;

/// The format versions of a store that this build reads. It writes the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formats {
    /// The oldest.
    pub oldest: u32,
    /// The newest.
    pub newest: u32,
}

/// A store that is written in a format version that this build does not read.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum UnknownFormat {
    /// A newer build wrote it.
    #[error(
        "format version {found}, this build reads up to {newest}: use the build that wrote it, or a newer one"
    )]
    Newer {
        /// The recorded version.
        found: u32,
        /// The newest that is read.
        newest: u32,
    },
    /// It was written by a development version, which no released build reads.
    #[error(
        "format version {found}, this build reads from {oldest} on: it was written before the first release"
    )]
    Older {
        /// The recorded version.
        found: u32,
        /// The oldest that is read.
        oldest: u32,
    },
}

impl Formats {
    /// Whether a recorded version is one of these.
    ///
    /// # Errors
    /// [`UnknownFormat`].
    pub fn check(self, found: u32) -> Result<(), UnknownFormat> {
        let Self { oldest, newest } = self;
        if found > newest {
            return Err(UnknownFormat::Newer { found, newest });
        }
        if found < oldest {
            return Err(UnknownFormat::Older { found, oldest });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_outside_the_range_are_refused_in_words() {
        let formats = Formats { oldest: 3, newest: 5 };
        for found in 3..=5 {
            formats.check(found).unwrap();
        }
        let newer = formats.check(6).unwrap_err();
        assert!(newer.to_string().starts_with("format version 6, this build reads up to 5"), "{newer}");
        let older = formats.check(2).unwrap_err();
        assert!(older.to_string().starts_with("format version 2, this build reads from 3 on"), "{older}");
    }
}

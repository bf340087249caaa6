//! The pepper's file: created once, at the first start, readable by its owner only, and never replaced:
//! with another pepper, stored hashes of keys and records would not match.

use std::io;
use std::path::{Path, PathBuf};

use common::hexadecimal;
use common::pepper::Pepper;
use rand::TryRng;
use thiserror::Error;

use super::secret_file;
use crate::settings::Settings;

/// Name of the file in the data directory.
pub(super) const FILE_NAME: &str = "pepper";
/// Hexadecimal digits of 32 bytes.
const DIGITS: usize = 64;

/// Reason why there is no pepper.
#[derive(Debug, Error)]
pub(crate) enum PepperError {
    /// Not 64 hexadecimal digits.
    #[error("the pepper in {place} must be {DIGITS} hexadecimal digits, found {found} characters")]
    Malformed {
        /// Setting or file that contains it.
        place: String,
        /// Its length in characters.
        found: usize,
    },
    /// The file can be neither read nor created.
    #[error("the pepper file {} cannot be used", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Not configured in a distributed deployment.
    #[error(
        "there is no pepper: set secrets.pepper_file (PALISADE__SECRETS__PEPPER_FILE) as for every process of the \
         deployment, or put the file at {}",
        path.display()
    )]
    Missing {
        /// Path that was tried.
        path: PathBuf,
    },
    /// The operating system provides no randomness.
    #[error("no random bytes for a new pepper")]
    Random(#[source] rand::rngs::SysError),
}

/// The configured pepper, else the one in the data directory.
pub(super) fn read(settings: &Settings) -> Result<Pepper, PepperError> {
    let path = settings.data_dir.join(FILE_NAME);
    find(settings, &path)?.ok_or(PepperError::Missing { path })
}

/// The same, else a new one, stored in the data directory.
pub(super) fn read_or_make(settings: &Settings) -> Result<Pepper, PepperError> {
    let path = settings.data_dir.join(FILE_NAME);
    find(settings, &path)?.map_or_else(|| make(&path), Ok)
}

fn find(settings: &Settings, path: &Path) -> Result<Option<Pepper>, PepperError> {
    if let Some(secret) = &settings.secrets.pepper {
        return parse(secret.expose(), "the configuration").map(Some);
    }
    // One byte more than the valid length, so that a longer file is noticed.
    match secret_file::read(path, DIGITS + 2) {
        Ok(text) => parse(text.trim_end(), &path.display().to_string()).map(Some),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(PepperError::File { path: path.to_owned(), source }),
    }
}

fn make(path: &Path) -> Result<Pepper, PepperError> {
    let mut secret = [0_u8; DIGITS / 2];
    rand::rngs::SysRng.try_fill_bytes(&mut secret).map_err(PepperError::Random)?;
    let text = hexadecimal::print(&secret);
    secret_file::write(path, &text).map_err(|source| PepperError::File { path: path.to_owned(), source })?;
    Ok(Pepper::new(secret))
}

fn parse(text: &str, place: &str) -> Result<Pepper, PepperError> {
    let malformed = || PepperError::Malformed { place: place.to_owned(), found: text.chars().count() };
    let secret = hexadecimal::parse(text).and_then(|secret| secret.try_into().ok());
    secret.map(Pepper::new).ok_or_else(malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(data_dir: &Path) -> Settings {
        Settings { data_dir: data_dir.to_owned(), ..Settings::default() }
    }

    #[test]
    fn a_pepper_is_made_once_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let settings = settings(dir.path());
        assert!(matches!(read(&settings), Err(PepperError::Missing { .. })));
        let first = read_or_make(&settings).unwrap();
        let again = read(&settings).unwrap();
        assert_eq!(first.hash("test", &[b"x"]), again.hash("test", &[b"x"]));
    }

    #[test]
    fn a_broken_file_is_refused_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE_NAME), "abc\n").unwrap();
        assert!(matches!(read_or_make(&settings(dir.path())), Err(PepperError::Malformed { found: 3, .. })));
        assert_eq!(std::fs::read_to_string(dir.path().join(FILE_NAME)).unwrap(), "abc\n");
    }
}

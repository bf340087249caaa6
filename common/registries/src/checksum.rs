//! Checksums of archives, as registries write them.

use std::fmt;
use std::io::{Read, Seek};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use common::hexadecimal;
use ring::digest;

/// Entries of a module archive that are summed; the limit of Go itself is below it (500 MiB in files of any size).
const MAX_ENTRIES: usize = 100_000;
/// Bytes of a module archive that are inflated for its sum: the limit of Go.
const MAX_INFLATED: u64 = 500 * 1_024 * 1_024;

/// Algorithm of a checksum, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// SHA-1, of early npm releases only. Collisions are practical.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
    /// `h1:` of go.sum: SHA-256 over the digests of all files of a module archive (`golang.org/x/mod/sumdb/dirhash`).
    GoH1,
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::GoH1 => "h1",
        })
    }
}

/// A checksum of an archive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Checksum {
    /// Its algorithm.
    pub algorithm: Algorithm,
    digest: Vec<u8>,
}

impl Checksum {
    /// Reads hexadecimal digits; `None` if they are not as many as the algorithm has.
    #[must_use]
    pub fn from_hex(algorithm: Algorithm, text: &str) -> Option<Self> {
        let digits = text.trim();
        if digits.len() != 2 * length(algorithm) {
            return None;
        }
        hexadecimal::parse(digits).map(|digest| Self { algorithm, digest })
    }

    /// Reads Subresource Integrity: `sha512-BASE64`, several separated by spaces; unknown algorithms are left out.
    #[must_use]
    pub fn from_integrity(text: &str) -> Vec<Self> {
        text.split_ascii_whitespace()
            .filter_map(|word| {
                let (name, rest) = word.split_once('-')?;
                let algorithm = match name {
                    "sha1" => Algorithm::Sha1,
                    "sha256" => Algorithm::Sha256,
                    "sha384" => Algorithm::Sha384,
                    "sha512" => Algorithm::Sha512,
                    _ => return None,
                };
                let digest = STANDARD.decode(rest.split('?').next()?).ok()?;
                (digest.len() == length(algorithm)).then_some(Self { algorithm, digest })
            })
            .collect()
    }

    /// Reads a sum of go.sum, `h1:BASE64`.
    #[must_use]
    pub fn from_go_sum(text: &str) -> Option<Self> {
        let digest = STANDARD.decode(text.trim().strip_prefix("h1:")?).ok()?;
        (digest.len() == length(Algorithm::GoH1)).then_some(Self { algorithm: Algorithm::GoH1, digest })
    }

    /// The checksum of an archive; of [`Algorithm::GoH1`] `None` if it is not a module archive within Go's bounds.
    #[must_use]
    pub fn of(algorithm: Algorithm, archive: &[u8]) -> Option<Self> {
        let function = match algorithm {
            Algorithm::Sha1 => &digest::SHA1_FOR_LEGACY_USE_ONLY,
            Algorithm::Sha256 => &digest::SHA256,
            Algorithm::Sha384 => &digest::SHA384,
            Algorithm::Sha512 => &digest::SHA512,
            Algorithm::GoH1 => return module_sum(std::io::Cursor::new(archive)),
        };
        Some(Self { algorithm, digest: digest::digest(function, archive).as_ref().to_vec() })
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.algorithm == Algorithm::GoH1 {
            return write!(f, "h1:{}", STANDARD.encode(&self.digest));
        }
        hexadecimal::print(&self.digest).fmt(f)
    }
}

fn length(algorithm: Algorithm) -> usize {
    match algorithm {
        Algorithm::Sha1 => 20,
        Algorithm::Sha256 | Algorithm::GoH1 => 32,
        Algorithm::Sha384 => 48,
        Algorithm::Sha512 => 64,
    }
}

/// The sum `h1:` of a module archive, as go.sum has it; `None` if it is not a ZIP file or exceeds the bounds of Go.
#[must_use]
pub fn module_sum(archive: impl Read + Seek) -> Option<Checksum> {
    let mut archive = zip::ZipArchive::new(archive).ok()?;
    if archive.len() > MAX_ENTRIES {
        return None;
    }
    let mut lines = Vec::with_capacity(archive.len());
    let mut left = MAX_INFLATED;
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).ok()?;
        let name = file.name().ok()?.into_owned();
        if name.contains('\n') {
            return None;
        }
        let (digest, read) = file_digest(&mut file, left)?;
        left -= read;
        lines.push((name, digest));
    }
    lines.sort();
    let text: String = lines.iter().map(|(name, digest)| format!("{digest}  {name}\n")).collect();
    let digest = digest::digest(&digest::SHA256, text.as_bytes()).as_ref().to_vec();
    Some(Checksum { algorithm: Algorithm::GoH1, digest })
}

/// SHA-256 of a file in hexadecimal digits, and its length; `None` beyond `most` bytes.
fn file_digest(file: &mut impl Read, most: u64) -> Option<(String, u64)> {
    let mut context = digest::Context::new(&digest::SHA256);
    let mut buffer = vec![0; 65_536];
    let mut read = 0;
    loop {
        let count = file.read(&mut buffer).ok()?;
        if count == 0 {
            return Some((hexadecimal::print(context.finish().as_ref()), read));
        }
        read += count as u64;
        if read > most {
            return None;
        }
        context.update(buffer.get(..count)?);
    }
}

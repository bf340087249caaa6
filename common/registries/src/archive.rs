//! Archives: download and checksum.

use bytes::Bytes;
use versions::Ecosystem;

use crate::checksum::Checksum;
use crate::client::{Access, Registries};
use crate::error::RegistryError;
use crate::package::{Artifact, ArtifactKind};

/// An archive.
#[derive(Clone, Debug)]
pub struct Archive {
    /// Its bytes.
    pub bytes: Bytes,
    /// Its format.
    pub kind: ArtifactKind,
    /// The checksum that it was verified by; `None` where neither the registry nor the caller had one.
    pub verified: Option<Checksum>,
}

impl Registries {
    /// Downloads an archive, and verifies it by `expected`, or else by the strongest checksum of the registry.
    ///
    /// # Errors
    /// [`RegistryError`]; `Checksum` also where the sum of a Go module cannot be computed.
    pub async fn archive(
        &self,
        access: &Access,
        (ecosystem, name): (Ecosystem, &str),
        artifact: &Artifact,
        expected: Option<&Checksum>,
    ) -> Result<Archive, RegistryError> {
        let url = &artifact.url;
        if let Some(found) = artifact.size
            && found > self.config.archive_bytes as u64
        {
            return Err(RegistryError::TooLarge { url: url.clone(), most: self.config.archive_bytes, found });
        }
        let registry = self.registry(ecosystem)?;
        let Some(bytes) = self.bytes(access, registry, url).await? else {
            return Err(RegistryError::NoVersion {
                ecosystem,
                name: name.to_owned(),
                version: artifact.file_name.clone(),
            });
        };
        let verified = expected.or_else(|| artifact.checksums.iter().max());
        if let Some(expected) = verified {
            verify(url, &bytes, expected)?;
        }
        Ok(Archive { bytes, kind: artifact.kind, verified: verified.cloned() })
    }
}

fn verify(url: &str, bytes: &[u8], expected: &Checksum) -> Result<(), RegistryError> {
    let found = Checksum::of(expected.algorithm, bytes);
    if found.as_ref() == Some(expected) {
        return Ok(());
    }
    Err(RegistryError::Checksum {
        url: url.to_owned(),
        algorithm: expected.algorithm,
        expected: expected.to_string(),
        found: found.map_or_else(|| "no module archive".to_owned(), |found| found.to_string()),
    })
}

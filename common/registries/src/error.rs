//! Reason why a registry gave no metadata or archive.

use std::time::Duration;

use outbound::{DestinationError, SendError};
use thiserror::Error;
use versions::{Ecosystem, ParseError};

use crate::checksum::Algorithm;

/// Reason why there is no metadata or archive.
#[derive(Debug, Error)]
pub enum RegistryError {
    /// The registry has no such package.
    #[error("{ecosystem} has no package {name}")]
    NotFound {
        /// The ecosystem.
        ecosystem: Ecosystem,
        /// The name.
        name: String,
    },
    /// The package has no such version.
    #[error("{ecosystem} has no version {version} of {name}")]
    NoVersion {
        /// The ecosystem.
        ecosystem: Ecosystem,
        /// The name.
        name: String,
        /// The version.
        version: String,
    },
    /// The registry did not answer, or with a status that may pass: 429 or 5xx.
    #[error("{url} is unavailable: {cause}")]
    Unavailable {
        /// The URL.
        url: String,
        /// The status, or the reason without a reply.
        cause: String,
        /// The wait that the registry asks for.
        retry_after: Option<Duration>,
    },
    /// The address guard or the policy of the registry does not permit the request or a redirect.
    #[error("{url} is refused: {cause}")]
    Refused {
        /// The URL.
        url: String,
        /// The reason.
        cause: String,
    },
    /// A status that will not pass.
    #[error("expected status 200 from {url}, found {found}")]
    Status {
        /// The URL.
        url: String,
        /// The status.
        found: u16,
    },
    /// A document or archive beyond its limit.
    #[error("expected at most {most} bytes from {url}, found {found} or more")]
    TooLarge {
        /// The URL.
        url: String,
        /// The limit.
        most: usize,
        /// Bytes that were announced or read.
        found: u64,
    },
    /// A document that does not fit.
    #[error("malformed reply of {url}: {field}: {cause}")]
    Malformed {
        /// The URL.
        url: String,
        /// Path of the field.
        field: String,
        /// Expected and found.
        cause: String,
    },
    /// An archive with another checksum.
    #[error("expected {algorithm} {expected} of {url}, found {found}")]
    Checksum {
        /// The URL.
        url: String,
        /// The algorithm.
        algorithm: Algorithm,
        /// The digest of the registry or the caller.
        expected: String,
        /// The digest of the archive.
        found: String,
    },
    /// A name or version that is none of the ecosystem.
    #[error(transparent)]
    Name(#[from] ParseError),
    /// The ecosystem has no registry in this configuration.
    #[error("metadata of {ecosystem} needs a connection to the code host")]
    NoRegistry {
        /// The ecosystem.
        ecosystem: Ecosystem,
    },
}

impl RegistryError {
    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }

    pub(crate) fn malformed(url: &str, field: impl Into<String>, cause: impl Into<String>) -> Self {
        Self::Malformed { url: url.to_owned(), field: field.into(), cause: cause.into() }
    }

    pub(crate) fn destination(url: &str, error: &DestinationError) -> Self {
        Self::Refused { url: url.to_owned(), cause: error.to_string() }
    }

    pub(crate) fn send(url: &str, error: &SendError) -> Self {
        let url = url.to_owned();
        if let Some((most, found)) = too_large(error) {
            return Self::TooLarge { url, most, found };
        }
        let cause = error.to_string();
        if is_refusal(error) {
            return Self::Refused { url, cause };
        }
        Self::Unavailable { url, cause, retry_after: None }
    }
}

fn too_large(error: &SendError) -> Option<(usize, u64)> {
    match error {
        SendError::Body { most, found } => Some((*most, *found)),
        SendError::Redirected { cause, .. } => too_large(cause),
        _ => None,
    }
}

/// Whether the guard, the policy or the budget stands against it, here or after a redirect.
fn is_refusal(error: &SendError) -> bool {
    match error {
        SendError::Redirected { cause, .. } => is_refusal(cause),
        SendError::Redirect(_) | SendError::Budget(_) => true,
        other => other.is_final(),
    }
}

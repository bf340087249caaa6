//! The URL of a target, validated before it is stored, and the reasons why an operation on a target is refused.

use common::ids::OrganizationId;
use directory::{DirectoryError, Receiver, ReceiverKind, Resource, SealError};
use outbound::{ConnectError, LookupRefusal, Outbound, Requester};
use secrets::SecretsError;
use thiserror::Error;

use crate::envelope::EnvelopeError;
use crate::verdict::chain;

/// Reason why an operation on a target was refused.
#[derive(Debug, Error)]
pub enum TargetError {
    /// A value is not allowed.
    #[error("{field}: {reason}")]
    Invalid {
        /// Name of the field, as in the API.
        field: &'static str,
        /// The requirement it violates.
        reason: String,
    },
    /// There is no such target in the organization; this is what it would be.
    #[error("not found: {0}")]
    NotFound(&'static str),
    /// The directory did not do its part, or refused a field.
    #[error(transparent)]
    Directory(DirectoryError),
    /// Too many host names are being resolved; the target was neither judged nor asked.
    #[error(transparent)]
    Lookups(#[from] LookupRefusal),
    /// Secrets can be neither sealed nor opened.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    /// The test event cannot be written.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
}

impl From<SealError> for TargetError {
    fn from(error: SealError) -> Self {
        match error {
            SealError::Invalid { field, reason } => Self::Invalid { field, reason },
            SealError::Secrets(error) => Self::Secrets(error),
        }
    }
}

/// The error of the directory, which names the receiver that was not found.
pub(crate) fn missing(kind: ReceiverKind) -> impl Fn(DirectoryError) -> TargetError {
    move |error| match error {
        DirectoryError::NotFound => TargetError::NotFound(Receiver::collection(kind).name),
        other => TargetError::Directory(other),
    }
}

/// Judges the URL in a field, and the addresses it leads to now if they can be found out.
pub(crate) async fn judged_url(
    (outbound, organization): (&Outbound, OrganizationId),
    field: &'static str,
    url: &str,
) -> Result<String, TargetError> {
    let invalid = |reason: String| TargetError::Invalid { field, reason };
    let destination = outbound.destination(url).map_err(|error| invalid(error.to_string()))?;
    let checked = outbound.check(Requester::interactive(organization), &destination).await;
    match checked {
        Err(error) if error.is_final() => Err(invalid(chain(&error))),
        Err(ConnectError::Lookups { refusal, .. }) => Err(refusal.into()),
        // A name that cannot be resolved now may be in a minute; it is judged again at every attempt.
        Ok(()) | Err(_) => Ok(destination.as_str().to_owned()),
    }
}

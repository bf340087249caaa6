//! Input of users for a target, validated before it is stored: its URL, and the headers of its own, which are sealed. And
//! why it is refused.

use std::collections::BTreeMap;

use common::ids::{OrganizationId, ReceiverId};
use directory::{DirectoryError, Receiver, ReceiverKind, Resource};
use http::HeaderValue;
use outbound::{ConnectError, LookupRefusal, Outbound, Requester};
use secrets::{Sealed, SecretsError, Vault};
use thiserror::Error;

use crate::endpoint::header_field;
use crate::envelope::EnvelopeError;
use crate::target::location;
use crate::verdict::chain;

/// Most bytes of all custom headers of a target, names and values.
const MAX_HEADER_BYTES: usize = 8 * 1_024;

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

/// Seals the values of headers; names may be in any case.
pub(crate) async fn sealed_headers(
    vault: &Vault,
    organization: OrganizationId,
    id: ReceiverId,
    headers: BTreeMap<String, String>,
) -> Result<BTreeMap<String, Sealed>, TargetError> {
    let invalid = |reason: String| TargetError::Invalid { field: "headers", reason };
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > MAX_HEADER_BYTES {
        return Err(invalid(format!("expected at most {MAX_HEADER_BYTES} bytes, found {bytes}")));
    }
    let mut sealed = BTreeMap::new();
    for (name, value) in headers {
        let name = name.to_ascii_lowercase();
        // Never says the value, which is a secret.
        let is_visible = value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if !is_visible || HeaderValue::from_str(&value).is_err() {
            return Err(invalid(format!("the value of {name:?} has characters that are not visible ASCII")));
        }
        let field = header_field(&name);
        let value = vault.seal(&location(organization, &id, &field), value.as_bytes()).await?;
        if sealed.insert(name.clone(), value).is_some() {
            return Err(invalid(format!("{name:?} is given twice")));
        }
    }
    Ok(sealed)
}

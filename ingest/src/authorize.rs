//! Authorization of sender and source: the key's grant and the enabled source it reaches. Caching
//! and staleness are the directory's.

use std::sync::Arc;

use common::ids::SourceId;
use directory::{AuthenticateError, Authenticator, Grant, LookupError, Source, SourceLookup};
use thiserror::Error;

/// Permission that a narrowed key needs to send logs.
const SCOPE: &str = "ingest:write";

/// Reason why a sender or its source is refused.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum AuthorizeError {
    /// Unknown, revoked and expired keys are not distinguished.
    #[error("the API key is not valid")]
    UnknownKey,
    #[error("the API key may not send logs: it lacks the scope {SCOPE}")]
    ScopeMissing,
    /// Missing, disabled and foreign sources are not distinguished.
    #[error("source not found")]
    NoSuchSource,
    #[error("keys and sources cannot be checked at the moment")]
    Unavailable,
}

/// Grant of the presented key.
pub(crate) async fn key(
    authenticator: &Authenticator,
    presented: &str,
) -> Result<Arc<Grant>, AuthorizeError> {
    let grant = authenticator.authenticate(presented).await.map_err(|error| match error {
        AuthenticateError::Unknown => AuthorizeError::UnknownKey,
        AuthenticateError::Unavailable => AuthorizeError::Unavailable,
    })?;
    if grant.allows(SCOPE) { Ok(grant) } else { Err(AuthorizeError::ScopeMissing) }
}

/// The source, if the key's organization has it and it is enabled.
pub(crate) async fn source(
    sources: &SourceLookup,
    grant: &Grant,
    id: SourceId,
) -> Result<Arc<Source>, AuthorizeError> {
    let found = sources.find(grant.organization, id).await;
    let found = found.map_err(|LookupError::Unavailable| AuthorizeError::Unavailable)?;
    found.filter(|source| source.enabled).ok_or(AuthorizeError::NoSuchSource)
}

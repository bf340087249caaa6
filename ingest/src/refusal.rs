//! Reason for refusing a request, and its sender: shared by the stages and by `respond`.

use common::ids::KeyId;
use durable_log::AppendError;
use http::HeaderValue;
use statistics::SourceKey;
use thiserror::Error;

use crate::admit::AdmitError;
use crate::authorize::AuthorizeError;
use crate::receive::ReceiveError;
use crate::request::RequestError;
use crate::validate::Rejection;

/// Reason why a batch was not accepted.
#[derive(Debug, Error)]
pub(crate) enum Refusal {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Authorize(#[from] AuthorizeError),
    #[error(transparent)]
    Admit(#[from] AdmitError),
    #[error(transparent)]
    Receive(#[from] ReceiveError),
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error("the process is shutting down")]
    Ending,
}

/// The sender of a request, as far as known.
pub(crate) struct Caller {
    pub(crate) request_id: HeaderValue,
    /// Known once the key is recognised.
    pub(crate) key: Option<KeyId>,
    /// Known once the key is authorized for it.
    pub(crate) source: Option<SourceKey>,
}

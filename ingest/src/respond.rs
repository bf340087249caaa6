//! Outcomes as statuses and bodies: the only file that knows them. Refusals are logged here, once.
//!
//! Protobuf requests are refused with a `google.rpc.Status` in protobuf (OTLP specification,
//! OTLP/HTTP response), all others with JSON that holds its members beside the error object of the
//! organization API, so that readers of either find what they look for.

mod rpc_status;

use bytes::Bytes;
use common::ids::KeyId;
use durable_log::AppendError;
use http::header::{ACCEPT_ENCODING, ALLOW, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde_json::json;
use uuid::Uuid;

use crate::admit::AdmitError;
use crate::authorize::AuthorizeError;
use crate::handle::{Caller, Refusal};
use crate::measure;
use crate::receive::ReceiveError;
use crate::request::{self, RequestError};
use crate::validate::{Format, Rejection};

/// Longest message of a refusal: senders put it into log lines of their own.
const MAX_MESSAGE_CHARS: usize = 300;

/// In what the answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Protobuf,
    Json,
}

impl Dialect {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        if request::is_protobuf(headers) { Self::Protobuf } else { Self::Json }
    }

    fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Protobuf => "application/x-protobuf",
            Self::Json => "application/json",
        })
    }
}

/// What a refusal is to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Invalid,
    TooLarge,
    Unsupported,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    /// Try again in so many seconds, or up to so many more, so that a fleet does not come back at
    /// once.
    Unavailable {
        retry_after: u64,
        spread: u64,
    },
}

impl Kind {
    fn of(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Request(error) => Self::of_request(error),
            Refusal::Authorize(error) => Self::of_authorize(error),
            Refusal::Admit(error) | Refusal::Receive(ReceiveError::Admit(error)) => Self::of_admit(error),
            Refusal::Receive(error) => Self::of_receive(error),
            Refusal::Rejected(Rejection::Malformed { .. }) => Self::Invalid,
            Refusal::Rejected(Rejection::LimitExceeded { .. }) => Self::TooLarge,
            Refusal::Append(error) => Self::of_append(error),
            Refusal::Ending => RESTARTING,
        }
    }

    fn of_request(error: &RequestError) -> Self {
        match error {
            RequestError::Method => Self::MethodNotAllowed,
            RequestError::KeyMissing => Self::Unauthorized,
            RequestError::SourceId | RequestError::IdempotencyKey => Self::Invalid,
            RequestError::ContentType { .. } | RequestError::ContentEncoding { .. } => Self::Unsupported,
        }
    }

    fn of_authorize(error: &AuthorizeError) -> Self {
        match error {
            AuthorizeError::UnknownKey => Self::Unauthorized,
            AuthorizeError::ScopeMissing => Self::Forbidden,
            AuthorizeError::NoSuchSource => Self::NotFound,
            AuthorizeError::Unavailable => RESTARTING,
        }
    }

    fn of_admit(error: &AdmitError) -> Self {
        match error {
            AdmitError::BytesInFlight | AdmitError::QueueFull => BUSY,
            AdmitError::LogFull => BACKLOG,
            AdmitError::NotWritable => RESTARTING,
        }
    }

    fn of_receive(error: &ReceiveError) -> Self {
        match error {
            ReceiveError::WireTooLarge { .. } | ReceiveError::InflatedTooLarge { .. } => Self::TooLarge,
            ReceiveError::Length { .. } | ReceiveError::Broken(_) | ReceiveError::Gzip(_) => Self::Invalid,
            ReceiveError::Admit(error) => Self::of_admit(error),
            // OTLP senders drop a batch that is answered with 408; a slow link is no reason to.
            ReceiveError::TooSlow { .. } => BUSY,
        }
    }

    /// Whatever the log says means: try again (contract of `DurableLog::append`).
    fn of_append(error: &AppendError) -> Self {
        match error {
            AppendError::QueueFull { .. } | AppendError::Unknown { .. } => BUSY,
            AppendError::Full { .. } | AppendError::Behind { .. } => BACKLOG,
            AppendError::Poisoned { .. }
            | AppendError::Closed
            | AppendError::TooLarge { .. }
            | AppendError::NoSuchPartition { .. } => RESTARTING,
        }
    }

    fn status(self) -> StatusCode {
        match self {
            Self::Invalid => StatusCode::BAD_REQUEST,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Unsupported => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Unavailable { .. } => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The number of the `google.rpc.Code`.
    fn rpc_code(self) -> u8 {
        match self {
            Self::Invalid | Self::TooLarge | Self::Unsupported => 3,
            Self::NotFound => 5,
            Self::Forbidden => 7,
            Self::MethodNotAllowed => 12,
            Self::Unavailable { .. } => 14,
            Self::Unauthorized => 16,
        }
    }

    /// The error code of the organization API.
    fn error_code(self) -> &'static str {
        match self {
            Self::Invalid | Self::TooLarge | Self::Unsupported => "invalid_request",
            Self::NotFound => "not_found",
            Self::Forbidden => "forbidden",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::Unavailable { .. } => "service_unavailable",
            Self::Unauthorized => "unauthorized",
        }
    }

    /// The word metrics use.
    fn outcome(self) -> &'static str {
        match self {
            Self::Invalid => "refused_malformed",
            Self::TooLarge => "refused_too_large",
            Self::Unsupported => "refused_unsupported",
            Self::Unauthorized | Self::Forbidden => "refused_unauthorized",
            Self::NotFound => "refused_not_found",
            Self::MethodNotAllowed => "refused_method",
            Self::Unavailable { .. } => "refused_unavailable",
        }
    }
}

/// Passes within seconds: what is in flight becomes durable.
const BUSY: Kind = Kind::Unavailable { retry_after: 1, spread: 4 };
/// Passes within a minute or so: a store comes back, a process is replaced.
const RESTARTING: Kind = Kind::Unavailable { retry_after: 5, spread: 10 };
/// Passes when the analysis catches up.
const BACKLOG: Kind = Kind::Unavailable { retry_after: 15, spread: 30 };

/// 200: an empty OTLP response in the request's own format.
pub(crate) fn accepted(dialect: Dialect) -> Response<Full<Bytes>> {
    let body = match dialect {
        Dialect::Protobuf => Bytes::new(),
        Dialect::Json => Bytes::from_static(b"{}"),
    };
    respond(StatusCode::OK, dialect, body)
}

/// The answer to a refusal. `close` says that the connection cannot go on: the body was not read to
/// its end.
pub(crate) fn refused(
    refusal: &Refusal,
    format: Option<Format>,
    dialect: Dialect,
    caller: &Caller,
    close: bool,
) -> Response<Full<Bytes>> {
    let kind = Kind::of(refusal);
    let request_id = caller.request_id.to_str().unwrap_or_default();
    report(kind, refusal, request_id, caller.key);
    measure::refused(format, kind.outcome());
    let message = message(refusal);
    let body = match dialect {
        Dialect::Protobuf => rpc_status::encode(kind.rpc_code(), &message).into(),
        Dialect::Json => json!({
            "code": kind.rpc_code(),
            "message": message,
            "error": {"code": kind.error_code(), "message": message, "request_id": request_id},
        })
        .to_string()
        .into(),
    };
    let mut response = respond(kind.status(), dialect, body);
    let headers = response.headers_mut();
    if let Some((name, value)) = hint(kind, refusal) {
        headers.insert(name, value);
    }
    if close {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// What the status obliges us to say, or lets us.
fn hint(kind: Kind, refusal: &Refusal) -> Option<(HeaderName, HeaderValue)> {
    match (kind, refusal) {
        (Kind::MethodNotAllowed, _) => Some((ALLOW, HeaderValue::from_static("POST"))),
        (Kind::Unauthorized, _) => Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
        (_, Refusal::Request(RequestError::ContentEncoding { .. })) => {
            Some((ACCEPT_ENCODING, HeaderValue::from_static("gzip, identity")))
        }
        (Kind::Unavailable { retry_after, spread }, _) => {
            let random = Uuid::new_v4().as_u64_pair().1;
            Some((RETRY_AFTER, (retry_after + random % (spread + 1)).into()))
        }
        _ => None,
    }
}

/// What the sender is told: the stage's own words, except about the inside of the log.
fn message(refusal: &Refusal) -> String {
    let text = match refusal {
        Refusal::Append(_) => "the batch could not be made durable, send it again".to_owned(),
        other => other.to_string(),
    };
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn report(kind: Kind, refusal: &Refusal, request_id: &str, key: Option<KeyId>) {
    let error: &dyn std::error::Error = refusal;
    let key = key.map(tracing::field::display);
    let status = kind.status().as_u16();
    if kind.status() == StatusCode::SERVICE_UNAVAILABLE {
        measure::backpressure();
    }
    // Being busy or behind is told by the metrics; a log that does not work is told by a line.
    let busy = matches!(
        refusal,
        Refusal::Append(
            AppendError::QueueFull { .. } | AppendError::Full { .. } | AppendError::Behind { .. }
        )
    );
    if matches!(refusal, Refusal::Append(_)) && !busy {
        tracing::warn!(request_id, key, status, error, "a batch could not be made durable");
    } else {
        tracing::debug!(request_id, key, status, error, "a batch was refused");
    }
}

fn respond(status: StatusCode, dialect: Dialect, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, dialect.content_type());
    response
}

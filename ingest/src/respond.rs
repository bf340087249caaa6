//! Outcomes as statuses and bodies: the only file that defines them. Refusals are logged here, once.
//!
//! Protobuf requests are refused with a `google.rpc.Status` in protobuf (OTLP specification,
//! OTLP/HTTP response), all others with JSON that holds its members beside the error object of the
//! organization API, so that it suits readers of either.

mod reason;
mod retry_after;
mod rpc_status;

use bytes::Bytes;
use common::ids::KeyId;
use durable_log::AppendError;
use http::header::{ACCEPT_ENCODING, ALLOW, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde_json::json;

use self::reason::reason;
use self::retry_after::RetryAfter;
use crate::admit::AdmitError;
use crate::authorize::AuthorizeError;
use crate::measure;
use crate::receive::ReceiveError;
use crate::refusal::{Caller, Refusal};
use crate::request::{self, RequestError};
use crate::validate::{Format, Rejection};

/// Longest message of a refusal: senders put it into log lines of their own.
const MAX_MESSAGE_CHARS: usize = 300;

/// Format of the response.
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

/// Form of a refusal for the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RefusalKind {
    Invalid,
    TooLarge,
    Unsupported,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    /// Try again later.
    Unavailable(RetryAfter),
}

impl RefusalKind {
    fn of(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Request(error) => Self::of_request(error),
            Refusal::Authorize(error) => Self::of_authorize(error),
            Refusal::Admit(error) | Refusal::Receive(ReceiveError::Admit(error)) => Self::of_admit(error),
            Refusal::Receive(error) => Self::of_receive(error),
            Refusal::Rejected(Rejection::Malformed { .. }) => Self::Invalid,
            Refusal::Rejected(Rejection::LimitExceeded { .. }) => Self::TooLarge,
            Refusal::Append(error) => Self::of_append(error),
            Refusal::Ending => Self::Unavailable(RetryAfter::Restart),
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
            AuthorizeError::Unavailable => Self::Unavailable(RetryAfter::Restart),
        }
    }

    fn of_admit(error: &AdmitError) -> Self {
        Self::Unavailable(match error {
            AdmitError::BytesInFlight | AdmitError::QueueTooLong | AdmitError::LogQueueFull => {
                RetryAfter::Queue
            }
            AdmitError::LogFull | AdmitError::DiskLow => RetryAfter::Backlog,
            AdmitError::NotWritable => RetryAfter::Restart,
        })
    }

    fn of_receive(error: &ReceiveError) -> Self {
        match error {
            ReceiveError::WireTooLarge { .. } | ReceiveError::InflatedTooLarge { .. } => Self::TooLarge,
            ReceiveError::Length { .. } | ReceiveError::Broken(_) | ReceiveError::Gzip(_) => Self::Invalid,
            ReceiveError::Admit(error) => Self::of_admit(error),
            // OTLP senders drop a batch that is answered with 408; a slow link is no reason to.
            ReceiveError::TooSlow { .. } => Self::Unavailable(RetryAfter::Queue),
        }
    }

    /// Every error of the log means: try again (contract of `DurableLog::append`).
    fn of_append(error: &AppendError) -> Self {
        match (AdmitError::of_append(error), error) {
            (Some(known), _) => Self::of_admit(&known),
            (None, AppendError::Unknown { .. }) => Self::Unavailable(RetryAfter::Queue),
            (None, _) => Self::Unavailable(RetryAfter::Restart),
        }
    }

    fn code(self) -> Code {
        let (status, rpc, api, outcome) = match self {
            Self::Invalid => (StatusCode::BAD_REQUEST, 3, "invalid_request", "refused_malformed"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, 3, "invalid_request", "refused_too_large"),
            Self::Unsupported => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, 3, "invalid_request", "refused_unsupported")
            }
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, 16, "unauthorized", "refused_unauthorized"),
            Self::Forbidden => (StatusCode::FORBIDDEN, 7, "forbidden", "refused_unauthorized"),
            Self::NotFound => (StatusCode::NOT_FOUND, 5, "not_found", "refused_not_found"),
            Self::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, 12, "method_not_allowed", "refused_method")
            }
            Self::Unavailable(_) => {
                (StatusCode::SERVICE_UNAVAILABLE, 14, "service_unavailable", "refused_unavailable")
            }
        };
        Code { status, rpc, api, outcome }
    }
}

/// A refusal in the vocabulary of each reader.
struct Code {
    status: StatusCode,
    /// Number of the `google.rpc.Code`.
    rpc: u8,
    /// Error code of the organization API.
    api: &'static str,
    /// Outcome in metrics; the statistics of sources name the reason behind `refused_`.
    outcome: &'static str,
}

/// The reason of a refusal as the statistics of sources name it.
pub(crate) fn refusal_reason(refusal: &Refusal) -> &'static str {
    let outcome = RefusalKind::of(refusal).code().outcome;
    outcome.strip_prefix("refused_").unwrap_or(outcome)
}

/// 200: an empty OTLP response in the request's own format.
pub(crate) fn accepted(dialect: Dialect) -> Response<Full<Bytes>> {
    let body = match dialect {
        Dialect::Protobuf => Bytes::new(),
        Dialect::Json => Bytes::from_static(b"{}"),
    };
    respond(StatusCode::OK, dialect, body)
}

/// Known data of a refused request.
pub(crate) struct Refused<'a> {
    pub(crate) format: Option<Format>,
    pub(crate) dialect: Dialect,
    pub(crate) caller: &'a Caller,
    /// The connection must be closed: the body was not read to its end.
    pub(crate) close: bool,
}

/// The response to a refusal. The ratio of demand to capacity, and chance, determine the time of a
/// retry.
pub(crate) fn refused(
    refusal: &Refusal,
    request: Refused<'_>,
    pressure: f64,
    chance: u64,
) -> Response<Full<Bytes>> {
    let Refused { format, dialect, caller, close } = request;
    let kind = RefusalKind::of(refusal);
    let code = kind.code();
    let request_id = caller.request_id.to_str().unwrap_or_default();
    report(code.status, refusal, request_id, caller.key);
    measure::refused(format, code.outcome);
    let message = message(refusal);
    let body = match dialect {
        Dialect::Protobuf => rpc_status::encode(code.rpc, &message).into(),
        Dialect::Json => json!({
            "code": code.rpc,
            "message": message,
            "error": {"code": code.api, "message": message, "request_id": request_id},
        })
        .to_string()
        .into(),
    };
    let mut response = respond(code.status, dialect, body);
    let headers = response.headers_mut();
    if let RefusalKind::Unavailable(retry_after) = kind {
        headers.insert(RETRY_AFTER, retry_after.seconds(pressure, chance).into());
    } else if let Some((name, value)) = hint(kind, refusal) {
        headers.insert(name, value);
    }
    if close {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Headers that the status requires or allows.
fn hint(kind: RefusalKind, refusal: &Refusal) -> Option<(HeaderName, HeaderValue)> {
    match (kind, refusal) {
        (RefusalKind::MethodNotAllowed, _) => Some((ALLOW, HeaderValue::from_static("POST"))),
        (RefusalKind::Unauthorized, _) => Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
        (_, Refusal::Request(RequestError::ContentEncoding { .. })) => {
            Some((ACCEPT_ENCODING, HeaderValue::from_static("gzip, identity")))
        }
        _ => None,
    }
}

/// Message to the sender: the stage's own, except about the inside of the log.
fn message(refusal: &Refusal) -> String {
    let text = match refusal {
        Refusal::Append(error) => AdmitError::of_append(error).map_or_else(
            || "the batch could not be made durable, send it again".to_owned(),
            |known| known.to_string(),
        ),
        other => other.to_string(),
    };
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn report(status: StatusCode, refusal: &Refusal, request_id: &str, key: Option<KeyId>) {
    let error: &dyn std::error::Error = refusal;
    let key = key.map(tracing::field::display);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        measure::backpressure(reason(refusal));
    }
    let status = status.as_u16();
    // A busy or lagging log is reported by metrics; a log that does not work is reported by a log line.
    let is_broken = match refusal {
        Refusal::Append(error) => {
            matches!(AdmitError::of_append(error), None | Some(AdmitError::NotWritable))
        }
        _ => false,
    };
    if is_broken {
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

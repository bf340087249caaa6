//! Errors as clients see them: the one place that assigns a status, a code, a message and a body to a failure (specification,
//! Errors), and that logs failures of the service.

mod causes;

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use thiserror::Error;
use utoipa::ToSchema;

use crate::request_id::RequestId;

/// Refusal by the router of a method that a path does not have.
const NO_SUCH_METHOD: &str = "this path does not support the method; see the header Allow";
/// Seconds after which a client should try again what failed for want of the ledger: long enough for a restart of
/// one node to show, short enough for a person to wait.
const RETRY_SECONDS: u64 = 2;

/// Reason why a request is refused or failed.
#[derive(Debug, Error)]
pub enum ApiError {
    /// 400: the request is not valid; the message states the expected form.
    #[error("{0}")]
    Invalid(Cow<'static, str>),
    /// 413: the body is larger than `most` bytes.
    #[error("the body is larger than {most} bytes")]
    BodyTooLarge {
        /// The limit in bytes.
        most: usize,
    },
    /// 415: the body has another media type or encoding.
    #[error("{0}")]
    UnsupportedMediaType(&'static str),
    /// 402: the balance of credits is too low.
    #[error("{0}")]
    PaymentRequired(Cow<'static, str>),
    /// 401: no API key, or none that is valid.
    #[error("a valid API key is required: Authorization: Bearer <API_KEY>")]
    Unauthorized {
        /// Whether the request had a key, which is not valid.
        presented: bool,
    },
    /// 401: a credential other than an API key is not valid.
    #[error("{0}")]
    InvalidCredential(&'static str),
    /// 403: the API key lacks a scope.
    #[error("this API key lacks the scope {scope}")]
    Scope {
        /// Name of the scope.
        scope: &'static str,
    },
    /// 403: the API key may not do this, for another reason than its scopes.
    #[error("{0}")]
    Forbidden(Cow<'static, str>),
    /// 404: a resource of this name was not found in the organization.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// 409: the request conflicts with the current state.
    #[error("{0}")]
    Conflict(Cow<'static, str>),
    /// 412: the precondition of the request does not hold.
    #[error("{0}")]
    PreconditionFailed(Cow<'static, str>),
    /// 429: a limit of a client was reached.
    #[error("{message}, try again in {retry_seconds} s")]
    RateLimited {
        /// The limit.
        message: &'static str,
        /// Seconds to wait before the next request.
        retry_seconds: u64,
    },
    /// 503: a store or another part of the service cannot be reached; a retry may succeed.
    #[error("temporarily unavailable, try again")]
    Unavailable(#[source] Arc<dyn Error + Send + Sync>),
    /// 500: a failure of the service, whose cause is logged.
    #[error("internal error")]
    Internal(#[source] Arc<dyn Error + Send + Sync>),
    /// 500: a handler panicked.
    #[error("internal error")]
    Panicked,
}

impl ApiError {
    /// A failure of the service.
    pub fn internal(cause: impl Error + Send + Sync + 'static) -> Self {
        Self::Internal(Arc::new(cause))
    }

    /// A failure that a retry may overcome.
    pub fn unavailable(cause: impl Error + Send + Sync + 'static) -> Self {
        Self::Unavailable(Arc::new(cause))
    }

    /// Text for the client. Internal causes are logged and never shown.
    fn message(&self, shape: Shape, path: &str) -> String {
        let Shape::Message(failures) = shape else { return self.to_string() };
        match self {
            Self::BodyTooLarge { .. } => "Input too large".to_owned(),
            Self::UnsupportedMediaType(_) => "Unsupported content type".to_owned(),
            Self::RateLimited { .. } => "Rate limit exceeded".to_owned(),
            Self::Unavailable(_) => "Service busy".to_owned(),
            Self::Unauthorized { presented: false } => "API key missing".to_owned(),
            Self::Unauthorized { presented: true } => "Invalid API key".to_owned(),
            Self::Scope { scope } => format!("API key lacks scope {scope}"),
            Self::PaymentRequired(_) => "No subscription found".to_owned(),
            Self::NotFound("organization") => "Team not found".to_owned(),
            Self::Internal(_) | Self::Panicked => failures
                .iter()
                .find(|failure| failure.path == path)
                .map_or_else(|| self.to_string(), |failure| failure.message.to_owned()),
            _ => self.to_string(),
        }
    }

    /// Status and code of the error.
    #[must_use]
    pub fn status_and_code(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Invalid(_) => (StatusCode::BAD_REQUEST, "invalid_request"),
            Self::BodyTooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "invalid_request"),
            Self::UnsupportedMediaType(_) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "invalid_request"),
            Self::PaymentRequired(_) => (StatusCode::PAYMENT_REQUIRED, "invalid_request"),
            Self::Unauthorized { .. } | Self::InvalidCredential(_) => {
                (StatusCode::UNAUTHORIZED, "unauthorized")
            }
            Self::Scope { .. } | Self::Forbidden(_) => (StatusCode::FORBIDDEN, "forbidden"),
            Self::NotFound(_) => (StatusCode::NOT_FOUND, "not_found"),
            Self::Conflict(_) => (StatusCode::CONFLICT, "conflict"),
            Self::PreconditionFailed(_) => (StatusCode::PRECONDITION_FAILED, "conflict"),
            Self::RateLimited { .. } => (StatusCode::TOO_MANY_REQUESTS, "rate_limited"),
            Self::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, "service_unavailable"),
            Self::Internal(_) | Self::Panicked => (StatusCode::INTERNAL_SERVER_ERROR, "internal_error"),
        }
    }
}

/// Shape of the error bodies of a family of routes.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// `{"error": {"code", "message", "request_id"}}`.
    Object,
    /// `{"error": "message"}`, which the specification requires of guard, redact and verify. Refusals of the kit have short
    /// messages there, since clients of that family compare them.
    Message(&'static [Failure]),
}

/// Message of the failures of the service on one route.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// Path of the route as it was registered.
    pub path: &'static str,
    /// Message of the error body with the status 500.
    pub message: &'static str,
}

/// The error on its way from a handler to [`finish`], which knows the request's id and the shape.
#[derive(Clone)]
struct Unfinished(Arc<ApiError>);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.status_and_code().0.into_response();
        let headers = response.headers_mut();
        match &self {
            Self::RateLimited { retry_seconds, .. } => {
                headers.insert(RETRY_AFTER, HeaderValue::from(*retry_seconds));
            }
            Self::Unavailable(_) => {
                headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_SECONDS));
            }
            Self::Unauthorized { .. } | Self::InvalidCredential(_) => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
        response.extensions_mut().insert(Unfinished(Arc::new(self)));
        response
    }
}

/// The body of every error.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Error, example = json!({"error": {
    "code": "invalid_request",
    "message": "the query parameter `limit` must be a whole number from 1 to 100, found `0`",
    "request_id": "0198a2f4-6c1b-7d3e-9a51-3f2b8c7d6e5f"
}}))]
pub struct ErrorBody {
    error: ErrorContent,
}

/// The body of an error of guard, redact and verify.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ErrorMessage, example = json!({"error": "Rate limit exceeded"}))]
pub struct MessageBody {
    /// Human-readable description.
    error: String,
}

/// The error.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorContent {
    /// For programs: `invalid_request`, `unauthorized`, `forbidden`, `not_found`, `method_not_allowed`, `conflict`,
    /// `rate_limited`, `internal_error` or `service_unavailable`.
    #[schema(schema_with = crate::openapi::error_code)]
    code: &'static str,
    /// Human-readable description.
    message: String,
    /// Id of the request, as logged by the service.
    request_id: String,
}

/// Writes the body of an error response of a route in a shape, and logs failures of the service. Other responses pass
/// unchanged.
pub(crate) fn finish(mut response: Response, request: &RequestId, (shape, path): (Shape, &str)) -> Response {
    let (code, message) = match response.extensions_mut().remove::<Unfinished>() {
        Some(Unfinished(error)) => {
            if response.status().is_server_error() {
                log(&error, request);
            }
            (error.status_and_code().1, error.message(shape, path))
        }
        // The only refusal the router makes by itself; it also sets `Allow`.
        None if response.status() == StatusCode::METHOD_NOT_ALLOWED => {
            ("method_not_allowed", NO_SUCH_METHOD.to_owned())
        }
        None => return response,
    };
    let body = match shape {
        Shape::Object => {
            let error = ErrorContent { code, message, request_id: request.as_str().to_owned() };
            serde_json::to_vec(&ErrorBody { error })
        }
        Shape::Message(_) => serde_json::to_vec(&MessageBody { error: message }),
    };
    // Texts only, which JSON can always hold.
    let body = body.unwrap_or_default();
    let headers = response.headers_mut();
    headers.remove(CONTENT_LENGTH);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    *response.body_mut() = Body::from(body);
    response
}

fn log(error: &ApiError, request: &RequestId) {
    let mut cause = String::new();
    let mut next = error.source();
    while let Some(source) = next {
        cause.push_str(if cause.is_empty() { "" } else { ": " });
        cause.push_str(&source.to_string());
        next = source.source();
    }
    let code = error.status_and_code().1;
    tracing::error!(request_id = request.as_str(), code, cause, "a request failed");
}

//! Errors as clients see them: the one place where what went wrong becomes a status, a code and a message
//! (specification, Errors), and where failures of our own are logged. What other modules call an error is translated in
//! `causes`.

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

use crate::body::MAX_BODY_BYTES;
use crate::request_id::RequestId;

/// Seconds after which a client should try again what failed for want of the ledger: long enough for a restart of
/// one node to show, short enough for a person to wait.
const RETRY_SECONDS: u64 = 2;

/// Why a request is not answered with what was asked for.
#[derive(Debug, Error)]
pub(crate) enum ApiError {
    #[error("{0}")]
    Invalid(Cow<'static, str>),
    #[error("the body is larger than {MAX_BODY_BYTES} bytes")]
    BodyTooLarge,
    #[error("{0}")]
    UnsupportedMediaType(&'static str),
    #[error("{0}")]
    PaymentRequired(Cow<'static, str>),
    #[error("a valid API key is required: Authorization: Bearer <API_KEY>")]
    Unauthorized,
    #[error("this API key lacks the scope {scope}")]
    Scope { scope: &'static str },
    #[error("{0}")]
    Forbidden(Cow<'static, str>),
    #[error("{0} not found")]
    NotFound(&'static str),
    #[error("{0}")]
    Conflict(Cow<'static, str>),
    #[error("{message}, try again in {retry_seconds} s")]
    RateLimited { message: &'static str, retry_seconds: u64 },
    #[error("temporarily unavailable, try again")]
    Unavailable(#[source] Arc<dyn Error + Send + Sync>),
    #[error("internal error")]
    Internal(#[source] Arc<dyn Error + Send + Sync>),
    #[error("internal error")]
    Panicked,
}

impl ApiError {
    pub(crate) fn internal(cause: impl Error + Send + Sync + 'static) -> Self {
        Self::Internal(Arc::new(cause))
    }

    pub(crate) fn unavailable(cause: impl Error + Send + Sync + 'static) -> Self {
        Self::Unavailable(Arc::new(cause))
    }

    pub(crate) fn status_and_code(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Invalid(_) => (StatusCode::BAD_REQUEST, "invalid_request"),
            Self::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "invalid_request"),
            Self::UnsupportedMediaType(_) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "invalid_request"),
            Self::PaymentRequired(_) => (StatusCode::PAYMENT_REQUIRED, "invalid_request"),
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized"),
            Self::Scope { .. } | Self::Forbidden(_) => (StatusCode::FORBIDDEN, "forbidden"),
            Self::NotFound(_) => (StatusCode::NOT_FOUND, "not_found"),
            Self::Conflict(_) => (StatusCode::CONFLICT, "conflict"),
            Self::RateLimited { .. } => (StatusCode::TOO_MANY_REQUESTS, "rate_limited"),
            Self::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, "service_unavailable"),
            Self::Internal(_) | Self::Panicked => (StatusCode::INTERNAL_SERVER_ERROR, "internal_error"),
        }
    }
}

/// What is carried from the place of an error to [`finish`], which knows the request's id.
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
            Self::Unauthorized => {
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
pub(crate) struct ErrorBody {
    error: ErrorContent,
}

/// The error.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorContent {
    /// For programs: `invalid_request`, `unauthorized`, `forbidden`, `not_found`, `method_not_allowed`, `conflict`,
    /// `rate_limited`, `internal_error` or `service_unavailable`.
    #[schema(schema_with = crate::schema::error_code)]
    code: &'static str,
    /// Human-readable description.
    message: String,
    /// Id of the request, as logged by the service.
    request_id: String,
}

/// Gives an error response its body, and logs it where it is a failure of ours. Other responses pass as they are.
pub(crate) fn finish(mut response: Response, request: &RequestId) -> Response {
    let (code, message) = match response.extensions_mut().remove::<Unfinished>() {
        Some(Unfinished(error)) => {
            if response.status().is_server_error() {
                log(&error, request);
            }
            (error.status_and_code().1, error.to_string())
        }
        // The only refusal the router makes by itself; it also sets `Allow`.
        None if response.status() == StatusCode::METHOD_NOT_ALLOWED => {
            ("method_not_allowed", "this path does not support the method; see the header Allow".to_owned())
        }
        None => return response,
    };
    let content = ErrorContent { code, message, request_id: request.as_str().to_owned() };
    let body = serde_json::to_vec(&ErrorBody { error: content }).unwrap_or_default();
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

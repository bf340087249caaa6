//! Replies that carry something: JSON with a status.

use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use crate::error::ApiError;

/// A value as the JSON body of a reply.
pub fn json<T: Serialize>(status: StatusCode, value: &T) -> Result<Response, ApiError> {
    Ok(raw_json(status, text(value)?))
}

/// A value as JSON text.
pub fn text<T: Serialize>(value: &T) -> Result<String, ApiError> {
    serde_json::to_string(value).map_err(ApiError::internal)
}

/// JSON text as the body of a reply.
pub fn raw_json(status: StatusCode, body: impl Into<axum::body::Body>) -> Response {
    let mut response = (status, body.into()).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

//! Handling of every exchange, on any route: a request id, a caught panic, a finished error body, protective
//! headers and one measurement. The outermost layer of the router.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use common::clock::SharedClock;
use directory::Grant;
use futures_util::FutureExt;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use process::requests;

use crate::error::{self, ApiError, Shape};
use crate::request_id::{RequestId, X_REQUEST_ID};

/// State of the layer.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) clock: SharedClock,
    /// Shape of the error bodies of the routes inside.
    pub(crate) shape: Shape,
}

/// Passes a request on and completes its response.
pub(crate) async fn exchange(State(state): State<Exchange>, mut request: Request, next: Next) -> Response {
    let started = state.clock.monotonic();
    let id = RequestId::of(request.headers(), state.clock.as_ref());
    let method = request.method().clone();
    // Bounded: a path without a route has no label of its own.
    let route = request.extensions().get::<MatchedPath>().cloned();
    request.extensions_mut().insert(id.clone());

    let caught = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let response = caught.unwrap_or_else(|_| ApiError::Panicked.into_response());
    let route = route.as_ref().map_or("unmatched", MatchedPath::as_str);
    let mut response = error::finish(response, &id, (state.shape, route));

    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        headers.insert(X_REQUEST_ID, value);
    }
    // Replies are one organization's, some carry a secret: no cache may keep them.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));

    let status = response.status();
    let key = response.extensions().get::<Arc<Grant>>().map(|grant| tracing::field::display(grant.key_id));
    tracing::debug!(
        request_id = id.as_str(),
        key,
        route,
        method = method.as_str(),
        status = status.as_u16(),
        "answered"
    );
    let took = state.clock.monotonic().saturating_sub(started);
    requests::measure(route.to_owned(), &method, status, took.as_secs_f64());
    response
}

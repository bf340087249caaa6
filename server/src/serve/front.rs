//! The routes of one listener: health, the path of ingestion, and the API for the rest. Requests to ingestion are
//! recognised by path before the API's router sees them.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use http::{Request, Response};
use hyper::body::Incoming;
use ingest::Ingest;
use process::health::Health;
use rest::address_limit::ClientAddress;
use tower::ServiceExt;

/// The roles of this process that answer requests.
#[derive(Clone)]
pub(crate) struct Front {
    health: Arc<Health>,
    /// Ingestion, if the process plays that role.
    pub ingest: Option<Arc<Ingest>>,
    /// The API, if the process plays that role; it answers every other path.
    pub api: Option<Router>,
}

impl Front {
    /// Health only.
    pub(crate) fn new(health: Arc<Health>) -> Self {
        Self { health, ingest: None, api: None }
    }

    /// The handler of the listener.
    pub(crate) fn handler(self) -> impl process::listen::Handler {
        move |mut request: Request<Incoming>, peer: SocketAddr| {
            request.extensions_mut().insert(ClientAddress(peer));
            self.clone().answer(request)
        }
    }

    async fn answer(self, request: Request<Incoming>) -> Response<Body> {
        let path = request.uri().path();
        if let Some(response) = self.health.answer(request.method(), path) {
            return response.map(Body::new);
        }
        if Ingest::matches(path) {
            let Some(ingest) = self.ingest else { return elsewhere() };
            return ingest.handle(request).await.map(Body::new);
        }
        let Some(api) = self.api else { return elsewhere() };
        match api.oneshot(request.map(Body::new)).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

/// The answer for paths that this process does not serve, in the API's error shape.
fn elsewhere() -> Response<Body> {
    let body = r#"{"error":{"code":"not_found","message":"this process does not have the role that serves the path"}}"#;
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = http::StatusCode::NOT_FOUND;
    response
        .headers_mut()
        .insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    response
}

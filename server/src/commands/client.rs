//! The HTTP client of commands that talk to a server: one request, one connection, plain HTTP.

use bytes::Bytes;
use http::{Method, Request, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::Failure;
use thiserror::Error;

/// The server returned an unexpected answer.
#[derive(Debug, Error)]
#[error("{method} {path}: expected status {expected}, found {found}: {body}")]
pub(super) struct UnexpectedStatus {
    method: Method,
    path: String,
    expected: u16,
    found: u16,
    body: String,
}

impl UnexpectedStatus {
    /// The body of the answer.
    pub(super) fn body(&self) -> &str {
        &self.body
    }
}

/// Client of one server with one key.
pub(super) struct Client {
    authority: String,
    base_path: String,
    authorization: String,
}

impl Client {
    pub(super) fn new(base_url: &str, api_key: &str) -> Result<Self, Failure> {
        let base: Uri = base_url.parse()?;
        let authority = base.authority().map(ToString::to_string).unwrap_or_default();
        // A URL without a path has the path `/`, which every request's own path begins with.
        let base_path = base.path().trim_end_matches('/').to_owned();
        Ok(Self { authority, base_path, authorization: format!("Bearer {api_key}") })
    }

    /// Reads a resource.
    pub(super) async fn get(&self, path: &str) -> Result<Value, Failure> {
        self.send(Method::GET, path, "application/json", String::new(), 200).await
    }

    /// Creates a resource.
    pub(super) async fn post(&self, path: &str, body: &Value, expected: u16) -> Result<Value, Failure> {
        self.send(Method::POST, path, "application/json", body.to_string(), expected).await
    }

    /// Sends a request and reads the answer, which must have the expected status.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: impl Into<Bytes>,
        expected: u16,
    ) -> Result<Value, Failure> {
        let stream = TcpStream::connect(&self.authority).await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let request = Request::builder()
            .method(method.clone())
            .uri(format!("{}{path}", self.base_path))
            .header(header::HOST, &self.authority)
            .header(header::AUTHORIZATION, &self.authorization)
            .header(header::CONTENT_TYPE, content_type)
            .body(Full::new(body.into()))?;
        let exchange = async {
            let response = sender.send_request(request).await?;
            let status = response.status();
            Ok::<_, hyper::Error>((status, response.into_body().collect().await?.to_bytes()))
        };
        let (status, body) = tokio::select! {
            answered = exchange => answered?,
            ended = connection => { ended?; return Err("the server closed the connection".into()) }
        };
        if status != expected {
            let body = String::from_utf8_lossy(&body).into_owned();
            return Err(UnexpectedStatus {
                method,
                path: path.to_owned(),
                expected,
                found: status.as_u16(),
                body,
            }
            .into());
        }
        Ok(serde_json::from_slice(&body).unwrap_or(Value::Null))
    }
}

//! The API of the server under test: its paths, and requests with their expected statuses.

use std::time::Duration;

use http::Method;
use serde_json::Value;
use thiserror::Error;

use crate::client::{Answer, Client, Content, ExchangeError};

pub const INCIDENTS: &str = "/api/v1/incidents";
pub const KEYS: &str = "/api/v1/api-keys";
pub const SOURCES: &str = "/api/v1/infrastructure/sources";
/// Items on a page: the maximum of the API.
pub const PAGE: usize = 100;
/// Pause before a request is repeated, if the server does not specify one.
const PAUSE: Duration = Duration::from_millis(500);

/// Ingestion path of a source.
pub fn logs_path(source: &str) -> String {
    format!("{SOURCES}/{source}/v1/logs")
}

/// Path of an incident.
pub fn incident_path(id: &str) -> String {
    format!("{INCIDENTS}/{id}")
}

/// The items of a page.
pub fn items(page: &Value) -> &[Value] {
    page["data"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A text of a document; empty if it is absent.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Reason why there is no expected answer.
#[derive(Debug, Error)]
pub enum ApiError {
    #[error("{what} was answered {status}, expected {expected:?}: {body}")]
    Status { what: String, expected: &'static [u16], status: u16, body: String },
    #[error("{what}: {source}")]
    Exchange { what: String, source: ExchangeError },
}

/// A request.
pub struct Call<'a> {
    pub method: Method,
    pub path: &'a str,
    pub content: Content,
    /// The allowed statuses; the first is that of success.
    pub expected: &'static [u16],
}

impl<'a> Call<'a> {
    /// Reads.
    pub fn get(path: &'a str) -> Self {
        Self { method: Method::GET, path, content: Content::default(), expected: &[200] }
    }

    /// Creates.
    pub fn create(path: &'a str, body: &Value) -> Self {
        Self { method: Method::POST, path, content: Content::json(body), expected: &[201] }
    }

    /// Sends logs to an ingestion path.
    pub fn ingest(path: &'a str, content: Content) -> Self {
        Self { method: Method::POST, path, content, expected: &[200] }
    }

    /// Deletes.
    pub fn delete(path: &'a str) -> Self {
        Self { method: Method::DELETE, path, content: Content::default(), expected: &[204] }
    }

    /// The same with an idempotency key.
    #[must_use]
    pub fn keyed(mut self, key: String) -> Self {
        self.content.idempotency_key = Some(key);
        self
    }

    /// Method and path.
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Sends it once, and returns any answer.
    pub async fn exchange(&self, client: &mut Client) -> Result<Answer, ExchangeError> {
        client.exchange(self.method.clone(), self.path, self.content.clone()).await
    }

    /// Sends it once.
    pub async fn once(&self, client: &mut Client) -> Result<Answer, ApiError> {
        let result = self.exchange(client).await;
        self.judge(result)
    }

    /// Sends it, at most this number of times: a failed exchange is repeated, and an answer with a status that
    /// may pass.
    pub async fn repeated(
        &self,
        client: &mut Client,
        attempts: u32,
        may_pass: impl Fn(u16) -> bool,
    ) -> Result<Answer, ApiError> {
        for _ in 1..attempts {
            let result = self.exchange(client).await;
            let pause = match &result {
                Ok(answer) if self.expected.contains(&answer.status) || !may_pass(answer.status) => {
                    return self.judge(result);
                }
                Ok(answer) => answer.retry_after.map_or(PAUSE, Duration::from_secs),
                Err(_) => PAUSE,
            };
            tokio::time::sleep(pause).await;
        }
        self.once(client).await
    }

    fn judge(&self, result: Result<Answer, ExchangeError>) -> Result<Answer, ApiError> {
        let what = self.name();
        match result {
            Ok(answer) if self.expected.contains(&answer.status) => Ok(answer),
            Ok(answer) => {
                let (status, body) = (answer.status, answer.text());
                Err(ApiError::Status { what, expected: self.expected, status, body })
            }
            Err(source) => Err(ApiError::Exchange { what, source }),
        }
    }
}

/// Whether a server that is busy, or at its limits, may give another answer later.
pub fn may_pass(status: u16) -> bool {
    matches!(status, 409 | 429 | 503)
}

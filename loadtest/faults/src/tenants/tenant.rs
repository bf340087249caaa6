//! An organization of the run, and the creation of its resources through the API.

use std::net::SocketAddr;

use http::Method;
use serde_json::{Value, json};

use loadtest::client::{Client, Content};
use loadtest::clock::WallClock;

/// Path of the organization's sources.
pub(crate) const SOURCES: &str = "/api/v1/infrastructure/sources";
const KEYS: &str = "/api/v1/api-keys";

/// An organization with its first key, created on the command line of the product.
#[derive(Clone, Debug)]
pub(crate) struct Tenant {
    pub(crate) address: SocketAddr,
    pub(crate) key: String,
    pub(crate) sources: Vec<String>,
    pub(crate) clock: WallClock,
}

impl Tenant {
    /// A key with these scopes.
    ///
    /// # Errors
    /// The answer if it was refused.
    pub(crate) async fn narrow_key(&self, scopes: &[&str]) -> Result<String, String> {
        let body = json!({"name": "narrow", "scopes": scopes});
        self.create(KEYS, &body, "key").await
    }

    /// Creates a source; returns its id.
    ///
    /// # Errors
    /// The answer if it was refused.
    pub(crate) async fn create_source(&self, number: usize) -> Result<String, String> {
        self.create(SOURCES, &json!({"name": format!("source {number}")}), "id").await
    }

    async fn create(&self, path: &str, body: &Value, wanted: &str) -> Result<String, String> {
        let answer =
            Client::new(self.address, &self.key).exchange(Method::POST, path, Content::json(body)).await;
        let answer = answer.map_err(|error| format!("POST {path}: {error}"))?;
        let found = answer.json()[wanted].as_str().filter(|_| answer.status == 201).map(str::to_owned);
        found.ok_or_else(|| {
            format!("POST {path}: {} {}", answer.status, String::from_utf8_lossy(&answer.body))
        })
    }
}

//! An organization of the run, and the creation of its resources through the API.

use std::net::SocketAddr;

use serde_json::{Value, json};

use loadtest::api::{ApiError, Call, KEYS, SOURCES, text};
use loadtest::client::Client;
use loadtest::clock::WallClock;

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
    pub(crate) async fn narrow_key(&self, scopes: &[&str]) -> Result<String, ApiError> {
        let body = json!({"name": "narrow", "scopes": scopes});
        self.create(KEYS, &body, "key").await
    }

    /// Creates a source; returns its id.
    ///
    /// # Errors
    /// The answer if it was refused.
    pub(crate) async fn create_source(&self, number: usize) -> Result<String, ApiError> {
        self.create(SOURCES, &json!({"name": format!("source {number}")}), "id").await
    }

    async fn create(&self, path: &str, body: &Value, wanted: &str) -> Result<String, ApiError> {
        let created = Call::create(path, body).once(&mut Client::new(self.address, &self.key)).await?;
        Ok(text(&created.json()[wanted]))
    }
}

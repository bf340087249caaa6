//! Settings of the code host.

use std::sync::Arc;

use code_host::github::{Config, ConfigError, GitHub};
use common::clock::SharedClock;
use outbound::Outbound;
use process::settings::Secret;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// Settings of the code host.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CodeHostSettings {
    /// The GitHub App as which this deployment is registered at GitHub.com or an Enterprise Server. Default none: there are no
    /// repositories.
    pub github: Option<GitHubSettings>,
}

/// Registration of a GitHub App. `app_id`, `client_id` and the three secrets are required.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GitHubSettings {
    /// App ID, as the page of the app shows it.
    pub app_id: u64,
    /// Client ID, as the page of the app shows it.
    pub client_id: String,
    /// Private key of the app, PEM; or the name of a file that contains it, as `private_key_file`.
    pub private_key: Option<Secret>,
    /// Client secret of the app; or the name of a file that contains it, as `client_secret_file`.
    pub client_secret: Option<Secret>,
    /// Webhook secret of the app, at least 16 characters; or the name of a file that contains it, as `webhook_secret_file`.
    pub webhook_secret: Option<Secret>,
    /// URL of the REST API. Default `https://api.github.com`; of an Enterprise Server `https://HOST/api/v3`.
    pub api_url: String,
    /// URL of the site. Default `https://github.com`; of an Enterprise Server `https://HOST`.
    pub web_url: String,
}

/// Shortest secret of webhooks, in characters: with one that can be guessed anybody can sign events.
const MIN_WEBHOOK_SECRET: usize = 16;

impl Default for GitHubSettings {
    fn default() -> Self {
        Self {
            app_id: 0,
            client_id: String::new(),
            private_key: None,
            client_secret: None,
            webhook_secret: None,
            api_url: "https://api.github.com".to_owned(),
            web_url: "https://github.com".to_owned(),
        }
    }
}

impl GitHubSettings {
    /// The client.
    ///
    /// # Errors
    /// [`ConfigError`], which names the setting.
    pub(crate) fn client(&self, outbound: Arc<Outbound>, clock: SharedClock) -> Result<GitHub, ConfigError> {
        self.webhook_key()?;
        let secret = |name, secret: &Option<Secret>| {
            let text = secret.as_ref().map(|secret| Zeroizing::new(secret.expose().to_owned()));
            text.ok_or(ConfigError::Missing(name))
        };
        let config = Config {
            app_id: self.app_id,
            client_id: self.client_id.clone(),
            private_key: secret("private_key", &self.private_key)?,
            client_secret: secret("client_secret", &self.client_secret)?,
            api_url: self.api_url.clone(),
            web_url: self.web_url.clone(),
        };
        GitHub::new(&config, outbound, clock)
    }

    /// Key of the signatures of webhooks.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub(crate) fn webhook_key(&self) -> Result<Zeroizing<Vec<u8>>, ConfigError> {
        let secret = self.webhook_secret.as_ref().map(Secret::expose).unwrap_or_default();
        if secret.chars().count() < MIN_WEBHOOK_SECRET {
            return Err(ConfigError::Missing("webhook_secret, of at least 16 characters"));
        }
        Ok(Zeroizing::new(secret.as_bytes().to_vec()))
    }
}

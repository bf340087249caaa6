//! GitHub and GitHub Enterprise Server over `outbound`, as a GitHub App.
//!
//! The way of a read: [`operations`](operations) (URL and typed reply) → `pages` (links to the next page) → `request` (place,
//! pause, token, cached reply, status) → `outbound`.
//!
//! * **Tokens** of installations live in memory only, last an hour and are replaced five minutes early. Each has the fewest
//!   permissions, and the one repository whose contents are read. One that is refused is replaced once.
//! * **Rate limits** belong to the installation: four reads at a time; after a refusal all of its requests pause. A pause that
//!   is longer than the patience of the caller is [`HostError::RateLimited`].
//! * **Bounds.** A reply has at most 8 MiB, a list 100 pages on the same host, and a request one redirect, on the same host; an
//!   archive is read from listed hosts only. 64 MiB of replies are kept with their ETag: asking again costs no quota.
//! * **Replies** are read strictly: a missing field is an error that names it, unknown fields are ignored.

mod archive;
mod cache;
mod jwt;
mod lane;
mod oauth;
mod operations;
mod pace;
mod pages;
mod request;
mod tokens;
mod wire;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use common::clock::SharedClock;
use common::ids::OrganizationId;
use outbound::{HostPattern, Outbound, Requester};
use thiserror::Error;
use url::Url;
use zeroize::Zeroizing;

use crate::id::InstallationId;
use cache::Cache;
use jwt::AppKey;
use lane::Lane;

/// Installations whose limits and tokens are kept; beyond it those that nobody uses at the moment are forgotten.
const MOST_LANES: usize = 10_000;

/// Registration of the app.
#[derive(Clone)]
pub struct Config {
    /// Id of the app.
    pub app_id: u64,
    /// Id of the app for OAuth.
    pub client_id: String,
    /// Private key of the app, PEM.
    pub private_key: Zeroizing<String>,
    /// Secret of the app for OAuth.
    pub client_secret: Zeroizing<String>,
    /// URL of the REST API, for example `https://api.github.com` or `https://github.example/api/v3`.
    pub api_url: String,
    /// URL of the site, for example `https://github.com`.
    pub web_url: String,
}

/// The registration cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The private key.
    #[error("private_key: expected an RSA key of at least 2048 bits in PEM: {0}")]
    PrivateKey(String),
    /// A URL.
    #[error("{setting}: expected an absolute http or https URL without query: {reason}")]
    Url {
        /// Name of the setting.
        setting: &'static str,
        /// Its fault.
        reason: String,
    },
    /// A value that is left out.
    #[error("{0}: expected a value")]
    Missing(&'static str),
}

/// The client of GitHub. Clones share limits, tokens and cached replies.
#[derive(Clone)]
pub struct GitHub {
    shared: Arc<Shared>,
    patience: Duration,
}

struct Shared {
    outbound: Arc<Outbound>,
    clock: SharedClock,
    app_key: AppKey,
    client_id: String,
    client_secret: Zeroizing<String>,
    api: Base,
    web: Base,
    /// Hosts that archives are read from.
    archive_hosts: Arc<[HostPattern]>,
    cache: Cache,
    /// By installation; `None` for requests of the app itself.
    lanes: Mutex<HashMap<Option<InstallationId>, Arc<Lane>>>,
}

/// A URL below which paths are.
struct Base {
    /// Without a trailing slash.
    url: Url,
    host: String,
}

impl Base {
    fn parse(setting: &'static str, text: &str) -> Result<Self, ConfigError> {
        let refuse = |reason: String| ConfigError::Url { setting, reason };
        let mut url = Url::parse(text).map_err(|error| refuse(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.query().is_some() || url.fragment().is_some() {
            return Err(refuse(format!("found {text:?}")));
        }
        // The URL standard gives an empty path a slash.
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        let host = url.host().map(|host| match host {
            url::Host::Domain(name) => name.to_owned(),
            url::Host::Ipv4(address) => address.to_string(),
            url::Host::Ipv6(address) => address.to_string(),
        });
        let host = host.ok_or_else(|| refuse("it has no host".to_owned()))?;
        Ok(Self { url, host })
    }

    /// The URL of a path, each part of which is encoded as one.
    fn join(&self, parts: &[&str]) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(parts);
        }
        url
    }
}

impl GitHub {
    /// A client.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn new(config: &Config, outbound: Arc<Outbound>, clock: SharedClock) -> Result<Self, ConfigError> {
        if config.app_id == 0 {
            return Err(ConfigError::Missing("app_id"));
        }
        for (name, value) in
            [("client_id", config.client_id.as_str()), ("client_secret", &config.client_secret)]
        {
            if value.trim().is_empty() {
                return Err(ConfigError::Missing(name));
            }
        }
        let (api, web) = (Base::parse("api_url", &config.api_url)?, Base::parse("web_url", &config.web_url)?);
        // GitHub.com has a host for archives; Enterprise Server one like it, or a path of its own host.
        let archive_hosts = [api.host.clone(), web.host.clone(), format!("codeload.{}", web.host)];
        let shared = Shared {
            app_key: AppKey::read(config.app_id, &config.private_key)?,
            client_id: config.client_id.clone(),
            client_secret: config.client_secret.clone(),
            archive_hosts: archive_hosts.into_iter().map(HostPattern::Exact).collect(),
            api,
            web,
            cache: Cache::default(),
            lanes: Mutex::default(),
            outbound,
            clock,
        };
        Ok(Self { shared: Arc::new(shared), patience: Duration::from_secs(5) })
    }

    /// The same client for callers that wait so long for a rate limit: jobs, which hold a place meanwhile. The default is five
    /// seconds.
    #[must_use]
    pub fn with_patience(&self, patience: Duration) -> Self {
        Self { shared: Arc::clone(&self.shared), patience }
    }
}

impl Shared {
    /// The host is the operator's choice, and all requests to it share connections and name look-ups.
    fn requester() -> Requester {
        Requester::background(OrganizationId::NONE)
    }

    /// Whether this is Enterprise Server, whose API is a path of the site's host.
    fn is_enterprise(&self) -> bool {
        self.api.host == self.web.host
    }

    fn lane(&self, installation: Option<InstallationId>) -> Arc<Lane> {
        // A panic can leave nothing half-done in it.
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if lanes.len() >= MOST_LANES && !lanes.contains_key(&installation) {
            let now = self.clock.now();
            lanes.retain(|_, lane| Arc::strong_count(lane) > 1 || lane.pace.is_paused(now));
        }
        Arc::clone(lanes.entry(installation).or_default())
    }
}

impl fmt::Debug for GitHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitHub").field("api_url", &self.shared.api.url.as_str()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("app_id", &self.app_id)
            .field("api_url", &self.api_url)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

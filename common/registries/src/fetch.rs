//! Requests to a registry: the policy of each, its reply, and the cache before them.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{ACCEPT, ETAG, HeaderValue, IF_NONE_MATCH, USER_AGENT};
use outbound::{Caps, Coding, HostPattern, Hosts, Policy, Reading, Reply, Request};
use serde::de::DeserializeOwned;
use url::Url;

use crate::cache::Entry;
use crate::client::{Access, Registries};
use crate::config::Registry;
use crate::error::RegistryError;

/// Redirects that are followed: registries have one for renamed packages and one to their archives.
const MAX_REDIRECTS: u8 = 3;
/// Bytes of reply headers; registries send about 2 KiB.
const MAX_HEADERS: usize = 32 * 1_024;
/// Longest wait that a registry can ask for; beyond it its header is not believed.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(3_600);
/// The form of most documents.
pub(crate) const JSON: &str = "application/json";

/// A document, or its absence.
pub(crate) struct Document {
    pub(crate) url: String,
    pub(crate) body: Bytes,
}

impl Document {
    /// Reads JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, RegistryError> {
        json(&self.url, &self.body)
    }

    /// Reads text.
    pub(crate) fn text(&self) -> Result<&str, RegistryError> {
        let malformed = |error: std::str::Utf8Error| {
            RegistryError::malformed(&self.url, "text", format!("expected UTF-8, found {error}"))
        };
        std::str::from_utf8(&self.body).map_err(malformed)
    }
}

/// Reads JSON; an error names the path of the field.
pub(crate) fn json<T: DeserializeOwned>(url: &str, body: &[u8]) -> Result<T, RegistryError> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let field = error.path().to_string();
        let field = if field == "." { "document".to_owned() } else { field };
        RegistryError::malformed(url, field, error.into_inner().to_string())
    })
}

impl Registries {
    /// A document of a registry; `None` for 404 and 410.
    pub(crate) async fn document(
        &self,
        access: &Access,
        registry: &Registry,
        path: &str,
        accept: &'static str,
    ) -> Result<Option<Document>, RegistryError> {
        let url = format!("{}/{path}", registry.base());
        let key = format!("{accept} {url}");
        let now = self.clock.monotonic();
        let cached = self.cache.get(&key);
        if let Some(entry) = &cached
            && now.saturating_sub(entry.confirmed_at) < self.config.cache_age()
        {
            return Ok(Some(Document { url, body: entry.body.clone() }));
        }
        let mut headers = headers(accept);
        if let Some(tag) = cached.as_ref().and_then(|entry| HeaderValue::from_str(&entry.etag).ok()) {
            headers.insert(IF_NONE_MATCH, tag);
        }
        let caps = Caps {
            body_bytes: self.config.metadata_bytes,
            reading: Reading::Whole,
            coding: Coding::Inflated,
            header_bytes: MAX_HEADERS,
            deadline: Some(self.config.metadata_timeout()),
        };
        let reply = self.send(access, registry, &url, (headers, caps)).await?;
        match (reply.status, cached) {
            (304, Some(entry)) => {
                let body = entry.body.clone();
                self.cache.put(&key, Entry { confirmed_at: now, ..entry });
                Ok(Some(Document { url, body }))
            }
            (200, _) => {
                let body = reply.body;
                if let Some(etag) = reply.headers.get(ETAG).and_then(|value| value.to_str().ok()) {
                    let entry = Entry { body: body.clone(), etag: etag.to_owned(), confirmed_at: now };
                    self.cache.put(&key, entry);
                }
                Ok(Some(Document { url, body }))
            }
            (404 | 410, _) => Ok(None),
            _ => Err(status(&url, &reply)),
        }
    }

    /// The bytes of an archive.
    pub(crate) async fn bytes(
        &self,
        access: &Access,
        registry: &Registry,
        url: &str,
    ) -> Result<Option<Bytes>, RegistryError> {
        let caps = Caps {
            body_bytes: self.config.archive_bytes,
            reading: Reading::Whole,
            coding: Coding::AsSent,
            header_bytes: MAX_HEADERS,
            deadline: Some(self.config.archive_timeout()),
        };
        let reply = self.send(access, registry, url, (headers("*/*"), caps)).await?;
        match reply.status {
            200 => Ok(Some(reply.body)),
            404 | 410 => Ok(None),
            _ => Err(status(url, &reply)),
        }
    }

    async fn send(
        &self,
        access: &Access,
        registry: &Registry,
        url: &str,
        (headers, caps): (HeaderMap, Caps),
    ) -> Result<Reply, RegistryError> {
        let destination =
            self.outbound.destination(url).map_err(|error| RegistryError::destination(url, &error))?;
        let policy = Policy {
            hosts: hosts(registry),
            redirects: MAX_REDIRECTS,
            rate: access.rate.clone(),
            budget: access.budget.clone(),
            ..Policy::default()
        };
        let request = Request::get(headers, caps, policy);
        let sent = self.outbound.send(access.requester, &destination, request).await;
        sent.map_err(|error| RegistryError::send(url, &error))
    }
}

fn headers(accept: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("palisade/", env!("CARGO_PKG_VERSION"))));
    headers
}

/// The hosts of a registry.
fn hosts(registry: &Registry) -> Hosts {
    let own = Url::parse(&registry.url).ok().and_then(|url| url.host_str().map(str::to_owned));
    // Hosts of the policy have no brackets around IPv6 addresses.
    let own = own.map(|host| HostPattern::Exact(host.trim_matches(['[', ']']).to_owned()));
    let others = registry.archive_hosts.iter().cloned().map(HostPattern::Domain);
    Hosts::Only(own.into_iter().chain(others).collect())
}

/// The error of a status other than 200, 304, 404 and 410.
fn status(url: &str, reply: &Reply) -> RegistryError {
    let url = url.to_owned();
    let found = reply.status;
    if found != 429 && found < 500 {
        return RegistryError::Status { url, found };
    }
    let retry_after = reply.retry_after().filter(|wait| *wait <= MAX_RETRY_AFTER);
    RegistryError::Unavailable { url, cause: format!("status {found}"), retry_after }
}

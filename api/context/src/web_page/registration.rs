//! Registration of a domain by RDAP (RFC 9082, RFC 9083, RFC 9224): the list of servers of the IANA, then the server of the top-level
//! domain.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use common::timestamp::Timestamp;
use http::header::{ACCEPT, HeaderValue};
use http::{HeaderMap, StatusCode};
use outbound::{Caps, Coding, Policy, Reading, Request};
use serde::Deserialize;
use tokio::sync::Mutex;

use super::Scan;

/// The list of servers is asked for again after this (design: seven days).
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// Size of the list: 60 KiB in 2026; of an answer: a few KiB.
const MOST_BYTES: usize = 1024 * 1024;
const REDIRECTS: u8 = 3;

/// A registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Registration {
    pub(super) registered_at: Timestamp,
}

/// Servers by top-level domain, once they were read.
pub(crate) struct Registrations {
    bootstrap: String,
    servers: Mutex<Option<(Timestamp, HashMap<String, String>)>>,
}

#[derive(Deserialize)]
struct Bootstrap {
    services: Vec<(Vec<String>, Vec<String>)>,
}

#[derive(Deserialize)]
struct Domain {
    #[serde(default)]
    events: Vec<Event>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    event_action: String,
    event_date: String,
}

impl Registrations {
    pub(crate) fn new(bootstrap: String) -> Self {
        Self { bootstrap, servers: Mutex::new(None) }
    }

    /// The registration of a domain, or the reason why it is not known.
    pub(super) async fn of(&self, scan: &Scan<'_>, domain: &str) -> Result<Registration, String> {
        let top = domain.rsplit('.').next().unwrap_or_default();
        let server = self.server(scan, top).await?;
        let url = format!("{}/domain/{domain}", server.trim_end_matches('/'));
        let body = get(scan, &url).await?;
        let read: Domain =
            serde_json::from_slice(&body).map_err(|_| "the answer of the RDAP server cannot be read")?;
        let registered = read.events.iter().find(|event| event.event_action == "registration");
        let registered_at = registered.and_then(|event| Timestamp::parse_rfc3339(&event.event_date));
        registered_at
            .map(|registered_at| Registration { registered_at })
            .ok_or_else(|| "the RDAP server does not say when the domain was registered".to_owned())
    }

    async fn server(&self, scan: &Scan<'_>, top: &str) -> Result<String, String> {
        let now = scan.now;
        let mut servers = self.servers.lock().await;
        let known = servers.as_ref().filter(|(read_at, _)| now.since(*read_at) < KEPT);
        if known.is_none() {
            match self.list(scan).await {
                Ok(list) => *servers = Some((now, list)),
                // An old list is better than none: servers change seldom.
                Err(reason) if servers.is_none() => return Err(reason),
                Err(_) => {}
            }
        }
        let found = servers.as_ref().and_then(|(_, servers)| servers.get(top).cloned());
        found.ok_or_else(|| "the top-level domain has no RDAP server".to_owned())
    }

    async fn list(&self, scan: &Scan<'_>) -> Result<HashMap<String, String>, String> {
        let body = get(scan, &self.bootstrap).await?;
        let list: Bootstrap =
            serde_json::from_slice(&body).map_err(|_| "the list of RDAP servers cannot be read")?;
        Ok(by_domain(list))
    }
}

/// The first https server of each top-level domain, else the first one.
fn by_domain(list: Bootstrap) -> HashMap<String, String> {
    let mut servers = HashMap::new();
    for (domains, urls) in list.services {
        let url = urls.iter().find(|url| url.starts_with("https://")).or_else(|| urls.first());
        for domain in domains {
            if let Some(url) = url {
                servers.insert(domain.to_lowercase(), url.clone());
            }
        }
    }
    servers
}

async fn get(scan: &Scan<'_>, url: &str) -> Result<Bytes, String> {
    let destination = scan.network.outbound.destination(url).map_err(|error| format!("RDAP: {error}"))?;
    let caps = Caps {
        body_bytes: MOST_BYTES,
        reading: Reading::Whole,
        coding: Coding::Inflated,
        header_bytes: 64 * 1024,
        deadline: None,
    };
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/rdap+json, application/json"));
    let policy = Policy { redirects: REDIRECTS, ..Policy::default() };
    let request = Request::get(headers, caps, policy);
    let reply = scan.send(&destination, request).await.map_err(|error| format!("RDAP: {error}"))?;
    if reply.status != StatusCode::OK.as_u16() {
        return Err(format!("RDAP: expected the status 200, found {}", reply.status));
    }
    Ok(reply.body)
}

//! Download of a file under the address guard, within the limits of the contract.

use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use outbound::{Caps, Coding, Destination, Outbound, Policy, Reading, Request, Requester, SendError};

use super::MOST_FILE_BYTES;
use crate::asking;
use crate::content::file_name;

/// Limits of a download (contracts: PDF by URL).
const DEADLINE: Duration = Duration::from_secs(30);
const REDIRECTS: u8 = 5;
/// Headers of a reply: an ordinary server sends 1 KiB.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// A downloaded file.
#[derive(Clone, Debug)]
pub(crate) struct Download {
    /// Host of the URL that was given.
    pub(crate) host: String,
    /// Hosts of the redirects.
    pub(crate) hops: Vec<String>,
    /// Whether the server that answered has a trusted certificate.
    pub(crate) is_secure: bool,
    /// In lower case.
    pub(crate) content_type: String,
    /// Last part of the path of the URL.
    pub(crate) name: Option<String>,
    pub(crate) bytes: Bytes,
}

impl Download {
    /// A file of this machine, which has no host.
    pub(crate) fn local(name: Option<String>, bytes: Vec<u8>) -> Self {
        let (host, content_type, bytes) = (String::new(), String::new(), bytes.into());
        Self { host, hops: Vec::new(), is_secure: false, content_type, name, bytes }
    }
}

/// Downloads a file, or says why not, without the URL.
pub(crate) async fn fetch(
    outbound: &Outbound,
    requester: Requester,
    destination: &Destination,
) -> Result<Download, String> {
    let caps = Caps {
        body_bytes: MOST_FILE_BYTES,
        reading: Reading::Whole,
        coding: Coding::Inflated,
        header_bytes: MAX_HEADER_BYTES,
        deadline: Some(DEADLINE),
    };
    let policy = Policy { redirects: REDIRECTS, ..Policy::default() };
    let request = Request::get(HeaderMap::new(), caps, policy);
    let reply =
        asking::send(outbound, requester, destination, request).await.map_err(|error| reason(&error))?;
    if reply.status != StatusCode::OK.as_u16() {
        return Err(format!("expected the status 200, found {}", reply.status));
    }
    let host = |url: &str| url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let location = |hop: &outbound::Hop| {
        let base = url::Url::parse(&hop.url).ok()?;
        base.join(&hop.location).ok()?.host_str().map(str::to_owned)
    };
    let content_type =
        reply.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    Ok(Download {
        host: host(destination.as_str()).unwrap_or_default(),
        hops: reply.hops.iter().filter_map(location).collect(),
        is_secure: reply.certificates.is_some(),
        content_type: content_type.to_ascii_lowercase(),
        name: url::Url::parse(destination.as_str()).ok().and_then(|url| file_name(&url)),
        bytes: reply.body,
    })
}

/// Kind of a failure. The text of the error may name the host.
fn reason(error: &SendError) -> String {
    let text = match error {
        SendError::Connect(_) => "no connection to a trusted server",
        SendError::TimedOut { .. } | SendError::Rate { .. } => "the download took too long",
        SendError::Body { .. } => "the file is larger than 25 MiB",
        SendError::Redirect(_) | SendError::Redirected { .. } => "a redirect was not followed",
        SendError::Policy(_) => "the address is not permitted",
        SendError::Coding { .. } | SendError::Inflate { .. } => "the coding of the reply cannot be read",
        _ => "the server broke off",
    };
    text.to_owned()
}

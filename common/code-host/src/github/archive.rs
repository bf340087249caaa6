//! Archives: the API answers with a redirect to a host for archives, whose URL carries a token of its own.

use std::time::Duration;

use http::header::{LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderValue};
use outbound::{Caps, Coding, Hosts, Policy, Reading, SendError};
use tokio::io::AsyncWrite;
use url::Url;

use super::request::{MAX_HEADER_BYTES, Request, failed, refused};
use super::{GitHub, Shared};
use crate::host::{Access, HostError};

/// Time for an archive of some hundred MiB.
const DEADLINE: Duration = Duration::from_secs(300);

impl GitHub {
    /// Writes the archive that a request leads to into a sink.
    pub(super) async fn archive_into(
        &self,
        access: Access,
        request: &Request,
        sink: &mut (dyn AsyncWrite + Send + Unpin),
        most: usize,
    ) -> Result<(), HostError> {
        let url = self.location(access, request).await?;
        let destination = self.shared.outbound.destination(url.as_str());
        let destination = destination.map_err(|error| request.unexpected(error.to_string()))?;
        // No credential: that of the archive is in its URL.
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, HeaderValue::from_static("palisade"));
        let caps = Caps {
            body_bytes: most,
            reading: Reading::Whole,
            coding: Coding::AsSent,
            header_bytes: MAX_HEADER_BYTES,
            deadline: Some(DEADLINE),
        };
        let policy = Policy { hosts: Hosts::Only(self.shared.archive_hosts.clone()), ..Policy::default() };
        let sent = outbound::Request::get(headers, caps, policy);
        let reply = self.shared.outbound.send_into(Shared::requester(), &destination, sent, sink).await;
        let reply = reply.map_err(|error| match error {
            SendError::Write(error) => {
                HostError::Unavailable(format!("the archive cannot be written: {error}"))
            }
            error => failed(request, error),
        })?;
        match reply.status {
            200 => Ok(()),
            status => Err(refused(request, status, b"")),
        }
    }

    /// Where the archive is.
    async fn location(&self, access: Access, request: &Request) -> Result<Url, HostError> {
        let mut request = Request { redirects: 0, ..request.clone() };
        // The first redirect of a renamed repository leads to its new name.
        for _ in 0..2 {
            let reply = self.authorized(access, &request, None).await?;
            let location = reply.headers.get(LOCATION).and_then(|location| location.to_str().ok());
            let location = match (reply.status, location) {
                (301 | 302 | 307 | 308, Some(location)) => location,
                (200..=399, _) => {
                    return Err(
                        request.unexpected(format!("expected a redirect, found status {}", reply.status))
                    );
                }
                (status, _) => return Err(refused(&request, status, &reply.body)),
            };
            let url = request.url.join(location);
            let url = url.map_err(|error| request.unexpected(format!("the redirect: {error}")))?;
            // GitHub sends 302 to the archive, and permanent redirects to another name.
            let is_renamed = reply.status != 302 && url.origin() == self.shared.api.url.origin();
            if !is_renamed {
                return Ok(url);
            }
            request.url = url;
        }
        Err(request.unexpected("expected one redirect to the archive, found more"))
    }
}

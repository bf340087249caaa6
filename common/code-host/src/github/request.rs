//! One request to the API: its place, the pauses of its installation, its token, and the meaning of the status.

use std::time::Duration;

use bytes::Bytes;
use common::timestamp::Timestamp;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LINK, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method};
use outbound::{Caps, Coding, HostPattern, Hosts, Policy, Reading, Reply, SendError};
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::cache::Kept;
use super::lane::Lane;
use super::pace::Quota;
use super::tokens::Token;
use super::{GitHub, Shared};
use crate::host::{Access, HostError};

/// Largest reply, inflated: the largest trees and files that are read have some MiB.
pub(super) const MAX_REPLY_BYTES: usize = 8 * 1024 * 1024;
/// Largest headers of a reply; GitHub's have some 3 KiB.
pub(super) const MAX_HEADER_BYTES: usize = 64 * 1024;
/// Time for a request: large trees take GitHub some seconds.
const DEADLINE: Duration = Duration::from_secs(30);
/// Times that a request is sent: once, and again after pauses that its caller has the patience for.
const MOST_SENT: usize = 3;
/// Version of the API.
const VERSION: &str = "2022-11-28";
/// Longest message of the host that is passed on, in characters.
const MAX_MESSAGE: usize = 200;

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) quota: Quota,
    pub(super) body: Option<Value>,
    /// Name of the thing that is not there when the status is 404.
    pub(super) missing: &'static str,
    /// Redirects on the same host that are followed.
    pub(super) redirects: u8,
}

/// A reply with the status of success.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) body: Bytes,
    /// `Link`.
    pub(super) link: Option<String>,
}

impl Request {
    pub(super) fn get(url: Url, missing: &'static str) -> Self {
        // To the new name of a repository.
        Self { method: Method::GET, url, quota: Quota::Core, body: None, missing, redirects: 1 }
    }

    pub(super) fn post(url: Url, body: Value, missing: &'static str) -> Self {
        Self { method: Method::POST, url, quota: Quota::Core, body: Some(body), missing, redirects: 0 }
    }

    /// Method and path, for messages: a query may carry a code.
    pub(super) fn operation(&self) -> String {
        format!("{} {}", self.method, self.url.path())
    }

    pub(super) fn unexpected(&self, reason: impl Into<String>) -> HostError {
        HostError::Unexpected { operation: self.operation(), reason: reason.into() }
    }

    /// Reads a body; the error names a missing field.
    pub(super) fn read<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T, HostError> {
        serde_json::from_slice(body).map_err(|error| self.unexpected(error.to_string()))
    }
}

impl GitHub {
    /// A request of the app itself.
    pub(super) async fn as_app(&self, request: &Request) -> Result<Answer, HostError> {
        let lane = self.shared.lane(None);
        let jwt = self.shared.app_key.token(self.shared.clock.now())?;
        // Valid for nine minutes: it outlives the patience of a caller.
        let header = Token::new(jwt, Timestamp(i64::MAX)).header()?;
        let reply = self.paced(&lane, request, Some(&header), None).await?;
        judged(request, reply)
    }

    /// A request without a token, to the site.
    pub(super) async fn as_nobody(&self, request: &Request) -> Result<Answer, HostError> {
        let reply = self.paced(&self.shared.lane(None), request, None, None).await?;
        judged(request, reply)
    }

    /// A request by the token of a user.
    pub(super) async fn as_user(&self, token: &Token, request: &Request) -> Result<Answer, HostError> {
        let lane = self.shared.lane(None);
        let reply = self.paced(&lane, request, Some(&token.header()?), None).await?;
        judged(request, reply)
    }

    /// A read by the rights of an installation.
    pub(super) async fn as_installation(
        &self,
        access: Access,
        request: &Request,
    ) -> Result<Answer, HostError> {
        let url = request.url.as_str();
        let kept = self.shared.cache.get(access, url);
        let reply = self.authorized(access, request, kept.as_ref().map(|kept| kept.etag.as_str())).await?;
        if reply.status == 304 {
            let kept = kept.ok_or_else(|| request.unexpected("status 304 without a condition"))?;
            return Ok(Answer { body: kept.body, link: kept.link });
        }
        let etag = text(&reply.headers, &ETAG);
        let answer = judged(request, reply)?;
        if let Some(etag) = etag {
            let kept = Kept { etag, body: answer.body.clone(), link: answer.link.clone() };
            self.shared.cache.put(access, url, kept);
        }
        Ok(answer)
    }

    /// Sends a read with a token of the installation; one that is refused is replaced once.
    pub(super) async fn authorized(
        &self,
        access: Access,
        request: &Request,
        etag: Option<&str>,
    ) -> Result<Reply, HostError> {
        let lane = self.shared.lane(Some(access.installation));
        let closed = |_| HostError::Unavailable("the client of the code host was closed".to_owned());
        let _place = lane.reads.acquire().await.map_err(closed)?;
        let token = self.token(&lane, access, None).await?;
        let reply = self.paced(&lane, request, Some(&token.header()?), etag).await?;
        if reply.status != 401 {
            return Ok(reply);
        }
        let token = self.token(&lane, access, Some(&token)).await?;
        self.paced(&lane, request, Some(&token.header()?), etag).await
    }

    /// Sends a request when the limits permit, and again after pauses that the caller has the patience for.
    async fn paced(
        &self,
        lane: &Lane,
        request: &Request,
        authorization: Option<&HeaderValue>,
        etag: Option<&str>,
    ) -> Result<Reply, HostError> {
        let mut patience = self.patience;
        for _ in 0..MOST_SENT {
            self.wait(lane, request.quota, &mut patience).await?;
            let reply = self.shared.send(request, authorization, etag).await?;
            let seen = (reply.status, &reply.headers, reply.body.as_ref());
            if !lane.pace.observe(request.quota, seen, self.shared.clock.now()) {
                return Ok(reply);
            }
        }
        let now = self.shared.clock.now();
        let until = lane.pace.blocked_until(request.quota, now).unwrap_or(now);
        Err(HostError::RateLimited { until })
    }

    /// Waits for the end of a pause, as far as the caller has the patience.
    pub(super) async fn wait(
        &self,
        lane: &Lane,
        quota: Quota,
        patience: &mut Duration,
    ) -> Result<(), HostError> {
        let now = self.shared.clock.now();
        let Some(until) = lane.pace.blocked_until(quota, now) else { return Ok(()) };
        let wait = until.since(now);
        let left = patience.checked_sub(wait).ok_or(HostError::RateLimited { until })?;
        tokio::time::sleep(wait).await;
        *patience = left;
        Ok(())
    }
}

impl Shared {
    async fn send(
        &self,
        request: &Request,
        authorization: Option<&HeaderValue>,
        etag: Option<&str>,
    ) -> Result<Reply, HostError> {
        let destination = self.outbound.destination(request.url.as_str());
        let destination = destination.map_err(|error| request.unexpected(error.to_string()))?;
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, HeaderValue::from_static("palisade"));
        // The site answers in a form without it.
        let accepted =
            if authorization.is_some() { "application/vnd.github+json" } else { "application/json" };
        headers.insert(ACCEPT, HeaderValue::from_static(accepted));
        headers.insert("x-github-api-version", HeaderValue::from_static(VERSION));
        if let Some(authorization) = authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        if let Some(etag) = etag.and_then(|etag| HeaderValue::try_from(etag).ok()) {
            headers.insert(IF_NONE_MATCH, etag);
        }
        let body = match &request.body {
            Some(body) => {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                Bytes::from(body.to_string())
            }
            None => Bytes::new(),
        };
        let sent = outbound::Request {
            method: request.method.clone(),
            target: None,
            headers,
            body,
            caps: Caps {
                body_bytes: MAX_REPLY_BYTES,
                reading: Reading::Whole,
                coding: Coding::Inflated,
                header_bytes: MAX_HEADER_BYTES,
                deadline: Some(DEADLINE),
            },
            policy: same_host(&request.url, request.redirects),
        };
        self.outbound
            .send(Self::requester(), &destination, sent)
            .await
            .map_err(|error| failed(request, error))
    }
}

/// Requests to the host and port of a URL only, with so many redirects.
fn same_host(url: &Url, redirects: u8) -> Policy {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = url.port_or_known_default().unwrap_or_default();
    Policy {
        hosts: Hosts::Only([HostPattern::Exact(host)].into()),
        ports: Some([port].into()),
        redirects,
        ..Policy::default()
    }
}

/// The meaning of a failure to send.
pub(super) fn failed(request: &Request, error: SendError) -> HostError {
    match error {
        SendError::Body { most, .. } => HostError::TooLarge { most },
        SendError::Redirected { cause, .. } if matches!(*cause, SendError::Body { .. }) => {
            HostError::TooLarge { most: MAX_REPLY_BYTES }
        }
        SendError::Redirected { cause, .. } if matches!(*cause, SendError::Redirect(_)) => {
            request.unexpected(cause.to_string())
        }
        SendError::Redirect(_)
        | SendError::Policy(_)
        | SendError::Headers { .. }
        | SendError::Coding { .. } => request.unexpected(error.to_string()),
        error => HostError::Unavailable(error.to_string()),
    }
}

/// The meaning of a status.
fn judged(request: &Request, reply: Reply) -> Result<Answer, HostError> {
    match reply.status {
        200..=299 => Ok(Answer { link: text(&reply.headers, &LINK), body: reply.body }),
        status => Err(refused(request, status, &reply.body)),
    }
}

/// The meaning of a status of failure.
pub(super) fn refused(request: &Request, status: u16, body: &[u8]) -> HostError {
    let message = message(body);
    match status {
        404 | 410 => HostError::NotFound(request.missing),
        401 => HostError::Denied(format!("status 401, {message}")),
        // Of repositories without commits, and of blocked ones.
        409 | 451 => HostError::NotFound(request.missing),
        403 | 422 => HostError::Denied(message),
        500..=599 => HostError::Unavailable(format!("status {status}, {message}")),
        _ => request.unexpected(format!("status {status}, {message}")),
    }
}

/// The message of an error, without characters that would forge lines in logs.
fn message(body: &[u8]) -> String {
    let reply: Option<Value> = serde_json::from_slice(body).ok();
    let message = reply.as_ref().and_then(|reply| reply.get("message")).and_then(Value::as_str);
    let message = message.unwrap_or("without a message");
    message.chars().filter(|character| !character.is_control()).take(MAX_MESSAGE).collect()
}

fn text(headers: &HeaderMap, name: &http::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

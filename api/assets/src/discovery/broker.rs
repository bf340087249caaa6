//! Sends the requests of a crawl, each after a look at the scope, and has the replies parsed. No redirect is followed here: the
//! crawl makes a request of it, which is looked at like every other.

use std::sync::Arc;
use std::time::Duration;

use directory::Application;
use futures_util::future::join_all;
use http::{HeaderName, HeaderValue};
use jobs::Stop;
use outbound::{
    Budget, Caps, Coding, ConnectError, Destination, DestinationError, HostPattern, Hosts, Outbound, Policy,
    Rate, Reading as BodyReading, Requester, SendError,
};
use tokio::time::Instant;
use url::Url;
use web::crawl::{Answer, Failure as NoReply, Request};
use web::parse::{MOST_REPLY_BYTES, Reply, decode_readings, encode_batch};
use web::scope::Scope;

use super::credentials::Credentials;
use super::{Failure, Network, ReplyReader};
use crate::config::Config;
use crate::inventory::asset::Ids;
use crate::inventory::scope::Rules;

/// Requests in progress to one application: a page that hangs holds three others up.
const AT_ONCE: usize = 4;
/// Bytes of the headers of a reply, more than servers send.
const MOST_HEADER_BYTES: usize = 64 << 10;
/// Requests of an attempt: those of a crawl, which are at most 550, and handshakes.
const MOST_REQUESTS: u64 = 700;
/// Bytes of all replies of an attempt: 550 pages of twice the usual size, or 128 of the largest.
const MOST_BYTES: u64 = 256 << 20;
/// Bytes of bodies that wait for the sandbox. With those in progress a discovery holds at most 16 MiB.
const MOST_WAITING_BYTES: usize = 8 << 20;
const MINUTE: Duration = Duration::from_secs(60);

/// The requests that are permitted now.
pub(crate) struct Permission {
    pub(crate) rules: Rules,
    pub(crate) ids: Ids,
}

/// Sends requests to one application.
pub(crate) struct Broker<'n> {
    pub(crate) outbound: &'n Outbound,
    reader: &'n dyn ReplyReader,
    pub(crate) requester: Requester,
    credentials: Credentials,
    rate: Arc<Rate>,
    budget: Arc<Budget>,
    /// End of the crawl.
    ends_at: Instant,
}

impl<'n> Broker<'n> {
    pub(crate) async fn open(
        network: &'n Network,
        config: &Config,
        (application, scope): (&Application, &Scope),
        ends_at: Instant,
    ) -> Result<Self, Failure> {
        let credentials = Credentials::open(&network.vault, application, scope.application()).await;
        let credentials = credentials.map_err(|error| Stop::Retry(error.to_string()))?;
        let throttle =
            application.red_team.request_throttle_rpm.map_or(config.requests_per_minute, u32::from);
        Ok(Self {
            outbound: &network.outbound,
            reader: network.reader.as_ref(),
            requester: Requester::background(application.organization),
            credentials,
            rate: Rate::every(MINUTE / throttle.max(1)),
            budget: Budget::new(MOST_REQUESTS, MOST_BYTES),
            ends_at,
        })
    }

    /// Waits for the turn of a request; whether it comes in time, at most `later` after the end of the crawl.
    pub(crate) async fn has_turn(&self, later: Duration) -> bool {
        tokio::time::timeout_at(self.ends_at + later, self.rate.turn()).await.is_ok()
    }

    /// Sends requests and has their replies parsed.
    pub(crate) async fn answer(
        &self,
        permission: &Permission,
        requests: &[Request],
    ) -> Result<Vec<Answer>, Failure> {
        let mut answers = Vec::with_capacity(requests.len());
        let mut waiting: Vec<Reply> = Vec::new();
        for group in requests.chunks(AT_ONCE) {
            let sending: Vec<_> = group.iter().map(|request| self.send(permission, request)).collect();
            for (request, outcome) in join_all(sending).await {
                match outcome {
                    Ok(reply) => waiting.push(reply),
                    Err(failure) => answers.push(Answer::Failed { request, failure }),
                }
            }
            if waiting.iter().map(|reply| reply.body.len()).sum::<usize>() >= MOST_WAITING_BYTES {
                answers.extend(self.read(std::mem::take(&mut waiting)).await?);
            }
        }
        answers.extend(self.read(waiting).await?);
        Ok(answers)
    }

    /// Has replies parsed. Where a batch cannot be, each reply is tried alone, so that one of them spoils no other.
    pub(crate) async fn read(&self, replies: Vec<Reply>) -> Result<Vec<Answer>, Failure> {
        let mut answers = Vec::with_capacity(replies.len());
        if !self.read_into(&replies, &mut answers).await? {
            for reply in replies {
                if !self.read_into(std::slice::from_ref(&reply), &mut answers).await? {
                    answers.push(Answer::Failed { request: reply.request, failure: NoReply::Reply });
                }
            }
        }
        Ok(answers)
    }

    /// Whether the replies could be parsed.
    async fn read_into(&self, replies: &[Reply], answers: &mut Vec<Answer>) -> Result<bool, Failure> {
        if replies.is_empty() {
            return Ok(true);
        }
        let read = match self.reader.read(&encode_batch(replies)).await {
            Ok(bytes) => bytes,
            Err(error) if error.is_unavailable() => return Err(error.into()),
            Err(error) => {
                tracing::debug!(%error, replies = replies.len(), "replies cannot be parsed");
                return Ok(false);
            }
        };
        let Ok(readings) = decode_readings(&read) else { return Ok(false) };
        answers.extend(readings.into_iter().map(|reading| Answer::Read(Box::new(reading))));
        Ok(true)
    }

    async fn send(&self, permission: &Permission, request: &Request) -> (u32, Result<Reply, NoReply>) {
        (request.number, self.try_send(permission, request).await)
    }

    async fn try_send(&self, permission: &Permission, request: &Request) -> Result<Reply, NoReply> {
        if !permission.rules.permit(&permission.ids, &request.url) {
            return Err(NoReply::OutOfScope);
        }
        let destination = self.destination(&request.url)?;
        let policy = self.policy(&request.url);
        if !self.has_turn(Duration::ZERO).await {
            return Err(NoReply::Time);
        }
        let caps = Caps {
            body_bytes: MOST_REPLY_BYTES,
            reading: BodyReading::Beginning,
            coding: Coding::Inflated,
            header_bytes: MOST_HEADER_BYTES,
            // The setting of all requests, which begins after the turn.
            deadline: None,
        };
        let sent = outbound::Request::get(self.credentials.headers_for(&request.url), caps, policy);
        let reply = self.outbound.send(self.requester, &destination, sent).await.map_err(no_reply)?;
        Ok(self.masked(request, reply))
    }

    /// The destination of a URL, unless the address guard refuses it.
    pub(crate) fn destination(&self, url: &Url) -> Result<Destination, NoReply> {
        self.outbound.destination(url.as_str()).map_err(|error| match error {
            DestinationError::Scheme { .. } => NoReply::PlainHttp,
            DestinationError::Port { .. } | DestinationError::Address { .. } => NoReply::Address,
            // The crawl makes no others.
            _ => NoReply::OutOfScope,
        })
    }

    /// The policy of a request: its host, and no redirect.
    pub(crate) fn policy(&self, url: &Url) -> Policy {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        Policy {
            hosts: Hosts::Only([HostPattern::Exact(host)].into()),
            budget: Some(Arc::clone(&self.budget)),
            ..Policy::default()
        }
    }

    /// The reply for the sandbox, without the values of headers that the server repeats.
    fn masked(&self, request: &Request, reply: outbound::Reply) -> Reply {
        let certificate =
            reply.certificates.as_ref().and_then(|chain| chain.der().next().map(<[u8]>::to_vec));
        let header = |(name, value): (&HeaderName, &HeaderValue)| {
            (
                name.as_str().to_owned(),
                String::from_utf8_lossy(&self.credentials.masked(value.as_bytes())).into_owned(),
            )
        };
        Reply {
            request: request.number,
            url: request.url.to_string(),
            base: request.base.clone(),
            purpose: request.purpose,
            status: reply.status,
            headers: reply.headers.iter().map(header).collect(),
            body: self.credentials.masked(&reply.body),
            certificate: certificate.unwrap_or_default(),
        }
    }
}

fn no_reply(error: SendError) -> NoReply {
    match error {
        SendError::TimedOut { .. } => NoReply::Timeout,
        SendError::Connect(ConnectError::Unencrypted { .. }) => NoReply::PlainHttp,
        SendError::Connect(ConnectError::Blocked { .. }) => NoReply::Address,
        SendError::Connect(_) | SendError::Closed | SendError::Broken(_) => NoReply::Connection,
        SendError::Policy(_) => NoReply::OutOfScope,
        SendError::Budget(_) => NoReply::Budget,
        SendError::Rate { .. } => NoReply::Time,
        _ => NoReply::Reply,
    }
}

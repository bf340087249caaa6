//! One request to one target: signed, or exported, now; sent; and its answer as it is kept.

use std::iter;
use std::time::Duration;

use bytes::Bytes;
use common::clock::Clock;
use common::event::{EventId, EventSource};
use common::ids::{IncidentId, OrganizationId};
use common::timestamp::Timestamp;
use directory::TelemetryProtocol;
use http::{HeaderMap, Method};
use outbound::{
    Caps, Coding, Connection, LookupRefusal, Outbound, Policy, Reading, Reply, Request, Requester, SendError,
};

use crate::delivery::Attempt;
use crate::endpoint::{Form, Obstacle, Way};
use crate::export;
use crate::signature;
use crate::verdict::{Verdict, chain, judge};

/// Most bytes that are kept of an answer's body, or of what it says.
const REPLY_BYTES: usize = 1_024;
/// Most bytes that are read of a collector's answer, which is a message of few fields.
const EXPORT_REPLY_BYTES: usize = 16 * 1_024;

/// An event as it is sent.
pub(crate) struct Message<'a> {
    pub(crate) id: EventId,
    pub(crate) kind: &'a str,
    pub(crate) organization: OrganizationId,
    pub(crate) incident: Option<IncidentId>,
    pub(crate) source: Option<&'a EventSource>,
    pub(crate) created_at: Timestamp,
    /// When the deliverer learned of it.
    pub(crate) observed_at: Timestamp,
    pub(crate) payload: Bytes,
}

/// A connection for a request, or why there is none, and how long that took.
pub(crate) struct Connected {
    outcome: Result<Connection, SendError>,
    took: Duration,
}

impl Connected {
    /// The open connection that is left of an earlier request; waits for nothing.
    pub(crate) fn idle((outbound, requester): (&Outbound, Requester), way: &Way) -> Option<Self> {
        let connection = outbound.idle(requester, &way.destination)?;
        Some(Self { outcome: Ok(connection), took: Duration::ZERO })
    }

    /// Another one. Waits for the turn of a look-up, the name servers and the receiver.
    ///
    /// # Errors
    /// When too many host names are being resolved.
    pub(crate) async fn open(
        (outbound, requester): (&Outbound, Requester),
        clock: &dyn Clock,
        way: &Way,
    ) -> Result<Self, LookupRefusal> {
        let began = clock.monotonic();
        let outcome = outbound.connect(requester, &way.destination).await;
        match outcome.as_ref().err().and_then(SendError::lookup_refusal) {
            Some(refusal) => Err(refusal),
            None => Ok(Self { outcome, took: clock.monotonic().saturating_sub(began) }),
        }
    }

    /// Whether it is of use on a way.
    pub(crate) fn is_for(&self, way: &Way) -> bool {
        self.outcome.as_ref().map_or(true, |connection| connection.leads_to(&way.destination))
    }
}

/// The idle connection was closed by the receiver: the endpoint was not asked, and can be over another one.
#[derive(Debug)]
pub(crate) struct Closed;

impl Closed {
    /// An attempt that ended so.
    pub(crate) fn attempt(self, clock: &dyn Clock) -> (Attempt, Verdict) {
        (unsent(clock.now(), "the receiver has closed the connection"), Verdict::Retry { after: None })
    }
}

/// Tells an endpoint of an event, a telemetry endpoint also of `more` in the same request.
///
/// # Errors
/// [`Closed`], where the connection was idle before.
pub(crate) async fn post(
    (outbound, connected): (&Outbound, Connected),
    clock: &dyn Clock,
    way: &Way,
    first: &Message<'_>,
    more: &[Message<'_>],
) -> Result<(Attempt, Verdict), Closed> {
    let at = clock.now();
    let Connected { outcome, took } = connected;
    let began = clock.monotonic();
    let (mut attempt, verdict) = match &way.form {
        Form::Webhook { secret } => {
            let id = first.id.to_string();
            let body = first.payload.clone();
            let headers = signature::headers(&way.headers, secret, &id, first.kind, at, &body);
            let outcome = send(outbound, outcome, way, (headers, body), REPLY_BYTES).await?;
            let verdict = judge(&outcome);
            (describe(at, outcome), verdict)
        }
        Form::Telemetry { protocol } => export(outbound, outcome, way, *protocol, (first, more), at).await?,
    };
    let latency = took + clock.monotonic().saturating_sub(began);
    attempt.latency_ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
    Ok((attempt, verdict))
}

/// Result where no request can be sent to an endpoint at all.
pub(crate) fn hindered(clock: &dyn Clock, obstacle: &Obstacle) -> (Attempt, Verdict) {
    let at = clock.now();
    match obstacle {
        Obstacle::Secrets(cause) => (unsent(at, cause), Verdict::Retry { after: None }),
        Obstacle::Url(cause) => (unsent(at, cause), Verdict::Final { reason: cause.clone() }),
    }
}

async fn send(
    outbound: &Outbound,
    connected: Result<Connection, SendError>,
    way: &Way,
    (headers, body): (HeaderMap, Bytes),
    most_reply_bytes: usize,
) -> Result<Result<Reply, SendError>, Closed> {
    let outcome = match connected {
        Ok(connection) => {
            // A receiver's headers count for nothing, so that no number of them makes a receipt fail.
            let caps = Caps {
                body_bytes: most_reply_bytes,
                reading: Reading::Beginning,
                coding: Coding::AsSent,
                header_bytes: usize::MAX,
                deadline: None,
            };
            let (method, policy) = (Method::POST, Policy::default());
            let request = Request { method, target: None, headers, body, caps, policy };
            outbound.send(connection, &way.destination, request).await
        }
        Err(error) => Err(error),
    };
    if matches!(outcome, Err(SendError::Closed)) { Err(Closed) } else { Ok(outcome) }
}

async fn export(
    outbound: &Outbound,
    connected: Result<Connection, SendError>,
    way: &Way,
    protocol: TelemetryProtocol,
    (first, more): (&Message<'_>, &[Message<'_>]),
    at: Timestamp,
) -> Result<(Attempt, Verdict), Closed> {
    let messages = iter::once(first).chain(more);
    let sent = 1 + more.len();
    let request = match export::request(&way.headers, protocol, messages) {
        Ok(request) => request,
        Err(error) => {
            let reason = format!("the event cannot be written as a record: {error}");
            let attempt = unsent(at, &reason);
            // Only one of them need be unfit.
            let verdict = if sent > 1 { export::divide(sent) } else { Verdict::Final { reason } };
            return Ok((attempt, verdict));
        }
    };
    let outcome = send(outbound, connected, way, request, EXPORT_REPLY_BYTES).await?;
    let (verdict, remark) = export::judge(&outcome, protocol, sent);
    let status_code = outcome.ok().map(|reply| reply.status);
    Ok((Attempt { at, status_code, latency_ms: 0, reply: None, error: remark }, verdict))
}

fn unsent(at: Timestamp, cause: &str) -> Attempt {
    Attempt { at, status_code: None, latency_ms: 0, reply: None, error: Some(cause.to_owned()) }
}

fn describe(at: Timestamp, outcome: Result<Reply, SendError>) -> Attempt {
    match outcome {
        Ok(reply) => {
            let body = (!reply.body.is_empty()).then(|| escaped(&reply.body));
            Attempt { at, status_code: Some(reply.status), latency_ms: 0, reply: body, error: None }
        }
        Err(error) => {
            let mut error = chain(&error);
            error.truncate(error.floor_char_boundary(REPLY_BYTES));
            Attempt { at, status_code: None, latency_ms: 0, reply: None, error: Some(error) }
        }
    }
}

/// A body as text of at most [`REPLY_BYTES`], whose control characters are harmless to a viewer.
pub(crate) fn escaped(body: &[u8]) -> String {
    let mut text = String::new();
    for character in String::from_utf8_lossy(body).chars() {
        if character.is_control() {
            text.extend(character.escape_unicode());
        } else {
            text.push(character);
        }
        if text.len() > REPLY_BYTES {
            break;
        }
    }
    text.truncate(text.floor_char_boundary(REPLY_BYTES));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_kept_short_and_harmless() {
        assert_eq!(escaped(b"ok\x1b[2J\xff\n"), "ok\\u{1b}[2J\u{fffd}\\u{a}");
        assert!(escaped(&[0; 1_024]).len() <= REPLY_BYTES);
        assert!(escaped("é".repeat(1_024).as_bytes()).len() <= REPLY_BYTES);
    }
}

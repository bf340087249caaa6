//! One request to one target: signed, or exported, now; sent; and its answer as it is kept.

use std::iter;

use bytes::Bytes;
use common::clock::Clock;
use common::event::{EventId, EventSource};
use common::ids::{IncidentId, OrganizationId};
use common::timestamp::Timestamp;
use directory::TelemetryProtocol;
use outbound::{LookupRefusal, Outbound, Reply, Requester, SendError};
use zeroize::Zeroizing;

use crate::delivery::Attempt;
use crate::endpoint::{Endpoint, Form, Obstacle, Way};
use crate::export;
use crate::signature;
use crate::verdict::{Verdict, chain, judge};

/// Most bytes that are kept of an answer's body, or of what it says.
const REPLY_BYTES: usize = 1_024;
/// Most bytes that are read of a collector's answer, which is a message of few fields.
const EXPORT_REPLY_BYTES: usize = 16 * 1_024;

/// An event as it is told.
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

/// Tells an endpoint of an event, a telemetry endpoint also of `more` in the same request.
///
/// # Errors
/// When too many host names are being resolved: the endpoint was not asked, so there is no attempt.
pub(crate) async fn post(
    way_out: (&Outbound, Requester),
    clock: &dyn Clock,
    endpoint: &Endpoint,
    first: &Message<'_>,
    more: &[Message<'_>],
) -> Result<(Attempt, Verdict), LookupRefusal> {
    let at = clock.now();
    let way = match &endpoint.way {
        Ok(way) => way,
        Err(Obstacle::Secrets(cause)) => return Ok((unsent(at, cause), Verdict::Retry { after: None })),
        Err(Obstacle::Url(cause)) => {
            return Ok((unsent(at, cause), Verdict::Final { reason: cause.clone() }));
        }
    };
    let began = clock.monotonic();
    let (mut attempt, verdict) = match &way.form {
        Form::Webhook { secret } => sign(way_out, way, secret, first, at).await?,
        Form::Telemetry { protocol } => export(way_out, way, *protocol, (first, more), at).await?,
    };
    let latency = clock.monotonic().saturating_sub(began);
    attempt.latency_ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
    Ok((attempt, verdict))
}

async fn sign(
    (outbound, requester): (&Outbound, Requester),
    way: &Way,
    secret: &Zeroizing<Vec<u8>>,
    message: &Message<'_>,
    at: Timestamp,
) -> Result<(Attempt, Verdict), LookupRefusal> {
    let id = message.id.to_string();
    let headers = signature::headers(&way.headers, secret, &id, message.kind, at, &message.payload);
    let outcome =
        outbound.post(requester, &way.destination, headers, message.payload.clone(), REPLY_BYTES).await;
    asked(&outcome)?;
    let verdict = judge(&outcome);
    Ok((describe(at, outcome), verdict))
}

async fn export(
    (outbound, requester): (&Outbound, Requester),
    way: &Way,
    protocol: TelemetryProtocol,
    (first, more): (&Message<'_>, &[Message<'_>]),
    at: Timestamp,
) -> Result<(Attempt, Verdict), LookupRefusal> {
    let messages = iter::once(first).chain(more);
    let sent = 1 + more.len();
    let (headers, body) = match export::request(&way.headers, protocol, messages) {
        Ok(request) => request,
        Err(error) => {
            let reason = format!("the event cannot be written as a record: {error}");
            let attempt = unsent(at, &reason);
            // Only one of them need be unfit.
            let verdict = if sent > 1 { export::divide(sent) } else { Verdict::Final { reason } };
            return Ok((attempt, verdict));
        }
    };
    let outcome = outbound.post(requester, &way.destination, headers, body, EXPORT_REPLY_BYTES).await;
    asked(&outcome)?;
    let (verdict, remark) = export::judge(&outcome, protocol, sent);
    let status_code = outcome.ok().map(|reply| reply.status);
    Ok((Attempt { at, status_code, latency_ms: 0, reply: None, error: remark }, verdict))
}

/// Whether the receiver was asked, or stood behind others whose names are being resolved.
fn asked(outcome: &Result<Reply, SendError>) -> Result<(), LookupRefusal> {
    match outcome.as_ref().err().and_then(SendError::lookup_refusal) {
        Some(refusal) => Err(refusal),
        None => Ok(()),
    }
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

/// A body as text of at most [`REPLY_BYTES`], whose control characters can do nothing to whoever looks at it.
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

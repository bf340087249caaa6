//! One request to one target: signed now, sent, and its answer as the delivery log keeps it.

use std::time::Duration;

use bytes::Bytes;
use common::clock::Clock;
use common::timestamp::Timestamp;
use outbound::{Outbound, Reply, SendError};

use crate::delivery::Attempt;
use crate::endpoint::{Endpoint, Obstacle};
use crate::signature;
use crate::verdict::{Verdict, chain, judge};

/// Most bytes of an answer's body that are read and kept.
const REPLY_BYTES: usize = 1_024;

/// What is sent.
pub(crate) struct Message<'a> {
    pub(crate) id: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) payload: Bytes,
}

/// Sends a message to an endpoint.
pub(crate) async fn post(
    outbound: &Outbound,
    clock: &dyn Clock,
    endpoint: &Endpoint,
    message: Message<'_>,
) -> (Attempt, Verdict) {
    let at = clock.now();
    let way = match &endpoint.way {
        Ok(way) => way,
        Err(Obstacle::Secrets(cause)) => return (unsent(at, cause), Verdict::Retry { after: None }),
        Err(Obstacle::Url(cause)) => return (unsent(at, cause), Verdict::Final { reason: cause.clone() }),
    };
    let headers =
        signature::headers(&way.headers, &way.secret, message.id, message.kind, at, &message.payload);
    let began = clock.monotonic();
    let outcome = outbound.post(&way.destination, headers, message.payload, REPLY_BYTES).await;
    let latency = clock.monotonic().saturating_sub(began);
    let verdict = judge(&outcome);
    (describe(at, latency, outcome), verdict)
}

fn unsent(at: Timestamp, cause: &str) -> Attempt {
    Attempt { at, status_code: None, latency_ms: 0, reply: None, error: Some(cause.to_owned()) }
}

fn describe(at: Timestamp, latency: Duration, outcome: Result<Reply, SendError>) -> Attempt {
    let latency_ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
    match outcome {
        Ok(reply) => {
            let body = (!reply.body.is_empty()).then(|| escaped(&reply.body));
            Attempt { at, status_code: Some(reply.status), latency_ms, reply: body, error: None }
        }
        Err(error) => {
            let mut error = chain(&error);
            error.truncate(error.floor_char_boundary(REPLY_BYTES));
            Attempt { at, status_code: None, latency_ms, reply: None, error: Some(error) }
        }
    }
}

/// A body as text of at most [`REPLY_BYTES`], whose control characters can do nothing to whoever looks at it.
fn escaped(body: &[u8]) -> String {
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

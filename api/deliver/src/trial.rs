//! A message that is made up to see whether a target takes it: sent once and now, to one that is disabled too, and
//! stored nowhere. Its content is chosen by the caller.

use bytes::Bytes;
use common::clock::Clock;
use common::event::EventId;
use common::ids::{OrganizationId, ReceiverId};
use common::timestamp::Timestamp;
use directory::Receiver;
use outbound::{Outbound, Requester};
use secrets::Vault;

use crate::delivery::Attempt;
use crate::endpoint::Endpoint;
use crate::envelope::EnvelopeError;
use crate::post::{Connected, Message, hindered, post};
use crate::verdict::Verdict;
use crate::vetting::TargetError;

/// Result of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    /// Id of the event that was sent.
    pub event: EventId,
    /// Whether the target acknowledged it.
    pub acknowledged: bool,
    /// Its response.
    pub attempt: Attempt,
}

/// Makes the payload of a message from its id, its organization, the time, and the id of the receiver.
pub(crate) type Payload = fn(EventId, OrganizationId, Timestamp, ReceiverId) -> Result<Bytes, EnvelopeError>;

/// Sends a receiver a message of a kind.
pub(crate) async fn send(
    target: Receiver,
    kind: &'static str,
    (vault, outbound, clock): (&Vault, &Outbound, &dyn Clock),
    payload: Payload,
) -> Result<Tested, TargetError> {
    let (organization, id, now) = (target.organization, target.id, clock.now());
    let chance: [u8; 16] = rand::random();
    let event = EventId::of_cause(&[kind.as_bytes(), id.as_bytes(), &now.0.to_be_bytes(), &chance]);
    let message = Message {
        id: event,
        kind,
        organization,
        incident: None,
        source: None,
        created_at: now,
        observed_at: now,
        payload: payload(event, organization, now, id)?,
    };
    let endpoint = Endpoint::open(target, vault, outbound).await;
    let (attempt, verdict) = match &endpoint.way {
        Ok(way) => {
            let way_out = (outbound, Requester::interactive(organization));
            let connected = Connected::open(way_out, clock, way).await?;
            let posted = post((outbound, connected), clock, way, &message, &[]).await;
            posted.unwrap_or_else(|closed| closed.attempt(clock))
        }
        Err(obstacle) => hindered(clock, obstacle),
    };
    Ok(Tested { event, acknowledged: verdict == Verdict::Acknowledged, attempt })
}

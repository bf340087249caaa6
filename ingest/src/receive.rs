//! The body: frames into one capped buffer, at a minimum pace, and the buffer inflated, every byte
//! of it covered by the permit. `validate` interprets the bytes.

mod inflate;
mod intake;

use std::future::poll_fn;
use std::io;
use std::time::Duration;

use bytes::BytesMut;
use durable_log::payload_room;
use http_body::SizeHint;
use process::settings::seconds;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::time::Instant;

use crate::admit::{AdmitError, Permit};
use crate::limits::Limits;

pub(crate) use self::inflate::inflate_up_to;
pub use self::inflate::{InflateError, inflate};
pub(crate) use self::intake::{Arrived, Broken, Intake, Pieces};

/// Minimum pace of a sender.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PaceConfig {
    /// Timeout of a whole body in seconds, default 60: the longest response timeout of common senders, and 70 kB/s for
    /// the largest body.
    #[serde(rename = "body_seconds", with = "seconds")]
    pub body: Duration,
    /// Seconds that a body may lag behind `least_bytes_per_second`, default 10: a few lost packets, or a reconnecting
    /// radio link.
    #[serde(rename = "grace_seconds", with = "seconds")]
    pub grace: Duration,
    /// Minimum transfer rate of a body, default 8,192 bytes a second: below any link that carries logs, and too fast
    /// to occupy memory with slow requests.
    pub least_bytes_per_second: u32,
    /// Seconds for which the body of a rejected request is read and discarded, default 2, up to the maximum size of a
    /// body, so that the sender receives the response instead of a reset.
    #[serde(rename = "discard_seconds", with = "seconds")]
    pub discard: Duration,
}

impl Default for PaceConfig {
    fn default() -> Self {
        Self {
            body: Duration::from_secs(60),
            grace: Duration::from_secs(10),
            least_bytes_per_second: 8192,
            discard: Duration::from_secs(2),
        }
    }
}

impl PaceConfig {
    /// Time that a body may have taken when `received` bytes of it have arrived.
    fn allowed(&self, received: usize) -> Duration {
        let earned = received as f64 / f64::from(self.least_bytes_per_second.max(1));
        self.body.min(self.grace + Duration::from_secs_f64(earned))
    }
}

/// Reason why a body could not be received.
#[derive(Debug, Error)]
pub(crate) enum ReceiveError {
    #[error("the body has more than {allowed} bytes")]
    WireTooLarge { allowed: usize },
    #[error("the body has more than {allowed} bytes after decompression")]
    InflatedTooLarge { allowed: usize },
    #[error("the body has {found} bytes, its Content-Length states {declared}")]
    Length { declared: u64, found: usize },
    #[error("the body could not be read to its end")]
    Broken(#[source] Broken),
    #[error("the body is not gzip: {0}")]
    Gzip(#[source] io::Error),
    #[error("the body arrives too slowly: {received} bytes in {} s", allowed.as_secs_f64())]
    TooSlow { received: usize, allowed: Duration },
    #[error(transparent)]
    Admit(#[from] AdmitError),
}

impl From<InflateError<AdmitError>> for ReceiveError {
    fn from(error: InflateError<AdmitError>) -> Self {
        match error {
            InflateError::TooLarge { allowed } => Self::InflatedTooLarge { allowed },
            InflateError::Gzip(cause) => Self::Gzip(cause),
            InflateError::NoRoom(refused) => Self::Admit(refused),
        }
    }
}

/// The length the head declares, if it does and if it is within the limit.
pub(crate) fn declared_length(body: &SizeHint, limits: &Limits) -> Result<Option<usize>, ReceiveError> {
    let too_large = ReceiveError::WireTooLarge { allowed: limits.wire_bytes };
    let Some(declared) = body.exact() else { return Ok(None) };
    let declared = usize::try_from(declared).ok().filter(|declared| *declared <= limits.wire_bytes);
    declared.map(Some).ok_or(too_large)
}

/// Reads the whole body.
pub(crate) async fn receive(
    body: &mut impl Intake,
    limits: &Limits,
    pace: &PaceConfig,
    permit: &mut Permit,
) -> Result<BytesMut, ReceiveError> {
    let allowed = limits.wire_bytes;
    let declared = body.size_hint().exact();
    let expected = declared.and_then(|declared| usize::try_from(declared).ok()).unwrap_or(0);
    let mut received = payload_room(expected.min(allowed));
    let started = Instant::now();
    let mut is_prompt = true;
    loop {
        let allowed_time = pace.allowed(received.len());
        let deadline = started + allowed_time;
        let prompt = started + permit.prompt(received.len());
        let look_at = if is_prompt { prompt.min(deadline) } else { deadline };
        let more = poll_fn(|context| body.poll_more(context, &mut received));
        let arrived = match tokio::time::timeout_at(look_at, more).await {
            Ok(arrived) => arrived,
            Err(_) if look_at == deadline => return Err(too_slow(&received, allowed_time)),
            Err(_) => {
                let room = permit.step_aside(received.len()).min(received.capacity());
                received = moved(&received, room);
                is_prompt = false;
                continue;
            }
        };
        match arrived {
            None => break,
            Some(Err(error)) => return Err(ReceiveError::Broken(error)),
            // Within the room that the declared length gave it.
            Some(Ok(Arrived::InPlace)) => permit.hold_wire(received.len())?,
            Some(Ok(Arrived::Piece(piece))) => put(&piece, &mut received, allowed, permit)?,
        }
    }
    if let Some(declared) = declared.filter(|declared| *declared != received.len() as u64) {
        return Err(ReceiveError::Length { declared, found: received.len() });
    }
    permit.arrive();
    Ok(received)
}

/// Appends a piece to the bytes received.
fn put(
    piece: &[u8],
    received: &mut BytesMut,
    allowed: usize,
    permit: &mut Permit,
) -> Result<(), ReceiveError> {
    if piece.len() > allowed - received.len() {
        return Err(ReceiveError::WireTooLarge { allowed });
    }
    let length = received.len() + piece.len();
    if length > received.capacity() {
        // Of unknown length. The buffer grows as a vector does, and is charged before it is allocated.
        let room = length.max(2 * received.capacity()).min(allowed);
        permit.hold_wire(room)?;
        *received = moved(received, room);
    }
    permit.hold_wire(length)?;
    received.extend_from_slice(piece);
    Ok(())
}

/// The same bytes in memory with room for this many, or for themselves.
pub(crate) fn moved(received: &BytesMut, room: usize) -> BytesMut {
    let mut moved = payload_room(room.max(received.len()));
    moved.extend_from_slice(received);
    moved
}

fn too_slow(received: &BytesMut, allowed: Duration) -> ReceiveError {
    ReceiveError::TooSlow { received: received.len(), allowed }
}

/// Applies the limit of inflated bodies to an uncompressed one.
pub(crate) fn within_limit(body: BytesMut, limits: &Limits) -> Result<BytesMut, ReceiveError> {
    let allowed = limits.inflated_bytes;
    if body.len() > allowed { Err(ReceiveError::InflatedTooLarge { allowed }) } else { Ok(body) }
}

/// Reads and drops the rest of a refused body, up to this many bytes; returns whether it was complete.
pub(crate) async fn discard(body: &mut impl Intake, most_bytes: usize) -> bool {
    let mut left = most_bytes;
    let mut nowhere = BytesMut::new();
    while let Some(arrived) = poll_fn(|context| body.poll_more(context, &mut nowhere)).await {
        let length = match arrived {
            Ok(Arrived::Piece(piece)) => piece.len(),
            Ok(Arrived::InPlace) => 0,
            Err(_) => return false,
        };
        if length > left {
            return false;
        }
        left -= length;
    }
    true
}

#[cfg(test)]
mod tests;

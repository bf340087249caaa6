//! `Idempotency-Key` on requests that create: a repetition within a day is answered with the first reply instead of
//! creating again. Remembered in the organization's ledger, per API key; never used where request or reply carry a
//! secret. The number of remembered requests is bounded in `room`; their rows are in `rows`.

mod room;
mod rows;

use std::time::Duration;

use common::clock::SharedClock;
use common::ids::{KeyId, OrganizationId};
use common::row::{self, BodyError};
use common::timestamp::Timestamp;
use http::header::HeaderName;
use http::{HeaderMap, StatusCode};
use ledger::retry::{Attempts, MAX_ATTEMPTS};
use ledger::{Kind, Ledger, LedgerError, LedgerId, Op};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;
use uuid::Uuid;

use crate::error::ApiError;
use crate::kit::Limits;
use room::Room;
use rows::{Entry, Remembered, put};

/// The header.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Retention of a reply.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// A request without a reply counts as running for this long, far longer than any creation takes. After that, a repetition
/// carries it out again.
const RUNNING: Duration = Duration::from_secs(60);
/// Seconds after which a client should try again when too many of its requests run.
const RETRY_SECONDS: u64 = 2;
/// Longest key, in bytes.
const MAX_KEY: usize = 255;

/// Reason why a request with an idempotency key is not carried out.
#[derive(Debug, Error)]
pub(crate) enum IdempotencyError {
    #[error("Idempotency-Key must be given once and be 1 to {MAX_KEY} visible ASCII characters")]
    Malformed,
    #[error("this Idempotency-Key was used with another request within 24 hours")]
    OtherRequest,
    #[error("the first request with this Idempotency-Key is still running")]
    StillRunning,
    #[error("too many requests with an Idempotency-Key are running")]
    TooManyRunning,
    #[error("the idempotency key cannot be looked up")]
    Ledger(#[from] LedgerError),
    #[error("the idempotency key's row cannot be read")]
    Body(#[from] BodyError),
    #[error("the organization's ledger changed during every one of {MAX_ATTEMPTS} attempts")]
    Busy,
}

/// A reply, as it is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    status: u16,
    /// JSON text.
    pub body: String,
}

impl Reply {
    /// A reply with a body of JSON text.
    #[must_use]
    pub fn new(status: StatusCode, body: String) -> Self {
        Self { status: status.as_u16(), body }
    }

    /// Its status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::OK)
    }
}

/// The request's key, if it has one.
pub(crate) fn key_of(headers: &HeaderMap) -> Result<Option<String>, IdempotencyError> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let key = value.to_str().map_err(|_| IdempotencyError::Malformed)?;
    let sane = (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    if !sane || values.next().is_some() {
        return Err(IdempotencyError::Malformed);
    }
    Ok(Some(key.to_owned()))
}

/// SHA-256 of a request.
pub(crate) fn fingerprint(operation: &str, body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(operation.as_bytes());
    hash.update([0]);
    hash.update(body);
    hash.finalize().into()
}

/// The memory of one idempotency key of one API key.
pub(crate) struct Memory<'a> {
    pub(crate) ledger: &'a dyn Ledger,
    pub(crate) clock: &'a SharedClock,
    pub(crate) limits: Limits,
    pub(crate) organization: OrganizationId,
    pub(crate) caller: KeyId,
    pub(crate) key: String,
}

/// Origin of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The request was carried out.
    Now,
    /// An earlier request with the same key was.
    Remembered,
}

/// Next step for a request.
#[derive(Debug, PartialEq, Eq)]
enum Begun {
    /// Carry it out, then record the outcome.
    Ours(Attempt),
    /// Answer with the first reply.
    Repeat(Reply),
}

/// One attempt to carry a request out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attempt {
    fingerprint: [u8; 32],
    /// Id of the resource that it creates.
    id: Uuid,
    began_at: Timestamp,
}

/// Outcome of an attempt.
enum Ended {
    Replied(Reply),
    /// It may have taken effect: the request may be repeated at once, with the same body.
    Failed,
    /// It had no effect: the request may be repeated with another body too.
    Refused,
}

impl Memory<'_> {
    /// Carries `operation` out unless it was before; `id` is that of the resource to create if no attempt was made
    /// before. A refusal is not remembered. After a failure the operation may have taken effect, so that a repetition
    /// gets the same id.
    pub(crate) async fn once(
        &self,
        fingerprint: [u8; 32],
        id: Uuid,
        operation: impl AsyncFnOnce(Uuid) -> Result<Reply, ApiError>,
    ) -> Result<(Reply, Origin), ApiError> {
        let attempt = match self.begin(fingerprint, id).await? {
            Begun::Ours(attempt) => attempt,
            Begun::Repeat(reply) => return Ok((reply, Origin::Remembered)),
        };
        let outcome = operation(attempt.id).await;
        let ended = match &outcome {
            Ok(reply) => Ended::Replied(reply.clone()),
            Err(error) if error.status_and_code().0.is_server_error() => Ended::Failed,
            Err(_) => Ended::Refused,
        };
        if let Err(error) = self.end(attempt, ended).await {
            // The request itself is done or refused all the same; repetitions are a 409 for a minute.
            tracing::warn!(%error, "the response to a request with an idempotency key could not be stored");
        }
        outcome.map(|reply| (reply, Origin::Now))
    }

    /// Records that an attempt runs, or finds the reply to the first one.
    async fn begin(&self, fingerprint: [u8; 32], id: Uuid) -> Result<Begun, IdempotencyError> {
        let mut attempt = Attempt { fingerprint, id, began_at: self.clock.now() };
        let mut attempts = Attempts::of(self.ledger, self.id());
        while attempts.next().await? {
            let mut room = Room::new(self.ledger, self.id());
            let known = self.remembered().await?;
            if attempts.is_after_unknown() && known.as_ref() == Some(&running(attempt)) {
                return Ok(Begun::Ours(attempt));
            }
            if let Some(known) = known {
                attempt = match again(&known, attempt)? {
                    Begun::Ours(attempt) => attempt,
                    repeat @ Begun::Repeat(_) => return Ok(repeat),
                };
                room.remove(self.entry(known.began_at)).await?;
            }
            room.add(&self.entry(attempt.began_at), self.limits).await?;
            let mut ops = room.into_ops()?;
            ops.push(self.put(&running(attempt))?);
            if attempts.commit(ops).await? {
                return Ok(Begun::Ours(attempt));
            }
        }
        Err(IdempotencyError::Busy)
    }

    /// Records the outcome of an attempt, unless it was forgotten or another attempt was begun since.
    async fn end(&self, attempt: Attempt, ended: Ended) -> Result<(), IdempotencyError> {
        let ours = running(attempt);
        let left = match ended {
            Ended::Replied(reply) => Some(Remembered { reply: Some(reply), ..ours.clone() }),
            Ended::Failed => Some(Remembered { failed: true, ..ours.clone() }),
            Ended::Refused => None,
        };
        let mut attempts = Attempts::of(self.ledger, self.id());
        while attempts.next().await? {
            // Also after a commit of unknown outcome that took effect.
            if self.remembered().await?.as_ref() != Some(&ours) {
                return Ok(());
            }
            let ops = match &left {
                Some(left) => vec![self.put(left)?],
                None => {
                    let mut room = Room::new(self.ledger, self.id());
                    room.remove(self.entry(attempt.began_at)).await?;
                    room.into_ops()?
                }
            };
            if attempts.commit(ops).await? {
                return Ok(());
            }
        }
        Err(IdempotencyError::Busy)
    }

    fn id(&self) -> LedgerId {
        LedgerId::Organization(self.organization)
    }

    fn entry(&self, began_at: Timestamp) -> Entry {
        Entry { caller: self.caller, key: self.key.clone().into(), began_at }
    }

    fn put(&self, remembered: &Remembered) -> Result<Op, BodyError> {
        put(self.entry(remembered.began_at).request_key(), remembered)
    }

    async fn remembered(&self) -> Result<Option<Remembered>, IdempotencyError> {
        // The row is named by the keys alone.
        let key = self.entry(Timestamp::default()).request_key();
        let body = self.ledger.get(self.id(), Kind::State, &key).await?;
        Ok(body.map(|body| row::decode(&body)).transpose()?)
    }
}

/// The row of an attempt under way.
fn running(attempt: Attempt) -> Remembered {
    let Attempt { fingerprint, id, began_at } = attempt;
    Remembered { fingerprint, id, began_at, failed: false, reply: None }
}

/// Next step for a request whose idempotency key is known.
fn again(known: &Remembered, attempt: Attempt) -> Result<Begun, IdempotencyError> {
    if known.is_expired(attempt.began_at) {
        return Ok(Begun::Ours(attempt));
    }
    if known.fingerprint != attempt.fingerprint {
        return Err(IdempotencyError::OtherRequest);
    }
    if let Some(reply) = &known.reply {
        return Ok(Begun::Repeat(reply.clone()));
    }
    if known.is_running(attempt.began_at) {
        return Err(IdempotencyError::StillRunning);
    }
    Ok(Begun::Ours(Attempt { id: known.id, ..attempt }))
}

impl From<IdempotencyError> for ApiError {
    fn from(error: IdempotencyError) -> Self {
        match error {
            IdempotencyError::Malformed | IdempotencyError::OtherRequest => {
                Self::Invalid(error.to_string().into())
            }
            IdempotencyError::StillRunning => Self::Conflict(error.to_string().into()),
            IdempotencyError::TooManyRunning => Self::RateLimited {
                message: "too many requests with an Idempotency-Key are running",
                retry_seconds: RETRY_SECONDS,
            },
            IdempotencyError::Ledger(error) => error.into(),
            IdempotencyError::Body(error) => error.into(),
            IdempotencyError::Busy => Self::unavailable(error),
        }
    }
}

//! `Idempotency-Key` on requests that create: a repeat within a day is answered with the first reply instead of
//! creating again. Kept in the organization's ledger, per API key; never used where a reply carries a secret.

use std::time::Duration;

use common::clock::SharedClock;
use common::ids::{KeyId, OrganizationId};
use common::row::{self, BodyError};
use common::timestamp::Timestamp;
use http::header::HeaderName;
use http::{HeaderMap, StatusCode};
use ledger::{Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Row};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;
use uuid::Uuid;

use crate::error::ApiError;

/// The header.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// How long a reply is remembered.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);
/// After this a request that left no reply counts as dead, and its next repeat takes its place: far longer than any
/// creation takes.
const ABANDONED: Duration = Duration::from_secs(60);
/// Longest key, in bytes.
const MAX_KEY: usize = 255;
/// Most keys remembered per organization: one page of its ledger.
const MAX_REMEMBERED: usize = 1000;
/// How often a row is written anew when others commit in between, as in the directory.
const MAX_ATTEMPTS: usize = 32;
/// Prefix of the rows.
const PREFIX: &[u8] = b"idempotency/";

/// Why a request with an idempotency key is not carried out.
#[derive(Debug, Error)]
pub(crate) enum IdempotencyError {
    #[error("Idempotency-Key must be given once and be 1 to {MAX_KEY} visible ASCII characters")]
    Malformed,
    #[error("this Idempotency-Key was used with another request within 24 hours")]
    OtherRequest,
    #[error("the first request with this Idempotency-Key is still running")]
    StillRunning,
    #[error("{MAX_REMEMBERED} keys are remembered already")]
    TooMany { retry_seconds: u64 },
    #[error("the idempotency key cannot be looked up")]
    Ledger(#[from] LedgerError),
    #[error("the idempotency key's row cannot be read")]
    Body(#[from] BodyError),
    #[error("the organization's ledger changed during every one of {MAX_ATTEMPTS} attempts")]
    Busy,
}

/// A reply, as it is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reply {
    status: u16,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn new(status: StatusCode, body: String) -> Self {
        Self { status: status.as_u16(), body }
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::OK)
    }
}

/// A remembered request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    /// SHA-256 of the request.
    fingerprint: [u8; 32],
    /// The id of what is created: whoever carries the request out again, because nobody knows how far it came, makes nothing
    /// else. Nil in what was remembered before ids were.
    #[serde(default)]
    id: Uuid,
    began_at: Timestamp,
    /// `None` while it runs.
    reply: Option<Reply>,
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

/// What a request asks for, in 32 bytes.
pub(crate) fn fingerprint(operation: &str, body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(operation.as_bytes());
    hash.update([0]);
    hash.update(body);
    hash.finalize().into()
}

/// What is remembered for one key of one caller.
pub(crate) struct Memory<'a> {
    ledger: &'a dyn Ledger,
    clock: &'a SharedClock,
    organization: OrganizationId,
    row: Vec<u8>,
}

/// Where a reply comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The request was carried out.
    Now,
    /// An earlier request with the same key was.
    Remembered,
}

/// What to do with a request.
#[derive(Debug, PartialEq, Eq)]
enum Begun {
    /// Carry it out, with this id, then say how it ended.
    Ours(Uuid),
    /// Answer what was answered.
    Repeat(Reply),
}

impl<'a> Memory<'a> {
    pub(crate) fn new(
        ledger: &'a dyn Ledger,
        clock: &'a SharedClock,
        organization: OrganizationId,
        caller: KeyId,
        key: &str,
    ) -> Self {
        Self { ledger, clock, organization, row: [PREFIX, caller.as_bytes(), key.as_bytes()].concat() }
    }

    /// Carries `operation` out unless it was before, `id` being that of what it creates if nobody began before. A refusal is
    /// not remembered, so that the request may be repeated, with another body too. After a failure it may have taken
    /// effect: it may be repeated at once, as it was.
    pub(crate) async fn once(
        &self,
        fingerprint: [u8; 32],
        id: Uuid,
        operation: impl AsyncFnOnce(Uuid) -> Result<Reply, ApiError>,
    ) -> Result<(Reply, Origin), ApiError> {
        let id = match self.begin(fingerprint, id).await? {
            Begun::Ours(id) => id,
            Begun::Repeat(reply) => return Ok((reply, Origin::Remembered)),
        };
        let outcome = operation(id).await;
        let left = match &outcome {
            Ok(reply) => Some((self.clock.now(), Some(reply.clone()))),
            Err(error) if error.status_and_code().0.is_server_error() => {
                Some((self.clock.now().minus(ABANDONED), None))
            }
            Err(_) => None,
        };
        let left = left.map(|(began_at, reply)| Remembered { fingerprint, id, began_at, reply });
        if let Err(error) = self.end(left).await {
            // What was asked for is done or refused all the same; a repeat soon after will be told that it still runs.
            tracing::warn!(%error, "the outcome of a request with an idempotency key is not remembered");
        }
        outcome.map(|reply| (reply, Origin::Now))
    }

    /// Notes that the request runs, or finds what its first run answered.
    async fn begin(&self, fingerprint: [u8; 32], id: Uuid) -> Result<Begun, IdempotencyError> {
        let began_at = self.clock.now();
        let mut ours = Remembered { fingerprint, id, began_at, reply: None };
        let mut unknown = false;
        for _ in 0..MAX_ATTEMPTS {
            let seq = self.ledger.seq(self.id()).await?;
            let rows = self.remembered().await?;
            let (expired, live): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(_, row)| self.is_over(row));
            if let Some((_, known)) = live.iter().find(|(key, _)| **key == *self.row) {
                // Ours only where the outcome of our own note was not told.
                if unknown && *known == ours {
                    return Ok(Begun::Ours(ours.id));
                }
                if !self.is_abandoned(known) || known.fingerprint != fingerprint {
                    return known_before(known, fingerprint);
                }
                if !known.id.is_nil() {
                    ours.id = known.id;
                }
            } else if live.len() >= MAX_REMEMBERED {
                return Err(self.too_many(&live));
            }
            // One page at most, and every commit removes what is over.
            let forget = expired.into_iter().map(|(key, _)| Op::Delete { kind: Kind::State, key });
            let mut ops: Vec<Op> = forget.take(MAX_REMEMBERED / 2).collect();
            ops.push(self.put(&ours)?);
            match self.ledger.commit(self.id(), seq, ops).await? {
                Commit::Done(_) => return Ok(Begun::Ours(ours.id)),
                Commit::Conflict(_) => {}
                Commit::Unknown => unknown = true,
            }
        }
        Err(IdempotencyError::Busy)
    }

    /// Remembers how it ended, or forgets the request.
    async fn end(&self, left: Option<Remembered>) -> Result<(), IdempotencyError> {
        let op = match left {
            Some(left) => self.put(&left)?,
            None => Op::Delete { kind: Kind::State, key: self.row.clone().into() },
        };
        for _ in 0..MAX_ATTEMPTS {
            let seq = self.ledger.seq(self.id()).await?;
            // Written twice it says the same: an unknown outcome is simply tried again.
            if let Commit::Done(_) = self.ledger.commit(self.id(), seq, vec![op.clone()]).await? {
                return Ok(());
            }
        }
        Err(IdempotencyError::Busy)
    }

    fn id(&self) -> LedgerId {
        LedgerId::Organization(self.organization)
    }

    fn put(&self, remembered: &Remembered) -> Result<Op, BodyError> {
        let body = row::encode(remembered)?.into();
        Ok(Op::Put { kind: Kind::State, key: self.row.clone().into(), body })
    }

    async fn remembered(&self) -> Result<Vec<(bytes::Bytes, Remembered)>, IdempotencyError> {
        let range = Range { prefix: PREFIX, ..Range::default() };
        let rows = self.ledger.scan(self.id(), Kind::State, range, MAX_REMEMBERED + 1).await?;
        let decode = |Row { key, body }| Ok((key, row::decode(&body)?));
        rows.into_iter().map(decode).collect::<Result<_, BodyError>>().map_err(Into::into)
    }

    fn is_over(&self, remembered: &Remembered) -> bool {
        self.clock.now().since(remembered.began_at) >= REMEMBERED
    }

    /// Whether nobody carries it out any more, and nobody knows how far it came.
    fn is_abandoned(&self, remembered: &Remembered) -> bool {
        remembered.reply.is_none() && self.clock.now().since(remembered.began_at) >= ABANDONED
    }

    fn too_many(&self, live: &[(bytes::Bytes, Remembered)]) -> IdempotencyError {
        let oldest = live.iter().map(|(_, row)| row.began_at).min().unwrap_or_default();
        let age = self.clock.now().since(oldest);
        IdempotencyError::TooMany { retry_seconds: REMEMBERED.saturating_sub(age).as_secs().max(1) }
    }
}

fn known_before(known: &Remembered, fingerprint: [u8; 32]) -> Result<Begun, IdempotencyError> {
    if known.fingerprint != fingerprint {
        return Err(IdempotencyError::OtherRequest);
    }
    known.reply.clone().map(Begun::Repeat).ok_or(IdempotencyError::StillRunning)
}

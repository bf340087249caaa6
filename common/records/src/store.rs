//! Reading records, and the plain change of one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use common::digest::digest;
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::row::decode;
use ledger::{Kind, Ledger, LedgerId, Range, Seq};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::attempts::Attempts;
use crate::change::Change;
use crate::error::RecordError;
use crate::record::{Home, Record, shard_of_anchor};
use crate::rows::{HistoryNumber, history_key, record_key, type_prefix};

/// Most records, entries or rows of one read.
pub const MAX_PAGE: usize = 1_000;

/// An entry of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<H> {
    /// Its number, to read on from.
    pub number: HistoryNumber,
    /// Its content.
    pub entry: H,
}

/// A record as a call left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written<R> {
    /// The record.
    pub record: R,
    /// The commit that wrote it; `None` where nothing was to change.
    pub seq: Option<Seq>,
}

/// The records of all organizations.
pub struct Records {
    pub(crate) ledger: Arc<dyn Ledger>,
    shards: u16,
    nonce: Uuid,
    commits: AtomicU64,
}

impl Records {
    /// Over a ledger with `shards` shards, the number of partitions of the log. `nonce` must differ from that of every other
    /// value of this type, in every process: a new UUID. Commits are recognised by it.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>, shards: u16, nonce: Uuid) -> Self {
        Self { ledger, shards, nonce, commits: AtomicU64::new(0) }
    }

    /// All shards.
    pub fn shards(&self) -> impl Iterator<Item = Shard> + use<> {
        (0..self.shards).map(Shard)
    }

    /// The shard of an organization's records with this anchor.
    #[must_use]
    pub fn shard(&self, organization: OrganizationId, anchor: &[u8]) -> Shard {
        shard_of_anchor(organization, anchor, self.shards)
    }

    /// The id of a record that never changes together with another one: each is an anchor of its own. Always the same for a
    /// seed, so that a repeated creation finds the record of the first one.
    #[must_use]
    pub fn lone_id(&self, organization: OrganizationId, seed: Uuid) -> RecordId {
        let seed = seed.as_bytes().as_slice();
        RecordId::new(self.shard(organization, seed), &digest(&[seed]))
    }

    /// Begins a change of a shard.
    #[must_use]
    pub fn attempts(&self, home: Home, shard: Shard) -> Attempts<'_> {
        Attempts::new(self, (home, shard))
    }

    /// The number of commits of a shard so far.
    ///
    /// # Errors
    /// `Ledger`.
    pub async fn seq(&self, home: Home, shard: Shard) -> Result<Seq, RecordError> {
        Ok(self.ledger.seq(home.ledger(shard)).await?)
    }

    /// A record of the organization, or `None`.
    ///
    /// # Errors
    /// `Ledger` and `Body`.
    pub async fn get<R: Record>(
        &self,
        organization: OrganizationId,
        id: RecordId,
    ) -> Result<Option<R>, RecordError> {
        self.part::<R, R>(Kind::Head, organization, id).await
    }

    /// Whether the organization has a record of any type with this id. Reads the first key of each type that the organization
    /// has in the shard, and one row of each.
    ///
    /// # Errors
    /// `Ledger`.
    pub async fn exists(&self, organization: OrganizationId, id: RecordId) -> Result<bool, RecordError> {
        if !self.has(id) {
            return Ok(false);
        }
        for ledger in Home::ALL.map(|home| home.ledger(id.shard())) {
            let mut after = None::<Vec<u8>>;
            loop {
                let range =
                    Range { prefix: organization.as_bytes(), after: after.as_deref(), backwards: false };
                let rows = self.ledger.scan(ledger, Kind::Head, range, 1).await?;
                let Some((name, _)) = rows.first().and_then(|row| row.key.split_last_chunk::<16>()) else {
                    break;
                };
                let key = [name, id.as_bytes()].concat();
                if self.ledger.get(ledger, Kind::Head, &key).await?.is_some() {
                    return Ok(true);
                }
                // No id is greater, so that the next key is of the next type.
                after = Some([name, &[u8::MAX; 16]].concat());
            }
        }
        Ok(false)
    }

    /// The detail of a record, or `None`.
    ///
    /// # Errors
    /// `Ledger` and `Body`.
    pub async fn detail<R: Record>(
        &self,
        organization: OrganizationId,
        id: RecordId,
    ) -> Result<Option<R::Detail>, RecordError> {
        self.part::<R, R::Detail>(Kind::Detail, organization, id).await
    }

    /// The latest `limit` entries of a record's history, newest first: all, or those older than `before`. At most
    /// [`MAX_PAGE`].
    ///
    /// # Errors
    /// `Ledger` and `Body`.
    pub async fn history<R: Record>(
        &self,
        organization: OrganizationId,
        id: RecordId,
        before: Option<HistoryNumber>,
        limit: usize,
    ) -> Result<Vec<Entry<R::History>>, RecordError> {
        if !self.has(id) {
            return Ok(Vec::new());
        }
        let prefix = record_key::<R>(organization, id);
        let after = before.map(|before| history_key(&prefix, before));
        let range = Range { prefix: &prefix, after: after.as_deref(), backwards: true };
        let ledger = R::HOME.ledger(id.shard());
        let rows = self.ledger.scan(ledger, Kind::History, range, limit.min(MAX_PAGE)).await?;
        let read = |row: ledger::Row| {
            let number = HistoryNumber::of_key(&row.key)?;
            Some(decode(&row.body).map(|entry| Entry { number, entry }))
        };
        Ok(rows.into_iter().filter_map(read).collect::<Result<_, _>>()?)
    }

    /// Records of an organization in a shard, in the order of their ids, behind `after`; at most [`MAX_PAGE`].
    ///
    /// # Errors
    /// `Ledger` and `Body`.
    pub async fn scan<R: Record>(
        &self,
        organization: OrganizationId,
        shard: Shard,
        after: Option<RecordId>,
        limit: usize,
    ) -> Result<Vec<R>, RecordError> {
        let prefix = type_prefix::<R>(organization);
        let after = after.map(|after| record_key::<R>(organization, after));
        let range = Range { prefix: &prefix, after: after.as_deref(), backwards: false };
        let rows = self.ledger.scan(R::HOME.ledger(shard), Kind::Head, range, limit.min(MAX_PAGE)).await?;
        Ok(rows.iter().map(|row| decode(&row.body)).collect::<Result<_, _>>()?)
    }

    /// Creates a record unless there is one of its id, which is returned as it is: an earlier attempt created it. `complete`
    /// adds detail, history, events and rows to the change, and may be called several times.
    ///
    /// # Errors
    /// Those of `complete`, [`RecordError::Conflict`], and as [`Draft::add`](crate::Draft::add) and [`Attempts::commit`].
    pub async fn create<R: Record + Clone, E: From<RecordError>>(
        &self,
        record: R,
        complete: impl Fn(Change<R>) -> Result<Change<R>, E>,
    ) -> Result<Written<R>, E> {
        let mut attempts = self.attempts(R::HOME, record.id().shard());
        while let Some(mut draft) = attempts.next().await? {
            if let Some(present) = self.get::<R>(record.organization(), record.id()).await? {
                return Ok(Written { record: present, seq: None });
            }
            let seq = Some(Seq(draft.number()));
            draft.add(complete(Change::put(record.clone()))?)?;
            if attempts.commit(draft).await? {
                return Ok(Written { record, seq });
            }
        }
        Err(RecordError::Conflict.into())
    }

    /// Changes a record as `decide` says, which may be called several times and answers `None` where nothing is to change;
    /// the record as it is then, or `None` when there is no such record or the change removed it.
    ///
    /// # Errors
    /// Those of `decide`, [`RecordError::Conflict`], and as [`Draft::add`](crate::Draft::add) and [`Attempts::commit`].
    pub async fn update<R: Record + Clone, E: From<RecordError>>(
        &self,
        organization: OrganizationId,
        id: RecordId,
        mut decide: impl FnMut(R) -> Result<Option<Change<R>>, E>,
    ) -> Result<Option<Written<R>>, E> {
        if !self.has(id) {
            return Ok(None);
        }
        let mut attempts = self.attempts(R::HOME, id.shard());
        while let Some(mut draft) = attempts.next().await? {
            let Some(found) = self.get::<R>(organization, id).await? else { return Ok(None) };
            let Some(change) = decide(found.clone())? else {
                return Ok(Some(Written { record: found, seq: None }));
            };
            let seq = Some(Seq(draft.number()));
            let left = change.head().cloned().map(|record| Written { record, seq });
            draft.add(change)?;
            if attempts.commit(draft).await? {
                return Ok(left);
            }
        }
        Err(RecordError::Conflict.into())
    }

    async fn part<R: Record, T: DeserializeOwned>(
        &self,
        kind: Kind,
        organization: OrganizationId,
        id: RecordId,
    ) -> Result<Option<T>, RecordError> {
        if !self.has(id) {
            return Ok(None);
        }
        self.read(R::HOME.ledger(id.shard()), kind, &record_key::<R>(organization, id)).await
    }

    pub(crate) async fn read<T: DeserializeOwned>(
        &self,
        ledger: LedgerId,
        kind: Kind,
        key: &[u8],
    ) -> Result<Option<T>, RecordError> {
        let body = self.ledger.get(ledger, kind, key).await?;
        Ok(body.map(|body| decode(&body)).transpose()?)
    }

    /// Whether an id, which may come from anybody, names a shard that exists.
    #[must_use]
    pub fn has(&self, id: RecordId) -> bool {
        self.check(id.shard()).is_ok()
    }

    /// Refuses a shard that does not exist.
    pub(crate) fn check(&self, shard: Shard) -> Result<(), RecordError> {
        if shard.0 < self.shards {
            return Ok(());
        }
        Err(RecordError::NoShard { found: shard.0, count: self.shards })
    }

    /// Different for every commit.
    pub(crate) fn next_token(&self) -> Bytes {
        let number = self.commits.fetch_add(1, Ordering::Relaxed);
        [self.nonce.as_bytes().as_slice(), &number.to_be_bytes()].concat().into()
    }
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Records({} shards)", self.shards)
    }
}

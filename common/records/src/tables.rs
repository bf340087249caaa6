//! Tables: rows beside the records of a ledger, committed together with them.

use bytes::Bytes;
use common::ids::OrganizationId;
use common::partition::Shard;
use common::row::{BodyError, decode};
use ledger::{Changes, Kind, Range, Seq};
use serde::de::DeserializeOwned;

use crate::draft::Draft;
use crate::error::RecordError;
use crate::record::{Home, Record};
use crate::rows::is_name;
use crate::store::{MAX_PAGE, Records};

/// Names a table of a ledger. The name is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table(&'static str);

/// Rows of types of records, see [`Change::state`](crate::Change::state).
pub(crate) const STATES: Table = Table("state");
/// Tokens of the last commits.
pub(crate) const COMMITS: Table = Table("commit");

impl Table {
    /// A table of this name.
    ///
    /// # Panics
    /// When the name is taken by this crate, or not made of at most 32 lower-case letters and hyphens.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        assert!(is_name(name), "the name of a table has other characters than letters and hyphens");
        Self(name)
    }

    pub(crate) fn name(self) -> &'static str {
        self.0
    }

    pub(crate) fn key(self, key: &[u8]) -> Vec<u8> {
        [self.0.as_bytes(), b"/", key].concat()
    }

    /// The key in the table, of a key in the ledger; `None` for rows of other tables.
    fn own_key(self, key: &Bytes) -> Option<Bytes> {
        let rest = key.strip_prefix(self.0.as_bytes())?.strip_prefix(b"/")?;
        Some(key.slice_ref(rest))
    }
}

pub(crate) fn state_key<R: Record>(organization: OrganizationId, key: &[u8]) -> Vec<u8> {
    STATES.key(&[organization.as_bytes().as_slice(), R::NAME.as_bytes(), b"/", key].concat())
}

/// The rows of a table that commits have touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touched {
    /// Rows touched by the commits through `seq`; there may be more commits behind it.
    Rows {
        /// The last commit told of.
        seq: Seq,
        /// The rows, by table and key in the table.
        rows: Vec<(Table, Bytes)>,
    },
    /// The feed does not reach back so far: everything is to be read again.
    Gap,
}

impl Records {
    /// A row that a type keeps beside its records.
    ///
    /// # Errors
    /// `Ledger` and `Body`.
    pub async fn state<R: Record, T: DeserializeOwned>(
        &self,
        organization: OrganizationId,
        shard: Shard,
        key: &[u8],
    ) -> Result<Option<T>, RecordError> {
        let key = state_key::<R>(organization, key);
        self.read(R::HOME.ledger(shard), Kind::State, &key).await
    }

    /// A row of a table.
    ///
    /// # Errors
    /// `Ledger` and `Body`.
    pub async fn row<T: DeserializeOwned>(
        &self,
        (home, shard): (Home, Shard),
        table: Table,
        key: &[u8],
    ) -> Result<Option<T>, RecordError> {
        self.read(home.ledger(shard), Kind::State, &table.key(key)).await
    }

    /// A row of a table as it will be after a draft: for what is decided from rows that the draft may have changed before.
    ///
    /// # Errors
    /// `Ledger` and `Body`.
    pub async fn row_after<T: DeserializeOwned>(
        &self,
        draft: &Draft,
        table: Table,
        key: &[u8],
    ) -> Result<Option<T>, RecordError> {
        let key = table.key(key);
        match draft.written(&key) {
            Some(body) => Ok(body.map(|body| decode(body)).transpose()?),
            None => self.read(draft.ledger, Kind::State, &key).await,
        }
    }

    /// Rows of a table whose keys begin with `prefix`, in the order of their keys, behind `after`; at most [`MAX_PAGE`].
    ///
    /// # Errors
    /// `Ledger` and `Body`.
    pub async fn rows<T: DeserializeOwned>(
        &self,
        place: (Home, Shard),
        table: Table,
        prefix: &[u8],
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<(Bytes, T)>, RecordError> {
        let rows = self.each_row(place, table, prefix, after, limit).await?;
        rows.into_iter().map(|(key, row)| Ok((key, row?))).collect()
    }

    /// As [`Records::rows`], for a caller that goes on without those that cannot be read.
    ///
    /// # Errors
    /// `Ledger`.
    pub async fn each_row<T: DeserializeOwned>(
        &self,
        (home, shard): (Home, Shard),
        table: Table,
        prefix: &[u8],
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<(Bytes, Result<T, BodyError>)>, RecordError> {
        let (prefix, after) = (table.key(prefix), after.map(|after| table.key(after)));
        let range = Range { prefix: &prefix, after: after.as_deref(), backwards: false };
        let rows = self.ledger.scan(home.ledger(shard), Kind::State, range, limit.min(MAX_PAGE)).await?;
        Ok(rows.into_iter().filter_map(|row| Some((table.own_key(&row.key)?, decode(&row.body)))).collect())
    }

    /// Rows of some tables that commits after `after` have touched.
    ///
    /// # Errors
    /// `Ledger`.
    pub async fn touched(
        &self,
        (home, shard): (Home, Shard),
        tables: &[Table],
        after: Seq,
    ) -> Result<Touched, RecordError> {
        Ok(match self.ledger.changes(home.ledger(shard), after).await? {
            Changes::Gap { .. } => Touched::Gap,
            Changes::Touched { seq, rows } => {
                let states = rows.iter().filter(|(kind, _)| *kind == Kind::State);
                let of = |key: &Bytes| tables.iter().find_map(|table| Some((*table, table.own_key(key)?)));
                Touched::Rows { seq, rows: states.filter_map(|(_, key)| of(key)).collect() }
            }
        })
    }
}

//! Listed types of records: their ledgers and keys are those of the crate `records`.

use std::fmt::Debug;

use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use ledger::LedgerId;
use records::{Record, RecordKey, Written};

use crate::listed::Listed;
use crate::slots::Index;

/// A type of record that is listed. See [`Listed`] for each part.
pub trait ListedRecord: Record + 'static {
    /// Name in the plural, as a label of metrics.
    const PLURAL: &'static str;
    /// Columns that filters compare.
    type Facets: Copy + Debug + Send + Sync;
    /// Texts and ids that many records of an organization share; `()` for none.
    type Values: Default + Debug + Send + Sync;
    /// The part of a record that a list shows.
    type Row: Debug + Send + Sync;

    /// Milliseconds since 1970 of the last activity, which is the order of the index.
    fn activity_millis(&self) -> i64;
    /// Milliseconds since 1970 of the creation.
    fn created_millis(&self) -> i64;
    /// Columns and row; texts are numbered in `values`.
    fn facets(&self, values: &mut Self::Values) -> (Self::Facets, Self::Row);
    /// Texts in which a searched text is looked for.
    fn texts(&self) -> Vec<&str>;
    /// Number of values in all dictionaries.
    fn values_count(_values: &Self::Values) -> usize {
        0
    }
    /// Bytes on the heap of a row.
    fn row_bytes(row: &Self::Row) -> usize;
}

impl<R: ListedRecord> Listed for R {
    const NAME: &'static str = R::PLURAL;
    type Id = RecordId;
    type Head = R;
    type Facets = R::Facets;
    type Values = R::Values;
    type Row = R::Row;
    type Beside = ();

    fn ledger(shard: u16) -> LedgerId {
        R::HOME.ledger(Shard(shard))
    }

    fn shard(id: RecordId) -> u16 {
        id.shard().0
    }

    fn prefix(organization: OrganizationId) -> Vec<u8> {
        RecordKey::prefix::<R>(organization)
    }

    fn key(organization: OrganizationId, id: RecordId) -> Vec<u8> {
        RecordKey::of::<R>(organization, id)
    }

    fn parse_key(key: &[u8]) -> Option<(OrganizationId, RecordId)> {
        let key = RecordKey::parse(key).filter(|key| key.name == <R as Record>::NAME)?;
        Some((key.organization, key.id))
    }

    fn identity(head: &R) -> (OrganizationId, RecordId) {
        (head.organization(), head.id())
    }

    fn activity_millis(head: &R) -> i64 {
        head.activity_millis()
    }

    fn created_millis(head: &R) -> i64 {
        head.created_millis()
    }

    fn facets(head: &R, values: &mut R::Values) -> (R::Facets, R::Row) {
        head.facets(values)
    }

    fn texts(head: &R) -> Vec<&str> {
        head.texts()
    }

    fn values_count(values: &R::Values) -> usize {
        R::values_count(values)
    }

    fn row_bytes(row: &R::Row) -> usize {
        R::row_bytes(row)
    }
}

impl<R: ListedRecord> Index<R> {
    /// Shows a record that this process wrote at once, and returns it.
    pub fn show(&self, written: Written<R>) -> R {
        if let Some(seq) = written.seq {
            self.apply(&written.record, seq);
        }
        written.record
    }
}

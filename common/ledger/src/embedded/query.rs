//! The questions, each one statement or one snapshot on the connection it is given.

use bytes::Bytes;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, ToSql, params};

use crate::feed::{self, Follow};
use crate::name::name;
use crate::{Changes, Kind, LedgerId, Row, Seq};

/// The sequence number of a ledger.
pub(super) fn seq(connection: &Connection, ledger: LedgerId) -> rusqlite::Result<Seq> {
    let seq = connection
        .prepare_cached("SELECT seq FROM ledgers WHERE ledger = ?1")?
        .query_row(params![name(ledger)], |row| row.get(0))
        .optional()?;
    // Written by `stored` only, so never negative.
    Ok(Seq(seq.map_or(0, i64::cast_unsigned)))
}

/// A sequence number as SQLite's integers hold it: nobody commits 2⁶³ times.
pub(super) fn stored(seq: Seq) -> i64 {
    i64::try_from(seq.0).unwrap_or(i64::MAX)
}

/// One row's body.
pub(super) fn get(
    connection: &Connection,
    ledger: LedgerId,
    kind: Kind,
    key: &[u8],
) -> rusqlite::Result<Option<Bytes>> {
    connection
        .prepare_cached("SELECT body FROM entries WHERE ledger = ?1 AND kind = ?2 AND key = ?3")?
        .query_row(params![name(ledger), kind.number(), key], |row| bytes(row.get_ref(0)?))
        .optional()
}

/// A scan with its borders resolved.
pub(super) struct Scan {
    pub(super) ledger: LedgerId,
    pub(super) kind: Kind,
    pub(super) lower: Vec<u8>,
    pub(super) lower_included: bool,
    pub(super) upper: Option<Vec<u8>>,
    pub(super) backwards: bool,
    pub(super) limit: usize,
}

/// Rows in an interval of keys.
pub(super) fn scan(connection: &Connection, scan: &Scan) -> rusqlite::Result<Vec<Row>> {
    let above = if scan.lower_included { ">=" } else { ">" };
    let below = if scan.upper.is_some() { "AND key < ?5" } else { "" };
    let order = if scan.backwards { "DESC" } else { "ASC" };
    // Only words from the three lines above are inserted; there are eight texts in all, and the
    // connection keeps them prepared.
    let mut statement = connection.prepare_cached(&format!(
        "SELECT key, body FROM entries WHERE ledger = ?1 AND kind = ?2 AND key {above} ?3 {below}
         ORDER BY key {order} LIMIT ?4"
    ))?;
    let (name, kind) = (name(scan.ledger), scan.kind.number());
    let limit = i64::try_from(scan.limit).unwrap_or(i64::MAX);
    let mut values: Vec<&dyn ToSql> = vec![&name, &kind, &scan.lower, &limit];
    if let Some(upper) = &scan.upper {
        values.push(upper);
    }
    let rows = statement.query_map(values.as_slice(), |row| {
        Ok(Row { key: bytes(row.get_ref(0)?)?, body: bytes(row.get_ref(1)?)? })
    })?;
    rows.collect()
}

/// What commits after `after` touched. The sequence number and the feed are read in one snapshot.
pub(super) fn changes(connection: &Connection, ledger: LedgerId, after: Seq) -> rusqlite::Result<Changes> {
    let snapshot = connection.unchecked_transaction()?;
    let mut follow = Follow::new(after, seq(&snapshot, ledger)?);
    let mut statement = snapshot.prepare_cached(
        "SELECT key, body FROM entries WHERE ledger = ?1 AND kind = ?2 AND key > ?3 AND key <= ?4
         ORDER BY key",
    )?;
    let (behind, through) = (feed::key(after), feed::key(follow.through()));
    let mut rows = statement.query(params![name(ledger), Kind::Feed.number(), behind, through])?;
    while let Some(row) = rows.next()? {
        let seq = feed::seq_of(row.get_ref(0)?.as_blob()?).unwrap_or_default();
        if follow.push(seq, &bytes(row.get_ref(1)?)?).is_break() {
            break;
        }
    }
    Ok(follow.finish(after))
}

fn bytes(value: ValueRef<'_>) -> rusqlite::Result<Bytes> {
    Ok(Bytes::copy_from_slice(value.as_blob()?))
}

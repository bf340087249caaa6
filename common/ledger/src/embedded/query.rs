//! The queries, each one statement or one snapshot on the given connection.

use bytes::Bytes;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, ToSql, params};

use super::damage::{ReadError, checksum};
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

/// A sequence number as SQLite's integers hold it: no ledger has 2⁶³ commits.
pub(super) fn stored(seq: Seq) -> i64 {
    i64::try_from(seq.0).unwrap_or(i64::MAX)
}

/// One row's body.
pub(super) fn get(
    connection: &Connection,
    ledger: LedgerId,
    kind: Kind,
    key: &[u8],
) -> Result<Option<Bytes>, ReadError> {
    let name = name(ledger);
    let mut statement = connection
        .prepare_cached("SELECT body, checksum FROM entries WHERE ledger = ?1 AND kind = ?2 AND key = ?3")?;
    let mut rows = statement.query(params![name, kind.number(), key])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    body(row, 0, (&name, kind, key)).map(Some)
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
pub(super) fn scan(connection: &Connection, scan: &Scan) -> Result<Vec<Row>, ReadError> {
    let above = if scan.lower_included { ">=" } else { ">" };
    let below = if scan.upper.is_some() { "AND key < ?5" } else { "" };
    let order = if scan.backwards { "DESC" } else { "ASC" };
    // Only words from the three lines above are inserted; there are eight texts in all, and the
    // connection keeps them prepared.
    let mut statement = connection.prepare_cached(&format!(
        "SELECT key, body, checksum FROM entries WHERE ledger = ?1 AND kind = ?2 AND key {above} ?3 {below}
         ORDER BY key {order} LIMIT ?4"
    ))?;
    let (name, kind) = (name(scan.ledger), scan.kind.number());
    let limit = i64::try_from(scan.limit).unwrap_or(i64::MAX);
    let mut values: Vec<&dyn ToSql> = vec![&name, &kind, &scan.lower, &limit];
    if let Some(upper) = &scan.upper {
        values.push(upper);
    }
    let mut rows = statement.query(values.as_slice())?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let key = bytes(row.get_ref(0)?)?;
        let body = body(row, 1, (&name, scan.kind, &key))?;
        found.push(Row { key, body });
    }
    Ok(found)
}

/// Rows touched by commits after `after`. The sequence number and the feed are read in one snapshot.
pub(super) fn changes(connection: &Connection, ledger: LedgerId, after: Seq) -> Result<Changes, ReadError> {
    let snapshot = connection.unchecked_transaction()?;
    let mut follow = Follow::new(after, seq(&snapshot, ledger)?);
    let mut statement = snapshot.prepare_cached(
        "SELECT key, body, checksum FROM entries WHERE ledger = ?1 AND kind = ?2 AND key > ?3 AND key <= ?4
         ORDER BY key",
    )?;
    let name = name(ledger);
    let (behind, through) = (feed::key(after), feed::key(follow.through()));
    let mut rows = statement.query(params![name, Kind::Feed.number(), behind, through])?;
    while let Some(row) = rows.next()? {
        let key = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
        let touched = body(row, 1, (&name, Kind::Feed, key))?;
        if follow.push(feed::seq_of(key).unwrap_or_default(), &touched).is_break() {
            break;
        }
    }
    Ok(follow.finish(after))
}

/// The body in a column, if its checksum in the next column matches.
fn body(row: &rusqlite::Row<'_>, column: usize, place: (&[u8], Kind, &[u8])) -> Result<Bytes, ReadError> {
    let (name, kind, key) = place;
    let body = row.get_ref(column)?.as_blob().map_err(rusqlite::Error::from)?;
    // Written as an unsigned number of 32 bits; anything else is damage.
    let expected = row.get_ref(column + 1)?.as_i64().map_err(rusqlite::Error::from)?;
    let found = checksum(name, kind, key, body);
    if i64::from(found) != expected {
        let key = Bytes::copy_from_slice(key);
        return Err(ReadError::Row { kind, key, expected, found });
    }
    Ok(Bytes::copy_from_slice(body))
}

fn bytes(value: ValueRef<'_>) -> rusqlite::Result<Bytes> {
    Ok(Bytes::copy_from_slice(value.as_blob()?))
}

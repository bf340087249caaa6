//! One commit inside a transaction: compare, write, append to the feed. The transaction is committed
//! elsewhere.

use rusqlite::{CachedStatement, Connection, params};

use super::damage::{checksum, refused};
use super::query;
use crate::name::name;
use crate::{Kind, LedgerError, LedgerId, Op, Seq, feed};

/// Outcome of a commit, should the transaction be committed.
#[derive(Debug)]
pub(super) enum Verdict {
    /// The ledger has this sequence number.
    Applied(Seq),
    /// The ledger had this sequence number; nothing was changed.
    Conflict(Seq),
    /// SQLite refused; nothing was changed. After damage the transaction must be rolled back as a whole: SQLite has lost its
    /// position in it.
    Failed(LedgerError),
}

impl Verdict {
    /// Whether the commit met a damaged page.
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_damage())
    }
}

/// Applies one commit, all of it or nothing, unless it meets damage. An error means that the whole transaction is lost.
pub(super) fn apply(
    connection: &Connection,
    ledger: LedgerId,
    at: Seq,
    ops: &[Op],
    feed_commits: u32,
) -> rusqlite::Result<Verdict> {
    let found = match query::seq(connection, ledger) {
        Ok(found) => found,
        Err(error) => return damage(error, ledger),
    };
    if found != at {
        return Ok(Verdict::Conflict(found));
    }
    execute(connection, "SAVEPOINT one_commit")?;
    match write(connection, ledger, Seq(at.0 + 1), ops, feed_commits) {
        Ok(seq) => {
            execute(connection, "RELEASE one_commit")?;
            Ok(Verdict::Applied(seq))
        }
        // SQLite has rolled back everything by itself, as it does when the disk is full.
        Err(error) if connection.is_autocommit() => Err(error),
        Err(error) => {
            let refused = refused(&error, ledger);
            if !refused.is_damage() {
                execute(connection, "ROLLBACK TO one_commit")?;
                execute(connection, "RELEASE one_commit")?;
            }
            Ok(Verdict::Failed(refused))
        }
    }
}

/// Damage is that of the one commit; any other error ends the transaction.
fn damage(error: rusqlite::Error, ledger: LedgerId) -> rusqlite::Result<Verdict> {
    let refused = refused(&error, ledger);
    if refused.is_damage() { Ok(Verdict::Failed(refused)) } else { Err(error) }
}

fn write(
    connection: &Connection,
    ledger: LedgerId,
    seq: Seq,
    ops: &[Op],
    feed_commits: u32,
) -> rusqlite::Result<Seq> {
    let name = name(ledger);
    let mut put = connection.prepare_cached(
        "INSERT INTO entries (ledger, kind, key, body, checksum) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (ledger, kind, key) DO UPDATE SET body = excluded.body, checksum = excluded.checksum",
    )?;
    let mut delete =
        connection.prepare_cached("DELETE FROM entries WHERE ledger = ?1 AND kind = ?2 AND key = ?3")?;
    for op in ops {
        match op {
            Op::Put { kind, key, body } => put_row(&mut put, &name, *kind, key, body)?,
            Op::Delete { kind, key } => delete.execute(params![name, kind.number(), key.as_ref()])?,
        };
    }
    put_row(&mut put, &name, Kind::Feed, &feed::key(seq), &feed::body(ops))?;
    let expired = feed::key(feed::expired_through(seq, feed::kept_commits(ledger, feed_commits)));
    connection
        .prepare_cached("DELETE FROM entries WHERE ledger = ?1 AND kind = ?2 AND key <= ?3")?
        .execute(params![name, Kind::Feed.number(), expired])?;
    connection
        .prepare_cached(
            "INSERT INTO ledgers (ledger, seq) VALUES (?1, ?2)
             ON CONFLICT (ledger) DO UPDATE SET seq = excluded.seq",
        )?
        .execute(params![name, query::stored(seq)])?;
    Ok(seq)
}

fn put_row(
    put: &mut CachedStatement<'_>,
    name: &[u8],
    kind: Kind,
    key: &[u8],
    body: &[u8],
) -> rusqlite::Result<usize> {
    put.execute(params![name, kind.number(), key, body, checksum(name, kind, key, body)])
}

fn execute(connection: &Connection, sql: &str) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute([])
}

//! The reads: at a local quorum, which sees every commit that was answered; at serial consistency where
//! writes in progress must be finished first.

use std::ops::ControlFlow;

use bytes::Bytes;
use scylla::response::PagingState;
use scylla::statement::prepared::PreparedStatement;

use super::value::{self, Value};
use super::{Store, token, unavailable};
use crate::feed::{self, Follow};
use crate::interval::Interval;
use crate::name::name;
use crate::{Changes, Kind, LedgerError, LedgerId, MAX_KEY_BYTES, Range, Row, Seq};

/// Rows in the first page of a scan, when their size is unknown: a row can have a megabyte.
const FIRST_PAGE_ROWS: i32 = 16;
/// Growth factor of the next page, where rows are small: 256 rows from the third page on.
const GROWTH: i32 = 4;
/// Approximate target size of a page in bytes. CQL limits pages by rows only, so the largest row so far is the
/// estimate for those to come.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// The sequence number.
pub(super) async fn seq(store: &Store, ledger: LedgerId) -> Result<Seq, LedgerError> {
    read_seq(store, &store.statements.seq, ledger).await
}

/// The sequence number, once no write in progress can change it any more.
pub(super) async fn seq_settled(store: &Store, ledger: LedgerId) -> Result<Seq, LedgerError> {
    read_seq(store, &store.statements.seq_settled, ledger).await
}

async fn read_seq(
    store: &Store,
    statement: &PreparedStatement,
    ledger: LedgerId,
) -> Result<Seq, LedgerError> {
    let name = name(ledger);
    let answer = Box::pin(store.session.execute_unpaged(statement, (name.as_slice(),)))
        .await
        .map_err(unavailable)?
        .into_rows_result()
        .map_err(unavailable)?;
    let row = answer.maybe_first_row::<(Option<i64>, &[u8])>().map_err(unavailable)?;
    Ok(value::loaded(row.and_then(|(seq, _)| seq)))
}

/// The stored body of a commit's feed row, once no write in progress can change it any more.
pub(super) async fn feed_row_settled(
    store: &Store,
    ledger: LedgerId,
    seq: Seq,
) -> Result<Option<Bytes>, LedgerError> {
    let (name, key) = (name(ledger), feed::key(seq));
    one_body(store, &store.statements.feed_settled, vec![Value::Bytes(&name), Value::Bytes(&key)]).await
}

/// One row's body.
pub(super) async fn get(
    store: &Store,
    ledger: LedgerId,
    kind: Kind,
    key: &[u8],
) -> Result<Option<Bytes>, LedgerError> {
    // No such row is ever written, and servers refuse the longest ones.
    if key.is_empty() || key.len() > MAX_KEY_BYTES {
        return Ok(None);
    }
    let name = name(ledger);
    let values = vec![Value::Bytes(&name), Value::Kind(value::kind(kind)), Value::Bytes(key)];
    one_body(store, &store.statements.get, values).await
}

async fn one_body(
    store: &Store,
    statement: &PreparedStatement,
    values: Vec<Value<'_>>,
) -> Result<Option<Bytes>, LedgerError> {
    let answer = Box::pin(store.session.execute_unpaged(statement, values))
        .await
        .map_err(unavailable)?
        .into_rows_result()
        .map_err(unavailable)?;
    let row = answer.maybe_first_row::<(Option<&[u8]>,)>().map_err(unavailable)?;
    Ok(row.map(|(body,)| Bytes::copy_from_slice(body.unwrap_or_default())))
}

/// Rows in an interval of keys, page by page. A commit that falls between two pages is seen by the second.
pub(super) async fn scan(
    store: &Store,
    ledger: LedgerId,
    kind: Kind,
    range: Range<'_>,
    limit: usize,
) -> Result<Vec<Row>, LedgerError> {
    let Some(interval) = Interval::of(&range) else { return Ok(Vec::new()) };
    let (name, limit) = (name(ledger), limit.max(1));
    let statement = store
        .statements
        .scan(interval.lower_included, interval.upper.is_some(), range.backwards)
        .ok_or_else(|| unavailable("a scan was not prepared"))?;
    let mut values =
        vec![Value::Bytes(&name), Value::Kind(value::kind(kind)), Value::Bytes(border(interval.lower))];
    if let Some(upper) = &interval.upper {
        values.push(Value::Bytes(border(upper)));
    }
    let mut rows = Vec::new();
    pages(store, statement, &values, limit, |key, body| {
        rows.push(Row { key: Bytes::copy_from_slice(key), body: Bytes::copy_from_slice(body) });
        ControlFlow::Continue(())
    })
    .await?;
    Ok(rows)
}

/// A border that servers accept: one byte more than the longest key draws the same line as any more.
fn border(key: &[u8]) -> &[u8] {
    key.get(..=MAX_KEY_BYTES).unwrap_or(key)
}

/// Rows touched by commits after `after`. The sequence number is read first, so every feed row through
/// it is either visible or has expired.
pub(super) async fn changes(store: &Store, ledger: LedgerId, after: Seq) -> Result<Changes, LedgerError> {
    let current = seq(store, ledger).await?;
    let mut follow = Follow::new(after, current);
    if after >= current {
        return Ok(follow.finish(after));
    }
    if after < feed::expired_through(current, feed::kept_commits(ledger, store.feed_commits)) {
        return Ok(Changes::Gap { seq: current });
    }
    let (name, first, last) = (name(ledger), feed::key(Seq(after.0 + 1)), feed::key(follow.through()));
    let values = [Value::Bytes(&name), Value::Bytes(&first), Value::Bytes(&last)];
    pages(store, &store.statements.feed, &values, usize::MAX, |key, body| {
        let seq = feed::seq_of(key).unwrap_or_default();
        follow.push(seq, &Bytes::copy_from_slice(token::unsigned(body)))
    })
    .await?;
    Ok(follow.finish(after))
}

/// Passes on keys and bodies until there are no more, `limit` is reached, or no more are wanted. One page is in memory at a
/// time, and the last has as many rows as are left. The statement has no LIMIT: Cassandra does not page where the size of a
/// page is at least the limit, and ignores the paging state, so that a page that grew would begin at the first row again.
async fn pages(
    store: &Store,
    statement: &PreparedStatement,
    values: &[Value<'_>],
    limit: usize,
    mut take: impl FnMut(&[u8], &[u8]) -> ControlFlow<()> + Send,
) -> Result<(), LedgerError> {
    let mut statement = statement.clone();
    let most_rows = statement.get_page_size();
    let (mut page_rows, mut largest, mut left) = (FIRST_PAGE_ROWS.min(most_rows), 0, limit);
    let mut from = PagingState::start();
    loop {
        statement.set_page_size(page_rows.min(value::count(left)));
        let (answer, next) = Box::pin(store.session.execute_single_page(&statement, values, from))
            .await
            .map_err(unavailable)?;
        let answer = answer.into_rows_result().map_err(unavailable)?;
        for row in answer.rows::<(&[u8], Option<&[u8]>)>().map_err(unavailable)? {
            let (key, body) = row.map_err(unavailable)?;
            let body = body.unwrap_or_default();
            largest = largest.max(key.len() + body.len());
            left = left.saturating_sub(1);
            if take(key, body).is_break() || left == 0 {
                return Ok(());
            }
        }
        match next.into_paging_control_flow() {
            ControlFlow::Break(()) => return Ok(()),
            ControlFlow::Continue(state) => from = state,
        }
        page_rows = next_page_rows(page_rows, largest, most_rows);
    }
}

/// Number of rows to request after a page of `page_rows`, when no row so far had more than `largest` bytes.
fn next_page_rows(page_rows: i32, largest: usize, most_rows: i32) -> i32 {
    let fitting = value::count(PAGE_BYTES / largest.max(1));
    page_rows.saturating_mul(GROWTH).min(fitting).min(most_rows).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_grow_until_they_have_enough_bytes() {
        let sizes = |largest: usize| {
            let mut rows = FIRST_PAGE_ROWS;
            [(); 4].map(|()| {
                rows = next_page_rows(rows, largest, 256);
                rows
            })
        };
        assert_eq!(sizes(600), [64, 256, 256, 256], "small rows");
        assert_eq!(sizes(0), [64, 256, 256, 256], "no bytes at all");
        assert_eq!(sizes(64 * 1024), [64, 64, 64, 64]);
        assert_eq!(sizes(1024 * 1024), [4, 4, 4, 4], "the largest there are");
        assert_eq!(sizes(usize::MAX), [1, 1, 1, 1], "a page has a row");
    }
}

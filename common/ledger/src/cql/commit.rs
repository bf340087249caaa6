//! The only write: a conditional batch on one partition, and the lookup of its outcome when no answer arrives.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use scylla::errors::{DbError, ExecutionError, RequestAttemptError};
use scylla::frame::types::{Consistency, SerialConsistency};
use scylla::policies::retry::FallthroughRetryPolicy;
use scylla::response::query_result::QueryResult;
use scylla::statement::batch::{Batch, BatchType};
use scylla::value::{CqlValue, Row as CqlRow};
use tokio::time::{Instant, timeout_at};

use super::read;
use super::token::Token;
use super::value::{self, Value};
use super::{Store, unavailable};
use crate::name::name;
use crate::{Commit, LedgerError, LedgerId, Op, Seq, feed};

/// Waits before the read-backs of a commit without an answer: two seconds in all, so that a node that
/// changes hands is waited for and one that stays away is not.
const READ_BACK_AFTER: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(100), Duration::from_millis(400), Duration::from_millis(1500)];

/// Compares and appends; returns the outcome as known at `deadline`.
pub(super) async fn commit(
    store: &Store,
    ledger: LedgerId,
    at: Seq,
    ops: &[Op],
    deadline: Instant,
) -> Result<Commit, LedgerError> {
    // The server's numbers end at 2⁶³ - 1, which no ledger reaches, so this cannot be its sequence number.
    if at.0 >= i64::MAX.cast_unsigned() {
        return refused(store, ledger, deadline).await;
    }
    let token = store.tokens.next();
    let next = Seq(at.0 + 1);
    match timeout_at(deadline, send(store, ledger, at, ops, token)).await {
        Ok(Ok(answer)) => match applied(answer) {
            Some(true) => return Ok(Commit::Done(next)),
            Some(false) => return refused(store, ledger, deadline).await,
            None => tracing::warn!(?ledger, "a commit got an unexpected response, reading back"),
        },
        Ok(Err(error)) if surely_not_begun(&error) => return Err(unavailable(error)),
        Ok(Err(error)) => tracing::warn!(?ledger, %error, "a commit got no response, reading back"),
        Err(_) => tracing::warn!(?ledger, "a commit timed out"),
    }
    Ok(timeout_at(deadline, read_back(store, ledger, next, token)).await.unwrap_or(Commit::Unknown))
}

/// Nothing was changed; reads the sequence number of the ledger.
async fn refused(store: &Store, ledger: LedgerId, deadline: Instant) -> Result<Commit, LedgerError> {
    let late = |_| unavailable("the commit was rejected, and reading the sequence number timed out");
    let seq = timeout_at(deadline, read::seq_settled(store, ledger)).await.map_err(late)??;
    Ok(Commit::Conflict(seq))
}

/// Sends the batch. The values borrow the operations; nothing is copied before the driver does.
pub(super) async fn send(
    store: &Store,
    ledger: LedgerId,
    at: Seq,
    ops: &[Op],
    token: Token,
) -> Result<QueryResult, ExecutionError> {
    let statements = &store.statements;
    let (name, next) = (name(ledger), Seq(at.0 + 1));
    let (feed_key, feed_body) = (feed::key(next), token.sign(&feed::body(ops)));
    let mut batch = Batch::new(BatchType::Unlogged);
    let mut values = Vec::with_capacity(ops.len() + 3);

    let id = || Value::Bytes(&name);
    // The comparison comes first: the driver finds a replica by the ledger of the first statement.
    if at == Seq(0) {
        batch.append_statement(statements.compare_first.clone());
        values.push(vec![Value::Seq(value::stored(next)), id()]);
        batch.append_statement(statements.put_anchor.clone());
        values.push(vec![id()]);
    } else {
        batch.append_statement(statements.compare.clone());
        values.push(vec![Value::Seq(value::stored(next)), id(), Value::Seq(value::stored(at))]);
    }
    batch.append_statement(statements.put_feed.clone());
    let seconds = feed::kept_seconds(ledger, store.feed_seconds);
    let seconds = Value::Count(i32::try_from(seconds).unwrap_or(i32::MAX));
    values.push(vec![id(), Value::Bytes(&feed_key), Value::Bytes(&feed_body), seconds]);
    for op in last_of_each_row(ops) {
        match op {
            Op::Put { kind, key, body } => {
                batch.append_statement(statements.put.clone());
                let kind = Value::Kind(value::kind(*kind));
                values.push(vec![id(), kind, Value::Bytes(key), Value::Bytes(body)]);
            }
            Op::Delete { kind, key } => {
                batch.append_statement(statements.delete.clone());
                values.push(vec![id(), Value::Kind(value::kind(*kind)), Value::Bytes(key)]);
            }
        }
    }
    batch.set_consistency(Consistency::LocalQuorum);
    batch.set_serial_consistency(Some(SerialConsistency::LocalSerial));
    batch.set_is_idempotent(false);
    // Sent once and never again: a second time it would be refused because of the first.
    batch.set_retry_policy(Some(Arc::new(FallthroughRetryPolicy::new())));
    Box::pin(store.session.batch(&batch, values)).await
}

/// All writes of a batch have one timestamp, and among two on the same row the server would choose arbitrarily.
fn last_of_each_row(ops: &[Op]) -> Vec<&Op> {
    let mut seen = HashSet::with_capacity(ops.len());
    let mut last: Vec<&Op> = ops
        .iter()
        .rev()
        .filter(|op| {
            let (Op::Put { kind, key, .. } | Op::Delete { kind, key }) = op;
            seen.insert((*kind, key))
        })
        .collect();
    last.reverse();
    last
}

/// The first column of the first row. The rest of the answer differs: ScyllaDB returns the old row for
/// each statement, Cassandra only upon refusal, in another order.
fn applied(answer: QueryResult) -> Option<bool> {
    let rows = answer.into_rows_result().ok()?;
    let row = rows.rows::<CqlRow>().ok()?.next()?.ok()?;
    match row.columns.into_iter().next()?? {
        CqlValue::Boolean(applied) => Some(applied),
        _ => None,
    }
}

/// Whether an error means that no server has begun with the batch. All others may have changed something,
/// including "unavailable" and "overloaded": a server may return these in the middle of its rounds.
pub(super) fn surely_not_begun(error: &ExecutionError) -> bool {
    match error {
        ExecutionError::BadQuery(_)
        | ExecutionError::EmptyPlan
        | ExecutionError::PrepareError(_)
        | ExecutionError::ConnectionPoolError(_) => true,
        ExecutionError::LastAttemptError(error) => matches!(
            error,
            RequestAttemptError::SerializationError(_)
                | RequestAttemptError::CqlRequestSerialization(_)
                | RequestAttemptError::UnableToAllocStreamId
                | RequestAttemptError::DbError(
                    DbError::SyntaxError
                        | DbError::Invalid
                        | DbError::Unauthorized
                        | DbError::AuthenticationError
                        | DbError::ConfigError
                        | DbError::IsBootstrapping,
                    _
                )
        ),
        _ => false,
    }
}

/// Checks whether the feed row of `next` is ours. Reading at serial consistency finishes writes that a
/// majority has begun. A missing row proves nothing: a batch may wait in a server, or with a minority
/// that the next round asks.
pub(super) async fn read_back(store: &Store, ledger: LedgerId, next: Seq, token: Token) -> Commit {
    for wait in READ_BACK_AFTER {
        tokio::time::sleep(wait).await;
        match read::feed_row_settled(store, ledger, next).await {
            Ok(Some(body)) if token.signed(&body) => return Commit::Done(next),
            Ok(Some(_)) => match read::seq_settled(store, ledger).await {
                Ok(seq) => return Commit::Conflict(seq),
                Err(error) => tracing::debug!(?ledger, %error, "reading back failed"),
            },
            Ok(None) => return Commit::Unknown,
            Err(error) => tracing::debug!(?ledger, %error, "reading back failed"),
        }
    }
    Commit::Unknown
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::Kind;

    #[test]
    fn of_operations_on_one_row_the_last_is_sent() {
        let put = |kind, key: &'static str, body: &'static str| Op::Put {
            kind,
            key: Bytes::from_static(key.as_bytes()),
            body: Bytes::from_static(body.as_bytes()),
        };
        let delete =
            |key: &'static str| Op::Delete { kind: Kind::Head, key: Bytes::from_static(key.as_bytes()) };
        let ops = [
            put(Kind::Head, "a", "1"),
            put(Kind::State, "a", "other kind"),
            delete("a"),
            delete("b"),
            put(Kind::Head, "b", "2"),
        ];
        assert_eq!(last_of_each_row(&ops), [&ops[1], &ops[2], &ops[4]]);
    }

    #[test]
    fn what_a_server_may_have_begun_is_never_called_unchanged() {
        let answered =
            |error| ExecutionError::LastAttemptError(RequestAttemptError::DbError(error, String::new()));
        assert!(surely_not_begun(&ExecutionError::EmptyPlan));
        assert!(surely_not_begun(&answered(DbError::Unauthorized)));
        assert!(surely_not_begun(&answered(DbError::Invalid)));
        for error in [
            DbError::ServerError,
            DbError::Overloaded,
            DbError::Unavailable { consistency: Consistency::LocalQuorum, required: 2, alive: 1 },
        ] {
            assert!(!surely_not_begun(&answered(error)));
        }
        assert!(!surely_not_begun(&ExecutionError::RequestTimeout(Duration::from_secs(1))));
    }
}

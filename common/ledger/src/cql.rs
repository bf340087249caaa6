//! The ledger in a cluster: one table and one conditional batch, in the part of CQL that ScyllaDB and
//! Apache Cassandra share. CQL appears in this folder only.
//!
//! A ledger is one partition. Its sequence number is a static column, and a commit is one unlogged batch
//! on that partition that names it, so the servers compare and append in one round of Paxos. Processes
//! that share a ledger need nothing else to agree; inside one process commits to a ledger take turns,
//! because losing a round is dear. All processes of a deployment use one datacenter.
//!
//! Connections are not encrypted yet: the driver's TLS brings a second cryptography provider along.

mod commit;
mod config;
mod error;
mod read;
mod schema;
mod session;
mod statements;
mod token;
mod value;
mod writers;

use async_trait::async_trait;
use bytes::Bytes;
use metrics::{counter, describe_counter, describe_histogram, histogram};
use scylla::client::session::Session;
use tokio::time::Instant;
use uuid::Uuid;

pub use config::Config;
pub use error::ConnectError;

use crate::{Changes, Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Row, Seq, bounds};
use statements::Statements;
use token::Tokens;
use writers::Writers;

/// Ledgers in one keyspace of a cluster.
#[derive(Debug)]
pub struct CqlLedger {
    store: Store,
    writers: Writers,
}

/// What every request needs.
#[derive(Debug)]
struct Store {
    session: Session,
    statements: Statements,
    tokens: Tokens,
    feed_commits: u32,
    feed_seconds: u32,
}

/// Connects, sees to it that the table is there and is ours, and prepares the statements. Reads the
/// password file.
///
/// # Errors
/// [`ConnectError`] when the configuration is out of bounds, no node answers or lets us in, the cluster's
/// datacenters do not fit, or the table is missing or not ours.
pub async fn connect(config: &Config) -> Result<CqlLedger, ConnectError> {
    config.check()?;
    let session = session::open(config).await?;
    schema::ensure(&session, config).await?;
    let statements = Box::pin(Statements::prepare(&session, config)).await?;
    describe_histogram!("ledger_commit_seconds", "Time from the call of a commit to its durable answer.");
    describe_counter!("ledger_conflicts_total", "Commits that lost against another one.");
    describe_counter!("ledger_unknown_total", "Commits of which nobody can say whether they took effect.");
    let store = Store {
        session,
        statements,
        // Never seen by anybody but the ledger, so the system's randomness need not be injected.
        tokens: Tokens::new(Uuid::new_v4()),
        feed_commits: config.feed_commits,
        feed_seconds: config.feed_seconds,
    };
    Ok(CqlLedger { store, writers: Writers::new(config.request_timeout()) })
}

#[async_trait]
impl Ledger for CqlLedger {
    async fn seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError> {
        read::seq(&self.store, ledger).await
    }

    async fn commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        bounds::check_commit(&ops)?;
        let began = Instant::now();
        let _turn = self.writers.turn(ledger).await?;
        let answer = commit::commit(&self.store, ledger, at, &ops).await;
        histogram!("ledger_commit_seconds").record(began.elapsed().as_secs_f64());
        match answer {
            Ok(Commit::Conflict(_)) => counter!("ledger_conflicts_total").increment(1),
            Ok(Commit::Unknown) => counter!("ledger_unknown_total").increment(1),
            Ok(Commit::Done(_)) | Err(_) => {}
        }
        answer
    }

    async fn get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        bounds::check_kind(kind)?;
        read::get(&self.store, ledger, kind, key).await
    }

    async fn scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        bounds::check_kind(kind)?;
        read::scan(&self.store, ledger, kind, range, limit).await
    }

    async fn changes(&self, ledger: LedgerId, after: Seq) -> Result<Changes, LedgerError> {
        read::changes(&self.store, ledger, after).await
    }
}

fn unavailable(cause: impl ToString) -> LedgerError {
    LedgerError::Unavailable { cause: cause.to_string() }
}

#[cfg(test)]
mod tests;

//! The ledger in a cluster: one table and one conditional batch, in the part of CQL that ScyllaDB and
//! Apache Cassandra share. CQL appears in this folder only.
//!
//! A ledger is one partition. Its sequence number is a static column, and a commit is one unlogged batch
//! on that partition that names it, so the servers compare and append in one round of Paxos. Processes
//! that share a ledger need no other coordination; inside one process commits to a ledger take turns,
//! because losing a round is expensive. All processes of a deployment use one datacenter.
//!
//! Every call ends within the time limit of the configuration, whatever the servers do; the outcome of an
//! unanswered commit is looked up while there is time, and unknown afterwards.

mod commit;
mod error;
mod read;
mod replicas;
mod schema;
mod session;
mod statements;
mod tls;
mod token;
mod value;
mod writers;

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use metrics::{counter, describe_counter, describe_histogram, histogram};
use scylla::client::session::Session;
use tokio::time::Instant;
use uuid::Uuid;

pub use error::ConnectError;
pub use schema::Schema;

use crate::cql_config::Config;
use crate::{Changes, Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Row, Seq, bounds};
use statements::Statements;
use token::Tokens;
use writers::Writers;

/// Ledgers in one keyspace of a cluster.
#[derive(Debug)]
pub struct CqlLedger {
    store: Store,
    writers: Writers,
    /// Time limit of one call.
    patience: Duration,
}

/// Shared state of all requests.
#[derive(Debug)]
struct Store {
    session: Session,
    statements: Statements,
    tokens: Tokens,
    feed_commits: u32,
    feed_seconds: u32,
}

/// Creates the keyspace and the table where they are missing, and waits until all nodes know them;
/// existing ones are compared with the expected schema. To be run once for a deployment, before any
/// process connects. Two concurrent runs are harmless. Reads the files of password and TLS.
///
/// # Errors
/// [`ConnectError`] as for [`connect`], and when the servers refuse to create, or do not agree in time.
pub async fn create_schema(config: &Config) -> Result<Schema, ConnectError> {
    config.check()?;
    let session = session::open(config).await?;
    schema::create(&session, config).await
}

/// Connects, checks that the table exists and is ours, and prepares the statements. Writes nothing. Reads
/// the files of password and TLS.
///
/// # Errors
/// [`ConnectError`] when the configuration is out of bounds, no node answers or accepts us, the cluster's
/// datacenters do not fit, or the table is missing or foreign.
pub async fn connect(config: &Config) -> Result<CqlLedger, ConnectError> {
    config.check()?;
    let session = session::open(config).await?;
    schema::check(&session, config).await?;
    let statements = Box::pin(Statements::prepare(&session, config)).await?;
    describe_histogram!("palisade_ledger_commit_seconds", "Duration of a commit until it is durable.");
    describe_counter!("palisade_ledger_conflicts_total", "Commits rejected because of a concurrent commit.");
    describe_counter!("palisade_ledger_unknown_total", "Commits with unknown outcome.");
    counter!("palisade_ledger_conflicts_total").increment(0);
    counter!("palisade_ledger_unknown_total").increment(0);
    let store = Store {
        session,
        statements,
        // Never seen by anybody but the ledger, so the system's randomness need not be injected.
        tokens: Tokens::new(Uuid::new_v4()),
        feed_commits: config.feed_commits,
        feed_seconds: config.feed_seconds,
    };
    let patience = config.request_timeout();
    Ok(CqlLedger { store, writers: Writers::new(patience / 2), patience })
}

impl CqlLedger {
    async fn in_time<T: Send>(
        &self,
        read: impl Future<Output = Result<T, LedgerError>> + Send,
    ) -> Result<T, LedgerError> {
        let late = |_| unavailable(format!("no answer within {:?}", self.patience));
        tokio::time::timeout(self.patience, read).await.map_err(late)?
    }
}

#[async_trait]
impl Ledger for CqlLedger {
    async fn seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError> {
        self.in_time(read::seq(&self.store, ledger)).await
    }

    async fn commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        bounds::check_commit(&ops)?;
        let began = Instant::now();
        let _turn = self.writers.turn(ledger).await?;
        let answer = commit::commit(&self.store, ledger, at, &ops, began + self.patience).await;
        histogram!("palisade_ledger_commit_seconds").record(began.elapsed().as_secs_f64());
        match answer {
            Ok(Commit::Conflict(_)) => counter!("palisade_ledger_conflicts_total").increment(1),
            Ok(Commit::Unknown) => counter!("palisade_ledger_unknown_total").increment(1),
            Ok(Commit::Done(_)) | Err(_) => {}
        }
        answer
    }

    async fn get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        bounds::check_kind(kind)?;
        self.in_time(read::get(&self.store, ledger, kind, key)).await
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
        self.in_time(read::changes(&self.store, ledger, after)).await
    }
}

fn unavailable(cause: impl ToString) -> LedgerError {
    LedgerError::Unavailable { cause: cause.to_string() }
}

#[cfg(test)]
mod tests;

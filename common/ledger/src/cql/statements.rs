//! All statements, prepared once: six that a commit consists of, and the reads.

use scylla::client::session::Session;
use scylla::frame::types::Consistency;
use scylla::statement::Statement;
use scylla::statement::prepared::PreparedStatement;

use super::error::ConnectError;
use super::schema::TABLE;
use crate::cql_config::Config;

/// The first commit writes one row more, in front of all others, so that the sequence number can be read
/// with a row that certainly exists: reading it with the first existing row would scan deleted ones.
const ANCHOR_KIND: i8 = -1;
/// The key of that row, as written in statements.
const ANCHOR_KEY: &str = "0x00";

/// The prepared statements. The driver may repeat reads; it never repeats statements of a commit.
#[derive(Debug)]
pub(super) struct Statements {
    /// Compares with an unused ledger: `seq`, ledger.
    pub(super) compare_first: PreparedStatement,
    /// Compares: new `seq`, ledger, expected `seq`.
    pub(super) compare: PreparedStatement,
    /// Writes the row that belongs to the first commit, see [`ANCHOR_KIND`]: ledger.
    pub(super) put_anchor: PreparedStatement,
    /// Writes a row: ledger, kind, key, body.
    pub(super) put: PreparedStatement,
    /// Writes a feed row, which expires: ledger, key, body, seconds.
    pub(super) put_feed: PreparedStatement,
    /// Removes a row: ledger, kind, key.
    pub(super) delete: PreparedStatement,
    /// The sequence number: ledger.
    pub(super) seq: PreparedStatement,
    /// The sequence number, after any writes in progress: ledger.
    pub(super) seq_settled: PreparedStatement,
    /// The body of a feed row, after any writes in progress: ledger, key.
    pub(super) feed_settled: PreparedStatement,
    /// A row's body: ledger, kind, key.
    pub(super) get: PreparedStatement,
    /// Feed rows: ledger, first key, last key.
    pub(super) feed: PreparedStatement,
    /// See [`Statements::scan`].
    scans: Vec<PreparedStatement>,
}

impl Statements {
    /// Has all of them prepared.
    pub(super) async fn prepare(session: &Session, config: &Config) -> Result<Self, ConnectError> {
        let table = format!("{}.{TABLE}", config.keyspace);
        let write = async |text: String| prepare(session, Statement::new(text)).await;
        let read = async |text: String, consistency: Option<Consistency>| {
            let mut statement = Statement::new(text);
            statement.set_is_idempotent(true);
            statement.set_page_size(i32::try_from(config.page_rows).unwrap_or(i32::MAX));
            if let Some(consistency) = consistency {
                statement.set_consistency(consistency);
            }
            prepare(session, statement).await
        };
        let settled = Some(Consistency::LocalSerial);
        let feed = crate::Kind::Feed.number();
        // Cassandra refuses to read a row for a static column alone, hence the key beside it.
        let seq = format!(
            "SELECT seq, key FROM {table} WHERE ledger = ? AND kind = {ANCHOR_KIND} AND key = {ANCHOR_KEY}"
        );
        let mut scans = Vec::new();
        for text in scan_texts(&table) {
            scans.push(read(text, None).await?);
        }
        Ok(Self {
            compare_first: write(format!("UPDATE {table} SET seq = ? WHERE ledger = ? IF seq = null")).await?,
            compare: write(format!("UPDATE {table} SET seq = ? WHERE ledger = ? IF seq = ?")).await?,
            put_anchor: write(format!(
                "INSERT INTO {table} (ledger, kind, key) VALUES (?, {ANCHOR_KIND}, {ANCHOR_KEY})"
            ))
            .await?,
            put: write(format!("INSERT INTO {table} (ledger, kind, key, body) VALUES (?, ?, ?, ?)")).await?,
            put_feed: write(format!(
                "INSERT INTO {table} (ledger, kind, key, body) VALUES (?, {feed}, ?, ?) USING TTL ?"
            ))
            .await?,
            delete: write(format!("DELETE FROM {table} WHERE ledger = ? AND kind = ? AND key = ?")).await?,
            seq: read(seq.clone(), None).await?,
            seq_settled: read(seq, settled).await?,
            feed_settled: read(
                format!("SELECT body FROM {table} WHERE ledger = ? AND kind = {feed} AND key = ?"),
                settled,
            )
            .await?,
            get: read(format!("SELECT body FROM {table} WHERE ledger = ? AND kind = ? AND key = ?"), None).await?,
            feed: read(
                format!(
                    "SELECT key, body FROM {table} WHERE ledger = ? AND kind = {feed} AND key >= ? AND key <= ?"
                ),
                None,
            )
            .await?,
            scans,
        })
    }

    /// The scan of an interval: ledger, kind, lower border, upper border if there is one.
    pub(super) fn scan(
        &self,
        lower_included: bool,
        bounded: bool,
        backwards: bool,
    ) -> Option<&PreparedStatement> {
        self.scans.get(place(lower_included, bounded, backwards))
    }
}

fn place(lower_included: bool, bounded: bool, backwards: bool) -> usize {
    usize::from(lower_included) * 4 + usize::from(bounded) * 2 + usize::from(backwards)
}

/// The eight scans, in the order of [`place`].
fn scan_texts(table: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for above in [">", ">="] {
        for below in ["", " AND key < ?"] {
            // Both columns are named, because not every server allows omitting the first.
            for order in ["kind ASC, key ASC", "kind DESC, key DESC"] {
                texts.push(format!(
                    "SELECT key, body FROM {table} WHERE ledger = ? AND kind = ? AND key {above} ?{below} \
                     ORDER BY {order}"
                ));
            }
        }
    }
    texts
}

async fn prepare(session: &Session, statement: Statement) -> Result<PreparedStatement, ConnectError> {
    Box::pin(session.prepare(statement))
        .await
        .map_err(|error| ConnectError::Refused { step: "prepare a statement", cause: error.to_string() })
}

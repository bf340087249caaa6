//! The only table: compared with the expected one, and created only by an explicit call.

use std::collections::BTreeMap;
use std::time::Duration;

use scylla::client::session::Session;
use scylla::errors::{DbError, ExecutionError, RequestAttemptError, SchemaAgreementError};
use scylla::statement::Statement;

use super::error::ConnectError;
use super::replicas;
use super::statements::Statements;
use crate::cql_config::Config;

/// The name of the table.
pub(super) const TABLE: &str = "ledger";

/// Time that the server may take to create a keyspace or a table: it writes a dozen tables of its own.
const DEFINITION_TIMEOUT: Duration = Duration::from_secs(30);
/// Waits before creation is retried, after a refusal that a concurrent creation may have caused.
const CREATE_AGAIN_AFTER: [Duration; 5] = [
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_millis(900),
    Duration::from_millis(2700),
    Duration::ZERO,
];

/// Column, role, place in the key, type. The clustering order of both columns is ascending.
const COLUMNS: [(&str, &str, i32, &str); 5] = [
    ("ledger", "partition_key", 0, "blob"),
    ("kind", "clustering", 0, "tinyint"),
    ("key", "clustering", 1, "blob"),
    ("seq", "static", -1, "bigint"),
    ("body", "regular", -1, "blob"),
];

/// A column as the server describes it: role, place, type, order.
pub(super) type Column = (String, i32, String, String);

/// Result of the creation of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// The keyspace or the table was missing and is there now; another process may have created it meanwhile.
    Created,
    /// It was there, and is as it should be.
    Present,
}

/// Ensures that the table exists and is ours, and that its keyspace can reach a quorum.
pub(super) async fn check(session: &Session, config: &Config) -> Result<(), ConnectError> {
    replicas::check_keyspace(session, config)?;
    let columns = describe(session, config).await?;
    if columns.is_empty() {
        return Err(ConnectError::SchemaMissing {
            keyspace: config.keyspace.clone(),
            statements: format!("{}; {};", keyspace_statement(config), table_statement(config)),
        });
    }
    let mut differences = differences(&columns);
    if let Some(seconds) = default_expiry(session, config).await?.filter(|seconds| *seconds != 0) {
        differences.push(format!("expected no default_time_to_live, found {seconds}"));
    }
    if differences.is_empty() {
        return Ok(());
    }
    Err(ConnectError::SchemaDiffers { table: format!("{}.{TABLE}", config.keyspace), differences })
}

/// Creates the missing parts. Nodes that create a table at the same moment may each create their own
/// and refuse the other's; once they agree on one of them, it is there for both.
pub(super) async fn create(session: &Session, config: &Config) -> Result<Schema, ConnectError> {
    let mut outcome = Schema::Present;
    let mut refused = None;
    replicas::check_configured(session, config)?;
    for wait in CREATE_AGAIN_AFTER {
        agree(session).await?;
        match check(session, config).await {
            Err(ConnectError::SchemaMissing { .. }) => outcome = Schema::Created,
            Err(error) => return Err(error),
            Ok(()) => match usable(session, config).await {
                Ok(()) => return Ok(outcome),
                Err(refusal) => {
                    refused = Some(refusal);
                    tokio::time::sleep(wait).await;
                    continue;
                }
            },
        }
        let Err((step, error)) = create_once(session, config).await else { continue };
        let lasts = lasts(&error);
        let refusal = ConnectError::Refused { step, cause: error.to_string() };
        if lasts {
            return Err(refusal);
        }
        tracing::warn!(error = %refusal, "the schema was not created, trying again");
        refused = Some(refusal);
        tokio::time::sleep(wait).await;
    }
    agree(session).await?;
    match (check(session, config).await, refused) {
        (Err(ConnectError::SchemaMissing { .. }), Some(refusal)) => Err(refusal),
        (Err(error), _) => Err(error),
        (Ok(()), _) => usable(session, config).await.map(|()| outcome),
    }
}

/// Whether the table can be read. Where several processes created it at once, a node may list it and still
/// refuse to read it, until the nodes agree on one of them.
async fn usable(session: &Session, config: &Config) -> Result<(), ConnectError> {
    Box::pin(Statements::prepare(session, config)).await.map(drop)
}

async fn create_once(session: &Session, config: &Config) -> Result<(), (&'static str, ExecutionError)> {
    let statements =
        [("create the keyspace", keyspace_statement(config)), ("create the table", table_statement(config))];
    for (step, text) in statements {
        let mut statement = Statement::new(text);
        statement.set_request_timeout(Some(DEFINITION_TIMEOUT));
        session.query_unpaged(statement, ()).await.map_err(|error| (step, error))?;
    }
    Ok(())
}

/// Whether the server would return the same error again: a syntax error or a missing permission.
fn lasts(error: &ExecutionError) -> bool {
    let ExecutionError::LastAttemptError(RequestAttemptError::DbError(error, _)) = error else {
        return false;
    };
    matches!(
        error,
        DbError::SyntaxError | DbError::Invalid | DbError::Unauthorized | DbError::AuthenticationError
    )
}

/// Waits until all nodes have the same schema.
async fn agree(session: &Session) -> Result<(), ConnectError> {
    let refused = |error: SchemaAgreementError| ConnectError::Refused {
        step: "agree on a schema",
        cause: error.to_string(),
    };
    session.await_schema_agreement().await.map(|_| ()).map_err(refused)
}

pub(super) fn keyspace_statement(config: &Config) -> String {
    let tablets = match config.tablets {
        None => String::new(),
        Some(enabled) => format!(" AND tablets = {{'enabled': {enabled}}}"),
    };
    format!(
        "CREATE KEYSPACE IF NOT EXISTS {} WITH replication = \
         {{'class': 'NetworkTopologyStrategy', 'replication_factor': {}}}{tablets}",
        config.keyspace, config.replication_factor
    )
}

fn table_statement(config: &Config) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS {}.{TABLE} (ledger blob, kind tinyint, key blob, seq bigint STATIC, \
         body blob, PRIMARY KEY (ledger, kind, key))",
        config.keyspace
    )
}

/// Deviations from the expected schema, as text.
pub(super) fn differences(found: &BTreeMap<String, Column>) -> Vec<String> {
    let mut differences = Vec::new();
    for (name, role, place, of_type) in COLUMNS {
        let expected = format!("expected {name} to be {role} {of_type}");
        match found.get(name) {
            None => differences.push(format!("{expected}, it is missing")),
            Some((found_role, found_place, found_type, order)) => {
                if (found_role.as_str(), *found_place, found_type.as_str()) != (role, place, of_type) {
                    differences.push(format!("{expected}, found {found_role} {found_type} at {found_place}"));
                }
                if role == "clustering" && !order.eq_ignore_ascii_case("asc") {
                    differences.push(format!("expected {name} to be ascending, found {order}"));
                }
            }
        }
    }
    differences
}

async fn describe(session: &Session, config: &Config) -> Result<BTreeMap<String, Column>, ConnectError> {
    let refused = |cause: String| ConnectError::Refused { step: "describe the table", cause };
    let rows = session
        .query_unpaged(
            "SELECT column_name, kind, position, type, clustering_order FROM system_schema.columns \
             WHERE keyspace_name = ? AND table_name = ?",
            (&config.keyspace, TABLE),
        )
        .await
        .map_err(|error| refused(error.to_string()))?
        .into_rows_result()
        .map_err(|error| refused(error.to_string()))?;
    let mut columns = BTreeMap::new();
    let typed =
        rows.rows::<(String, String, i32, String, String)>().map_err(|error| refused(error.to_string()))?;
    for row in typed {
        let (name, role, place, of_type, order) = row.map_err(|error| refused(error.to_string()))?;
        columns.insert(name, (role, place, of_type, order));
    }
    Ok(columns)
}

/// A default expiry would delete rows of the ledger.
async fn default_expiry(session: &Session, config: &Config) -> Result<Option<i32>, ConnectError> {
    let refused = |cause: String| ConnectError::Refused { step: "describe the table", cause };
    let rows = session
        .query_unpaged(
            "SELECT default_time_to_live FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
            (&config.keyspace, TABLE),
        )
        .await
        .map_err(|error| refused(error.to_string()))?
        .into_rows_result()
        .map_err(|error| refused(error.to_string()))?;
    let row = rows.maybe_first_row::<(Option<i32>,)>().map_err(|error| refused(error.to_string()))?;
    Ok(row.and_then(|(seconds,)| seconds))
}

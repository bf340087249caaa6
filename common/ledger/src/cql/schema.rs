//! The one table: made where that is allowed, compared with what is expected where it is there.

use std::collections::BTreeMap;

use scylla::client::session::Session;

use super::config::Config;
use super::error::ConnectError;

/// The name of the table.
pub(super) const TABLE: &str = "ledger";

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

/// Sees to it that the table is there and is ours.
pub(super) async fn ensure(session: &Session, config: &Config) -> Result<(), ConnectError> {
    let mut columns = describe(session, config).await?;
    if columns.is_empty() {
        if !config.create_schema {
            return Err(ConnectError::SchemaMissing {
                keyspace: config.keyspace.clone(),
                statements: format!("{}; {};", keyspace_statement(config), table_statement(config)),
            });
        }
        run(session, "create the keyspace", keyspace_statement(config)).await?;
        run(session, "create the table", table_statement(config)).await?;
        columns = describe(session, config).await?;
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

/// What is not as expected, in words.
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

/// A default expiry would make the ledger forget.
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

async fn run(session: &Session, step: &'static str, statement: String) -> Result<(), ConnectError> {
    session
        .query_unpaged(statement, ())
        .await
        .map(|_| ())
        .map_err(|error| ConnectError::Refused { step, cause: error.to_string() })
}

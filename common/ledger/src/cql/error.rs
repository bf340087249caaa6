//! Why no ledger could be had of a cluster.

use std::path::PathBuf;

use thiserror::Error;

/// Why the ledger was not opened. Nothing but, where allowed, the schema was written.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// A field of the configuration is out of bounds.
    #[error("ledger.cql.{field}: expected {expected}, found {found}")]
    Config {
        /// The field.
        field: &'static str,
        /// What may stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The password cannot be read.
    #[error("the password file {}: expected readable text of at most 4096 bytes: {cause}", path.display())]
    Password {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        cause: String,
    },
    /// No node lets us in.
    #[error("no session with the CQL servers {nodes:?}: {cause}")]
    Unreachable {
        /// The nodes of the configuration.
        nodes: Vec<String>,
        /// What the driver says.
        cause: String,
    },
    /// The cluster spans datacenters, and which one is meant is not configured, or it is not there.
    #[error(
        "ledger.cql.datacenter: expected one of {found:?}, configured is {configured:?}; all processes \
         of a deployment must use the same"
    )]
    Datacenter {
        /// What is configured.
        configured: Option<String>,
        /// The datacenters of the cluster.
        found: Vec<String>,
    },
    /// The keyspace or table is not there and may not be created.
    #[error(
        "the keyspace `{keyspace}` has no ledger, and create_schema is false; create it with: {statements}"
    )]
    SchemaMissing {
        /// The keyspace.
        keyspace: String,
        /// What would create it.
        statements: String,
    },
    /// There is a table of the name, and it is not ours.
    #[error("the table {table} is not a ledger: {}", differences.join("; "))]
    SchemaDiffers {
        /// The table.
        table: String,
        /// Expected and found, one by one.
        differences: Vec<String>,
    },
    /// A statement of the preparation was refused.
    #[error("the CQL server refused to {step}: {cause}")]
    Refused {
        /// What was tried.
        step: &'static str,
        /// What the server says.
        cause: String,
    },
}

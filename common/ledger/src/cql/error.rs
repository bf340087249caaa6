//! Errors of opening a ledger in a cluster.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::cql_config::ConfigError;

/// Reason why the ledger was not opened, or its schema not created. Contains no secret.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// A setting is out of its bounds.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The password cannot be read.
    #[error("the password file {}: expected readable text of at most 4096 bytes: {cause}", path.display())]
    Password {
        /// The file.
        path: PathBuf,
        /// Description of the failure.
        cause: String,
    },
    /// A file of the TLS settings cannot be used.
    #[error("setting cql.tls (PALISADE__CQL__TLS__…): expected {expected}, found {cause}{}", at(path.as_deref()))]
    Tls {
        /// Expected state.
        expected: &'static str,
        /// The file, if it is about one.
        path: Option<PathBuf>,
        /// Actual state.
        cause: String,
    },
    /// No node accepts us.
    #[error("no session with the CQL servers {nodes:?}: {cause}")]
    Unreachable {
        /// The nodes of the configuration.
        nodes: Vec<String>,
        /// Error of the driver.
        cause: String,
    },
    /// The cluster spans datacenters, and ours is not configured, or does not exist.
    #[error(
        "setting cql.datacenter (PALISADE__CQL__DATACENTER) is {}, expected one of {found:?}; all processes of a \
         deployment must use the same",
        configured.as_deref().unwrap_or("not set")
    )]
    Datacenter {
        /// Configured datacenter.
        configured: Option<String>,
        /// The datacenters of the cluster.
        found: Vec<String>,
    },
    /// The keyspace or table is not there.
    #[error(
        "the keyspace `{keyspace}` has no ledger; create it once for the deployment, with the command `palisade \
         init` or these statements: {statements}"
    )]
    SchemaMissing {
        /// The keyspace.
        keyspace: String,
        /// Statements that would create it.
        statements: String,
    },
    /// More copies are configured than there are nodes to keep them, so that no commit could reach its quorum.
    #[error(
        "the keyspace `{keyspace}` keeps {replicas} copies of each row in the datacenter {datacenter:?}, which has {nodes} \
         node(s): commits need {} of the copies. Add nodes, or keep fewer copies: for a keyspace that is still to be made, \
         setting cql.replication_factor (PALISADE__CQL__REPLICATION_FACTOR); for this one, if it exists, ALTER KEYSPACE \
         {keyspace} WITH replication = {{'class': 'NetworkTopologyStrategy', '{datacenter}': {nodes}}}",
        replicas / 2 + 1
    )]
    TooManyReplicas {
        /// The keyspace.
        keyspace: String,
        /// The datacenter that this process uses.
        datacenter: String,
        /// Copies of each row there.
        replicas: usize,
        /// Nodes there.
        nodes: usize,
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
        /// Operation that failed.
        step: &'static str,
        /// Error of the server.
        cause: String,
    },
}

fn at(path: Option<&Path>) -> String {
    path.map_or_else(String::new, |path| format!(" in {}", path.display()))
}

//! The settings of the ledger in a cluster, and the bounds they must keep: read and checked in every build, also in one that
//! has no client of CQL.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{MAX_CHANGES, feed};

/// Where the cluster is and how it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Nodes to begin with, `host:port`, 1 to 64; the others are learned from them. Default `127.0.0.1:9042`.
    pub nodes: Vec<String>,
    /// The datacenter whose nodes are used. Must be given when the cluster has several: commits are
    /// compared within one datacenter, so all processes of a deployment name the same. Default none.
    pub datacenter: Option<String>,
    /// The keyspace: a lower-case letter, then lower-case letters, digits and `_`, 48 at most. Default `palisade`.
    pub keyspace: String,
    /// On how many nodes of each datacenter a row is kept, 1 to 9; used by [`create_schema`](super::create_schema)
    /// only. Default 3.
    pub replication_factor: u32,
    /// Whether the keyspace is created with tablets. ScyllaDB knows this option, Cassandra refuses it;
    /// releases of ScyllaDB without conditional writes on tablets need `false`. Default none: not mentioned.
    pub tablets: Option<bool>,
    /// TLS towards the nodes. Default none: what is sent is not encrypted.
    pub tls: Option<Tls>,
    /// The name to authenticate with. Default none: no authentication. Without `tls` the password can be read
    /// on the way, which is said in a warning.
    pub user: Option<String>,
    /// The file that holds the password, at most 4096 bytes; one line break at its end is ignored. Needed with `user`.
    pub password_file: Option<PathBuf>,
    /// How long, in milliseconds, one call may take, or one page of a scan, 1,000 to 60,000. Half of it is the
    /// most that a commit waits for its turn. Default 5000: what is left to a commit that waited is above the
    /// servers' own time limits (2 s for writes), so that they answer first.
    pub request_timeout_ms: u32,
    /// How long, in milliseconds, opening a connection may take, 100 to 60,000. Default 5000. No session after
    /// as long for each of the `nodes` is a failure.
    pub connect_timeout_ms: u32,
    /// Most rows in one page of a scan, 10 to 5000. Default 256. A page is in memory as a whole; pages are made
    /// smaller than this where rows are large.
    pub page_rows: u32,
    /// How many commits back the change feed of each ledger is told of, 256 to 1,000,000. Default 4096: a
    /// quarter of an hour at four commits a second. A reader that was away longer reloads.
    pub feed_commits: u32,
    /// How long, in seconds, a feed row is kept, 60 to 604,800. Default 3600. Less than a minute would
    /// expire rows that a commit of unknown outcome is looked up by.
    pub feed_seconds: u32,
    /// Whether frames are compressed (LZ4). Default true.
    pub compression: bool,
}

/// TLS (1.2 or newer) towards the nodes. The certificate of a node is always checked: it comes from one of the
/// authorities, is valid today, and names the IP address that is connected to among its alternative names
/// (RFC 5280, section 4.2.1.6, `iPAddress`). Names of hosts are not compared, because nodes tell each other's
/// addresses, not names. Lists of revoked certificates are not consulted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tls {
    /// File of the authorities to trust, in PEM. Default: those of the system.
    pub authorities: Option<PathBuf>,
    /// File of our certificate, in PEM, followed by those between it and its authority, for nodes that ask
    /// for one. Default none.
    pub certificate: Option<PathBuf>,
    /// File of its key, in PEM and not encrypted. Default none.
    pub key: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            nodes: vec!["127.0.0.1:9042".to_owned()],
            datacenter: None,
            keyspace: "palisade".to_owned(),
            replication_factor: 3,
            tablets: None,
            tls: None,
            user: None,
            password_file: None,
            request_timeout_ms: 5_000,
            connect_timeout_ms: 5_000,
            page_rows: 256,
            feed_commits: feed::DEFAULT_COMMITS,
            feed_seconds: 3_600,
            compression: true,
        }
    }
}

/// A setting that is out of its bounds.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("setting cql.{field} (PALISADE__CQL__{}) is {found}, expected {expected}", field.to_uppercase())]
pub struct ConfigError {
    /// Which one.
    pub field: &'static str,
    /// What may stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl Config {
    /// How long a request to the cluster may take.
    #[must_use]
    pub fn request_timeout(&self) -> Duration {
        Duration::from_millis(u64::from(self.request_timeout_ms))
    }

    /// How long connecting to a node may take.
    #[must_use]
    pub fn connect_timeout(&self) -> Duration {
        Duration::from_millis(u64::from(self.connect_timeout_ms))
    }

    /// Whether the settings are within their bounds, before any server is asked.
    ///
    /// # Errors
    /// [`ConfigError`], which names the first that is not.
    pub fn check(&self) -> Result<(), ConfigError> {
        let numbers = [
            ("replication_factor", self.replication_factor, 1..=9),
            ("request_timeout_ms", self.request_timeout_ms, 1_000..=60_000),
            ("connect_timeout_ms", self.connect_timeout_ms, 100..=60_000),
            ("page_rows", self.page_rows, 10..=5_000),
            // One call of `changes` must not outrun the feed.
            ("feed_commits", self.feed_commits, MAX_CHANGES as u32..=1_000_000),
            ("feed_seconds", self.feed_seconds, 60..=604_800),
        ];
        for (field, found, allowed) in numbers {
            if !allowed.contains(&found) {
                let (least, most) = allowed.into_inner();
                let expected = format!("{least} to {most}");
                return Err(ConfigError { field, expected, found: found.to_string() });
            }
        }
        if !(1..=64).contains(&self.nodes.len()) {
            let expected = "1 to 64 nodes".to_owned();
            return Err(ConfigError { field: "nodes", expected, found: self.nodes.len().to_string() });
        }
        if !is_keyspace(&self.keyspace) {
            let expected = "a lower-case letter, then up to 47 of a-z, 0-9 and _".to_owned();
            return Err(ConfigError { field: "keyspace", expected, found: self.keyspace.clone() });
        }
        if self.user.is_some() != self.password_file.is_some() {
            return Err(one_of_two("user", "`user` and `password_file`"));
        }
        match &self.tls {
            Some(Tls { certificate, key, .. }) if certificate.is_some() != key.is_some() => {
                Err(one_of_two("tls", "`certificate` and `key`"))
            }
            _ => Ok(()),
        }
    }
}

fn one_of_two(field: &'static str, both: &str) -> ConfigError {
    ConfigError { field, expected: format!("both of {both}, or neither"), found: "one of them".to_owned() }
}

/// The name is written into statements, so nothing that would need quoting is allowed.
fn is_keyspace(name: &str) -> bool {
    name.len() <= 48
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

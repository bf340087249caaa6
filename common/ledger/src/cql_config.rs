//! The settings of the ledger in a cluster, and the bounds they must keep: read and checked in every build, also in one that
//! has no client of CQL.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{MAX_CHANGES, feed};

/// Addresses and use of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Contact points, `host:port`, 1 to 64; other nodes are discovered. Default `127.0.0.1:9042`.
    pub nodes: Vec<String>,
    /// The datacenter whose nodes are used. Required if the cluster has several: conditional commits are decided
    /// within one datacenter, so all processes of a deployment must use the same. Default none.
    pub datacenter: Option<String>,
    /// The keyspace: a lower-case letter, then lower-case letters, digits and `_`, 48 at most. Default `palisade`.
    pub keyspace: String,
    /// Replicas of a row in each datacenter, 1 to 9; used by [`create_schema`](super::create_schema) only. Default 3.
    pub replication_factor: u32,
    /// Whether the keyspace is created with tablets. Only ScyllaDB supports this option; releases without conditional
    /// writes on tablets need `false`. Default none: the option is omitted.
    pub tablets: Option<bool>,
    /// TLS to the nodes. Default none: connections are not encrypted.
    pub tls: Option<Tls>,
    /// User name for authentication. Default none: no authentication. Without `tls` the password is sent unencrypted,
    /// with a warning.
    pub user: Option<String>,
    /// The file that holds the password, at most 4096 bytes; one line break at its end is ignored. Needed with `user`.
    pub password_file: Option<PathBuf>,
    /// Timeout of one call, or of one page of a scan, in milliseconds, 1,000 to 60,000. A commit is queued for at most
    /// half of it. Default 5000: the remaining time of a queued commit exceeds the write timeout of the servers (2 s),
    /// so that their response arrives first.
    pub request_timeout_ms: u32,
    /// Connect timeout in milliseconds, 100 to 60,000. Default 5000. Opening a session fails after this time for each
    /// of the `nodes`.
    pub connect_timeout_ms: u32,
    /// Maximum number of rows in one page of a scan, 10 to 5000. Default 256. A page is held in memory; pages of large
    /// rows are smaller.
    pub page_rows: u32,
    /// Length of the change feed of each ledger in commits, 256 to 1,000,000. Default 4096: a quarter of an hour at
    /// four commits a second. A reader that lags further reloads.
    pub feed_commits: u32,
    /// Retention of a feed row in seconds, 60 to 604,800. Default 3600. Commits of unknown outcome are looked up in
    /// these rows, which takes up to a minute.
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
    /// File with the trusted certificate authorities, in PEM. Default: those of the system.
    pub authorities: Option<PathBuf>,
    /// File with the client certificate and its intermediate certificates, in PEM, for nodes that require one. Default
    /// none.
    pub certificate: Option<PathBuf>,
    /// File with the unencrypted key of the certificate, in PEM. Default none.
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
    /// Expected values.
    pub expected: String,
    /// Actual value.
    pub found: String,
}

impl Config {
    /// Time limit of a request to the cluster.
    #[must_use]
    pub fn request_timeout(&self) -> Duration {
        Duration::from_millis(u64::from(self.request_timeout_ms))
    }

    /// Time limit of connecting to a node.
    #[must_use]
    pub fn connect_timeout(&self) -> Duration {
        Duration::from_millis(u64::from(self.connect_timeout_ms))
    }

    /// Checks that the settings are within their bounds, before any server is contacted.
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

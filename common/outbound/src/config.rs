//! Settings of everything that leaves the process.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

/// Settings of everything that leaves the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Networks that may be reached although they are not public, for installations whose receivers stand in the
    /// same network; also the only ones that may be reached without TLS. Default none.
    pub allow_networks: Vec<IpNet>,
    /// A file of certificates in PEM of further authorities that receivers may have theirs from. Default none:
    /// the authorities of the web.
    pub authorities_file: Option<PathBuf>,
    /// Name servers that are asked for the addresses of receivers, each as `address:port`. Default none: those of
    /// `/etc/resolv.conf`. Names in `/etc/hosts` are never asked for. Search domains are not used: a receiver in a
    /// network of its own is given by its full name.
    pub name_servers: Vec<SocketAddr>,
    /// Longest time for resolving a name, milliseconds. Default 5,000, in which each name server is asked twice.
    pub resolve_timeout_ms: u64,
    /// Longest time to a connection once the name is resolved, TLS included, milliseconds. Default 5,000.
    pub connect_timeout_ms: u64,
    /// Longest time for a request: resolving the name, connecting, sending, and the reply to its last byte,
    /// milliseconds. Default 15,000.
    pub timeout_ms: u64,
    /// Connections kept open per receiver between two requests. Default 4.
    pub idle_connections: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            allow_networks: Vec::new(),
            authorities_file: None,
            name_servers: Vec::new(),
            resolve_timeout_ms: 5_000,
            connect_timeout_ms: 5_000,
            timeout_ms: 15_000,
            idle_connections: 4,
        }
    }
}

impl Config {
    pub(crate) fn resolve_timeout(&self) -> Duration {
        Duration::from_millis(self.resolve_timeout_ms)
    }

    pub(crate) fn connect_timeout(&self) -> Duration {
        Duration::from_millis(self.connect_timeout_ms)
    }

    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

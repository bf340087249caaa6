//! Settings of registries.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Settings of package registries.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// npm. Default `https://registry.npmjs.org`.
    pub npm: Registry,
    /// PyPI. Default `https://pypi.org`, archives from `files.pythonhosted.org`.
    pub pypi: Registry,
    /// Module proxy of Go. Default `https://proxy.golang.org`.
    pub go: Registry,
    /// RubyGems. Default `https://rubygems.org`.
    pub rubygems: Registry,
    /// Sparse index of crates.io. Default `https://index.crates.io`, archives from `static.crates.io`.
    pub crates_index: Registry,
    /// API of crates.io, for times, publishers and links, which its index lacks. Default `https://crates.io`.
    pub crates_api: Registry,
    /// Longest metadata document, bytes after decompression. Default 32 MiB.
    pub metadata_bytes: usize,
    /// Longest archive, bytes as sent. Default 64 MiB.
    pub archive_bytes: usize,
    /// Longest time for a metadata document, milliseconds. Default 15,000.
    pub metadata_timeout_ms: u64,
    /// Longest time for an archive, milliseconds. Default 60,000.
    pub archive_timeout_ms: u64,
    /// Memory for cached documents, bytes. Default 64 MiB; 0 disables the cache.
    pub cache_bytes: usize,
    /// Time for which a cached document is used without asking the registry, seconds. Default 300.
    pub cache_seconds: u64,
}

/// A registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registry {
    /// Base URL without a trailing slash.
    pub url: String,
    /// Further hosts that its archives may be on, each with its subdomains. Default none, for a registry that is set.
    #[serde(default)]
    pub archive_hosts: Vec<String>,
}

impl Registry {
    /// A registry whose archives are on its own host.
    #[must_use]
    pub fn at(url: &str) -> Self {
        Self { url: url.to_owned(), archive_hosts: Vec::new() }
    }

    fn with_archives(url: &str, host: &str) -> Self {
        Self { url: url.to_owned(), archive_hosts: vec![host.to_owned()] }
    }

    /// Base URL without a trailing slash.
    pub(crate) fn base(&self) -> &str {
        self.url.trim_end_matches('/')
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            npm: Registry::at("https://registry.npmjs.org"),
            pypi: Registry::with_archives("https://pypi.org", "files.pythonhosted.org"),
            go: Registry::at("https://proxy.golang.org"),
            rubygems: Registry::at("https://rubygems.org"),
            crates_index: Registry::with_archives("https://index.crates.io", "static.crates.io"),
            crates_api: Registry::at("https://crates.io"),
            metadata_bytes: 32 * 1_024 * 1_024,
            archive_bytes: 64 * 1_024 * 1_024,
            metadata_timeout_ms: 15_000,
            archive_timeout_ms: 60_000,
            cache_bytes: 64 * 1_024 * 1_024,
            cache_seconds: 300,
        }
    }
}

impl Config {
    pub(crate) fn metadata_timeout(&self) -> Duration {
        Duration::from_millis(self.metadata_timeout_ms)
    }

    pub(crate) fn archive_timeout(&self) -> Duration {
        Duration::from_millis(self.archive_timeout_ms)
    }

    pub(crate) fn cache_age(&self) -> Duration {
        Duration::from_secs(self.cache_seconds)
    }
}

//! Command line of the mode `day`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use loadtest::arguments::{origin, seconds};

/// Send a day of ordinary traffic, with the internet's background noise, and list the incidents.
#[derive(Clone, Debug, Args)]
pub(crate) struct Plan {
    /// A `palisade` binary to start for the run. Its settings come from the environment, for example
    /// `PALISADE__RULES__DIRECTORIES='["/etc/palisade/rules"]'`.
    #[arg(long, value_name = "PATH", required_unless_present = "url", conflicts_with = "url")]
    pub(crate) binary: Option<PathBuf>,
    /// A running server on this machine instead: `http://127.0.0.1:8080`.
    #[arg(long, value_name = "URL", value_parser = origin, requires = "key")]
    pub(crate) url: Option<SocketAddr>,
    /// The API key for that server.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Approximate number of generated records, 60000..10000000. Scenes of people at work do not depend on it; those of
    /// machines and visitors occur more or less often.
    #[arg(long, default_value_t = 300_000, value_parser = clap::value_parser!(u64).range(60_000..=10_000_000))]
    pub(crate) records: u64,
    /// End of the day, in UTC (`2026-11-20T18:00:00Z`) [default and latest: a minute ago].
    #[arg(long, value_name = "TIME")]
    pub(crate) ending: Option<jiff::Timestamp>,
    /// Log files of a real machine, sent as they are, each as a source of its own.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) lines: Vec<PathBuf>,
    /// Writes the report as Markdown.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Longest time of the analysis after the last record was sent; beyond it the run fails.
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub(crate) deadline_seconds: Duration,
    /// Seed of the random choices [default: a new one, printed].
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Directory of the server's data and log, kept afterwards [default: a temporary directory, kept only after
    /// a failure].
    #[arg(long, value_name = "DIR")]
    pub(crate) work_dir: Option<PathBuf>,
}

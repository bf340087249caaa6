//! Command line of a chaos run.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use loadtest::arguments::{Trial, loopback_port, seconds};
use loadtest::process::Role;

/// Addresses of Kafka and Cassandra. Without them, stores are embedded.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Stores {
    /// Kafka's loopback address; with --cassandra. Without both, one process with embedded stores is loaded.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = loopback_port, requires = "cassandra")]
    pub(crate) kafka: Option<SocketAddr>,
    /// Cassandra's loopback address; with --kafka.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = loopback_port, requires = "kafka")]
    pub(crate) cassandra: Option<SocketAddr>,
    /// Partitions of the log in Kafka, 1..256.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) partitions: u16,
}

impl Stores {
    /// Both addresses, where they are given.
    pub(crate) fn addresses(&self) -> Option<(SocketAddr, SocketAddr)> {
        self.kafka.zip(self.cassandra)
    }

    /// Whether processes share these stores; else one process with embedded ones plays all roles.
    pub(crate) fn are_shared(&self) -> bool {
        self.addresses().is_some()
    }
}

/// Lose processes and stores under load; then compare the answers with those of one process without faults for
/// the same input.
#[derive(Clone, Debug, Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) trial: Trial,
    #[command(flatten)]
    pub(crate) stores: Stores,
    /// Command that starts, stops, kills, pauses and resumes Kafka; without it Kafka has no faults.
    #[arg(long, value_name = "PATH", requires = "kafka")]
    pub(crate) kafka_control: Option<PathBuf>,
    /// The same for Cassandra.
    #[arg(long, value_name = "PATH", requires = "cassandra")]
    pub(crate) cassandra_control: Option<PathBuf>,
    /// Ingest, analyzer and API processes, 1..16 each; where the stores are embedded, one plays all roles.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(crate) ingest: u8,
    /// See --ingest.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(crate) analyzers: u8,
    /// See --ingest.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(crate) apis: u8,
    /// Faults, 1..1000; at least four on each store that has a control command, where there are enough.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) faults: u16,
    /// Calm between two faults, on average; each time a random share of twice as much.
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = seconds)]
    pub(crate) seconds_between: Duration,
    /// Deadline of the run under faults, after which it fails.
    #[arg(long, value_name = "SECONDS", default_value = "1200", value_parser = seconds)]
    pub(crate) deadline_seconds: Duration,
    /// Organizations, 2..8: tenants must not see each other.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=8))]
    pub(crate) organizations: u8,
    /// Sources of each organization, 1..10.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=10))]
    pub(crate) sources: u8,
    /// Phases, 1..20; incidents are reviewed after each, while the next goes on.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=20))]
    pub(crate) phases: u8,
    /// Batches that are begun in a second, at most, over all sources, 1..1000.
    #[arg(long, default_value_t = 18, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rate: u32,
    /// A change must be in another process's list within this, in calm weather. Indexes poll every 200 ms;
    /// on a machine that is busy with other things that may take longer.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub(crate) listed_within: Duration,
    /// Directory of data and logs, kept afterwards [default: a temporary directory, kept only after a violation].
    #[arg(long, value_name = "DIR")]
    pub(crate) work_dir: Option<PathBuf>,
    /// Writes the report as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Omits one record from the input of the process without faults: the run must then fail.
    #[arg(long, hide = true)]
    pub(crate) spoil_comparison: bool,
}

impl Plan {
    /// The processes of the deployment under test.
    pub(crate) fn roles(&self) -> Vec<Role> {
        if !self.stores.are_shared() {
            return vec![Role::All];
        }
        let of = |role, count: u8| std::iter::repeat_n(role, usize::from(count));
        of(Role::Ingest, self.ingest)
            .chain(of(Role::Analyzer, self.analyzers))
            .chain(of(Role::Api, self.apis))
            .collect()
    }
}

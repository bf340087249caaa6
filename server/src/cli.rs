//! The command line: its grammar only.

mod content;
mod tenants;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use content::{ContextCommand, ContextScan, ScanOrigin, ScanTolerance};
pub(crate) use tenants::{CodeHostCommand, KeyCommand, OrgCommand, SourceCommand};

/// Palisade detects attacks in logs and reports them as incidents.
#[derive(Debug, Parser)]
#[command(version, about)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    /// Command; `serve` by default.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of every command.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Common {
    /// Configuration file (TOML).
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Data directory [default: ./data].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server: ingest logs, analyse them, serve the API.
    Serve(Serve),
    /// Initialize a deployment, once: the first API key and, if distributed, the keyspace and the topic.
    Init,
    /// Run a demonstration: a server in a temporary directory, generated attacks, and their incidents.
    Demo(Demo),
    /// Manage organizations.
    #[command(subcommand)]
    Org(OrgCommand),
    /// Manage API keys.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Manage sources of logs.
    #[command(subcommand)]
    Source(SourceCommand),
    /// Manage quarantined records, which could not be analysed.
    #[command(subcommand)]
    Quarantine(QuarantineCommand),
    /// Show or resume the analysis of partitions of the log.
    #[command(subcommand)]
    Partition(PartitionCommand),
    /// Manage background jobs.
    #[command(subcommand)]
    Job(JobCommand),
    /// Import security advisories of packages, or show the state of their index.
    #[command(subcommand)]
    Advisories(AdvisoriesCommand),
    /// Connect installations of the code host.
    #[command(subcommand)]
    CodeHost(CodeHostCommand),
    /// Check, evaluate and explain detection rules.
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Classify a text or PDF for malicious intent, like POST /api/guard.
    Guard(GuardInput),
    /// Remove personal data and secrets from a text or PDF, like POST /api/redact.
    Redact(RedactInput),
    /// Check the claims of a text against sources, like POST /api/verify.
    Verify(VerifyInput),
    /// Scan content before an agent reads it.
    #[command(subcommand)]
    Context(ContextCommand),
    /// List the built-in models.
    Models,
    /// Check or print the configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Diagnose problems that would prevent the server from working.
    Doctor,
    /// Check whether the running process of this configuration is ready; the result is the exit status.
    Probe(Probe),
}

#[derive(Clone, Debug, Args)]
pub(crate) struct GuardInput {
    /// Text or PDF to classify [default: standard input].
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// File with the system prompt of the application, which steers the classification.
    #[arg(long, value_name = "FILE")]
    pub(crate) system_prompt: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct RedactInput {
    /// Text or PDF to redact [default: standard input].
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Type to remove in place of the default ones, for example EMAIL, "UK passports" or "project names"; may be repeated.
    #[arg(long, value_name = "TYPE")]
    pub(crate) entity: Vec<String>,
    /// Put invented values instead of placeholders.
    #[arg(long)]
    pub(crate) rewrite: bool,
    /// Write the redacted text as PDF to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) pdf: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VerifyInput {
    /// Text whose claims are checked [default: standard input].
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Text that claims are checked against; may be repeated.
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) source: Vec<PathBuf>,
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Serve {
    /// Address and port to listen on [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// Roles of the process, separated by commas: ingest, analyzer, api, worker [default: all].
    #[arg(long, value_name = "ROLE,…", value_delimiter = ',')]
    pub(crate) role: Vec<String>,
    /// Address of the listener for metrics and health, or off [default: 127.0.0.1:9464].
    #[arg(long, value_name = "ADDR|off")]
    pub(crate) admin_listen: Option<String>,
    /// Non-public network that webhooks may reach, also without TLS; repeatable, and overrides outbound.allow_networks
    /// [default: none].
    #[arg(long, value_name = "CIDR")]
    pub(crate) outbound_allow: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Probe {
    /// Listen address of the process, if its listener for metrics and health is off [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// Address of the listener for metrics and health of the process, or off [default: 127.0.0.1:9464].
    #[arg(long, value_name = "ADDR|off")]
    pub(crate) admin_listen: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Demo {
    /// Keep the server running afterwards, until interrupted.
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum QuarantineCommand {
    /// List quarantined records with the cause.
    List,
    /// Send quarantined records to their sources again, and remove those that are accepted.
    Replay {
        /// API key of the organization of the records.
        #[arg(long)]
        key: String,
        /// Base URL of the API.
        #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080/api/v1")]
        url: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PartitionCommand {
    /// List partitions with the next batch to analyse (- if there is none), the last batch of the log, and whether
    /// analysis can continue. Works while the server runs.
    List,
    /// Resume analysis at the oldest available batch, if the next batches are permanently lost. Works while the server
    /// runs, which resumes within a minute.
    Resume {
        /// Number of the partition.
        partition: u16,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum JobCommand {
    /// List unfinished jobs, with the time they are due, and those finished within the last day.
    List {
        /// Jobs of one organization [default: of all].
        #[arg(long)]
        org: Option<String>,
    },
    /// Cancel an unfinished job: one that is queued ends at once, one that is running at its next step.
    Cancel {
        /// Its id.
        id: String,
    },
    /// Queue a job like one that has finished within the last day.
    Retry {
        /// Its id.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdvisoriesCommand {
    /// Read advisories of the OSV schema (*.json, *.zip) below directories and replace the index. Works while the server
    /// runs. Files that cannot be read are named, and the exit status is not 0; the others are imported.
    Import {
        /// Directories [default: advisories.directories].
        #[arg(value_name = "DIR")]
        directories: Vec<PathBuf>,
    },
    /// Show the age and the contents of the index.
    Status,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// Parse and compile the Sigma rules below a directory; prints the count of each outcome and the reason of each
    /// rejection.
    Check {
        /// Directory with Sigma rules.
        dir: PathBuf,
    },
    /// Match events in a file against the Sigma rules below a directory; prints a JSON line for each match.
    /// Correlations are not evaluated.
    Eval {
        /// Directory with Sigma rules.
        #[arg(long, value_name = "DIR")]
        rules: PathBuf,
        /// File with a JSON object on each line; - for standard input.
        #[arg(long, value_name = "FILE")]
        events: PathBuf,
    },
    /// Explain each line of a file: its recognised format, fields and log source, the rules that match or nearly
    /// match, and the correlations that count it. Secrets are masked in each line separately.
    Explain {
        /// File with a JSON object or plain text on each line; - for standard input.
        #[arg(value_name = "FILE", default_value = "-")]
        events: PathBuf,
        /// Use only the Sigma rules below this directory [default: the built-in rules and those of the configuration].
        #[arg(long, value_name = "DIR")]
        rules: Option<PathBuf>,
        /// Print a JSON object for each record.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Validate the configuration, also against the settings recorded in the ledger of the deployment.
    Check {
        /// Skip the ledger, on a machine that cannot reach it.
        #[arg(long)]
        offline: bool,
    },
    /// Print the effective configuration without secrets.
    Print,
}

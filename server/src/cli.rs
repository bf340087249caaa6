//! The command line: what can be said, not what is done about it.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use directory::SCOPES;

/// Palisade: logs in, incidents out.
#[derive(Debug, Parser)]
#[command(version, about)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    /// What to do; `serve` when nothing is said.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What every command understands.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Common {
    /// Configuration file (TOML).
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where everything is kept [default: ./data].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve: take logs in, analyse them, answer the API.
    Serve(Serve),
    /// Prepare a deployment, once: keyspace and topic where there are many machines, the first key.
    Init,
    /// Show it at work: a server in a temporary directory, generated attacks, the incidents they make.
    Demo(Demo),
    /// Organizations.
    #[command(subcommand)]
    Org(OrgCommand),
    /// API keys.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Sources of logs.
    #[command(subcommand)]
    Source(SourceCommand),
    /// Records that could not be analysed and were set aside.
    #[command(subcommand)]
    Quarantine(QuarantineCommand),
    /// Partitions of the log: how far they are analysed.
    #[command(subcommand)]
    Partition(PartitionCommand),
    /// Background jobs.
    #[command(subcommand)]
    Job(JobCommand),
    /// Detection rules.
    #[command(subcommand)]
    Rules(RulesCommand),
    /// The configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Look for what would keep the server from working.
    Doctor,
    /// Ask the running process of this configuration whether it is ready; answers by exit status.
    Probe(Probe),
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Serve {
    /// Address and port to listen on [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// Roles to play, separated by commas: ingest, analyzer, api, worker [default: all].
    #[arg(long, value_name = "ROLE,…", value_delimiter = ',')]
    pub(crate) role: Vec<String>,
    /// Address of the listener for metrics and health, or off [default: 127.0.0.1:9464].
    #[arg(long, value_name = "ADDR|off")]
    pub(crate) admin_listen: Option<String>,
    /// Network that webhooks may reach although it is not public, and without TLS; may be given several times, and
    /// then takes the place of outbound.allow_networks [default: none].
    #[arg(long, value_name = "CIDR")]
    pub(crate) outbound_allow: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Probe {
    /// Address that the process was given to listen on, where its listener for metrics and health is off
    /// [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
    /// Address that the process was given for metrics and health, or off [default: 127.0.0.1:9464].
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
pub(crate) enum OrgCommand {
    /// Create an organization.
    Create {
        /// Its name, 1..100 characters.
        #[arg(long)]
        name: String,
    },
    /// List organizations.
    List,
    /// Revoke all API keys of an organization.
    Revoke {
        /// Its id.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Create an API key and print it once.
    Create {
        /// The organization; may be left out when there is only one.
        #[arg(long)]
        org: Option<String>,
        /// Its name, 1..100 characters.
        #[arg(long)]
        name: String,
        /// Permissions, separated by commas [default: all].
        #[arg(long, value_name = "SCOPE,…", value_delimiter = ',', value_parser = PossibleValuesParser::new(SCOPES))]
        scopes: Option<Vec<String>>,
        /// When it stops working, RFC 3339.
        #[arg(long, value_name = "TIME")]
        expires_at: Option<String>,
    },
    /// List API keys, never the keys themselves.
    List {
        /// The organization; may be left out when there is only one.
        #[arg(long)]
        org: Option<String>,
    },
    /// Revoke an API key: it stops working within seconds, everywhere.
    Revoke {
        /// The organization; may be left out when there is only one.
        #[arg(long)]
        org: Option<String>,
        /// Its id.
        id: String,
    },
    /// Wrap what encrypts secrets by the first of the key-encryption keys; afterwards the others may be taken away.
    Rewrap {
        /// Begin new data keys where the key that wraps the newest is lost: what was entrusted under it stays unreadable,
        /// and can be entrusted anew.
        #[arg(long)]
        give_up_lost: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SourceCommand {
    /// Create a source.
    Create {
        /// The organization; may be left out when there is only one.
        #[arg(long)]
        org: Option<String>,
        /// Its name, 1..100 characters.
        #[arg(long)]
        name: String,
        /// Application group, 1..100 characters [default: default].
        #[arg(long)]
        application_group: Option<String>,
        /// Environment, 1..50 characters [default: production].
        #[arg(long)]
        environment: Option<String>,
    },
    /// List sources.
    List {
        /// The organization; may be left out when there is only one.
        #[arg(long)]
        org: Option<String>,
    },
    /// Enable a source: logs sent to it are accepted within five seconds.
    Enable {
        /// The organization; may be left out when there is only one.
        #[arg(long)]
        org: Option<String>,
        /// Its id.
        id: String,
    },
    /// Disable a source: logs sent to it are refused within five seconds.
    #[command(visible_alias = "revoke")]
    Disable {
        /// The organization; may be left out when there is only one.
        #[arg(long)]
        org: Option<String>,
        /// Its id.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum QuarantineCommand {
    /// List them, with the cause.
    List,
    /// Send them to their sources again, and forget those that are accepted.
    Replay {
        /// An API key of their organization.
        #[arg(long)]
        key: String,
        /// Where the API is.
        #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080/api/v1")]
        url: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PartitionCommand {
    /// List them, with the batch that is analysed next (- where none waits), the last one of the log, and whether analysis
    /// can go on. Works beside a running server.
    List,
    /// Go on at the oldest batch the log has, where what comes next is lost for good. Works beside a running server,
    /// which goes on there within a minute.
    Resume {
        /// Which one.
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
pub(crate) enum RulesCommand {
    /// Parse and compile the Sigma rules below a directory: a count per outcome, a reason per refusal.
    Check {
        /// The directory.
        dir: PathBuf,
    },
    /// Match events in a file against the Sigma rules below a directory; prints a JSON line for each match.
    /// Correlations are not evaluated.
    Eval {
        /// The directory.
        #[arg(long, value_name = "DIR")]
        rules: PathBuf,
        /// The file, a JSON object on each line; - for standard input.
        #[arg(long, value_name = "FILE")]
        events: PathBuf,
    },
    /// Explain each line of a file: the format it is recognised as, its fields and log source, the rules that match or
    /// nearly match, and the correlations that count it. Secrets are masked in each line by itself.
    Explain {
        /// The file, a JSON object or a plain text line on each line; - for standard input.
        #[arg(value_name = "FILE", default_value = "-")]
        events: PathBuf,
        /// Use the Sigma rules below a directory alone [default: the built-in rules and those of the configuration].
        #[arg(long, value_name = "DIR")]
        rules: Option<PathBuf>,
        /// Print a JSON object for each record.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Read the configuration and say whether it holds together, also with what the ledger of the deployment has recorded.
    Check {
        /// Leave the ledger out, for a machine that does not reach it.
        #[arg(long)]
        offline: bool,
    },
    /// Print the configuration in force; secrets are left out.
    Print,
}

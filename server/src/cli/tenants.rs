//! Commands on organizations, their API keys and their sources.

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use directory::SCOPES;

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
    /// Show or set the plan of an organization: how many credits it has for billable work each calendar month.
    Plan {
        /// Its id.
        id: String,
        /// Credits per calendar month (UTC); unused credits are not carried over.
        #[arg(long)]
        credits: Option<u64>,
        /// Remove the limit.
        #[arg(long, conflicts_with = "credits")]
        unlimited: bool,
    },
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
        /// Organization id; optional if there is only one.
        #[arg(long)]
        org: Option<String>,
        /// Its name, 1..100 characters.
        #[arg(long)]
        name: String,
        /// Permissions, separated by commas [default: all].
        #[arg(long, value_name = "SCOPE,…", value_delimiter = ',', value_parser = PossibleValuesParser::new(SCOPES))]
        scopes: Option<Vec<String>>,
        /// Expiry time, RFC 3339.
        #[arg(long, value_name = "TIME")]
        expires_at: Option<String>,
    },
    /// List API keys, never the keys themselves.
    List {
        /// Organization id; optional if there is only one.
        #[arg(long)]
        org: Option<String>,
    },
    /// Revoke an API key; effective in all processes within seconds.
    Revoke {
        /// Organization id; optional if there is only one.
        #[arg(long)]
        org: Option<String>,
        /// Its id.
        id: String,
    },
    /// Rewrap the data keys with the first of the key-encryption keys; afterwards the other keys can be removed.
    Rewrap {
        /// Create new data keys if the key that wraps the newest one is lost: secrets encrypted under it remain
        /// unreadable and must be set again.
        #[arg(long)]
        give_up_lost: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SourceCommand {
    /// Create a source.
    Create {
        /// Organization id; optional if there is only one.
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
        /// Organization id; optional if there is only one.
        #[arg(long)]
        org: Option<String>,
    },
    /// Enable a source: logs sent to it are accepted within five seconds.
    Enable {
        /// Organization id; optional if there is only one.
        #[arg(long)]
        org: Option<String>,
        /// Its id.
        id: String,
    },
    /// Disable a source: logs sent to it are rejected within five seconds.
    #[command(visible_alias = "revoke")]
    Disable {
        /// Organization id; optional if there is only one.
        #[arg(long)]
        org: Option<String>,
        /// Its id.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum CodeHostCommand {
    /// Connect an installation of the app to an organization, without the check of a user at the code host.
    Bind {
        /// Organization id; optional if there is only one.
        #[arg(long)]
        org: Option<String>,
        /// Id of the installation, the number at the end of the URL of its settings page.
        installation: String,
    },
}

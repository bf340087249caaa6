//! Grammar of the commands that scan content.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum ContextCommand {
    /// Scan a file or the standard input without a server, and print the result with its checks as a line of JSON.
    Scan(ContextScan),
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ContextScan {
    /// Kind of content.
    pub(crate) origin: ScanOrigin,
    /// File, or - for the standard input.
    #[arg(value_name = "FILE|-")]
    pub(crate) path: PathBuf,
    /// Make no look-up over the network; checks that need one are reported as not possible.
    #[arg(long)]
    pub(crate) offline: bool,
    /// Accepted risk, by which the score becomes a verdict.
    #[arg(long, default_value = "conservative")]
    pub(crate) tolerance: ScanTolerance,
}

/// Kinds of content that are scanned without a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScanOrigin {
    /// A message: text.
    Message,
    /// A mail with its headers.
    Email,
}

/// Tolerances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScanTolerance {
    /// The least risk.
    Conservative,
    /// More risk.
    Lenient,
    /// The most risk.
    Yolo,
}

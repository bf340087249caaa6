//! Grammar of the commands that scan content.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum ContextCommand {
    /// Scan a file, the standard input or a folder without a server, and print the result with its checks as a line of JSON.
    Scan(ContextScan),
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ContextScan {
    /// Kind of content.
    pub(crate) origin: ScanOrigin,
    /// File, - for the standard input, or the folder of an unpacked package, a skill, or the source of an MCP server.
    #[arg(value_name = "FILE|DIR|-")]
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
    /// A file: text, a page, a mail, a PDF, an Office document, or an archive of these.
    File,
    /// A package of a registry, unpacked in a folder.
    Package,
    /// A skill: the folder with its SKILL.md.
    Skill,
    /// An MCP server: the folder of its source.
    Mcp,
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

//! Why an embedded log could not be opened.

use std::io;
use std::path::PathBuf;

use common::format::UnknownFormat;
use thiserror::Error;

/// Why a log could not be opened. None of these changes anything that was acknowledged.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error("the log in {} is open in another process", directory.display())]
    Locked {
        /// The directory.
        directory: PathBuf,
    },
    /// A setting is out of its bounds.
    #[error("the settings of the log are not allowed: {cause}")]
    Config {
        /// Which one, what was found and expected.
        cause: String,
    },
    /// The manifest is damaged or missing.
    #[error("the manifest of the log cannot be read: {cause}")]
    Manifest {
        /// What is wrong with it.
        cause: String,
    },
    /// Written in another format.
    #[error("the log has {0}")]
    Format(#[from] UnknownFormat),
    /// The number of partitions cannot change during the life of a log.
    #[error(
        "the log has {found} partitions, {configured} are configured: the number is fixed for the life of a log"
    )]
    PartitionsDiffer {
        /// What the settings say.
        configured: u16,
        /// What the log has.
        found: u16,
    },
    /// Acknowledged batches are damaged or missing.
    #[error("segment {segment} is corrupt at offset {offset}: {cause}")]
    Corrupt {
        /// Name of the segment's file.
        segment: String,
        /// Offset of the first batch that is damaged or missing.
        offset: u64,
        /// How that is known.
        cause: String,
    },
    /// A file has a number that no log reaches.
    #[error(
        "there is a file of number {sequence}, which no log reaches: it was renamed, or is not of this log"
    )]
    Misnumbered {
        /// Its number.
        sequence: u64,
    },
    /// The disk failed, or has not even room for one small segment.
    #[error("could not {operation}")]
    Disk {
        /// What was being done.
        operation: &'static str,
        /// What the disk said.
        source: io::Error,
    },
}

impl OpenError {
    pub(super) fn disk(operation: &'static str, source: io::Error) -> Self {
        Self::Disk { operation, source }
    }
}

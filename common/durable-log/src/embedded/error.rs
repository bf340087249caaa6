//! Errors of opening an embedded log.

use std::io;
use std::path::PathBuf;

use common::format::UnknownFormat;
use thiserror::Error;

/// Reason why a log could not be opened. None of these changes any acknowledged batch.
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
        /// The setting, its value and the expected values.
        cause: String,
    },
    /// The manifest is damaged or missing.
    #[error("the manifest of the log cannot be read: {cause}")]
    Manifest {
        /// Description of the damage.
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
        /// Value in the settings.
        configured: u16,
        /// Value of the log.
        found: u16,
    },
    /// Acknowledged batches are damaged or missing.
    #[error("segment {segment} is corrupt at offset {offset}: {cause}")]
    Corrupt {
        /// Name of the segment's file.
        segment: String,
        /// Offset of the first batch that is damaged or missing.
        offset: u64,
        /// Evidence of the loss.
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
        /// Operation that failed.
        operation: &'static str,
        /// Error of the disk.
        source: io::Error,
    },
}

impl OpenError {
    pub(super) fn disk(operation: &'static str, source: io::Error) -> Self {
        Self::Disk { operation, source }
    }
}

//! Stock of the supply: the segment that is ready, empty files, and whether the directory can still be trusted. Operations on
//! files are in `supply`.

use std::collections::VecDeque;
use std::io;

use super::segment::Segment;
use super::supply::SupplyError;

/// The stock. Held locked during work on files: a caller that needs a segment waits for the one
/// that is being made.
pub(super) struct Stock {
    pub(super) ready: Option<Segment>,
    pub(super) spares: VecDeque<u64>,
    pub(super) next_sequence: u64,
    failed: Option<(io::ErrorKind, String)>,
    pub(super) was_full: bool,
}

impl Stock {
    /// Nothing ready, and these files for making segments.
    pub(super) fn new(spares: VecDeque<u64>, next_sequence: u64) -> Self {
        Self { ready: None, spares, next_sequence, failed: None, was_full: false }
    }

    /// Refuses everything after a failure: the contents of the directory are then uncertain.
    pub(super) fn check(&self) -> io::Result<()> {
        match &self.failed {
            Some((kind, cause)) => Err(io::Error::new(*kind, cause.clone())),
            None => Ok(()),
        }
    }

    pub(super) fn note<T, E: Into<SupplyError>>(&mut self, result: Result<T, E>) -> Result<T, SupplyError> {
        result.map_err(|error| {
            let error = error.into();
            if let SupplyError::Disk(cause) = &error {
                self.failed = Some((cause.kind(), cause.to_string()));
            }
            error
        })
    }
}

//! Outcomes of requests, counted for their source.

use std::sync::Arc;

use common::clock::SharedClock;
use statistics::{SourceKey, Statistics};

use crate::refusal::Refusal;
use crate::respond;

/// Counts outcomes.
pub(crate) struct Counting {
    statistics: Arc<Statistics>,
    clock: SharedClock,
}

impl Counting {
    pub(crate) fn new(statistics: Arc<Statistics>, clock: SharedClock) -> Self {
        Self { statistics, clock }
    }

    /// Counts the records of an accepted batch, or a refused request; nothing if the source is unknown.
    pub(crate) fn count(&self, source: Option<SourceKey>, outcome: Result<u32, &Refusal>) {
        let Some(source) = source else { return };
        match outcome {
            // An empty batch carries no information about the log.
            Ok(0) => {}
            Ok(records) => self.statistics.accepted(source, records, self.clock.now()),
            Err(refusal) => self.statistics.refused(source, respond::refusal_reason(refusal)),
        }
    }
}

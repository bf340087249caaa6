//! The writer of the totals of sources, in processes that ingest or analyse logs.

use std::sync::Arc;
use std::time::Duration;

use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use statistics::Writer;

use super::Opened;
use crate::settings::{Role, Settings};

/// Longest time of the last flush: its loss costs only counts.
const LAST_FLUSH: Duration = Duration::from_secs(3);

/// Writes until the process ends.
pub(super) struct SourceStatistics(Arc<Writer>);

impl SourceStatistics {
    /// Starts the writer, if there is something to count.
    pub(super) fn start(
        settings: &Settings,
        opened: &Opened,
        tasks: &mut Tasks,
        shutdown: &Shutdown,
    ) -> Option<Self> {
        if !settings.has(Role::Ingest) && !settings.has(Role::Analyzer) {
            return None;
        }
        statistics::describe_metrics();
        let writer = Arc::new(Writer::new(
            Arc::clone(&opened.ledgers.ledger),
            Arc::clone(&opened.clock),
            Arc::clone(&opened.statistics),
            settings.partitions(),
            rand::random(),
        ));
        let (running, shutdown) = (Arc::clone(&writer), shutdown.clone());
        tasks.spawn("source statistics", Tier::Back, async move {
            running.run(shutdown.reached(Stage::Flushing)).await;
            Ok(())
        });
        Some(Self(writer))
    }

    /// Writes the last counts, after all roles have ended.
    pub(super) async fn finish(self) {
        if tokio::time::timeout(LAST_FLUSH, self.0.flush()).await.is_err() {
            tracing::warn!("the last statistics of sources were not written in time");
        }
    }
}

//! Durable log in, incidents out. The modules are in the order of processing a batch: it is fetched, its records are normalized
//! and matched, the matches are folded into the state in log order, and the state is committed to the ledger together with the
//! position.

mod config;
mod fetch;
pub mod pack;
pub mod documents;
mod failing;
mod residence;
mod catalogue;
mod follow;
mod pool;
mod identity;
mod detect;
mod deliveries;
mod steps;
mod fold;
mod state;
mod quarantine;
mod commit;
mod recognise;
pub mod explain;
mod worker;
mod partitions;
mod health;
mod backlog;
mod measure;

use std::sync::Arc;

use common::clock::SharedClock;
use common::pepper::Pepper;
use durable_log::DurableLog;
use escalation::Escalation;
use ledger::Ledger;
use ownership::Share;
use statistics::Statistics;
use tokio::sync::watch;

pub use backlog::{Backlog, Blocked, Reason, Sharing, Sources, summary};
pub use catalogue::{Catalogue, OwnRules};
pub use config::Config;
pub use follow::{Follower, SharedRules};
pub use health::WorkerStatus;
pub use pool::PoolError;
pub use recognise::{AnotherLog, RecogniseError, recognise};
pub use residence::{LoadError, Loader};
pub use worker::AnalyzerError;

use self::partitions::Partitions;
use self::pool::Pool;
use self::worker::Shared;

/// Dependencies of the analyzer.
pub struct Dependencies {
    /// Log of the batches.
    pub log: Arc<dyn DurableLog>,
    /// Ledger of incidents and the state.
    pub ledger: Arc<dyn Ledger>,
    /// The rules: the latest are adopted by every partition at its next commit.
    pub rules: watch::Receiver<Arc<Catalogue>>,
    /// The secret that keys identities.
    pub pepper: Pepper,
    /// Policies and settings of escalation.
    pub escalation: Arc<Escalation>,
    /// The clock: for pauses and metrics only, never for the meaning of a record.
    pub clock: SharedClock,
    /// Status of the workers: they report partitions they cannot analyse.
    pub status: WorkerStatus,
    /// Counters of records by source and format.
    pub statistics: Arc<Statistics>,
}

/// The analyzer of one process's share of a log's partitions.
pub struct Analyzer {
    shared: Arc<Shared>,
}

impl Analyzer {
    /// Prepares the analyzer; nothing runs yet.
    ///
    /// # Errors
    /// [`PoolError::Start`] when the matching threads cannot be started.
    pub fn build(config: Config, dependencies: Dependencies) -> Result<Self, PoolError> {
        let Dependencies { log, ledger, rules, pepper, escalation, clock, status, statistics } = dependencies;
        measure::describe();
        let pool = Pool::start(config.threads)?;
        let shared = Arc::new(Shared {
            config,
            log,
            ledger,
            rules,
            pool,
            pepper,
            clock,
            escalation,
            status,
            statistics,
        });
        Ok(Self { shared })
    }

    /// Works on the partitions of `share`, which may change meanwhile, until `stop` becomes true; then
    /// commits what is folded and returns.
    ///
    /// # Errors
    /// [`AnalyzerError`] when no retry can help. A partition whose batches are lost or damaged is not among them: it is halted,
    /// reported in [`Dependencies::status`], and tried again.
    pub async fn run(self, share: Share, stop: watch::Receiver<bool>) -> Result<(), AnalyzerError> {
        Partitions::new(self.shared).run(share, stop).await
    }
}

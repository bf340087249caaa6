//! Durable log in, incidents out. The modules stand in the order in which a batch meets them: it is
//! fetched, its records are normalized and matched, what matched is folded into the state in log
//! order, and the state is committed to the ledger together with the position.

mod config;
mod fetch;
pub mod record;
pub mod normalize;
pub mod pack;
mod note;
mod plan;
mod pool;
mod identity;
mod detect;
mod qualify;
mod fold;
mod state;
mod quarantine;
mod commit;
mod worker;
mod measure;

use std::sync::Arc;

use common::clock::SharedClock;
use common::partition::Partition;
use common::pepper::Pepper;
use durable_log::DurableLog;
use ledger::Ledger;
use sigma::RuleSet;
use tokio::sync::watch;

pub use config::Config;
pub use pool::PoolError;
pub use worker::AnalyzerError;

use self::plan::Plan;
use self::pool::Pool;
use self::worker::{Shared, Worker};

/// What the analyzer is handed.
pub struct Dependencies {
    /// Where batches come from.
    pub log: Arc<dyn DurableLog>,
    /// Where incidents and the state go.
    pub ledger: Arc<dyn Ledger>,
    /// What is looked for.
    pub rules: Arc<RuleSet>,
    /// The secret that keys identities.
    pub pepper: Pepper,
    /// What time it is: for pauses and metrics only, never for what a record means.
    pub clock: SharedClock,
}

/// The analyzer of all partitions of a log.
pub struct Analyzer {
    shared: Arc<Shared>,
}

impl Analyzer {
    /// Prepares the analyzer; nothing runs yet.
    ///
    /// # Errors
    /// [`PoolError::Start`] when the matching threads cannot be started.
    pub fn build(config: Config, dependencies: Dependencies) -> Result<Self, PoolError> {
        let Dependencies { log, ledger, rules, pepper, clock } = dependencies;
        measure::describe();
        let pool = Pool::start(config.threads)?;
        let plan = Arc::new(Plan::new(rules));
        Ok(Self { shared: Arc::new(Shared { config, log, ledger, plan, pool, pepper, clock }) })
    }

    /// One future per partition, to be run side by side. Each ends when `stop` becomes true, after it
    /// has committed what it has folded, or with what no retry can mend.
    pub fn workers(
        &self,
        stop: &watch::Receiver<bool>,
    ) -> Vec<impl Future<Output = Result<(), AnalyzerError>> + Send + 'static> {
        let worker =
            |partition| Worker::new(Arc::clone(&self.shared), Partition(partition)).run(stop.clone());
        (0..self.shared.log.partitions()).map(worker).collect()
    }
}

//! The role that turns logs into incidents, ended after the listener, so that the last accepted batches are
//! analysed as far as time allows. A process with exclusive use of the log works on all partitions; one of many, on
//! its share.

use std::sync::Arc;

use analyzer::{Analyzer, Catalogue, Dependencies};
use durable_log::DurableLog;
use ledger::Work;
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use tokio::sync::watch;

use super::Opened;
use super::share::share;
use crate::Failure;
use crate::settings::Settings;

/// Starts the analyzer.
pub(super) fn start(
    settings: &Settings,
    opened: &Opened,
    log: &Arc<dyn DurableLog>,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
    rules: watch::Receiver<Arc<Catalogue>>,
) -> Result<(), Failure> {
    let dependencies = Dependencies {
        log: Arc::clone(log),
        ledger: Arc::clone(&opened.ledgers.ledger),
        rules,
        pepper: opened.ledgers.pepper.clone(),
        escalation: Arc::clone(&opened.escalation),
        clock: Arc::clone(&opened.clock),
        status: opened.workers.clone(),
        statistics: Arc::clone(&opened.statistics),
    };
    let analyzer = Analyzer::build(settings.analyzer.clone(), dependencies)?;
    let share = share(settings, opened, Work::Analysis, tasks, shutdown);
    let (stop, stopped) = watch::channel(false);
    tasks.spawn("analyzer", Tier::Back, async move { Ok(analyzer.run(share, stopped).await?) });
    let shutdown = shutdown.clone();
    tasks.spawn("analyzer stop", Tier::Back, async move {
        shutdown.reached(Stage::Flushing).await;
        stop.send_replace(true);
        Ok(())
    });
    Ok(())
}

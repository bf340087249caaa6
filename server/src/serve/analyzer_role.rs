//! The role that turns logs into incidents: one task per partition, ended after the listener, so that
//! what was accepted last is analysed as far as time allows.

use std::sync::Arc;

use analyzer::{Analyzer, Dependencies};
use durable_log::DurableLog;
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use tokio::sync::watch;

use super::{Opened, rules};
use crate::Failure;
use crate::settings::Settings;

/// Starts the analyzer of every partition.
pub(super) fn start(
    settings: &Settings,
    opened: &Opened,
    log: &Arc<dyn DurableLog>,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
) -> Result<(), Failure> {
    let rules = rules::load(&settings.rules)?;
    tracing::info!(
        rules = rules.rules().len(),
        correlations = rules.correlations().len(),
        version = rules.version(),
        "rules"
    );
    let dependencies = Dependencies {
        log: Arc::clone(log),
        ledger: Arc::clone(&opened.ledgers.ledger),
        rules: Arc::new(rules),
        pepper: opened.ledgers.pepper.clone(),
        clock: Arc::clone(&opened.clock),
    };
    let analyzer = Analyzer::build(settings.analyzer.clone(), dependencies)?;
    let (stop, stopped) = watch::channel(false);
    for worker in analyzer.workers(&stopped) {
        tasks.spawn("analyzer", Tier::Back, async move { Ok(worker.await?) });
    }
    let shutdown = shutdown.clone();
    tasks.spawn("analyzer stop", Tier::Back, async move {
        shutdown.reached(Stage::Flushing).await;
        stop.send_replace(true);
        Ok(())
    });
    Ok(())
}

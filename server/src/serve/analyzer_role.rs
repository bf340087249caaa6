//! The role that turns logs into incidents, ended after the listener, so that what was accepted last is
//! analysed as far as time allows. A process with the log to itself works on all partitions; one of many, on
//! its share.

use std::sync::Arc;

use analyzer::{Analyzer, Catalogue, Dependencies};
use durable_log::DurableLog;
use ledger::Work;
use ownership::{Keeper, MemberId, Membership, Share};
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use tokio::sync::watch;
use uuid::Uuid;

use super::Opened;
use crate::Failure;
use crate::settings::{BackEnds, Settings};

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
        halted: opened.halted.clone(),
    };
    let analyzer = Analyzer::build(settings.analyzer.clone(), dependencies)?;
    let share = share(settings, opened, log, tasks, shutdown);
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

/// Which partitions this process works on.
fn share(
    settings: &Settings,
    opened: &Opened,
    log: &Arc<dyn DurableLog>,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
) -> Share {
    let partitions = log.partitions();
    if matches!(settings.back_ends(), BackEnds::Embedded) {
        return Share::all(partitions);
    }
    let (keeper, share) = Keeper::new(Membership {
        ledger: Arc::clone(&opened.ledgers.ledger),
        clock: Arc::clone(&opened.clock),
        work: Work::Analysis,
        partitions,
        id: MemberId::new(Uuid::new_v4()),
        config: settings.ownership.clone(),
    });
    let shutdown = shutdown.clone();
    tasks.spawn("ownership", Tier::Back, async move {
        keeper.run(shutdown.reached(Stage::Flushing)).await;
        Ok(())
    });
    share
}

//! The partitions that this process works on: all of them if it has the ledger to itself, else its share.

use std::sync::Arc;

use ledger::Work;
use ownership::{Keeper, MemberId, Membership, Share};
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use uuid::Uuid;

use super::Opened;
use crate::settings::{BackEnds, Settings};

/// The share of a kind of work, updated until the process ends.
pub(super) fn share(
    settings: &Settings,
    opened: &Opened,
    work: Work,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
) -> Share {
    let partitions = settings.partitions();
    if matches!(settings.back_ends(), BackEnds::Embedded) {
        return Share::all(partitions);
    }
    let (keeper, share) = Keeper::new(Membership {
        ledger: Arc::clone(&opened.ledgers.ledger),
        clock: Arc::clone(&opened.clock),
        work,
        partitions,
        id: MemberId::new(Uuid::new_v4()),
        config: settings.ownership.clone(),
    });
    let shutdown = shutdown.clone();
    let name = match work {
        Work::Analysis => "ownership of analysis",
        Work::Delivery => "ownership of delivery",
        Work::Jobs => "ownership of jobs",
    };
    tasks.spawn(name, Tier::Back, async move {
        keeper.run(shutdown.reached(Stage::Flushing)).await;
        Ok(())
    });
    share
}

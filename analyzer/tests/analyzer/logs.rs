//! The log that is there is not always the one that was read before.

use std::sync::Arc;
use std::time::Duration;

use ::analyzer::{AnalyzerError, AnotherLog, Reason, recognise};
use durable_log::memory::MemoryLog;
use ledger::Work;
use ownership::{Keeper, MemberId, Membership};

use super::harness::{Delivery, Line, PARTITION, World, rules};

fn delivery(user: &str) -> Delivery {
    Delivery::new(0, (0..6).map(|_| Line::failed(user, "203.0.113.9")))
}

/// A world that has analysed two batches, and whose log was then replaced by one with these.
async fn replaced(users: &[&str]) -> World {
    let mut world = World::new(&rules::all());
    world.take(&[delivery("root"), delivery("admin")]).await;
    world.log = Arc::new(MemoryLog::new(1));
    for user in users {
        world.send(&delivery(user)).await;
    }
    world
}

#[tokio::test(start_paused = true)]
async fn a_shorter_log_and_a_log_with_other_batches_end_a_process_that_is_alone() {
    let shorter = replaced(&["eve"]).await;
    let error = shorter.start().ended().await.unwrap_err();
    assert!(
        matches!(error, AnalyzerError::AnotherLog(AnotherLog::Shorter { ledger: 3, log: 1, .. })),
        "{error}"
    );

    let longer = replaced(&["eve", "mallory", "root", "admin"]).await;
    let error = longer.start().ended().await.unwrap_err();
    assert!(matches!(error, AnalyzerError::AnotherLog(AnotherLog::Replaced { offset: 2, .. })), "{error}");

    let same = replaced(&["root", "admin", "eve"]).await;
    recognise(same.log.as_ref(), PARTITION, &same.progress()).await.unwrap();
    same.analyze().await;
}

#[tokio::test(start_paused = true)]
async fn where_partitions_are_shared_out_such_a_partition_is_halted_and_tried_again() {
    let mut world = replaced(&["eve", "mallory", "root"]).await;
    let (keeper, share) = Keeper::new(Membership {
        ledger: Arc::clone(&world.ledger) as Arc<dyn ledger::Ledger>,
        clock: world.clock(),
        work: Work::Analysis,
        partitions: 1,
        id: MemberId::new(uuid::Uuid::from_u128(1)),
        config: ownership::Config::default(),
    });
    let (running, status) = world.start_with(share);
    let watching = async {
        while status.troubles().get(&PARTITION) != Some(&Reason::Halted) {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert_eq!(world.position().offset.0, 3, "nothing of the other log was analysed");
        running.stop().await;
    };
    tokio::select! {
        () = watching => {}
        () = keeper.run(std::future::pending()) => unreachable!("it runs until it is stopped"),
    }
    // The lost batches are restored.
    world.log = Arc::new(MemoryLog::new(1));
    for user in ["root", "admin", "eve"] {
        world.send(&delivery(user)).await;
    }
    world.analyze().await;
    assert_eq!(world.position().offset.0, 4);
}

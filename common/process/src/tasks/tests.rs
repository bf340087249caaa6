//! Outcome of a process whose tasks behave, misbehave, or never end.

use super::*;

fn limits() -> ShutdownConfig {
    ShutdownConfig {
        pause: Duration::ZERO,
        drain: Duration::from_millis(50),
        flush: Duration::from_millis(50),
    }
}

fn until(shutdown: &Shutdown, stage: Stage) -> impl Future<Output = Result<(), BoxError>> + use<> {
    let shutdown = shutdown.clone();
    async move {
        shutdown.reached(stage).await;
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn the_front_ends_before_the_back_is_asked_to() {
    let shutdown = Shutdown::new();
    let mut tasks = Tasks::new();
    tasks.spawn("listener", Tier::Front, until(&shutdown, Stage::Draining));
    tasks.spawn("analyzer", Tier::Back, until(&shutdown, Stage::Flushing));
    shutdown.advance(Stage::Draining);
    tasks.supervise(&shutdown, &limits()).await.unwrap();
    assert_eq!(shutdown.stage(), Stage::Flushing);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_ends_early_brings_the_others_down_and_is_named() {
    let shutdown = Shutdown::new();
    let mut tasks = Tasks::new();
    tasks.spawn("listener", Tier::Front, until(&shutdown, Stage::Draining));
    tasks.spawn("upkeep", Tier::Back, async { Ok(()) });
    let error = tasks.supervise(&shutdown, &limits()).await.unwrap_err();
    assert!(matches!(error, TaskError::EndedEarly { name: "upkeep" }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn failures_and_panics_are_told_apart() {
    let shutdown = Shutdown::new();
    let mut tasks = Tasks::new();
    tasks.spawn("reader", Tier::Back, async { Err("no disk".into()) });
    let error = tasks.supervise(&shutdown, &limits()).await.unwrap_err();
    assert!(
        matches!(&error, TaskError::Failed { name: "reader", source } if source.to_string() == "no disk")
    );

    let shutdown = Shutdown::new();
    let mut tasks = Tasks::new();
    tasks.spawn("folder", Tier::Back, async { panic!("a broken invariant") });
    let error = tasks.supervise(&shutdown, &limits()).await.unwrap_err();
    assert!(matches!(&error, TaskError::Broken { name: "folder", cause } if cause.is_panic()));
}

#[tokio::test(start_paused = true)]
async fn tasks_that_do_not_end_are_named_and_dropped() {
    let shutdown = Shutdown::new();
    let mut tasks = Tasks::new();
    tasks.spawn("stubborn", Tier::Front, std::future::pending());
    shutdown.advance(Stage::Draining);
    let error = tasks.supervise(&shutdown, &limits()).await.unwrap_err();
    assert_eq!(error.to_string(), "stubborn did not end within 1.05 s");
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_cuts_at_the_end_of_the_drain_ends_in_order() {
    let (shutdown, limits) = (Shutdown::new(), limits());
    let mut tasks = Tasks::new();
    let patience = limits.drain;
    tasks.spawn("listener", Tier::Front, async move {
        tokio::time::sleep(patience).await;
        Ok(())
    });
    shutdown.advance(Stage::Draining);
    tasks.supervise(&shutdown, &limits).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_second_signal_waits_for_nobody() {
    let shutdown = Shutdown::new();
    let mut tasks = Tasks::new();
    tasks.spawn("stubborn", Tier::Front, std::future::pending());
    shutdown.advance(Stage::AtOnce);
    let error = tasks.supervise(&shutdown, &limits()).await.unwrap_err();
    assert!(matches!(error, TaskError::AtOnce));
}

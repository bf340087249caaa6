//! What processes must agree on: recorded once, whoever is first, and compared from then on.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use common::pepper::Pepper;
use ledger::memory::UnknownOutcome;

use super::Fixture;
use crate::Directory;
use crate::deployment::data_directory::{self, DataDirectoryError, DeploymentId};
use crate::deployment::{DeploymentError, DeploymentSettings, Recorded, check, record};

fn settings(partitions: u16, log: &str) -> DeploymentSettings {
    DeploymentSettings { partitions, log: log.to_owned(), group: "palisade".to_owned() }
}

/// Whether a setting is given as the reason.
fn names<T>(outcome: &Result<T, DeploymentError>, setting: &str) -> bool {
    matches!(outcome, Err(DeploymentError::Name { what, .. }) if what.starts_with(setting))
}

#[tokio::test]
async fn a_deployment_is_recorded_once_and_compared_ever_after() {
    let Fixture { ledger, clock, directory, .. } = Fixture::empty();
    let agreed = settings(8, "palisade");
    assert!(matches!(check(&directory, &agreed).await, Err(DeploymentError::Missing)));
    assert_eq!(record(&directory, &agreed).await.unwrap(), Recorded::New);
    assert_eq!(record(&directory, &agreed).await.unwrap(), Recorded::Already);
    check(&directory, &agreed).await.unwrap();

    let other = check(&directory, &settings(9, "palisade")).await;
    assert!(matches!(other, Err(DeploymentError::Partitions { recorded: 8, found: 9 })), "{other:?}");
    let other = record(&directory, &settings(8, "elsewhere")).await;
    assert!(names(&other, "kafka.topic"), "{other:?}");
    let group = DeploymentSettings { group: "others".to_owned(), ..agreed.clone() };
    let other = check(&directory, &group).await;
    assert!(names(&other, "kafka.consumer_group"), "{other:?}");
    let stranger = Directory::new(ledger, clock, Pepper::new([2; 32]));
    assert!(matches!(check(&stranger, &agreed).await, Err(DeploymentError::Pepper)));
}

#[tokio::test]
async fn rivals_and_lost_answers_make_one_record() {
    let fixture = Fixture::empty();
    fixture.ledger.rivals.store(3, Ordering::SeqCst);
    assert_eq!(record(&fixture.directory, &settings(8, "palisade")).await.unwrap(), Recorded::New);
    let fixture = Fixture::empty();
    fixture.ledger.memory.make_next_commit_unknown(UnknownOutcome::TookEffect);
    record(&fixture.directory, &settings(8, "palisade")).await.unwrap();
    check(&fixture.directory, &settings(8, "palisade")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_prepare_at_once_on_different_terms_one_wins() {
    let fixture = Fixture::empty();
    let mut attempts = tokio::task::JoinSet::new();
    for partitions in 1..=8 {
        let directory = Arc::clone(&fixture.directory);
        attempts.spawn(async move { record(&directory, &settings(partitions, "palisade")).await });
    }
    let outcomes = attempts.join_all().await;
    let new = outcomes.iter().filter(|outcome| matches!(outcome, Ok(Recorded::New))).count();
    let refused =
        outcomes.iter().filter(|outcome| matches!(outcome, Err(DeploymentError::Partitions { .. }))).count();
    assert_eq!((new, refused), (1, 7), "{outcomes:?}");
}

#[tokio::test]
async fn a_log_and_a_pepper_of_another_deployment_are_told_apart() {
    let Fixture { ledger, clock, directory, .. } = Fixture::empty();
    let (log, other) = (DeploymentId(7), DeploymentId(8));
    let unknown = data_directory::check(&directory, log).await;
    assert!(matches!(unknown, Err(DataDirectoryError::NotRecorded)), "{unknown:?}");
    data_directory::record(&directory, log).await.unwrap();
    data_directory::record(&directory, log).await.unwrap();
    data_directory::check(&directory, log).await.unwrap();

    for refused in
        [data_directory::check(&directory, other).await, data_directory::record(&directory, other).await]
    {
        let expected = matches!(refused, Err(DataDirectoryError::Log { expected, found }) if (expected, found) == (log, other));
        assert!(expected, "{refused:?}");
    }
    let stranger = Directory::new(ledger, clock, Pepper::new([2; 32]));
    let refused = data_directory::check(&stranger, log).await;
    assert!(matches!(refused, Err(DataDirectoryError::Pepper { id }) if id == log), "{refused:?}");
}

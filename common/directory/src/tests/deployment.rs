//! Settings shared by processes: recorded once, by the first one, and compared from then on.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use common::format::{Formats, UnknownFormat};
use common::pepper::Pepper;
use ledger::memory::UnknownOutcome;
use ledger::{Ledger, LedgerId, Seq};

use super::Fixture;
use crate::Directory;
use crate::deployment::data_directory::{self, DataDirectoryError, DeploymentId};
use crate::deployment::{DeploymentError, DeploymentSettings, Recorded, StoreFormats, check, record};

const FORMATS: StoreFormats =
    StoreFormats { ledger: Formats { oldest: 4, newest: 5 }, log: Formats { oldest: 3, newest: 3 } };

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
    assert!(matches!(check(&directory, FORMATS, &agreed).await, Err(DeploymentError::Missing)));
    assert_eq!(record(&directory, FORMATS, &agreed).await.unwrap(), Recorded::New);
    assert_eq!(record(&directory, FORMATS, &agreed).await.unwrap(), Recorded::Already);
    check(&directory, FORMATS, &agreed).await.unwrap();

    let other = check(&directory, FORMATS, &settings(9, "palisade")).await;
    assert!(matches!(other, Err(DeploymentError::Partitions { recorded: 8, found: 9 })), "{other:?}");
    let other = record(&directory, FORMATS, &settings(8, "elsewhere")).await;
    assert!(names(&other, "kafka.topic"), "{other:?}");
    let group = DeploymentSettings { group: "others".to_owned(), ..agreed.clone() };
    let other = check(&directory, FORMATS, &group).await;
    assert!(names(&other, "kafka.consumer_group"), "{other:?}");
    let stranger = Directory::new(ledger, clock, Pepper::new([2; 32]));
    assert!(matches!(check(&stranger, FORMATS, &agreed).await, Err(DeploymentError::Pepper)));
}

#[tokio::test]
async fn a_store_in_a_newer_format_is_refused_whichever_it_is_and_nothing_is_written() {
    let Fixture { ledger, directory, .. } = Fixture::empty();
    let newer_ledger = StoreFormats { ledger: Formats { oldest: 5, newest: 6 }, ..FORMATS };
    let newer_log = StoreFormats { log: Formats { oldest: 3, newest: 4 }, ..FORMATS };
    for (store, wrote, cause) in [
        ("ledger", newer_ledger, UnknownFormat::Newer { found: 6, newest: 5 }),
        ("log", newer_log, UnknownFormat::Newer { found: 4, newest: 3 }),
    ] {
        let Fixture { ledger, directory, .. } = Fixture::empty();
        record(&directory, wrote, &settings(8, "palisade")).await.unwrap();
        let seq = ledger.seq(LedgerId::Platform).await.unwrap();
        // Other partitions too: the format is compared first.
        for settings in [settings(8, "palisade"), settings(9, "palisade")] {
            for refused in [
                check(&directory, FORMATS, &settings).await,
                record(&directory, FORMATS, &settings).await.map(|_| ()),
            ] {
                let refused = refused.unwrap_err();
                let expected = matches!(&refused, DeploymentError::Format { store: found, cause: why } if (*found, *why) == (store, cause));
                assert!(expected, "{refused}");
            }
        }
        assert_eq!(ledger.seq(LedgerId::Platform).await.unwrap(), seq);
    }
    // A value written in the older form by a build that reads both is read.
    let older = StoreFormats { ledger: Formats { oldest: 4, newest: 4 }, ..FORMATS };
    record(&directory, older, &settings(8, "palisade")).await.unwrap();
    check(&directory, FORMATS, &settings(8, "palisade")).await.unwrap();
    assert_eq!(ledger.seq(LedgerId::Platform).await.unwrap(), Seq(1));
}

#[tokio::test]
async fn rivals_and_lost_answers_make_one_record() {
    let fixture = Fixture::empty();
    fixture.ledger.rivals.store(3, Ordering::SeqCst);
    assert_eq!(record(&fixture.directory, FORMATS, &settings(8, "palisade")).await.unwrap(), Recorded::New);
    let fixture = Fixture::empty();
    fixture.ledger.memory.make_next_commit_unknown(UnknownOutcome::TookEffect);
    record(&fixture.directory, FORMATS, &settings(8, "palisade")).await.unwrap();
    check(&fixture.directory, FORMATS, &settings(8, "palisade")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_prepare_at_once_on_different_terms_one_wins() {
    let fixture = Fixture::empty();
    let mut attempts = tokio::task::JoinSet::new();
    for partitions in 1..=8 {
        let directory = Arc::clone(&fixture.directory);
        attempts.spawn(async move { record(&directory, FORMATS, &settings(partitions, "palisade")).await });
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

//! The first start, interrupted and contested.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ledger::memory::UnknownOutcome;

use super::{Fixture, named};
use crate::AuthenticateError;
use crate::bootstrap::{Activation, activate, prepare};

#[tokio::test]
async fn the_key_is_valid_after_activation_and_not_before() {
    let fixture = Fixture::empty();
    let first_run = prepare(&fixture.directory).await.unwrap().unwrap();
    assert!(fixture.ledger.memory.dump().is_empty(), "preparing writes nothing");
    let text = first_run.key().expose().to_owned();
    let before = fixture.authenticator().authenticate(&text).await;
    assert_eq!(before, Err(AuthenticateError::Unknown));

    assert_eq!(activate(&fixture.directory, &first_run).await.unwrap(), Activation::Activated);
    let grant = fixture.authenticator().authenticate(&text).await.unwrap();
    assert_eq!(grant.organization, first_run.organization());
    assert_eq!(grant.scopes, None);
    let source = fixture.lookup().find(first_run.organization(), first_run.source()).await.unwrap().unwrap();
    assert!(source.enabled);
    let organization = fixture.directory.get_organization(first_run.organization()).await.unwrap().unwrap();
    assert_eq!(organization.name, "Default organization");
    assert!(!format!("{first_run:?}").contains(&text));

    assert!(prepare(&fixture.directory).await.unwrap().is_none(), "there is one first start");
    assert_eq!(
        activate(&fixture.directory, &first_run).await.unwrap(),
        Activation::Activated,
        "again is nothing"
    );
    assert_eq!(fixture.directory.list_keys(first_run.organization()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_start_that_ended_early_is_repaired_by_the_next() {
    let fixture = Fixture::empty();
    let abandoned = prepare(&fixture.directory).await.unwrap().unwrap();
    // It came as far as the source, then the ledger went away.
    fixture.directory.sources().insert(abandoned.organization(), abandoned.source.clone()).await.unwrap();
    let next = prepare(&fixture.directory).await.unwrap().unwrap();
    assert_eq!(activate(&fixture.directory, &next).await.unwrap(), Activation::Activated);
    fixture.authenticator().authenticate(next.key().expose()).await.unwrap();
    assert_eq!(activate(&fixture.directory, &abandoned).await.unwrap(), Activation::LostToAnother);
    let dead = fixture.authenticator().authenticate(abandoned.key().expose()).await;
    assert_eq!(dead, Err(AuthenticateError::Unknown));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_concurrent_starts_wins() {
    let fixture = Fixture::empty();
    let mut prepared = Vec::new();
    for _ in 0..8 {
        prepared.push(prepare(&fixture.directory).await.unwrap().unwrap());
    }
    let mut tasks = tokio::task::JoinSet::new();
    for first_run in prepared {
        let directory = Arc::clone(&fixture.directory);
        tasks.spawn(async move { (activate(&directory, &first_run).await.unwrap(), first_run) });
    }
    let ended = tasks.join_all().await;
    assert_eq!(ended.iter().filter(|(activation, _)| *activation == Activation::Activated).count(), 1);
    assert_eq!(fixture.directory.list_organizations().await.unwrap().len(), 1);
    for (activation, first_run) in ended {
        let answer = fixture.authenticator().authenticate(first_run.key().expose()).await;
        assert_eq!(answer.is_ok(), activation == Activation::Activated);
    }
}

#[tokio::test]
async fn other_commits_in_between_do_not_prevent_it() {
    let fixture = Fixture::empty();
    let first_run = prepare(&fixture.directory).await.unwrap().unwrap();
    fixture.ledger.rivals.store(3, Ordering::SeqCst);
    assert_eq!(activate(&fixture.directory, &first_run).await.unwrap(), Activation::Activated);
}

#[tokio::test]
async fn an_unknown_outcome_is_looked_up() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let fixture = Fixture::empty();
        let first_run = prepare(&fixture.directory).await.unwrap().unwrap();
        fixture.directory.sources().insert(first_run.organization(), first_run.source.clone()).await.unwrap();
        fixture.ledger.memory.make_next_commit_unknown(outcome);
        assert_eq!(activate(&fixture.directory, &first_run).await.unwrap(), Activation::Activated);
        fixture.authenticator().authenticate(first_run.key().expose()).await.unwrap();
        assert_eq!(fixture.directory.list_organizations().await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_directory_in_use_has_no_first_start() {
    let fixture = Fixture::new().await;
    fixture.directory.create_key(fixture.organization, named("a")).await.unwrap();
    assert!(prepare(&fixture.directory).await.unwrap().is_none());
}

//! Organizations, and the rules every change follows.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ledger::memory::UnknownOutcome;

use super::Fixture;
use crate::DirectoryError;

#[tokio::test]
async fn are_created_listed_and_found() {
    let fixture = Fixture::new().await;
    let second = fixture.directory.create_organization("Beta").await.unwrap();
    assert_eq!(fixture.directory.get_organization(second.id).await.unwrap(), Some(second.clone()));
    let all = fixture.directory.list_organizations().await.unwrap();
    assert_eq!(all.len(), 2);
    assert!(all.contains(&second));
    let nobody = common::ids::OrganizationId::from_bytes([7; 16]);
    assert_eq!(fixture.directory.get_organization(nobody).await.unwrap(), None);
}

#[tokio::test]
async fn names_have_bounds() {
    let fixture = Fixture::empty();
    for good in ["a".to_owned(), "é".repeat(100), "Fleet 7 / Köln ✓".to_owned()] {
        assert!(fixture.directory.create_organization(&good).await.is_ok(), "{good}");
    }
    for bad in ["".to_owned(), "  ".to_owned(), "a".repeat(101), "a\nb".to_owned(), "\u{1b}[31m".to_owned()] {
        let refused = fixture.directory.create_organization(&bad).await;
        assert!(matches!(refused, Err(DirectoryError::Invalid { field: "name", .. })), "{bad:?}");
    }
    assert_eq!(fixture.directory.list_organizations().await.unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_creations_all_succeed() {
    let fixture = Fixture::new().await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..20 {
        let directory = Arc::clone(&fixture.directory);
        tasks.spawn(async move { directory.create_organization(&format!("number {number}")).await.unwrap() });
    }
    let created = tasks.join_all().await;
    let listed = fixture.directory.list_organizations().await.unwrap();
    assert_eq!(listed.len(), 21);
    assert!(created.iter().all(|organization| listed.contains(organization)));
}

#[tokio::test(start_paused = true)]
async fn losing_every_attempt_is_a_conflict() {
    let fixture = Fixture::new().await;
    fixture.ledger.rivals.store(5, Ordering::SeqCst);
    fixture.directory.create_organization("patient").await.unwrap();
    fixture.ledger.rivals.store(usize::MAX, Ordering::SeqCst);
    let refused = fixture.directory.create_organization("hopeless").await;
    assert!(matches!(refused, Err(DirectoryError::Conflict)));
    assert_eq!(fixture.directory.list_organizations().await.unwrap().len(), 2);
}

#[tokio::test]
async fn an_unknown_outcome_is_looked_up_and_not_repeated() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let fixture = Fixture::new().await;
        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let created = fixture.directory.create_organization("Beta").await.unwrap();
        let listed = fixture.directory.list_organizations().await.unwrap();
        assert_eq!(listed.iter().filter(|listed| **listed == created).count(), 1);
        assert_eq!(listed.len(), 2);
    }
}

#[tokio::test]
async fn a_ledger_that_is_away_is_told_of() {
    let fixture = Fixture::new().await;
    fixture.ledger.memory.set_unavailable(true);
    let refused = fixture.directory.create_organization("Beta").await;
    assert!(matches!(refused, Err(DirectoryError::Unavailable(_))));
    assert!(matches!(fixture.directory.list_organizations().await, Err(DirectoryError::Unavailable(_))));
}

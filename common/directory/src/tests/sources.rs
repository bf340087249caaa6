//! Sources: their fields, changes, and whose they are.

use std::time::Duration;

use common::ids::SourceId;
use ledger::memory::UnknownOutcome;

use super::Fixture;
use crate::{DirectoryError, NewSource, Source};

type Changed = Result<(), DirectoryError>;

/// Changes nothing.
fn nothing(_: &mut Source) -> Changed {
    Ok(())
}

#[tokio::test]
async fn are_created_changed_and_deleted() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let source = directory.create_source(organization, NewSource::named("web")).await.unwrap();
    assert_eq!((source.application_group.as_str(), source.environment.as_str()), ("default", "production"));
    assert!(source.enabled);
    assert_eq!(directory.sources().get(organization, source.id).await.unwrap(), Some(source.clone()));

    fixture.clock.advance(Duration::from_secs(60));
    let same = |source: &mut Source| {
        source.name = "web".to_owned();
        Ok(())
    };
    assert_eq!(directory.sources().update(organization, source.id, same).await.unwrap(), source);
    let change = |source: &mut Source| {
        (source.environment, source.enabled) = ("staging".to_owned(), false);
        Ok(())
    };
    let changed = directory.sources().update(organization, source.id, change).await.unwrap();
    assert_eq!((changed.name.as_str(), changed.environment.as_str()), ("web", "staging"));
    assert!(!changed.enabled);
    assert_eq!(changed.created_at, source.created_at);
    assert_eq!(changed.updated_at.since(source.updated_at), Duration::from_secs(60));
    assert_eq!(directory.sources().list(organization).await.unwrap(), [changed]);

    assert!(directory.sources().delete(organization, source.id).await.unwrap());
    assert!(!directory.sources().delete(organization, source.id).await.unwrap());
    assert!(directory.sources().list(organization).await.unwrap().is_empty());
    let gone = directory.sources().update(organization, source.id, nothing).await;
    assert!(matches!(gone, Err(DirectoryError::NotFound)));
}

#[tokio::test]
async fn labels_have_bounds() {
    let fixture = Fixture::new().await;
    let longest = NewSource {
        id: None,
        name: "n".repeat(100),
        application_group: "g".repeat(100),
        environment: "e".repeat(50),
        enabled: true,
    };
    let source = fixture.directory.create_source(fixture.organization, longest.clone()).await.unwrap();
    let bad = [
        ("name", NewSource { name: "n".repeat(101), ..longest.clone() }),
        ("application_group", NewSource { application_group: "g".repeat(101), ..longest.clone() }),
        ("application_group", NewSource { application_group: String::new(), ..longest.clone() }),
        ("environment", NewSource { environment: "e".repeat(51), ..longest.clone() }),
        ("environment", NewSource { environment: "prod\u{7}".to_owned(), ..longest }),
    ];
    for (expected, new) in bad {
        let values = new.clone();
        let change = |source: &mut Source| {
            source.name.clone_from(&values.name);
            source.application_group.clone_from(&values.application_group);
            source.environment.clone_from(&values.environment);
            Ok(())
        };
        let created = fixture.directory.create_source(fixture.organization, new).await;
        assert!(matches!(created, Err(DirectoryError::Invalid { field, .. }) if field == expected));
        let changed = fixture.directory.sources().update(fixture.organization, source.id, change).await;
        assert!(matches!(changed, Err(DirectoryError::Invalid { field, .. }) if field == expected));
    }
}

#[tokio::test]
async fn those_of_another_organization_are_not_there() {
    let fixture = Fixture::new().await;
    let source =
        fixture.directory.create_source(fixture.organization, NewSource::named("ours")).await.unwrap();
    let theirs = fixture.directory.create_organization("Beta").await.unwrap().id;
    assert_eq!(fixture.directory.sources().get(theirs, source.id).await.unwrap(), None);
    assert!(fixture.directory.sources().list(theirs).await.unwrap().is_empty());
    assert!(!fixture.directory.sources().delete(theirs, source.id).await.unwrap());
    let changed = fixture.directory.sources().update(theirs, source.id, nothing).await;
    assert!(matches!(changed, Err(DirectoryError::NotFound)));
    let nowhere = common::ids::OrganizationId::from_bytes([9; 16]);
    let created = fixture.directory.create_source(nowhere, NewSource::named("a")).await;
    assert!(matches!(created, Err(DirectoryError::NotFound)));
    assert!(fixture.directory.sources().get(fixture.organization, source.id).await.unwrap().is_some());
}

#[tokio::test]
async fn unknown_outcomes_are_looked_up() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let fixture = Fixture::new().await;
        let (directory, organization) = (&fixture.directory, fixture.organization);
        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let source = directory.create_source(organization, NewSource::named("web")).await.unwrap();
        assert_eq!(directory.sources().list(organization).await.unwrap(), std::slice::from_ref(&source));

        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let change = |source: &mut Source| {
            source.name = "edge".to_owned();
            Ok(())
        };
        assert_eq!(directory.sources().update(organization, source.id, change).await.unwrap().name, "edge");

        fixture.ledger.memory.make_next_commit_unknown(outcome);
        assert!(
            directory.sources().delete(organization, source.id).await.unwrap(),
            "it was there: {outcome:?}"
        );
        assert_eq!(directory.sources().get(organization, source.id).await.unwrap(), None);
    }
}

#[tokio::test]
async fn more_than_a_page_is_listed() {
    let fixture = Fixture::new().await;
    let mut created = Vec::new();
    for number in 0..1005 {
        fixture.clock.advance(Duration::from_millis(1));
        let new = NewSource::named(format!("host {number}"));
        // Without the check for room, which reads what is there each time.
        let source = fixture.directory.new_source(fixture.organization, new).unwrap();
        created.push(source);
    }
    for batch in created.chunks(500) {
        let ledger = ledger::LedgerId::Organization(fixture.organization);
        let ops = batch
            .iter()
            .map(|source| crate::directory::put(fixture.directory.sources().key(source.id), source).unwrap())
            .collect();
        let at = fixture.directory.ledger.seq(ledger).await.unwrap();
        fixture.directory.ledger.commit(ledger, at, ops).await.unwrap();
    }
    let listed = fixture.directory.sources().list(fixture.organization).await.unwrap();
    assert_eq!(listed, created, "all of them, oldest first");
    let unknown = SourceId::from_bytes([0; 16]);
    assert_eq!(fixture.directory.sources().get(fixture.organization, unknown).await.unwrap(), None);
}

#[tokio::test]
async fn the_count_is_exact_after_conflicts_and_unknown_outcomes_and_limits() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let fixture = Fixture::new().await;
        let (directory, organization) = (&fixture.directory, fixture.organization);
        let counter = directory.sources().counter(organization);
        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let first = directory.create_source(organization, NewSource::named("a")).await.unwrap();
        fixture.ledger.rivals.store(3, std::sync::atomic::Ordering::SeqCst);
        directory.create_source(organization, NewSource::named("b")).await.unwrap();
        assert_eq!(counter.read(directory).await.unwrap(), 2, "{outcome:?}");
        let repeated = NewSource { id: Some(first.id), ..NewSource::named("other") };
        assert_eq!(directory.create_source(organization, repeated).await.unwrap(), first);
        assert_eq!(counter.read(directory).await.unwrap(), 2, "a repeat is not counted");
        fixture.ledger.memory.make_next_commit_unknown(outcome);
        directory.sources().delete(organization, first.id).await.unwrap();
        assert!(!directory.sources().delete(organization, first.id).await.unwrap());
        assert_eq!(counter.read(directory).await.unwrap(), 1, "{outcome:?}");

        let ledger = ledger::LedgerId::Organization(organization);
        let at = directory.ledger.seq(ledger).await.unwrap();
        directory.ledger.commit(ledger, at, vec![counter.put(10_000).unwrap()]).await.unwrap();
        let full = directory.create_source(organization, NewSource::named("c")).await;
        assert!(matches!(full, Err(DirectoryError::Full { things: "sources", limit: 10_000 })), "{full:?}");
    }
}

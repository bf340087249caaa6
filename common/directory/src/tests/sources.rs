//! Sources: their fields, changes, and whose they are.

use std::time::Duration;

use common::ids::SourceId;
use ledger::{Commit, memory::UnknownOutcome};

use super::Fixture;
use crate::{DirectoryError, NewSource, SourceChange};

#[tokio::test]
async fn are_created_changed_and_deleted() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let source = directory.create_source(organization, NewSource::named("web")).await.unwrap();
    assert_eq!((source.application_group.as_str(), source.environment.as_str()), ("default", "production"));
    assert!(source.enabled);
    assert_eq!(directory.get_source(organization, source.id).await.unwrap(), Some(source.clone()));

    fixture.clock.advance(Duration::from_secs(60));
    let nothing = SourceChange { name: Some("web".to_owned()), ..SourceChange::default() };
    assert_eq!(directory.update_source(organization, source.id, nothing).await.unwrap(), source);
    let change = SourceChange {
        environment: Some("staging".to_owned()),
        enabled: Some(false),
        ..SourceChange::default()
    };
    let changed = directory.update_source(organization, source.id, change).await.unwrap();
    assert_eq!((changed.name.as_str(), changed.environment.as_str()), ("web", "staging"));
    assert!(!changed.enabled);
    assert_eq!(changed.created_at, source.created_at);
    assert_eq!(changed.updated_at.since(source.updated_at), Duration::from_secs(60));
    assert_eq!(directory.list_sources(organization).await.unwrap(), [changed]);

    assert!(directory.delete_source(organization, source.id).await.unwrap());
    assert!(!directory.delete_source(organization, source.id).await.unwrap());
    assert!(directory.list_sources(organization).await.unwrap().is_empty());
    let gone = directory.update_source(organization, source.id, SourceChange::default()).await;
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
        let change = SourceChange {
            name: Some(new.name.clone()),
            application_group: Some(new.application_group.clone()),
            environment: Some(new.environment.clone()),
            enabled: None,
        };
        let created = fixture.directory.create_source(fixture.organization, new).await;
        assert!(matches!(created, Err(DirectoryError::Invalid { field, .. }) if field == expected));
        let changed = fixture.directory.update_source(fixture.organization, source.id, change).await;
        assert!(matches!(changed, Err(DirectoryError::Invalid { field, .. }) if field == expected));
    }
}

#[tokio::test]
async fn those_of_another_organization_are_not_there() {
    let fixture = Fixture::new().await;
    let source =
        fixture.directory.create_source(fixture.organization, NewSource::named("ours")).await.unwrap();
    let theirs = fixture.directory.create_organization("Beta").await.unwrap().id;
    assert_eq!(fixture.directory.get_source(theirs, source.id).await.unwrap(), None);
    assert!(fixture.directory.list_sources(theirs).await.unwrap().is_empty());
    assert!(!fixture.directory.delete_source(theirs, source.id).await.unwrap());
    let changed = fixture.directory.update_source(theirs, source.id, SourceChange::default()).await;
    assert!(matches!(changed, Err(DirectoryError::NotFound)));
    let nowhere = common::ids::OrganizationId::from_bytes([9; 16]);
    let created = fixture.directory.create_source(nowhere, NewSource::named("a")).await;
    assert!(matches!(created, Err(DirectoryError::NotFound)));
    assert!(fixture.directory.get_source(fixture.organization, source.id).await.unwrap().is_some());
}

#[tokio::test]
async fn unknown_outcomes_are_looked_up() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let fixture = Fixture::new().await;
        let (directory, organization) = (&fixture.directory, fixture.organization);
        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let source = directory.create_source(organization, NewSource::named("web")).await.unwrap();
        assert_eq!(directory.list_sources(organization).await.unwrap(), std::slice::from_ref(&source));

        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let change = SourceChange { name: Some("edge".to_owned()), ..SourceChange::default() };
        assert_eq!(directory.update_source(organization, source.id, change).await.unwrap().name, "edge");

        fixture.ledger.memory.make_next_commit_unknown(outcome);
        assert!(directory.delete_source(organization, source.id).await.unwrap(), "it was there: {outcome:?}");
        assert_eq!(directory.get_source(organization, source.id).await.unwrap(), None);
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
            .map(|source| crate::directory::put(crate::rows::source_key(source.id), source).unwrap())
            .collect();
        let at = fixture.directory.ledger.seq(ledger).await.unwrap();
        let committed = fixture.directory.ledger.commit(ledger, at, ops).await.unwrap();
        assert!(matches!(committed, Commit::Done(_)));
    }
    let listed = fixture.directory.list_sources(fixture.organization).await.unwrap();
    assert_eq!(listed, created, "all of them, oldest first");
    let unknown = SourceId::from_bytes([0; 16]);
    assert_eq!(fixture.directory.get_source(fixture.organization, unknown).await.unwrap(), None);
}

#[tokio::test]
async fn there_is_a_limit() {
    let fixture = Fixture::new().await;
    let ledger = ledger::LedgerId::Organization(fixture.organization);
    fixture.directory.create_source(fixture.organization, NewSource::named("a")).await.unwrap();
    fixture.directory.create_source(fixture.organization, NewSource::named("b")).await.unwrap();
    let room = |limit| fixture.directory.check_room(ledger, crate::rows::SOURCES, "sources", limit);
    room(3).await.unwrap();
    let full = room(2).await.unwrap_err();
    assert!(matches!(full, DirectoryError::Full { things: "sources", limit: 2 }));
}

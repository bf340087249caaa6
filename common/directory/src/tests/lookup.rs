//! Sources as ingestion looks them up.

use std::time::Duration;

use common::ids::SourceId;

use super::Fixture;
use crate::{LookupError, NewSource, Source};

#[tokio::test]
async fn finds_its_own_and_no_foreign_source() {
    let fixture = Fixture::new().await;
    let lookup = fixture.lookup();
    let theirs = fixture.directory.create_organization("Beta").await.unwrap().id;
    let source = fixture.directory.create_source(fixture.organization, NewSource::named("a")).await.unwrap();
    assert_eq!(*lookup.find(fixture.organization, source.id).await.unwrap().unwrap(), source);
    assert_eq!(lookup.find(theirs, source.id).await.unwrap(), None);
    let unknown = SourceId::from_bytes([1; 16]);
    assert_eq!(lookup.find(fixture.organization, unknown).await.unwrap(), None);

    let before = fixture.gets();
    lookup.find(fixture.organization, source.id).await.unwrap();
    lookup.find(theirs, source.id).await.unwrap();
    lookup.find(fixture.organization, unknown).await.unwrap();
    assert_eq!(fixture.gets(), before, "found and absent alike are remembered");
}

#[tokio::test]
async fn a_change_made_in_this_process_is_seen_at_once() {
    let fixture = Fixture::new().await;
    let lookup = fixture.lookup();
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let source = directory.create_source(organization, NewSource::named("a")).await.unwrap();
    for enabled in [false, true, false, true] {
        let change = |source: &mut Source| {
            source.enabled = enabled;
            Ok(())
        };
        directory.sources().update(organization, source.id, change).await.unwrap();
        for _ in 0..2 {
            assert_eq!(lookup.find(organization, source.id).await.unwrap().unwrap().enabled, enabled);
        }
    }
    directory.sources().delete(organization, source.id).await.unwrap();
    assert_eq!(lookup.find(organization, source.id).await.unwrap(), None);
}

#[tokio::test]
async fn sees_changes_of_other_processes_after_five_seconds_and_bridges_a_minute() {
    let fixture = Fixture::new().await;
    let lookup = fixture.lookup();
    let source = fixture.directory.create_source(fixture.organization, NewSource::named("a")).await.unwrap();
    lookup.find(fixture.organization, source.id).await.unwrap();
    let disabled = |source: &mut Source| {
        source.enabled = false;
        Ok(())
    };
    fixture.elsewhere().sources().update(fixture.organization, source.id, disabled).await.unwrap();
    assert!(lookup.find(fixture.organization, source.id).await.unwrap().unwrap().enabled);
    fixture.clock.advance(Duration::from_secs(5));
    assert!(!lookup.find(fixture.organization, source.id).await.unwrap().unwrap().enabled);

    fixture.ledger.memory.set_unavailable(true);
    fixture.clock.advance(Duration::from_secs(60));
    assert!(lookup.find(fixture.organization, source.id).await.unwrap().is_some());
    fixture.clock.advance(Duration::from_secs(1));
    let away = lookup.find(fixture.organization, source.id).await;
    assert_eq!(away, Err(LookupError::Unavailable));

    fixture.ledger.memory.set_unavailable(false);
    fixture.elsewhere().sources().delete(fixture.organization, source.id).await.unwrap();
    fixture.clock.advance(Duration::from_secs(1));
    assert_eq!(lookup.find(fixture.organization, source.id).await.unwrap(), None);
}

#[tokio::test]
async fn a_row_that_cannot_be_read_hurts_nobody_else() {
    let fixture = Fixture::new().await;
    let lookup = fixture.lookup();
    let organization = fixture.organization;
    let good = fixture.directory.create_source(organization, NewSource::named("good")).await.unwrap();
    let bad = fixture.directory.create_source(organization, NewSource::named("bad")).await.unwrap();
    let ledger = ledger::LedgerId::Organization(organization);
    let newer = ledger::Op::Put {
        kind: ledger::Kind::Head,
        key: fixture.directory.sources().key(bad.id).into(),
        body: bytes::Bytes::from_static(b"\xffwritten by a later version"),
    };
    let at = fixture.directory.ledger.seq(ledger).await.unwrap();
    fixture.directory.ledger.commit(ledger, at, vec![newer]).await.unwrap();
    assert_eq!(lookup.find(organization, bad.id).await, Err(LookupError::Unavailable));
    assert!(lookup.find(organization, good.id).await.unwrap().is_some());
}

//! API keys: their fields, rotation, revocation, and that their text is written nowhere.

use std::time::Duration;

use common::ids::OrganizationId;
use ledger::memory::UnknownOutcome;

use super::{Fixture, named};
use crate::api_key::rotation::Rotation;
use crate::{AuthenticateError, DirectoryError, NewKey, SCOPES};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::test]
async fn a_key_s_text_is_written_nowhere() {
    let fixture = Fixture::new().await;
    let (key, text) = fixture.directory.create_key(fixture.organization, named("ci")).await.unwrap();
    let Rotation { new: rotated, text: rotated_text, .. } =
        fixture.directory.rotate(fixture.organization, key.id, None, DAY).await.unwrap();
    let printed = format!("{text:?} {key:?} {rotated_text:?} {rotated:?} {:?}", fixture.directory);
    let rows = fixture.ledger.memory.dump();
    assert!(rows.len() > 4);
    for text in [text, rotated_text] {
        let random = &text.expose()["pal_live_".len()..39];
        assert!(!printed.contains(random));
        for (_, _, row) in &rows {
            for part in [&row.key, &row.body] {
                let found = part.windows(random.len()).any(|window| window == random.as_bytes());
                assert!(!found, "in {row:?}");
            }
        }
        assert_eq!(text.to_string(), text.expose(), "it can be shown, once, to who asked for it");
    }
}

#[tokio::test]
async fn fields_are_checked_and_kept() {
    let fixture = Fixture::new().await;
    let later = fixture.clock_plus(DAY);
    let (by, _) = fixture.directory.create_key(fixture.organization, named("creator")).await.unwrap();
    let creator = by.id;
    let scopes = |scopes: &[&str]| Some(scopes.iter().map(|scope| (*scope).to_owned()).collect());
    let new = NewKey {
        name: "drain".to_owned(),
        scopes: scopes(&["ingest:write", "guard:use", "ingest:write"]),
        expires_at: Some(later),
        created_by: Some(creator),
    };
    let (key, text) = fixture.directory.create_key(fixture.organization, new).await.unwrap();
    assert_eq!(key.scopes, scopes(&["guard:use", "ingest:write"]), "sorted, each once");
    assert_eq!((key.expires_at, key.created_by), (Some(later), Some(creator)));
    assert!(text.expose().ends_with(&key.last_four));
    assert_eq!(fixture.directory.get_key(fixture.organization, key.id).await.unwrap(), Some(key.clone()));
    // Ids of the same millisecond have no order.
    let mut listed = fixture.directory.list_keys(fixture.organization).await.unwrap();
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(listed, [by, key]);

    let all = NewKey { scopes: scopes(&SCOPES), ..named("all") };
    fixture.directory.create_key(fixture.organization, all).await.unwrap();
    let bad = [
        ("name", named("")),
        ("name", named(&"a".repeat(101))),
        ("name", named("a\tb")),
        ("name", named("nimda\u{202e}")),
        ("scopes", NewKey { scopes: scopes(&[]), ..named("a") }),
        ("scopes", NewKey { scopes: scopes(&["ingest:write", "everything"]), ..named("a") }),
        ("expires_at", NewKey { expires_at: Some(fixture.clock_plus(Duration::ZERO)), ..named("a") }),
    ];
    for (expected, new) in bad {
        let refused = fixture.directory.create_key(fixture.organization, new.clone()).await;
        let Err(DirectoryError::Invalid { field, .. }) = refused else { panic!("{new:?} was accepted") };
        assert_eq!(field, expected);
    }
    assert_eq!(fixture.directory.list_keys(fixture.organization).await.unwrap().len(), 3);
}

#[tokio::test]
async fn keys_of_another_organization_are_not_there() {
    let fixture = Fixture::new().await;
    let (key, _) = fixture.directory.create_key(fixture.organization, named("ours")).await.unwrap();
    let theirs = fixture.directory.create_organization("Beta").await.unwrap().id;
    assert_eq!(fixture.directory.get_key(theirs, key.id).await.unwrap(), None);
    assert!(fixture.directory.list_keys(theirs).await.unwrap().is_empty());
    let revoked = fixture.directory.revoke_key(theirs, key.id).await;
    assert!(matches!(revoked, Err(DirectoryError::NotFound)));
    let rotated = fixture.directory.rotate(theirs, key.id, None, DAY).await;
    assert!(matches!(rotated, Err(DirectoryError::NotFound)));
    let nowhere = OrganizationId::from_bytes([9; 16]);
    let created = fixture.directory.create_key(nowhere, named("a")).await;
    assert!(matches!(created, Err(DirectoryError::NotFound)));
}

#[tokio::test]
async fn revoking_is_for_good_and_keeps_its_moment() {
    let fixture = Fixture::new().await;
    let (key, _) = fixture.directory.create_key(fixture.organization, named("a")).await.unwrap();
    let revoked = fixture.directory.revoke_key(fixture.organization, key.id).await.unwrap();
    assert_eq!(revoked.revoked_at, Some(fixture.clock_plus(Duration::ZERO)));
    fixture.clock.advance(DAY);
    let again = fixture.directory.revoke_key(fixture.organization, key.id).await.unwrap();
    assert_eq!(again, revoked);
    let rotated = fixture.directory.rotate(fixture.organization, key.id, None, DAY).await;
    assert!(matches!(rotated, Err(DirectoryError::Invalid { field: "key_id", .. })));
}

#[tokio::test]
async fn rotation_overlaps() {
    let fixture = Fixture::new().await;
    let far = fixture.clock_plus(30 * DAY);
    let new =
        NewKey { expires_at: Some(far), scopes: Some(vec!["ingest:write".to_owned()]), ..named("fleet") };
    let (old, old_text) = fixture.directory.create_key(fixture.organization, new).await.unwrap();
    let Rotation { new, text: new_text, .. } =
        fixture.directory.rotate(fixture.organization, old.id, Some(old.id), DAY).await.unwrap();
    assert_ne!(new.id, old.id);
    assert_eq!((&new.name, &new.scopes, new.expires_at), (&old.name, &old.scopes, Some(far)));
    assert_eq!(new.created_by, Some(old.id));
    assert_eq!(new.replaced_by, None);
    let listed = fixture.directory.get_key(fixture.organization, old.id).await.unwrap().unwrap();
    assert_eq!(listed.expires_at, Some(fixture.clock_plus(DAY)));
    assert_eq!(listed.replaced_by, Some(new.id));

    let authenticator = fixture.authenticator();
    assert_eq!(authenticator.authenticate(old_text.expose()).await.unwrap().key_id, old.id);
    assert_eq!(authenticator.authenticate(new_text.expose()).await.unwrap().key_id, new.id);
    let twice = fixture.directory.rotate(fixture.organization, old.id, None, DAY).await;
    assert!(matches!(twice, Err(DirectoryError::Rotated)));

    // Read shortly before the end of the overlap, so that the cached answer is fresh when it comes.
    fixture.clock.advance(DAY - Duration::from_secs(1));
    authenticator.authenticate(old_text.expose()).await.unwrap();
    fixture.clock.advance(Duration::from_secs(1));
    let refused = authenticator.authenticate(old_text.expose()).await;
    assert_eq!(refused, Err(AuthenticateError::Unknown));
    authenticator.authenticate(new_text.expose()).await.unwrap();
}

#[tokio::test]
async fn unknown_outcomes_leave_one_key_each() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let fixture = Fixture::new().await;
        let organization = fixture.organization;
        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let (key, text) = fixture.directory.create_key(organization, named("a")).await.unwrap();
        assert_eq!(fixture.directory.list_keys(organization).await.unwrap().len(), 1);
        fixture.authenticator().authenticate(text.expose()).await.unwrap();

        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let rotation = fixture.directory.rotate(organization, key.id, None, DAY).await.unwrap();
        let Rotation { new: rotated, text, .. } = rotation;
        assert_eq!(fixture.directory.list_keys(organization).await.unwrap().len(), 2);
        fixture.authenticator().authenticate(text.expose()).await.unwrap();

        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let revoked = fixture.directory.revoke_key(organization, rotated.id).await.unwrap();
        let read = fixture.directory.get_key(organization, rotated.id).await.unwrap();
        assert_eq!(read, Some(revoked));
        let refused = fixture.authenticator().authenticate(text.expose()).await;
        assert_eq!(refused, Err(AuthenticateError::Unknown));
    }
}

impl Fixture {
    fn clock_plus(&self, by: Duration) -> common::timestamp::Timestamp {
        common::clock::Clock::now(&*self.clock).plus(by)
    }
}

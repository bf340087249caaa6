//! Grants of presented keys, and the time that an answer is cached.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::pepper::Pepper;

use super::{Fixture, named};
use crate::{AuthenticateError, Authenticator, Directory, KeyText, NewKey};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test]
async fn a_live_key_opens_its_organization_within_its_scopes() {
    let fixture = Fixture::new().await;
    let authenticator = fixture.authenticator();
    let (key, text) = fixture.directory.create_key(fixture.organization, named("all")).await.unwrap();
    let grant = authenticator.authenticate(text.expose()).await.unwrap();
    assert_eq!(
        (grant.organization, grant.key_id, grant.key_name.as_str()),
        (fixture.organization, key.id, "all")
    );
    assert!(grant.allows("incidents:write"));

    let narrow = NewKey { scopes: Some(vec!["ingest:write".to_owned()]), ..named("narrow") };
    let (_, text) = fixture.directory.create_key(fixture.organization, narrow).await.unwrap();
    let grant = authenticator.authenticate(text.expose()).await.unwrap();
    assert!(grant.allows("ingest:write"));
    assert!(!grant.allows("incidents:write"));
}

#[tokio::test]
async fn what_is_no_key_is_refused_without_asking() {
    let fixture = Fixture::new().await;
    let authenticator = fixture.authenticator();
    let (_, text) = fixture.directory.create_key(fixture.organization, named("a")).await.unwrap();
    let before = fixture.gets();
    let mut typo = text.expose().to_owned();
    let last = typo.pop().unwrap();
    typo.push(if last == 'a' { 'b' } else { 'a' });
    let spaced = format!(" {}", text.expose());
    for presented in ["", "pal_live_", "Bearer", typo.as_str(), spaced.as_str(), &text.expose()[..44]] {
        assert_eq!(authenticator.authenticate(presented).await, Err(AuthenticateError::Unknown));
    }
    assert_eq!(fixture.gets(), before);
    authenticator.authenticate(text.expose()).await.unwrap();
}

#[tokio::test]
async fn another_pepper_knows_no_key() {
    let fixture = Fixture::new().await;
    let (_, text) = fixture.directory.create_key(fixture.organization, named("a")).await.unwrap();
    let ledger = Arc::clone(&fixture.ledger);
    let other = Directory::new(ledger, fixture.clock.clone(), Pepper::new([2; 32]));
    let authenticator = Authenticator::new(Arc::new(other), fixture.clock.clone());
    assert_eq!(authenticator.authenticate(text.expose()).await, Err(AuthenticateError::Unknown));
}

#[tokio::test]
async fn a_revocation_takes_effect_within_five_seconds() {
    let fixture = Fixture::new().await;
    let authenticator = fixture.authenticator();
    let (key, text) = fixture.directory.create_key(fixture.organization, named("a")).await.unwrap();
    authenticator.authenticate(text.expose()).await.unwrap();
    let asked = fixture.gets();
    fixture.directory.revoke_key(fixture.organization, key.id).await.unwrap();
    let asked_by_revocation = fixture.gets() - asked;

    fixture.clock.advance(Duration::from_millis(4_999));
    authenticator.authenticate(text.expose()).await.unwrap();
    assert_eq!(fixture.gets(), asked + asked_by_revocation, "a fresh answer asks nobody");
    fixture.clock.advance(Duration::from_millis(1));
    assert_eq!(authenticator.authenticate(text.expose()).await, Err(AuthenticateError::Unknown));

    // Known to be good a moment ago does not help when the ledger goes away now.
    fixture.ledger.memory.set_unavailable(true);
    fixture.clock.advance(seconds(6));
    assert_eq!(authenticator.authenticate(text.expose()).await, Err(AuthenticateError::Unavailable));
}

#[tokio::test]
async fn a_revocation_takes_effect_at_once_where_it_is_made() {
    let fixture = Fixture::new().await;
    let authenticator = fixture.authenticator();
    let organization = fixture.organization;
    let (key, text) = fixture.directory.create_key(organization, named("a")).await.unwrap();
    let (by, _) = fixture.directory.create_key(organization, named("by")).await.unwrap();
    authenticator.authenticate(text.expose()).await.unwrap();
    fixture.clock.advance(seconds(5));
    // A read that began before the revocation does not bring the key back.
    fixture.ledger.parks.store(true, Ordering::SeqCst);
    let reading = authenticator.authenticate(text.expose());
    let revoking = authenticator.revoke_key(organization, key.id, by.id);
    let releasing = async {
        while fixture.directory.get_key(organization, key.id).await.unwrap().unwrap().revoked_at.is_none() {
            tokio::task::yield_now().await;
        }
        fixture.ledger.released.notify_one();
    };
    let (read, revoked, ()) = tokio::join!(reading, revoking, releasing);
    assert!(read.is_ok(), "it was asked before the revocation");
    revoked.unwrap();
    assert_eq!(authenticator.authenticate(text.expose()).await, Err(AuthenticateError::Unknown));
    fixture.ledger.memory.set_unavailable(true);
    assert_eq!(authenticator.authenticate(text.expose()).await, Err(AuthenticateError::Unknown));
}

#[tokio::test]
async fn an_outage_is_bridged_for_a_minute() {
    let fixture = Fixture::new().await;
    let authenticator = fixture.authenticator();
    let (_, seen) = fixture.directory.create_key(fixture.organization, named("seen")).await.unwrap();
    let (_, unseen) = fixture.directory.create_key(fixture.organization, named("unseen")).await.unwrap();
    authenticator.authenticate(seen.expose()).await.unwrap();
    fixture.ledger.memory.set_unavailable(true);

    for _ in 0..12 {
        fixture.clock.advance(seconds(5));
        authenticator.authenticate(seen.expose()).await.unwrap();
        assert_eq!(authenticator.authenticate(unseen.expose()).await, Err(AuthenticateError::Unavailable));
    }
    fixture.clock.advance(seconds(1));
    assert_eq!(authenticator.authenticate(seen.expose()).await, Err(AuthenticateError::Unavailable));

    fixture.ledger.memory.set_unavailable(false);
    fixture.clock.advance(seconds(1));
    authenticator.authenticate(seen.expose()).await.unwrap();
    authenticator.authenticate(unseen.expose()).await.unwrap();
}

#[tokio::test]
async fn an_expiry_takes_effect_during_an_outage_too() {
    let fixture = Fixture::new().await;
    let authenticator = fixture.authenticator();
    let expires_at = common::clock::Clock::now(&*fixture.clock).plus(seconds(30));
    let new = NewKey { expires_at: Some(expires_at), ..named("a") };
    let (_, text) = fixture.directory.create_key(fixture.organization, new).await.unwrap();
    authenticator.authenticate(text.expose()).await.unwrap();
    fixture.ledger.memory.set_unavailable(true);
    fixture.clock.advance(seconds(29));
    authenticator.authenticate(text.expose()).await.unwrap();
    fixture.clock.advance(seconds(1));
    assert_eq!(authenticator.authenticate(text.expose()).await, Err(AuthenticateError::Unknown));
}

#[tokio::test]
async fn an_unknown_key_is_asked_about_every_five_seconds() {
    let fixture = Fixture::new().await;
    let authenticator = fixture.authenticator();
    let text = KeyText::generate();
    let before = fixture.gets();
    for _ in 0..3 {
        assert_eq!(authenticator.authenticate(text.expose()).await, Err(AuthenticateError::Unknown));
    }
    assert_eq!(fixture.gets(), before + 1);
    fixture.clock.advance(seconds(5));
    assert_eq!(authenticator.authenticate(text.expose()).await, Err(AuthenticateError::Unknown));
    assert_eq!(fixture.gets(), before + 2);
}

#[tokio::test]
async fn a_ledger_that_fails_is_left_alone_for_a_second() {
    let fixture = Fixture::new().await;
    let authenticator = fixture.authenticator();
    fixture.ledger.memory.set_unavailable(true);
    let before = fixture.gets();
    for _ in 0..100 {
        let answer = authenticator.authenticate(KeyText::generate().expose()).await;
        assert_eq!(answer, Err(AuthenticateError::Unavailable));
    }
    assert_eq!(fixture.gets(), before + 1);
    fixture.clock.advance(seconds(1));
    let answer = authenticator.authenticate(KeyText::generate().expose()).await;
    assert_eq!(answer, Err(AuthenticateError::Unavailable));
    assert_eq!(fixture.gets(), before + 2);
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_never_answers_is_one_that_is_away() {
    let fixture = Fixture::new().await;
    let authenticator = fixture.authenticator();
    let (_, text) = fixture.directory.create_key(fixture.organization, named("a")).await.unwrap();
    authenticator.authenticate(text.expose()).await.unwrap();
    fixture.ledger.hangs.store(true, Ordering::SeqCst);
    fixture.clock.advance(seconds(10));
    authenticator.authenticate(text.expose()).await.unwrap();
    let unknown = authenticator.authenticate(KeyText::generate().expose()).await;
    assert_eq!(unknown, Err(AuthenticateError::Unavailable));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_with_one_key_ask_once() {
    let fixture = Fixture::new().await;
    let authenticator = Arc::new(fixture.authenticator());
    let (_, text) = fixture.directory.create_key(fixture.organization, named("a")).await.unwrap();
    let before = fixture.gets();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let (authenticator, text) = (Arc::clone(&authenticator), text.clone());
        tasks.spawn(async move { authenticator.authenticate(text.expose()).await.unwrap() });
    }
    tasks.join_all().await;
    assert_eq!(fixture.gets(), before + 2, "the row of the hash and the row of the key, once");
}

#[tokio::test]
async fn who_tries_keys_does_not_push_out_a_good_one() {
    let fixture = Fixture::new().await;
    let authenticator = fixture.authenticator();
    let (_, text) = fixture.directory.create_key(fixture.organization, named("a")).await.unwrap();
    authenticator.authenticate(text.expose()).await.unwrap();
    for _ in 0..12_000 {
        let _ = authenticator.authenticate(KeyText::generate().expose()).await;
    }
    let before = fixture.gets();
    authenticator.authenticate(text.expose()).await.unwrap();
    assert_eq!(fixture.gets(), before);
}

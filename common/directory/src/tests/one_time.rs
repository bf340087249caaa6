//! One-time permissions: bounds, expiry, and their spending by the commit that binds a thing, whatever becomes of that commit.

use std::time::Duration;

use ledger::wrapped::{Fate, FatedLedger};

use super::*;
use crate::{Binding, DirectoryError, OneTime, Permission};

const KIND: OneTime = OneTime { prefix: b"test-permission/", plural: "permissions", limit: 3 };
const THINGS: Binding = Binding { prefix: b"test-thing/" };
const LIFETIME: Duration = Duration::from_secs(600);

fn hash(number: u8) -> [u8; 32] {
    [number; 32]
}

impl Fixture {
    async fn permit(&self, number: u8) -> Result<Timestamp, DirectoryError> {
        KIND.create(&self.directory, (self.organization, &hash(number)), LIFETIME, "a".to_owned()).await
    }

    async fn permission(&self, number: u8) -> Option<Permission<String>> {
        KIND.find(&self.directory, self.organization, &hash(number)).await.unwrap()
    }
}

#[tokio::test]
async fn an_organization_has_so_many_until_they_expire() {
    let fixture = Fixture::new().await;
    for number in 1..=3 {
        fixture.permit(number).await.unwrap();
    }
    assert!(matches!(fixture.permit(4).await, Err(DirectoryError::Full { limit: 3, .. })));
    let other = OrganizationId::from_bytes([9; 16]);
    KIND.create(&fixture.directory, (other, &hash(1)), LIFETIME, 1).await.unwrap();
    fixture.clock.advance(LIFETIME);
    let at = (fixture.organization, &hash(1));
    let late = KIND.replace(&fixture.directory, at, "b".to_owned()).await;
    assert!(matches!(late, Err(DirectoryError::NotFound)));
    assert!(fixture.permission(1).await.is_some(), "an expired one is known until another is created");
    fixture.permit(4).await.unwrap();
    assert!(fixture.permission(1).await.is_none() && fixture.permission(4).await.is_some());
    fixture.clock.advance(LIFETIME);
    KIND.prune(&fixture.directory, fixture.organization).await.unwrap();
    assert!(fixture.permission(4).await.is_none());
}

#[tokio::test]
async fn one_is_spent_once_and_only_as_it_was_read() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    fixture.permit(1).await.unwrap();
    let place = (organization, &hash(1));
    let read = fixture.permission(1).await.unwrap();
    let spending = KIND.spending(place, &read).unwrap();
    KIND.replace(directory, place, "b".to_owned()).await.unwrap();
    let bind = async |thing: &[u8], spending| {
        THINGS
            .bind(directory, thing, organization, (None, Some(spending)))
            .await
            .map(|bound| bound.organization)
    };
    let stale = bind(b"x", &spending).await;
    assert!(matches!(stale, Err(DirectoryError::NotFound)), "{stale:?}");
    assert_eq!(THINGS.find(directory, b"x").await.unwrap(), None);
    let spending = KIND.spending(place, &fixture.permission(1).await.unwrap()).unwrap();
    // Of another organization: nothing is spent.
    let other = OrganizationId::from_bytes([9; 16]);
    THINGS.bind(directory, b"theirs", other, (None, None)).await.unwrap();
    assert_eq!(bind(b"theirs", &spending).await.unwrap(), other);
    assert_eq!(bind(b"x", &spending).await.unwrap(), organization);
    assert_eq!(fixture.permission(1).await.unwrap().content, None);
    for thing in [b"x", b"y"] {
        assert!(matches!(bind(thing, &spending).await, Err(DirectoryError::NotFound)));
    }
    assert_eq!(THINGS.find(directory, b"y").await.unwrap(), None);
    let again = KIND.replace(directory, place, "c".to_owned()).await;
    assert!(matches!(again, Err(DirectoryError::NotFound)), "{again:?}");
}

#[tokio::test]
async fn one_is_spent_by_the_commit_that_binds_whatever_becomes_of_it() {
    for (fates, is_bound) in [
        (vec![], true),
        (vec![Fate::AnswerLost], true),
        (vec![Fate::Lost, Fate::AnswerLost, Fate::Conflict], true),
        (vec![Fate::Conflict, Fate::Lost], true),
        (vec![Fate::Refused], false),
    ] {
        let fixture = Fixture::new().await;
        fixture.permit(1).await.unwrap();
        let place = (fixture.organization, &hash(1));
        let spending = KIND.spending(place, &fixture.permission(1).await.unwrap()).unwrap();
        let rows: Vec<_> = fixture.ledger.memory.dump();
        let memory = Arc::new(MemoryLedger::default());
        let puts =
            rows.into_iter().filter(|(ledger, kind, _)| (*ledger, *kind) == (LedgerId::Platform, Kind::Head));
        let puts = puts.map(|(_, kind, row)| Op::Put { kind, key: row.key, body: row.body }).collect();
        memory.commit(LedgerId::Platform, Seq(0), puts).await.unwrap();
        let ledger = Arc::new(FatedLedger::new(memory, fates.clone()));
        let directory = Directory::new(ledger, fixture.clock.clone(), Pepper::new([1; 32]));
        let bound = THINGS.bind(&directory, b"x", fixture.organization, (None, Some(&spending))).await;
        assert_eq!(bound.is_ok(), is_bound, "{fates:?}: {bound:?}");
        let found: Option<Permission<String>> =
            KIND.find(&directory, fixture.organization, &hash(1)).await.unwrap();
        assert_eq!(found.unwrap().content.is_none(), is_bound, "{fates:?}");
        assert_eq!(THINGS.find(&directory, b"x").await.unwrap().is_some(), is_bound, "{fates:?}");
    }
}

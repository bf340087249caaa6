//! Webhook targets: what is allowed, who is told of what, and who wins against whom.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use common::clock::Clock;
use common::event::{EventKind, EventSource, SourceGroup};
use common::ids::OrganizationId;
use secrets::{KeyEncryptionKey, KeyEncryptionKeys, Place, Sealed, Vault};

use super::Fixture;
use crate::{DirectoryError, NewSource, NewWebhookTarget, SourceFilter, SourceSelection, WebhookTarget};

async fn sealed(fixture: &Fixture, organization: OrganizationId) -> Sealed {
    let keys = KeyEncryptionKeys::new(vec![KeyEncryptionKey::new([1; 32])]).unwrap();
    let place = Place { organization, table: "webhook_target", row: b"row", field: "signing_secret" };
    Vault::new(fixture.ledger.clone(), keys).seal(&place, b"whsec_x").await.unwrap()
}

async fn new_target(fixture: &Fixture, organization: OrganizationId) -> NewWebhookTarget {
    NewWebhookTarget {
        id: fixture.directory.new_webhook_target_id(),
        name: "pager".to_owned(),
        url: "https://example.com/hook".to_owned(),
        headers: BTreeMap::new(),
        events: None,
        sources: SourceFilter::default(),
        enabled: true,
        signing_secret: sealed(fixture, organization).await,
    }
}

async fn with_target() -> (Fixture, WebhookTarget) {
    let fixture = Fixture::new().await;
    let organization = fixture.organization;
    let new = new_target(&fixture, organization).await;
    let target = fixture.directory.create_webhook_target(organization, new).await.unwrap();
    (fixture, target)
}

fn enabled(enabled: bool) -> impl Fn(&mut WebhookTarget) -> Result<(), DirectoryError> {
    move |row| {
        row.enabled = enabled;
        Ok(())
    }
}

fn refused_field(outcome: Result<WebhookTarget, DirectoryError>) -> &'static str {
    let error = outcome.unwrap_err();
    let DirectoryError::Invalid { field, .. } = error else { panic!("{error}") };
    field
}

#[tokio::test]
async fn a_new_target_is_told_of_everything_but_incidents_of_all_sources() {
    let (fixture, target) = with_target().await;
    for kind in EventKind::ALL {
        let opted_out = *kind == EventKind::InfrastructureIncidentEscalated;
        assert_eq!(target.wants(*kind, None), !opted_out, "{}", kind.as_str());
    }
    let read = fixture.directory.webhook_targets().get(target.organization, target.id).await.unwrap();
    assert_eq!(read.as_ref(), Some(&target));
    let foreign = OrganizationId::from_bytes([9; 16]);
    assert_eq!(fixture.directory.webhook_targets().get(foreign, target.id).await.unwrap(), None);
    assert!(fixture.directory.webhook_targets().delete(target.organization, target.id).await.unwrap());
    assert!(!fixture.directory.webhook_targets().delete(target.organization, target.id).await.unwrap());
    assert!(fixture.directory.webhook_targets().list(target.organization).await.unwrap().is_empty());
}

#[tokio::test]
async fn exact_sources_admit_themselves_and_no_event_without_a_source() {
    let (fixture, target) = with_target().await;
    let source = fixture
        .directory
        .create_source(target.organization, NewSource::named("one"))
        .await
        .unwrap()
        .id
        .to_string();
    let change = |ids: &[&str]| {
        let ids = SourceSelection::Exactly(ids.iter().map(|id| (*id).to_owned()).collect());
        move |target: &mut WebhookTarget| {
            target.sources.infrastructure = ids.clone();
            target.events = EventKind::ALL.iter().copied().collect();
            Ok(())
        }
    };
    for unknown in ["db", "67e55044-10b1-426f-9247-bb680e5fe0c8"] {
        let outcome = fixture
            .directory
            .webhook_targets()
            .update(target.organization, target.id, change(&[unknown]))
            .await;
        assert_eq!(refused_field(outcome), "sources.infrastructure");
    }
    let target = fixture
        .directory
        .webhook_targets()
        .update(target.organization, target.id, change(&[&source]))
        .await
        .unwrap();
    let kind = EventKind::InfrastructureIncidentEscalated;
    let from = |group, id: Option<&str>| EventSource { group, id: id.map(str::to_owned) };
    assert!(target.wants(kind, Some(&from(SourceGroup::Infrastructure, Some(&source)))));
    assert!(!target.wants(kind, Some(&from(SourceGroup::Infrastructure, Some("another")))));
    assert!(!target.wants(kind, Some(&from(SourceGroup::Infrastructure, None))));
    assert!(target.wants(kind, Some(&from(SourceGroup::Agents, None))), "the other groups still admit all");
    assert!(target.wants(kind, None));
    let gone = source.parse().unwrap();
    assert!(fixture.directory.sources().delete(target.organization, gone).await.unwrap());
    let update = fixture.directory.webhook_targets().update(target.organization, target.id, enabled(false));
    assert!(!update.await.unwrap().enabled, "a source that is gone keeps nobody from other changes");
}

#[tokio::test]
async fn what_is_not_allowed_is_refused_by_name() {
    let (fixture, target) = with_target().await;
    let value = target.signing_secret.clone();
    let header = |name: &'static str| {
        let headers = BTreeMap::from([(name.to_owned(), value.clone())]);
        move |target: &mut WebhookTarget| target.headers.clone_from(&headers)
    };
    let refusals: [(_, Box<dyn Fn(&mut WebhookTarget)>); 6] = [
        ("name", Box::new(|target| target.name = " ".to_owned())),
        ("headers", Box::new(header("content-type"))),
        ("headers", Box::new(header("x-service-signature"))),
        ("headers", Box::new(header("X-Upper"))),
        ("headers", Box::new(header("two words"))),
        ("events", Box::new(|target| target.events = BTreeSet::new())),
    ];
    for (field, change) in refusals {
        let change = |target: &mut WebhookTarget| {
            change(target);
            Ok(())
        };
        let outcome =
            fixture.directory.webhook_targets().update(target.organization, target.id, change).await;
        assert_eq!(refused_field(outcome), field);
    }
    let allowed = header("authorization");
    let change = |target: &mut WebhookTarget| {
        allowed(target);
        Ok(())
    };
    fixture.directory.webhook_targets().update(target.organization, target.id, change).await.unwrap();
    let orphan = new_target(&fixture, target.organization).await;
    let nobody = OrganizationId::from_bytes([9; 16]);
    let outcome = fixture.directory.create_webhook_target(nobody, orphan).await;
    assert!(matches!(outcome, Err(DirectoryError::NotFound)));
}

#[tokio::test]
async fn the_service_disables_only_what_it_has_seen() {
    let (fixture, target) = with_target().await;
    let directory = &fixture.directory;
    let (organization, id) = (target.organization, target.id);
    assert!(directory.webhook_targets().disable(organization, id, target.enabled_at, "gone").await.unwrap());
    let disabled = directory.webhook_targets().get(organization, id).await.unwrap().unwrap();
    assert_eq!((disabled.enabled, disabled.disabled_reason.as_deref()), (false, Some("gone")));
    fixture.clock.advance(Duration::from_secs(1));
    let again = directory.webhook_targets().update(organization, id, enabled(true)).await.unwrap();
    assert_eq!((again.enabled_at, again.disabled_reason), (fixture.clock.now(), None));
    assert!(
        !directory.webhook_targets().disable(organization, id, target.enabled_at, "gone").await.unwrap(),
        "seen before it was enabled again"
    );
    let by_hand = directory.webhook_targets().update(organization, id, enabled(false)).await.unwrap();
    assert_eq!(by_hand.disabled_reason, None);
}

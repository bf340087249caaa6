//! Webhook targets: what is allowed, who is told of what, and who wins against whom.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use common::clock::Clock;
use common::event::{EventKind, EventSource, SourceGroup};
use common::ids::OrganizationId;
use secrets::{KeyEncryptionKey, KeyEncryptionKeys, Place, Sealed, Vault};

use super::Fixture;
use crate::{
    DirectoryError, NewSource, NewWebhookTarget, SourceFilter, SourceFilterChange, SourceSelection,
    WebhookTarget, WebhookTargetChange,
};

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

fn enabled(enabled: bool) -> WebhookTargetChange {
    WebhookTargetChange { enabled: Some(enabled), ..WebhookTargetChange::default() }
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
    let read = fixture.directory.get_webhook_target(target.organization, target.id).await.unwrap();
    assert_eq!(read.as_ref(), Some(&target));
    let foreign = OrganizationId::from_bytes([9; 16]);
    assert_eq!(fixture.directory.get_webhook_target(foreign, target.id).await.unwrap(), None);
    assert!(fixture.directory.delete_webhook_target(target.organization, target.id).await.unwrap());
    assert!(!fixture.directory.delete_webhook_target(target.organization, target.id).await.unwrap());
    assert!(fixture.directory.list_webhook_targets(target.organization).await.unwrap().is_empty());
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
    let filter = |ids: &[&str]| SourceFilterChange {
        infrastructure: Some(SourceSelection::Exactly(ids.iter().map(|id| (*id).to_owned()).collect())),
        ..SourceFilterChange::default()
    };
    let change = |ids: &[&str]| WebhookTargetChange {
        sources: filter(ids),
        events: Some(EventKind::ALL.iter().copied().collect()),
        ..WebhookTargetChange::default()
    };
    for unknown in ["db", "67e55044-10b1-426f-9247-bb680e5fe0c8"] {
        let outcome =
            fixture.directory.update_webhook_target(target.organization, target.id, change(&[unknown])).await;
        assert_eq!(refused_field(outcome), "sources.infrastructure");
    }
    let target = fixture
        .directory
        .update_webhook_target(target.organization, target.id, change(&[&source]))
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
    assert!(fixture.directory.delete_source(target.organization, gone).await.unwrap());
    let update = fixture.directory.update_webhook_target(target.organization, target.id, enabled(false));
    assert!(!update.await.unwrap().enabled, "a source that is gone keeps nobody from other changes");
}

#[tokio::test]
async fn what_is_not_allowed_is_refused_by_name() {
    let (fixture, target) = with_target().await;
    let value = target.signing_secret.clone();
    let header = |name: &str| Some(BTreeMap::from([(name.to_owned(), value.clone())]));
    let plain = WebhookTargetChange::default;
    let refusals = [
        ("name", WebhookTargetChange { name: Some(" ".to_owned()), ..plain() }),
        ("headers", WebhookTargetChange { headers: header("content-type"), ..plain() }),
        ("headers", WebhookTargetChange { headers: header("x-service-signature"), ..plain() }),
        ("headers", WebhookTargetChange { headers: header("X-Upper"), ..plain() }),
        ("headers", WebhookTargetChange { headers: header("two words"), ..plain() }),
        ("events", WebhookTargetChange { events: Some(BTreeSet::new()), ..plain() }),
    ];
    for (field, change) in refusals {
        let outcome = fixture.directory.update_webhook_target(target.organization, target.id, change).await;
        assert_eq!(refused_field(outcome), field);
    }
    let headers = header("authorization");
    let change = WebhookTargetChange { headers, ..plain() };
    fixture.directory.update_webhook_target(target.organization, target.id, change).await.unwrap();
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
    assert!(directory.disable_webhook_target(&target, "gone").await.unwrap());
    let disabled = directory.get_webhook_target(organization, id).await.unwrap().unwrap();
    assert_eq!((disabled.enabled, disabled.disabled_reason.as_deref()), (false, Some("gone")));
    fixture.clock.advance(Duration::from_secs(1));
    let again = directory.update_webhook_target(organization, id, enabled(true)).await.unwrap();
    assert_eq!((again.enabled_at, again.disabled_reason), (fixture.clock.now(), None));
    assert!(
        !directory.disable_webhook_target(&target, "gone").await.unwrap(),
        "seen before it was enabled again"
    );
    let by_hand = directory.update_webhook_target(organization, id, enabled(false)).await.unwrap();
    assert_eq!(by_hand.disabled_reason, None);
}

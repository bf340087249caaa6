//! Receivers: what is allowed, what they get, and whose change wins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::clock::Clock;
use common::event::{EventKind, EventSource, SourceGroup};
use common::ids::OrganizationId;
use secrets::{FieldLocation, KeyEncryptionKey, KeyEncryptionKeys, Sealed, Vault};

use super::Fixture;
use crate::ReceiverKind::{self, Telemetry, Webhook};
use crate::{
    DirectoryError, NewReceiver, NewSource, Receiver, SourceFilter, SourceSelection, TelemetryProtocol,
    Transport,
};

async fn sealed(fixture: &Fixture, organization: OrganizationId) -> Sealed {
    let keys = KeyEncryptionKeys::new(vec![KeyEncryptionKey::new([1; 32])]).unwrap();
    let location = FieldLocation { organization, table: "receiver", row: b"row", field: "signing_secret" };
    Vault::new(fixture.ledger.clone(), keys).seal(&location, b"whsec_x").await.unwrap()
}

async fn new(fixture: &Fixture, organization: OrganizationId, kind: ReceiverKind) -> NewReceiver {
    let transport = match kind {
        Webhook => Transport::Webhook { signing_secret: sealed(fixture, organization).await },
        Telemetry => Transport::Telemetry { protocol: TelemetryProtocol::Protobuf },
    };
    NewReceiver {
        id: fixture.directory.new_receiver_id(),
        name: None,
        url: "https://example.com/hook".to_owned(),
        headers: BTreeMap::new(),
        events: None,
        sources: SourceFilter::default(),
        enabled: true,
        transport,
    }
}

async fn with(kind: ReceiverKind) -> (Fixture, Receiver) {
    let fixture = Fixture::new().await;
    let organization = fixture.organization;
    let new = new(&fixture, organization, kind).await;
    let receiver = fixture.directory.create_receiver(organization, new).await.unwrap();
    (fixture, receiver)
}

fn enabled(enabled: bool) -> impl Fn(&mut Receiver) -> Result<(), DirectoryError> {
    move |row| {
        row.enabled = enabled;
        Ok(())
    }
}

type Change = dyn Fn(&mut Receiver);

fn refused_field(outcome: Result<Receiver, DirectoryError>) -> &'static str {
    let error = outcome.unwrap_err();
    let DirectoryError::Invalid { field, .. } = error else { panic!("{error}") };
    field
}

#[tokio::test]
async fn a_new_receiver_gets_everything_but_incidents_until_it_is_deleted() {
    for (kind, other) in [(Webhook, Telemetry), (Telemetry, Webhook)] {
        let (fixture, receiver) = with(kind).await;
        let (receivers, organization) = (fixture.directory.receivers(kind), fixture.organization);
        for event in EventKind::ALL {
            let opted_out = event == EventKind::InfrastructureIncidentEscalated;
            assert_eq!(receiver.wants(event, None), !opted_out, "{}", event.as_str());
        }
        assert_eq!(receivers.get(organization, receiver.id).await.unwrap().as_ref(), Some(&receiver));
        let foreign = OrganizationId::from_bytes([9; 16]);
        assert_eq!(receivers.get(foreign, receiver.id).await.unwrap(), None);
        let refused = receivers.update(foreign, receiver.id, enabled(false)).await;
        assert!(matches!(refused, Err(DirectoryError::NotFound)));
        let others = fixture.directory.receivers(other);
        assert_eq!(others.get(organization, receiver.id).await.unwrap(), None, "it is of the other kind");
        assert!(!others.delete(organization, receiver.id).await.unwrap());
        assert!(receivers.delete(organization, receiver.id).await.unwrap());
        assert!(!receivers.delete(organization, receiver.id).await.unwrap());
        assert!(receivers.list(organization).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn each_kind_has_a_limit_of_its_own() {
    let (fixture, _) = with(Telemetry).await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    for _ in 1..50 {
        let another = new(&fixture, organization, Telemetry).await;
        directory.create_receiver(organization, another).await.unwrap();
    }
    let one_more = new(&fixture, organization, Telemetry).await;
    let refused = directory.create_receiver(organization, one_more).await;
    assert!(matches!(refused, Err(DirectoryError::Full { things: "telemetry endpoints", limit: 50 })));
    directory.create_receiver(organization, new(&fixture, organization, Webhook).await).await.unwrap();
}

#[tokio::test]
async fn exact_sources_admit_themselves_and_no_event_without_a_source() {
    let (fixture, target) = with(Webhook).await;
    let source = fixture
        .directory
        .create_source(target.organization, NewSource::named("one"))
        .await
        .unwrap()
        .id
        .to_string();
    let change = |ids: &[&str]| {
        let ids = SourceSelection::Exactly(ids.iter().map(|id| (*id).to_owned()).collect());
        move |target: &mut Receiver| {
            target.sources.infrastructure = ids.clone();
            target.events = EventKind::ALL.iter().copied().collect();
            Ok(())
        }
    };
    for unknown in ["db", "67e55044-10b1-426f-9247-bb680e5fe0c8"] {
        let outcome = fixture
            .directory
            .receivers(Webhook)
            .update(target.organization, target.id, change(&[unknown]))
            .await;
        assert_eq!(refused_field(outcome), "sources.infrastructure");
    }
    let target = fixture
        .directory
        .receivers(Webhook)
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
    let update = fixture.directory.receivers(Webhook).update(target.organization, target.id, enabled(false));
    assert!(!update.await.unwrap().enabled, "a source that is gone keeps nobody from other changes");
}

#[tokio::test]
async fn what_is_not_allowed_is_refused_by_name() {
    let (fixture, target) = with(Webhook).await;
    let value = sealed(&fixture, target.organization).await;
    let header = |name: &'static str| {
        let headers = BTreeMap::from([(name.to_owned(), value.clone())]);
        move |target: &mut Receiver| target.headers.clone_from(&headers)
    };
    let refusals: [(_, Box<Change>); 6] = [
        ("name", Box::new(|target| target.name = Some(" ".to_owned()))),
        ("headers", Box::new(header("content-type"))),
        ("headers", Box::new(header("x-service-signature"))),
        ("headers", Box::new(header("X-Upper"))),
        ("headers", Box::new(header("two words"))),
        ("events", Box::new(|target| target.events = BTreeSet::new())),
    ];
    for (field, change) in refusals {
        let change = |target: &mut Receiver| {
            change(target);
            Ok(())
        };
        let outcome =
            fixture.directory.receivers(Webhook).update(target.organization, target.id, change).await;
        assert_eq!(refused_field(outcome), field);
    }
    let allowed = header("authorization");
    let change = |target: &mut Receiver| {
        allowed(target);
        Ok(())
    };
    fixture.directory.receivers(Webhook).update(target.organization, target.id, change).await.unwrap();
    let orphan = new(&fixture, target.organization, Webhook).await;
    let nobody = OrganizationId::from_bytes([9; 16]);
    let outcome = fixture.directory.create_receiver(nobody, orphan).await;
    assert!(matches!(outcome, Err(DirectoryError::NotFound)));
}

#[tokio::test]
async fn the_service_disables_only_what_it_has_seen_and_users_have_the_last_word() {
    for kind in ReceiverKind::ALL {
        let (fixture, receiver) = with(kind).await;
        let (directory, organization) = (&fixture.directory, fixture.organization);
        let receivers = directory.receivers(kind);
        fixture.ledger.rivals.store(2, Ordering::SeqCst);
        assert!(directory.disable_receiver(&receiver, "silent").await.unwrap());
        let disabled = receivers.get(organization, receiver.id).await.unwrap().unwrap();
        assert_eq!((disabled.enabled, disabled.disabled_reason.as_deref()), (false, Some("silent")));
        fixture.clock.advance(Duration::from_secs(1));
        let again = receivers.update(organization, receiver.id, enabled(true)).await.unwrap();
        assert_eq!((again.disabled_reason.as_deref(), again.enabled_at), (None, fixture.clock.now()));
        assert!(again.is_enabled_since(fixture.clock.now()) && !again.is_enabled_since(receiver.enabled_at));
        let was_late = !directory.disable_receiver(&receiver, "silent").await.unwrap();
        assert!(was_late, "enabled again since it was seen");
        let by_hand = receivers.update(organization, receiver.id, enabled(false)).await.unwrap();
        assert_eq!(by_hand.disabled_reason, None);
        assert!(!directory.disable_receiver(&again, "silent").await.unwrap(), "a user disabled it");
        assert!(receivers.delete(organization, receiver.id).await.unwrap());
        assert!(!directory.disable_receiver(&again, "silent").await.unwrap(), "it was deleted");
    }
}

//! Telemetry endpoints: what is allowed, what they are told of, and who wins against whom.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::clock::Clock;
use common::event::EventKind;
use common::ids::OrganizationId;

use super::Fixture;
use crate::{DirectoryError, NewTelemetryEndpoint, TelemetryEndpoint, TelemetryProtocol};

fn new(fixture: &Fixture) -> NewTelemetryEndpoint {
    NewTelemetryEndpoint {
        id: fixture.directory.new_telemetry_endpoint_id(),
        name: None,
        endpoint: "https://example.com/v1/logs".to_owned(),
        protocol: TelemetryProtocol::Protobuf,
        headers: BTreeMap::new(),
        events: None,
        enabled: true,
    }
}

async fn with_endpoint() -> (Fixture, TelemetryEndpoint) {
    let fixture = Fixture::new().await;
    let created = fixture.directory.create_telemetry_endpoint(fixture.organization, new(&fixture)).await;
    (fixture, created.unwrap())
}

fn enabled(enabled: bool) -> impl Fn(&mut TelemetryEndpoint) -> Result<(), DirectoryError> {
    move |row| {
        row.enabled = enabled;
        Ok(())
    }
}

#[tokio::test]
async fn a_new_endpoint_is_told_of_everything_but_incidents_until_it_is_gone() {
    let (fixture, endpoint) = with_endpoint().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    for kind in EventKind::ALL {
        let opted_out = *kind == EventKind::InfrastructureIncidentEscalated;
        assert_eq!(endpoint.wants(*kind), !opted_out, "{}", kind.as_str());
    }
    let read = directory.telemetry_endpoints().get(organization, endpoint.id).await.unwrap();
    assert_eq!(read.as_ref(), Some(&endpoint));
    let foreign = OrganizationId::from_bytes([9; 16]);
    assert_eq!(directory.telemetry_endpoints().get(foreign, endpoint.id).await.unwrap(), None);
    assert!(matches!(
        directory.telemetry_endpoints().update(foreign, endpoint.id, enabled(false)).await,
        Err(DirectoryError::NotFound)
    ));
    assert!(directory.telemetry_endpoints().delete(organization, endpoint.id).await.unwrap());
    assert!(!directory.telemetry_endpoints().delete(organization, endpoint.id).await.unwrap());
    assert!(directory.telemetry_endpoints().list(organization).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_is_left_out_of_a_change_stays_and_nothing_new_moves_no_time() {
    let (fixture, endpoint) = with_endpoint().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    fixture.clock.advance(Duration::from_secs(5));
    let same =
        directory.telemetry_endpoints().update(organization, endpoint.id, enabled(true)).await.unwrap();
    assert_eq!(same, endpoint);
    let named = |endpoint: &mut TelemetryEndpoint| {
        endpoint.name = Some("a".to_owned());
        Ok(())
    };
    let changed = directory.telemetry_endpoints().update(organization, endpoint.id, named).await.unwrap();
    let now = fixture.clock.now();
    assert_eq!(changed, TelemetryEndpoint { name: Some("a".to_owned()), updated_at: now, ..endpoint });
    let none = |endpoint: &mut TelemetryEndpoint| {
        endpoint.events.clear();
        Ok(())
    };
    let refused = directory.telemetry_endpoints().update(organization, changed.id, none).await;
    assert!(matches!(refused, Err(DirectoryError::Invalid { field: "events", .. })), "{refused:?}");
}

#[tokio::test]
async fn the_service_disables_only_what_it_saw_and_people_have_the_last_word() {
    let (fixture, endpoint) = with_endpoint().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    fixture.ledger.rivals.store(2, Ordering::SeqCst);
    assert!(
        directory
            .telemetry_endpoints()
            .disable(organization, endpoint.id, endpoint.enabled_at, "silent")
            .await
            .unwrap()
    );
    let disabled = directory.telemetry_endpoints().get(organization, endpoint.id).await.unwrap().unwrap();
    assert_eq!((disabled.enabled, disabled.disabled_reason.as_deref()), (false, Some("silent")));
    fixture.clock.advance(Duration::from_secs(1));
    let again =
        directory.telemetry_endpoints().update(organization, endpoint.id, enabled(true)).await.unwrap();
    assert_eq!((again.disabled_reason.as_deref(), again.enabled_at), (None, fixture.clock.now()));
    let was_late = !directory
        .telemetry_endpoints()
        .disable(organization, endpoint.id, endpoint.enabled_at, "silent")
        .await
        .unwrap();
    assert!(was_late, "enabled again since it was seen");
    assert!(directory.telemetry_endpoints().delete(organization, endpoint.id).await.unwrap());
    assert!(
        !directory
            .telemetry_endpoints()
            .disable(organization, again.id, again.enabled_at, "silent")
            .await
            .unwrap(),
        "it is gone"
    );
}

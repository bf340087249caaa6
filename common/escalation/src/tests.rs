//! The event of an escalation: its object field by field, and what its id depends on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::clock::ManualClock;
use common::event::{EventKind, SourceGroup};
use common::ids::{IncidentId, OrganizationId, SourceId};
use common::incident::{Analysis, Assessment, Confidence, Entity, IncidentHead, Qualification, Triage};
use common::pepper::Pepper;
use common::severity::Severity;
use common::timestamp::Timestamp;
use directory::{Directory, NewMonitoringPolicy, NewSource};
use ledger::memory::MemoryLedger;
use serde_json::json;

use crate::{Cause, Change, Escalation};

fn escalation(pepper: u8) -> Escalation {
    let pepper = Pepper::new([pepper; 32]);
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_800_000_000_000)));
    let directory = Directory::new(Arc::new(MemoryLedger::default()), clock, pepper.clone());
    Escalation::new(Arc::new(directory), pepper, "https://palisade.example/api/v1")
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

fn head() -> IncidentHead {
    IncidentHead {
        id: IncidentId::from_bytes([1; 16]),
        organization: OrganizationId::from_bytes([2; 16]),
        source: SourceId::from_bytes([3; 16]),
        application_group: "checkout".to_owned(),
        environment: "production".to_owned(),
        family: "logins".to_owned(),
        entity: Entity { kind: "client.address".to_owned(), value: "203.0.113.9".to_owned() },
        episode: 1,
        created_at: at("2026-07-08T09:10:12Z"),
        analysis: Analysis {
            title: "Failed logins from 203.0.113.9".to_owned(),
            severity: Severity::High,
            event_count: 212,
            first_seen_at: at("2026-07-08T09:10:11.012Z"),
            last_activity_at: at("2026-07-08T09:14:02.550Z"),
            updated_at: at("2026-07-08T09:14:03Z"),
            revision: 3,
            superseded: false,
        },
        triage: Triage::default(),
    }
}

fn assessment() -> Assessment {
    Assessment {
        severity: Severity::High,
        confidence: Confidence::Medium,
        summary: "212 logins failed.".to_owned(),
        qualified_by: Qualification::Threshold,
        rules: Vec::new(),
        tactics: Vec::new(),
        techniques: Vec::new(),
        withdrawn_rules: Vec::new(),
        peak_severity: Severity::High,
        facts: BTreeMap::new(),
        next_steps: Vec::new(),
    }
}

#[test]
fn the_object_is_the_summary_what_it_comes_to_and_where_there_is_more() {
    let (incident, assessment) = (head(), assessment());
    let change = Change {
        incident: &incident,
        assessment: &assessment,
        source_name: Some("bastion hosts"),
        cause: Cause::Revision(3),
        at: at("2026-07-08T09:14:03Z"),
    };
    let event = escalation(1).event(&change).unwrap();
    let id = "01010101-0101-0101-0101-010101010101";
    let source = "03030303-0303-0303-0303-030303030303";
    let expected = json!({
        "id": id,
        "object": "incident",
        "title": "Failed logins from 203.0.113.9",
        "severity": "high",
        "triage_status": "new",
        "triage_resolution": null,
        "triage_version": 1,
        "source": {"id": source, "name": "bastion hosts"},
        "application_group": "checkout",
        "environment": "production",
        "entity": {"kind": "client.address", "value": "203.0.113.9"},
        "event_count": 212,
        "first_seen_at": "2026-07-08T09:10:11.012Z",
        "last_activity_at": "2026-07-08T09:14:02.550Z",
        "created_at": "2026-07-08T09:10:12.000Z",
        "updated_at": "2026-07-08T09:14:03.000Z",
        "assessment": {"severity": "high", "summary": "212 logins failed.", "confidence": "medium"},
        "dashboard_url": format!("https://palisade.example/console/incidents/{id}"),
        "incident_detail_url": format!("https://palisade.example/api/v1/incidents/{id}"),
    });
    assert_eq!(event.object, expected);
    assert_eq!(
        (event.kind, event.organization),
        (EventKind::InfrastructureIncidentEscalated, incident.organization)
    );
    let from = event.source.unwrap();
    assert_eq!((from.group, from.id.as_deref()), (SourceGroup::Infrastructure, Some(source)));
    assert_eq!((event.incident, event.created_at), (Some(incident.id), change.at));
}

#[test]
fn an_id_follows_the_cause_and_the_secret_and_nothing_else() {
    let assessment = assessment();
    let id = |pepper: u8, incident: &IncidentHead, cause| {
        let change = Change { incident, assessment: &assessment, source_name: None, cause, at: Timestamp(0) };
        escalation(pepper).event(&change).unwrap().id
    };
    let plain = head();
    let mut grown = head();
    grown.analysis.event_count += 1;
    grown.triage.version += 1;
    assert_eq!(id(1, &plain, Cause::Revision(2)), id(1, &grown, Cause::Revision(2)));
    let foreign = IncidentHead { organization: OrganizationId::from_bytes([9; 16]), ..head() };
    let other = IncidentHead { id: IncidentId::from_bytes([9; 16]), ..head() };
    let ids = [
        id(1, &plain, Cause::Revision(2)),
        id(1, &plain, Cause::Revision(3)),
        id(1, &plain, Cause::Review(2)),
        id(1, &foreign, Cause::Revision(2)),
        id(1, &other, Cause::Revision(2)),
        id(2, &plain, Cause::Revision(2)),
    ];
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
}

#[tokio::test]
async fn policies_and_names_are_read_as_they_are_now() {
    let escalation = escalation(1);
    let directory = &escalation.directory;
    let organization = directory.create_organization("Acme").await.unwrap().id;
    assert_eq!(escalation.policies(organization).await.unwrap().version, 0);
    directory.create_monitoring_policy(organization, NewMonitoringPolicy::named("on call")).await.unwrap();
    assert_eq!(escalation.policies(organization).await.unwrap().policies.len(), 1);
    let source = directory.create_source(organization, NewSource::named("web")).await.unwrap().id;
    assert_eq!(escalation.source_name(organization, source).await.unwrap().as_deref(), Some("web"));
    directory.sources().delete(organization, source).await.unwrap();
    assert_eq!(escalation.source_name(organization, source).await.unwrap(), None);
}

//! The object of an escalated incident, field by field against the specification (Events, Object shapes).

use std::collections::BTreeMap;
use std::sync::Arc;

use common::clock::ManualClock;
use common::ids::{IncidentId, OrganizationId, SourceId};
use common::incident::{Analysis, Assessment, Confidence, Entity, IncidentHead, Qualification, Triage};
use common::pepper::Pepper;
use common::severity::Severity;
use common::timestamp::Timestamp;
use directory::Directory;
use escalation::{Cause, Change, Escalation};
use ledger::memory::MemoryLedger;
use serde_json::Value;

use crate::house::PARTITION;

const INCIDENT: &str = "id: string, object: =incident, title: string, severity: string, triage_status: string, \
    triage_resolution: string?, triage_version: integer, source.id: string, source.name: string?, \
    application_group: string, environment: string, entity.kind: string, entity.value: string, \
    event_count: integer, first_seen_at: time, last_activity_at: time, created_at: time, updated_at: time, \
    assessment.severity: string, assessment.summary: string, assessment.confidence: string, \
    dashboard_url: string, incident_detail_url: string";
fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_783_500_000_000 + seconds * 1_000)
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn incident() -> Value {
    let clock = Arc::new(ManualClock::new(at(9)));
    let directory = Directory::new(Arc::new(MemoryLedger::new()), clock, Pepper::new([1; 32]));
    let escalation = Escalation::new(Arc::new(directory), Pepper::new([1; 32]), "https://example.com/api/v1");
    let head = IncidentHead {
        id: IncidentId::new(PARTITION, &[1; 32]),
        organization: OrganizationId::from_bytes([3; 16]),
        source: SourceId::from_bytes([2; 16]),
        application_group: text("default"),
        environment: text("production"),
        family: text("logins"),
        entity: Entity { kind: text("client.address"), value: text("198.51.100.7") },
        episode: 1,
        created_at: at(1),
        analysis: Analysis {
            title: text("Failed logins from 198.51.100.7"),
            severity: Severity::High,
            event_count: 412,
            first_seen_at: at(0),
            last_activity_at: at(9),
            updated_at: at(9),
            revision: 1,
            superseded: false,
        },
        triage: Triage::default(),
    };
    let assessment = Assessment {
        severity: Severity::High,
        confidence: Confidence::Medium,
        summary: text("One address tried 412 passwords."),
        qualified_by: Qualification::Threshold,
        rules: Vec::new(),
        tactics: Vec::new(),
        techniques: Vec::new(),
        withdrawn_rules: Vec::new(),
        peak_severity: Severity::High,
        facts: BTreeMap::new(),
        next_steps: Vec::new(),
    };
    let (source_name, cause) = (Some("bastion"), Cause::Revision(1));
    let change = Change { incident: &head, assessment: &assessment, source_name, cause, at: at(9) };
    escalation.event(&change).unwrap().object
}

/// Every leaf below a value by its path.
fn leaves(value: &Value, path: &str, into: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                leaves(value, &below, into);
            }
        }
        leaf => {
            into.insert(path.to_owned(), leaf.clone());
        }
    }
}

fn is_of(value: &Value, shape: &str) -> bool {
    let (shape, nullable) = shape.strip_suffix('?').map_or((shape, false), |shape| (shape, true));
    if value.is_null() {
        return nullable;
    }
    match shape {
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "time" => {
            value.as_str().is_some_and(|text| text.len() == 24 && Timestamp::parse_rfc3339(text).is_some())
        }
        word => word.strip_prefix('=').is_some_and(|expected| value == expected),
    }
}

#[test]
fn the_object_has_the_fields_of_the_specification_and_no_other() {
    let mut found = BTreeMap::new();
    leaves(&incident(), "", &mut found);
    for field in INCIDENT.split(", ") {
        let (path, shape) = field.trim().split_once(": ").unwrap();
        let value = found.remove(path);
        assert!(value.as_ref().is_some_and(|value| is_of(value, shape)), "{field}: {value:?}");
    }
    assert!(found.is_empty(), "more fields: {found:?}");
}

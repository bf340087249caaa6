//! The objects of all ten kinds of events, field by field against the specification (Events, Object shapes).

use std::collections::BTreeMap;
use std::sync::Arc;

use common::clock::ManualClock;
use common::event::EventKind;
use common::ids::{IncidentId, OrganizationId, SourceId};
use common::incident::{Analysis, Assessment, Confidence, Entity, IncidentHead, Qualification, Triage};
use common::pepper::Pepper;
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::TriageStatus;
use deliver::payload::*;
use directory::Directory;
use escalation::{Cause, Change, Escalation};
use ledger::memory::MemoryLedger;
use serde_json::{Value, json};

use crate::house::PARTITION;

const REPORT: &str = "id: string, object: =report, trigger_source: string, custom_goal_prompt: string?, status: string, \
    sandbox_status: string, agent_status: string, dashboard_url: string, outcome: string?, error: object?, \
    agent_started_at: time?, agent_completed_at: time?, created_at: time, updated_at: time";
const FINDING: &str = "id: string, object: =finding, kind: string, title: string, repository: string, \
    risk_level: string, triage_status: string, triage.summary: string, triage.recommendation: string, \
    triage.evidence: string, triage.verification_status: string, remediation.files: array, \
    remediation.patch.format: =unified_diff, remediation.patch.diff: string, \
    remediation.patch.truncated: boolean, remediation.code_references: array, finding_detail_url: string";
const INCIDENT: &str = "id: string, object: =incident, title: string, severity: string, triage_status: string, \
    triage_resolution: string?, triage_version: integer, source.id: string, source.name: string?, \
    application_group: string, environment: string, entity.kind: string, entity.value: string, \
    event_count: integer, first_seen_at: time, last_activity_at: time, created_at: time, updated_at: time, \
    assessment.severity: string, assessment.summary: string, assessment.confidence: string, \
    dashboard_url: string, incident_detail_url: string";
const DEPENDENCY_UPDATE: &str = "id: string, object: =dependency_update, status: =published, run_id: string?, \
    repository.id: string, repository.full_name: string, title: string, pull_request.number: integer, \
    pull_request.url: string";
const TRUST_SCAN: &str = "id: string, object: =contributor_trust_scan, login: string, status: string, \
    score_version: string?, verdict: string?, confidence: string?, analyzed_pr_count: integer?, \
    public_evidence: array, started_at: time, completed_at: time, created_at: time, updated_at: time";
const AGENT_ALERT: &str = "id: string, object: =agent_alert, rule.id: string, rule.title: string, \
    rule.severity: string, client.id: string, client.name: string, dashboard_url: string";

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_783_500_000_000 + seconds * 1_000)
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn finding() -> Value {
    let patch = Patch { format: PatchFormat::UnifiedDiff, diff: text("--- a\n+++ b\n"), truncated: false };
    let reference = CodeReference {
        file: text("src/login.rs"),
        start_line: 10,
        end_line: 12,
        snippet: text("let query = format!(…);"),
        reason: text("the name is part of the query"),
    };
    json!(Finding {
        id: text("fnd_1"),
        kind: text("repository_red_team"),
        title: text("SQL injection in the login"),
        repository: text("acme/shop"),
        risk_level: text("high"),
        triage_status: TriageStatus::Triaged,
        triage: FindingTriage {
            summary: text("Real, and reachable."),
            recommendation: text("Bind the name."),
            evidence: Some(text("A quote in the name is a syntax error.")),
            verification_status: text("verified"),
        },
        remediation: Remediation {
            files: vec![text("src/login.rs")],
            patch,
            code_references: vec![reference]
        },
        finding_detail_url: text("https://example.com/api/v1/findings/fnd_1"),
    })
}

fn report(subject: ReportSubject, outcome: Option<ReportOutcome>, error: Option<ReportError>) -> Value {
    json!(Report {
        id: text("rep_1"),
        subject,
        trigger_source: text("manual"),
        custom_goal_prompt: None,
        progress: Progress {
            status: text("in_review"),
            sandbox_status: text("ready"),
            agent_status: text("completed"),
        },
        dashboard_url: text("https://example.com/reports/rep_1"),
        outcome,
        error,
        agent_started_at: Some(at(1)),
        agent_completed_at: None,
        created_at: at(0),
        updated_at: at(2),
    })
}

fn target() -> Target {
    Target {
        target_url: text("https://shop.example"),
        allowed_host: text("shop.example"),
        request_throttle_rpm: None,
    }
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

fn scan(failed: bool) -> Value {
    let known = !failed;
    let evidence = PublicEvidence {
        repo: text("acme/shop"),
        number: 7,
        title: text("Fix a typo"),
        url: text("https://code.example/acme/shop/pull/7"),
        verdict: text("clean"),
        files_reviewed: vec![text("README.md")],
    };
    json!(ContributorTrustScan {
        id: text("scan_1"),
        login: text("octo"),
        status: if failed { ScanStatus::Failed } else { ScanStatus::Completed },
        score: known.then_some(91),
        score_version: known.then(|| text("2026-07-01")),
        verdict: known.then(|| text("trusted")),
        confidence: known.then_some(Confidence::High),
        sub_scores: known.then_some(SubScores { identity: 90, behavior: 92, content: 91 }),
        analyzed_pr_count: known.then_some(12),
        public_evidence: if failed { Vec::new() } else { vec![evidence] },
        error: failed.then(|| SafeMessage { message: text("the scan did not finish") }),
        started_at: Some(at(1)),
        completed_at: Some(at(5)),
        created_at: at(0),
        updated_at: at(5),
    })
}

fn alert(kind: AgentAlertKind) -> Value {
    json!(AgentAlert {
        id: text("alert_1"),
        kind,
        rule: AgentRule { id: text("r1"), title: text("Reads a private key"), severity: Severity::High },
        client: AgentClient { id: text("c1"), name: text("laptop") },
        dashboard_url: text("https://example.com/alerts/1"),
    })
}

fn update() -> Value {
    json!(DependencyUpdate {
        id: text("dep_1"),
        status: Published::Published,
        run_id: None,
        repository: Repository { id: text("repo_1"), full_name: text("acme/shop") },
        title: text("Raise serde to 1.0.300"),
        pull_request: PullRequest { number: 8, url: text("https://code.example/acme/shop/pull/8") },
    })
}

type Golden = (EventKind, Value, &'static str, String);

fn reports() -> Vec<Golden> {
    let repository = || ReportSubject::Repository { repository: text("https://code.example/acme/shop") };
    let agent = |agent_id| ReportSubject::Agent {
        agent_id,
        description: text("Answers customers."),
        agent_type: text("chatbot"),
        target_kind: text("api"),
        target: target(),
    };
    let failed = ReportError { phase: ReportPhase::Provisioning, message: text("no room") };
    let (well, badly) = (Some(ReportOutcome::Succeeded), Some(ReportOutcome::Failed));
    let target_fields = "target_url: string, allowed_host: string, request_throttle_rpm: integer?";
    let agent_fields = format!(
        "type: =agent, description: string, agent_type: string, target_kind: string, {target_fields}"
    );
    let repository_fields = "type: =repository, repository: string";
    let error_fields = "error.phase: =provisioning, error.message: string";
    let finished = EventKind::ReportFinished;
    vec![
        (EventKind::ReportStarted, report(repository(), None, None), REPORT, text(repository_fields)),
        (
            finished,
            report(repository(), badly, Some(failed)),
            REPORT,
            format!("{repository_fields}, {error_fields}"),
        ),
        (
            finished,
            report(ReportSubject::WebApp { target: target() }, well, None),
            REPORT,
            format!("type: =web_app, {target_fields}"),
        ),
        (finished, report(agent(None), well, None), REPORT, agent_fields.clone()),
        (
            finished,
            report(agent(Some(text("a1"))), well, None),
            REPORT,
            format!("agent_id: string, {agent_fields}"),
        ),
    ]
}

fn others() -> Vec<Golden> {
    let scores = "score: integer, sub_scores.identity: integer, sub_scores.behavior: integer, \
        sub_scores.content: integer, error: null";
    let no_scores = "score: null, sub_scores: null, error.message: string";
    vec![
        (EventKind::InfrastructureIncidentEscalated, incident(), INCIDENT, String::new()),
        (EventKind::FindingCreated, finding(), FINDING, String::new()),
        (EventKind::FindingTriageCompleted, finding(), FINDING, String::new()),
        (EventKind::FindingAccepted, finding(), FINDING, String::new()),
        (EventKind::DependencyUpdatePublished, update(), DEPENDENCY_UPDATE, String::new()),
        (EventKind::ContributorTrustFinished, scan(false), TRUST_SCAN, text(scores)),
        (EventKind::ContributorTrustFinished, scan(true), TRUST_SCAN, text(no_scores)),
        (
            EventKind::AgentFindingCreated,
            alert(AgentAlertKind::FindingCreated),
            AGENT_ALERT,
            text("type: =finding_created"),
        ),
        (
            EventKind::AgentActionBlocked,
            alert(AgentAlertKind::ActionBlocked),
            AGENT_ALERT,
            text("type: =action_blocked"),
        ),
    ]
}

/// Every event, an example of its object, and the fields it must have: all of them and no other.
fn golden() -> Vec<(EventKind, Value, Vec<String>)> {
    let rows = reports().into_iter().chain(others());
    rows.map(|(kind, example, shared, own)| {
        let fields = format!("{shared}, {own}");
        let fields = fields.split(',').map(|field| field.trim().to_owned()).filter(|field| !field.is_empty());
        (kind, example, fields.collect())
    })
    .collect()
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
        return nullable || shape == "null";
    }
    match shape {
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "time" => {
            value.as_str().is_some_and(|text| text.len() == 24 && Timestamp::parse_rfc3339(text).is_some())
        }
        word => word.strip_prefix('=').is_some_and(|expected| value == expected),
    }
}

#[test]
fn every_object_has_the_fields_of_the_specification_and_no_other() {
    let golden = golden();
    for kind in EventKind::ALL {
        assert!(golden.iter().any(|(one, ..)| one == kind), "{} has no example", kind.as_str());
    }
    for (kind, example, fields) in golden {
        let mut found = BTreeMap::new();
        leaves(&example, "", &mut found);
        for field in fields {
            let (path, shape) = field.split_once(": ").unwrap();
            // An object in the table is either null or named by its parts.
            let whole = example.pointer(&format!("/{}", path.replace('.', "/")));
            if shape == "object?" && whole.is_some_and(Value::is_object) {
                continue;
            }
            let shape = if shape == "object?" { "null" } else { shape };
            let value = found.remove(path);
            let fits = value.as_ref().is_some_and(|value| is_of(value, shape));
            assert!(fits, "{}: {field}: {value:?}", kind.as_str());
        }
        assert!(found.is_empty(), "{} has more: {found:?}", kind.as_str());
    }
}

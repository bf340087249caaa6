//! Monitoring policies: their life, their bounds, and what they escalate.

use std::time::Duration;

use common::ids::{IncidentId, OrganizationId, PolicyId, SourceId};
use common::incident::{Analysis, Entity, IncidentHead, Triage};
use common::severity::Severity;
use common::timestamp::Timestamp;
use ledger::memory::UnknownOutcome;

use super::Fixture;
use crate::{
    DirectoryError, EscalationTrigger, MonitoringPolicies, MonitoringPolicy, NewMonitoringPolicy, NewSource,
};

async fn all(fixture: &Fixture) -> MonitoringPolicies {
    fixture.directory.all_monitoring_policies(fixture.organization).await.unwrap()
}

/// A change by one statement.
fn by(
    change: impl Fn(&mut MonitoringPolicy),
) -> impl Fn(&mut MonitoringPolicy) -> Result<(), DirectoryError> {
    move |policy| {
        change(policy);
        Ok(())
    }
}

fn disabled() -> impl Fn(&mut MonitoringPolicy) -> Result<(), DirectoryError> {
    by(|policy| policy.enabled = false)
}

fn enabled() -> impl Fn(&mut MonitoringPolicy) -> Result<(), DirectoryError> {
    by(|policy| policy.enabled = true)
}

#[tokio::test]
async fn a_policy_lives_from_creation_to_deletion() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    assert_eq!(all(&fixture).await, MonitoringPolicies::default(), "none until somebody creates one");
    let new = NewMonitoringPolicy::named("on call");
    let created = directory.create_monitoring_policy(organization, new).await.unwrap();
    assert_eq!((created.minimum_severity, created.escalate_on.len()), (Severity::High, 3));
    assert_eq!(created.in_force_since, created.created_at);

    fixture.clock.advance(Duration::from_secs(60));
    let same = by(|policy| (policy.environments, policy.enabled) = (None, true));
    assert_eq!(
        directory.monitoring_policies().update(organization, created.id, same).await.unwrap(),
        created
    );
    assert_eq!(all(&fixture).await.version, 1, "nothing is different");
    let change = by(|policy| {
        policy.environments = Some(vec!["production".to_owned()]);
        policy.minimum_severity = Severity::Critical;
    });
    let changed = directory.monitoring_policies().update(organization, created.id, change).await.unwrap();
    assert_eq!(changed.updated_at.since(created.updated_at), Duration::from_secs(60));
    assert_eq!((changed.created_at, changed.in_force_since), (created.created_at, created.created_at));
    assert_eq!(changed.environments.as_deref(), Some(["production".to_owned()].as_slice()));
    let widened = by(|policy| policy.environments = None);
    let widened = directory.monitoring_policies().update(organization, created.id, widened).await.unwrap();
    assert_eq!(widened.environments, None);

    directory.monitoring_policies().update(organization, created.id, disabled()).await.unwrap();
    fixture.clock.advance(Duration::from_secs(60));
    let again = directory.monitoring_policies().update(organization, created.id, enabled()).await.unwrap();
    assert_eq!(again.in_force_since.since(created.created_at), Duration::from_secs(120));
    assert_eq!(all(&fixture).await.policies, [again]);

    assert!(directory.monitoring_policies().delete(organization, created.id).await.unwrap());
    assert!(!directory.monitoring_policies().delete(organization, created.id).await.unwrap());
    let gone = directory.monitoring_policies().update(organization, created.id, enabled()).await;
    assert!(matches!(gone, Err(DirectoryError::NotFound)));
    let left = all(&fixture).await;
    assert_eq!((left.version, left.policies.len()), (6, 0), "the version never goes back");
}

#[tokio::test]
async fn those_of_another_organization_are_not_there() {
    let fixture = Fixture::new().await;
    let (directory, ours) = (&fixture.directory, fixture.organization);
    let policy = directory.create_monitoring_policy(ours, NewMonitoringPolicy::named("ours")).await.unwrap();
    let source = directory.create_source(ours, NewSource::named("ours")).await.unwrap();
    let theirs = directory.create_organization("Beta").await.unwrap().id;
    assert_eq!(directory.all_monitoring_policies(theirs).await.unwrap(), MonitoringPolicies::default());
    assert!(!directory.monitoring_policies().delete(theirs, policy.id).await.unwrap());
    let changed = directory.monitoring_policies().update(theirs, policy.id, disabled()).await;
    assert!(matches!(changed, Err(DirectoryError::NotFound)));
    let new =
        NewMonitoringPolicy { source_ids: Some(vec![source.id]), ..NewMonitoringPolicy::named("theirs") };
    let named = directory.create_monitoring_policy(theirs, new.clone()).await;
    assert!(matches!(named, Err(DirectoryError::Invalid { field: "source_ids", .. })));
    directory.create_monitoring_policy(ours, new).await.unwrap();
    let nowhere = OrganizationId::from_bytes([9; 16]);
    let created = directory.create_monitoring_policy(nowhere, NewMonitoringPolicy::named("a")).await;
    assert!(matches!(created, Err(DirectoryError::NotFound)));
}

#[tokio::test]
async fn fields_have_bounds() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let mut sources = Vec::new();
    for _ in 0..=100 {
        sources.push(directory.create_source(organization, NewSource::named("a")).await.unwrap().id);
    }
    let labels =
        |count: usize, length: usize| Some((0..count).map(|n| format!("{n:0length$}")).collect::<Vec<_>>());
    let largest = NewMonitoringPolicy {
        id: None,
        name: "n".repeat(100),
        source_ids: Some(sources[..100].to_vec()),
        application_groups: labels(20, 100),
        environments: labels(20, 50),
        ..NewMonitoringPolicy::named("")
    };
    let policy = directory.create_monitoring_policy(organization, largest.clone()).await.unwrap();
    let twice = vec![EscalationTrigger::Opened; 2];
    let bad = [
        ("name", NewMonitoringPolicy { name: "n".repeat(101), ..largest.clone() }),
        ("source_ids", NewMonitoringPolicy { source_ids: Some(sources.clone()), ..largest.clone() }),
        ("source_ids", NewMonitoringPolicy { source_ids: Some(vec![]), ..largest.clone() }),
        ("source_ids", NewMonitoringPolicy { source_ids: Some(vec![sources[0]; 2]), ..largest.clone() }),
        (
            "source_ids",
            NewMonitoringPolicy { source_ids: Some(vec![SourceId::from_bytes([1; 16])]), ..largest.clone() },
        ),
        ("application_groups", NewMonitoringPolicy { application_groups: labels(21, 1), ..largest.clone() }),
        ("application_groups", NewMonitoringPolicy { application_groups: labels(1, 101), ..largest.clone() }),
        ("environments", NewMonitoringPolicy { environments: labels(1, 51), ..largest.clone() }),
        ("environments", NewMonitoringPolicy { environments: labels(0, 1), ..largest.clone() }),
        ("escalate_on", NewMonitoringPolicy { escalate_on: vec![], ..largest.clone() }),
        ("escalate_on", NewMonitoringPolicy { escalate_on: twice, ..largest }),
    ];
    for (expected, new) in bad {
        let values = new.clone();
        let change = by(|policy| {
            policy.name.clone_from(&values.name);
            policy.source_ids.clone_from(&values.source_ids);
            policy.application_groups.clone_from(&values.application_groups);
            policy.environments.clone_from(&values.environments);
            policy.minimum_severity = values.minimum_severity;
            policy.escalate_on.clone_from(&values.escalate_on);
        });
        let created = directory.create_monitoring_policy(organization, new).await;
        assert!(
            matches!(created, Err(DirectoryError::Invalid { field, .. }) if field == expected),
            "{created:?}"
        );
        let changed = directory.monitoring_policies().update(organization, policy.id, change).await;
        assert!(
            matches!(changed, Err(DirectoryError::Invalid { field, .. }) if field == expected),
            "{changed:?}"
        );
    }
    assert_eq!(all(&fixture).await.policies, [policy]);
}

#[tokio::test]
async fn as_many_and_as_long_as_can_be_are_kept() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let mut sources = Vec::new();
    for _ in 0..100 {
        sources.push(directory.create_source(organization, NewSource::named("a")).await.unwrap().id);
    }
    // Four bytes a character, which is the most.
    let labels = |length: usize| {
        let label = |n: u32| char::from_u32(0x1F600 + n).unwrap().to_string().repeat(length);
        Some((0..20).map(label).collect::<Vec<_>>())
    };
    let largest = NewMonitoringPolicy {
        id: None,
        name: "😀".repeat(100),
        source_ids: Some(sources),
        application_groups: labels(100),
        environments: labels(50),
        ..NewMonitoringPolicy::named("")
    };
    for _ in 0..50 {
        directory.create_monitoring_policy(organization, largest.clone()).await.unwrap();
    }
    assert_eq!(all(&fixture).await.policies.len(), 50);
    let more = directory.create_monitoring_policy(organization, NewMonitoringPolicy::named("a")).await;
    assert!(matches!(more, Err(DirectoryError::Full { limit: 50, .. })));
}

#[tokio::test]
async fn a_source_that_was_deleted_keeps_nobody_from_renaming() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let source = directory.create_source(organization, NewSource::named("a")).await.unwrap();
    let new = NewMonitoringPolicy { source_ids: Some(vec![source.id]), ..NewMonitoringPolicy::named("a") };
    let policy = directory.create_monitoring_policy(organization, new).await.unwrap();
    directory.sources().delete(organization, source.id).await.unwrap();
    let change = by(|policy| policy.name = "b".to_owned());
    let renamed = directory.monitoring_policies().update(organization, policy.id, change).await.unwrap();
    assert_eq!((renamed.name.as_str(), renamed.source_ids), ("b", Some(vec![source.id])));
}

#[tokio::test]
async fn unknown_outcomes_are_looked_up_and_rivals_waited_for() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let fixture = Fixture::new().await;
        let (directory, organization) = (&fixture.directory, fixture.organization);
        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let new = NewMonitoringPolicy::named("one");
        let policy = directory.create_monitoring_policy(organization, new).await.unwrap();
        assert_eq!(all(&fixture).await.policies, std::slice::from_ref(&policy));
        fixture.ledger.memory.make_next_commit_unknown(outcome);
        fixture.ledger.rivals.store(3, std::sync::atomic::Ordering::SeqCst);
        let changed =
            directory.monitoring_policies().update(organization, policy.id, disabled()).await.unwrap();
        assert!(!changed.enabled);
        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let deleted = directory.monitoring_policies().delete(organization, policy.id).await.unwrap();
        assert!(deleted, "it was there: {outcome:?}");
        assert!(all(&fixture).await.policies.is_empty());
    }
}

fn incident(severity: Severity) -> IncidentHead {
    IncidentHead {
        id: IncidentId::from_bytes([1; 16]),
        organization: OrganizationId::from_bytes([2; 16]),
        source: SourceId::from_bytes([3; 16]),
        application_group: "shop".to_owned(),
        environment: "production".to_owned(),
        family: "logins".to_owned(),
        entity: Entity { kind: "client.address".to_owned(), value: "203.0.113.9".to_owned() },
        episode: 1,
        created_at: Timestamp(0),
        analysis: Analysis {
            title: "Failed logins".to_owned(),
            severity,
            event_count: 5,
            first_seen_at: Timestamp(0),
            last_activity_at: Timestamp(0),
            updated_at: Timestamp(0),
            revision: 1,
            superseded: false,
        },
        triage: Triage::default(),
    }
}

/// Changes of a policy that escalates everything of severity high, for one line of a table.
type Changed = fn(&mut NewMonitoringPolicy);

#[test]
fn every_part_of_a_policy_decides() {
    use EscalationTrigger::{Opened, Reopened, SeverityRaised};
    use Severity::{Critical, High, Low, Medium, Unknown};
    let table: [(Changed, Severity, EscalationTrigger, i64, bool); 15] = [
        (|_| (), High, Opened, 10, true),
        (|_| (), Critical, SeverityRaised, 11, true),
        (|_| (), Medium, Opened, 10, false),
        (|_| (), High, Opened, 9, false),
        (|new| new.enabled = false, High, Opened, 10, false),
        (|new| new.escalate_on = vec![Reopened], High, Opened, 10, false),
        (|new| new.escalate_on = vec![Reopened], High, Reopened, 10, true),
        (|new| new.minimum_severity = Low, Unknown, Opened, 10, false),
        (|new| new.minimum_severity = Unknown, Unknown, Opened, 10, true),
        (|new| new.application_groups = named(&["other", "shop"]), High, Opened, 10, true),
        (|new| new.application_groups = named(&["other", "Shop"]), High, Opened, 10, false),
        (|new| new.environments = named(&["other", "production"]), High, Opened, 10, true),
        (|new| new.environments = named(&["staging"]), High, Opened, 10, false),
        (|new| new.source_ids = Some(vec![SourceId::from_bytes([3; 16])]), High, Opened, 10, true),
        (|new| new.source_ids = Some(vec![SourceId::from_bytes([4; 16])]), High, Opened, 10, false),
    ];
    for (number, (change, severity, trigger, accepted_at, expected)) in table.into_iter().enumerate() {
        let mut new = NewMonitoringPolicy::named("a");
        change(&mut new);
        let policy = MonitoringPolicy::new(PolicyId::from_bytes([5; 16]), new, Timestamp(10));
        let incident = incident(severity);
        let found = policy.escalates(&incident, trigger, Timestamp(accepted_at));
        assert_eq!(found, expected, "line {number}");
        let all = MonitoringPolicies { version: 1, policies: vec![policy] };
        assert_eq!(all.escalate(&incident, trigger, Timestamp(accepted_at)), expected);
    }
    assert!(!MonitoringPolicies::default().escalate(&incident(Critical), Opened, Timestamp(0)));
}

fn named(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|name| (*name).to_owned()).collect())
}

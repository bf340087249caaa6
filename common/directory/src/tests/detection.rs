//! Detection rules and suppressions: their life, their bounds, and how every change becomes known.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::ids::{DetectionRuleId, KeyId, OrganizationId};
use common::incident::Actor;
use ledger::memory::UnknownOutcome;
use ledger::{Ledger, LedgerId};

use super::Fixture;
use crate::directory::put;
use crate::own_detection::{Account, MAX_ALL_YAML_BYTES, MAX_RULES, MAX_SUPPRESSIONS, MAX_YAML_BYTES};
use crate::rows::OWN_DETECTION;
use crate::{Described, Directory, DirectoryError, NewDetectionRule, NewSuppression};

fn actor() -> Actor {
    Actor { key_id: KeyId::from_bytes([7; 16]), key_name: "ops".to_owned() }
}

fn described(title: &str) -> Described {
    Described { title: title.to_owned(), sigma_ids: vec![title.to_lowercase()] }
}

fn rule(yaml: &str) -> NewDetectionRule {
    NewDetectionRule {
        id: None,
        yaml: yaml.to_owned(),
        enabled: true,
        described: described(yaml),
        ends_suspension: false,
    }
}

fn suppression(yaml: &str) -> NewSuppression {
    NewSuppression {
        id: None,
        yaml: yaml.to_owned(),
        described: described(yaml),
        reason: "a scanner of ours".to_owned(),
        expires_at: None,
    }
}

/// The version that is announced.
async fn announced(fixture: &Fixture) -> u64 {
    let versions = fixture.directory.own_detection_versions().await.unwrap();
    versions.get(&fixture.organization).copied().unwrap_or(0)
}

async fn version(fixture: &Fixture) -> u64 {
    fixture.directory.own_detection(fixture.organization).await.unwrap().version
}

#[tokio::test]
async fn a_rule_lives_from_creation_to_deletion() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    assert_eq!((version(&fixture).await, announced(&fixture).await), (0, 0));
    assert_eq!(directory.own_detection_size(organization).await.unwrap(), (0, 0));
    let created = directory.create_detection_rule(organization, 0, rule("One"), actor()).await.unwrap();
    assert_eq!((created.title.as_str(), created.created_by.key_name.as_str()), ("One", "ops"));
    assert_eq!(created.sigma_ids, ["one"]);
    assert_eq!((version(&fixture).await, announced(&fixture).await), (1, 1));
    let own = directory.own_detection(organization).await.unwrap();
    assert_eq!(own.rules, std::slice::from_ref(&created));
    assert_eq!(directory.own_detection_size(organization).await.unwrap(), (1, created.yaml.len()));

    fixture.clock.advance(Duration::from_secs(60));
    let same = directory.replace_detection_rule(organization, 1, created.id, rule("One")).await.unwrap();
    assert_eq!((same, version(&fixture).await), (created.clone(), 1), "nothing is different");
    let new = NewDetectionRule { enabled: false, ..rule("Two") };
    let replaced = directory.replace_detection_rule(organization, 1, created.id, new).await.unwrap();
    assert_eq!((replaced.title.as_str(), replaced.enabled), ("Two", false));
    assert_eq!(replaced.updated_at.since(created.updated_at), Duration::from_secs(60));
    assert_eq!((replaced.created_at, version(&fixture).await), (created.created_at, 2));
    assert_eq!(directory.detection_rules(None).get(organization, created.id).await.unwrap(), Some(replaced));

    assert!(directory.detection_rules(Some(2)).delete(organization, created.id).await.unwrap());
    assert!(!directory.detection_rules(Some(3)).delete(organization, created.id).await.unwrap());
    let gone = directory.replace_detection_rule(organization, 3, created.id, rule("Three")).await;
    assert!(matches!(gone, Err(DirectoryError::NotFound)));
    assert_eq!((version(&fixture).await, announced(&fixture).await), (3, 3), "it never goes back");
    let account = directory.account(organization).await.unwrap();
    assert_eq!(account.yaml_bytes, 0);
}

#[tokio::test]
async fn a_suppression_lives_from_creation_to_deletion() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let expires_at = Some(fixture.directory.clock.now().plus(Duration::from_secs(60)));
    let new = NewSuppression { expires_at, ..suppression("Ours") };
    let created = directory.create_suppression(organization, 0, new, actor()).await.unwrap();
    assert_eq!((created.sigma_id.as_str(), created.expires_at), ("ours", expires_at));
    fixture.clock.advance(Duration::from_secs(3_600));
    let own = directory.own_detection(organization).await.unwrap();
    assert_eq!(
        (own.suppressions, own.version),
        (vec![created.clone()], 1),
        "an expired one is still told of"
    );
    for reason in ["", "  ", "a\u{7}b", &"x".repeat(1_001)] {
        let new = NewSuppression { reason: reason.to_owned(), ..suppression("Theirs") };
        let refused = directory.create_suppression(organization, 1, new, actor()).await;
        assert!(matches!(refused, Err(DirectoryError::Invalid { field: "reason", .. })));
    }
    let past = NewSuppression { expires_at, ..suppression("Theirs") };
    let refused = directory.create_suppression(organization, 1, past, actor()).await;
    assert!(matches!(refused, Err(DirectoryError::Invalid { field: "expires_at", .. })));
    assert!(directory.suppressions(None).delete(organization, created.id).await.unwrap());
    assert!(!directory.suppressions(None).delete(organization, created.id).await.unwrap());
    assert_eq!(version(&fixture).await, 2);
    let account = directory.account(organization).await.unwrap();
    assert_eq!(account.yaml_bytes, 0);
}

#[tokio::test]
async fn those_of_another_organization_are_not_there() {
    let fixture = Fixture::new().await;
    let (directory, ours) = (&fixture.directory, fixture.organization);
    let rule = directory.create_detection_rule(ours, 0, rule("One"), actor()).await.unwrap();
    let filter = directory.create_suppression(ours, 1, suppression("Two"), actor()).await.unwrap();
    let theirs = directory.create_organization("Beta").await.unwrap().id;
    assert_eq!(directory.detection_rules(None).get(theirs, rule.id).await.unwrap(), None);
    assert_eq!(directory.suppressions(None).get(theirs, filter.id).await.unwrap(), None);
    assert!(!directory.detection_rules(Some(0)).delete(theirs, rule.id).await.unwrap());
    assert!(!directory.suppressions(None).delete(theirs, filter.id).await.unwrap());
    let own = directory.own_detection(theirs).await.unwrap();
    assert_eq!((own.version, own.rules.len(), own.suppressions.len()), (0, 0, 0));
    let versions = directory.own_detection_versions().await.unwrap();
    assert_eq!(versions.into_iter().collect::<Vec<_>>(), [(ours, 2)]);
    let nowhere = OrganizationId::from_bytes([9; 16]);
    let refused = directory.create_suppression(nowhere, 0, suppression("Two"), actor()).await;
    assert!(matches!(refused, Err(DirectoryError::NotFound)));
}

#[tokio::test]
async fn what_was_checked_against_something_else_is_refused() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let one = directory.create_detection_rule(organization, 0, rule("One"), actor()).await.unwrap();
    let refused = directory.create_detection_rule(organization, 0, rule("Two"), actor()).await;
    assert!(matches!(refused, Err(DirectoryError::Changed)));
    let refused = directory.replace_detection_rule(organization, 0, one.id, rule("Two")).await;
    assert!(matches!(refused, Err(DirectoryError::Changed)));
    let refused = directory.create_suppression(organization, 0, suppression("Two"), actor()).await;
    assert!(matches!(refused, Err(DirectoryError::Changed)));
    let refused = directory.detection_rules(Some(0)).delete(organization, one.id).await;
    assert!(matches!(refused, Err(DirectoryError::Changed)));
    assert_eq!(version(&fixture).await, 1);
}

#[tokio::test]
async fn there_are_bounds() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    for yaml in [String::new(), " \n".to_owned(), "x".repeat(MAX_YAML_BYTES + 1)] {
        let refused = directory.create_detection_rule(organization, 0, rule(&yaml), actor()).await;
        assert!(matches!(refused, Err(DirectoryError::Invalid { field: "yaml", .. })));
        let refused = directory.create_suppression(organization, 0, suppression(&yaml), actor()).await;
        assert!(matches!(refused, Err(DirectoryError::Invalid { field: "yaml", .. })));
    }
    let untitled = rule(&"x".repeat(MAX_YAML_BYTES));
    let refused = directory.create_detection_rule(organization, 0, untitled.clone(), actor()).await;
    assert!(matches!(refused, Err(DirectoryError::Invalid { field: "yaml", .. })), "so long a title");
    let longest = NewDetectionRule { described: described("x"), ..untitled };
    let longest = directory.create_detection_rule(organization, 0, longest, actor()).await.unwrap();
    let rules = directory.detection_rules(None).counter(organization);
    let suppressions = directory.suppressions(None).counter(organization);
    for (rules_left, suppressions_left, yaml_bytes, expected) in [
        (0, 1, 0, "there are 1000 detection rules already"),
        (1, 0, 0, "there are 1000 suppressions"),
        (1, 1, MAX_ALL_YAML_BYTES, "would have 8388"),
    ] {
        let ledger = LedgerId::Organization(organization);
        let at = fixture.directory.ledger.seq(ledger).await.unwrap();
        let account = Account { version: 1, yaml_bytes, ..Account::default() };
        let ops = vec![
            put(OWN_DETECTION.to_vec(), &account).unwrap(),
            rules.put(MAX_RULES - rules_left).unwrap(),
            suppressions.put(MAX_SUPPRESSIONS - suppressions_left).unwrap(),
        ];
        directory.ledger.commit(ledger, at, ops).await.unwrap();
        let rule = directory.create_detection_rule(organization, 1, rule("x"), actor()).await;
        let at = version(&fixture).await;
        let filter = directory.create_suppression(organization, at, suppression("x"), actor()).await;
        let told: Vec<String> =
            [rule.err(), filter.err()].into_iter().flatten().map(|error| error.to_string()).collect();
        assert!(told.iter().any(|text| text.contains(expected)), "{told:?}");
    }
    // The last of them was full of YAML: it can be made less.
    directory.replace_detection_rule(organization, 1, longest.id, rule("y")).await.unwrap();
    let account = directory.account(organization).await.unwrap();
    assert_eq!(account.yaml_bytes, MAX_ALL_YAML_BYTES - MAX_YAML_BYTES + 1);
}

#[tokio::test]
async fn a_change_that_broke_off_is_announced_and_the_next_one_above_it() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let first = directory.create_detection_rule(organization, 0, rule("One"), actor()).await.unwrap();
    fixture.ledger.organizations_fail.store(true, Ordering::SeqCst);
    let broken = directory.create_detection_rule(organization, 1, rule("Two"), actor()).await;
    assert!(matches!(broken, Err(DirectoryError::Unavailable(_))));
    fixture.ledger.organizations_fail.store(false, Ordering::SeqCst);
    // A reader that polls looks, and learns that there is nothing yet.
    assert_eq!((version(&fixture).await, announced(&fixture).await), (1, 2));
    assert_eq!(directory.own_detection_size(organization).await.unwrap().0, 1);

    assert!(directory.detection_rules(Some(1)).delete(organization, first.id).await.unwrap());
    assert_eq!((version(&fixture).await, announced(&fixture).await), (3, 3));
    assert_eq!(directory.own_detection_size(organization).await.unwrap().0, 3);
}

#[tokio::test]
async fn unknown_outcomes_and_rivals_make_each_change_once() {
    for outcome in [UnknownOutcome::TookEffect, UnknownOutcome::WasLost] {
        let fixture = Fixture::new().await;
        let (directory, organization) = (&fixture.directory, fixture.organization);
        // The first commit is the announcement, so that its outcome is the unknown one.
        fixture.ledger.memory.make_next_commit_unknown(outcome);
        let created = directory.create_detection_rule(organization, 0, rule("One"), actor()).await.unwrap();
        fixture.ledger.rivals.store(3, Ordering::SeqCst);
        let filter = suppression("Two");
        let at = version(&fixture).await;
        directory.create_suppression(organization, at, filter, actor()).await.unwrap();
        fixture.ledger.rivals.store(3, Ordering::SeqCst);
        let at = version(&fixture).await;
        directory.replace_detection_rule(organization, at, created.id, rule("Three")).await.unwrap();
        let own = directory.own_detection(organization).await.unwrap();
        assert_eq!((own.rules.len(), own.suppressions.len()), (1, 1), "{outcome:?}");
        assert_eq!(own.version, announced(&fixture).await);
        let account = directory.account(organization).await.unwrap();
        assert_eq!(account.yaml_bytes, "TwoThree".len());
        assert_eq!(directory.detection_rules(None).counter(organization).read(directory).await.unwrap(), 1);
        assert_eq!(directory.suppressions(None).counter(organization).read(directory).await.unwrap(), 1);
    }
}

/// Creates a rule, deciding anew as often as others are first.
async fn create_at_last(
    directory: &Directory,
    organization: OrganizationId,
    new: NewDetectionRule,
) -> DetectionRuleId {
    loop {
        let at = directory.account(organization).await.unwrap().version;
        match directory.create_detection_rule(organization, at, new.clone(), actor()).await {
            Ok(rule) => return rule.id,
            Err(DirectoryError::Changed | DirectoryError::Conflict) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_changes_at_once_none_is_lost_or_unannounced() {
    let fixture = Fixture::new().await;
    let organization = fixture.organization;
    let mut changes = tokio::task::JoinSet::new();
    for number in 0..8 {
        let directory = Arc::clone(&fixture.directory);
        let new = rule(&format!("rule {number}"));
        changes.spawn(async move { create_at_last(&directory, organization, new).await });
    }
    let mut ids: Vec<DetectionRuleId> = changes.join_all().await;
    ids.sort();
    let own = fixture.directory.own_detection(organization).await.unwrap();
    assert_eq!(own.rules.iter().map(|rule| rule.id).collect::<Vec<_>>(), ids);
    assert!(own.version >= 8 && announced(&fixture).await >= own.version);
}

#[tokio::test]
async fn what_cannot_be_used_is_noted_with_its_first_moment_until_it_can_be() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let reasons = |texts: &[(&str, &str)]| -> BTreeMap<String, String> {
        texts.iter().map(|(id, reason)| ((*id).to_owned(), (*reason).to_owned())).collect()
    };
    let seq = async || fixture.ledger.seq(LedgerId::Organization(organization)).await.unwrap();
    let begun = seq().await;
    directory.note_unusable_documents(organization, &reasons(&[])).await.unwrap();
    assert_eq!(seq().await, begun, "nothing is written for nothing");
    directory.note_unusable_documents(organization, &reasons(&[("one", "too large")])).await.unwrap();
    let first = directory.unusable_documents(organization).await.unwrap();
    fixture.clock.advance(Duration::from_secs(60));
    let both = reasons(&[("one", "too large"), ("two", &"x".repeat(1_000))]);
    directory.note_unusable_documents(organization, &both).await.unwrap();
    let noted = directory.unusable_documents(organization).await.unwrap();
    assert_eq!(noted["one"], first["one"]);
    assert!(noted["two"].since > noted["one"].since && noted["two"].reason.len() == 300);
    let written = seq().await;
    directory.note_unusable_documents(organization, &both).await.unwrap();
    assert_eq!(seq().await, written);
    directory.note_unusable_documents(organization, &reasons(&[])).await.unwrap();
    assert_eq!(directory.unusable_documents(organization).await.unwrap(), BTreeMap::new());
}

#[tokio::test]
async fn a_rule_that_is_put_again_while_it_is_suspended_is_another_revision() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let created = directory.create_detection_rule(organization, 0, rule("One"), actor()).await.unwrap();
    let resumed = NewDetectionRule { ends_suspension: true, ..rule("One") };
    let replaced =
        directory.replace_detection_rule(organization, 1, created.id, resumed.clone()).await.unwrap();
    assert_eq!((replaced.revision, version(&fixture).await), (1, 2));
    let replaced = directory.replace_detection_rule(organization, 2, created.id, resumed).await.unwrap();
    assert_eq!((replaced.revision, version(&fixture).await), (2, 3));
    let same = directory.replace_detection_rule(organization, 3, created.id, rule("One")).await.unwrap();
    assert_eq!((same, version(&fixture).await), (replaced, 3));
}

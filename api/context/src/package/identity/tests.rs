//! Metadata of releases to outcomes, each positive and negative.

use std::collections::BTreeMap;
use std::time::Duration;

use registries::{Gap, Withdrawal};
use versions::Ecosystem;

use super::*;
use crate::check::Outcome;

fn now() -> Timestamp {
    Timestamp::parse_rfc3339("2026-07-08T09:00:00Z").unwrap()
}

fn before(days: u64) -> Option<Timestamp> {
    Some(Timestamp(now().0 - i64::try_from(Duration::from_secs(days * DAY).as_nanos()).unwrap()))
}

fn account(name: &str) -> Option<Publisher> {
    Some(Publisher::Account(name.to_owned()))
}

fn release(version: &str, days: u64) -> Release {
    Release {
        version: version.to_owned(),
        published_at: before(days),
        publisher: account("ada"),
        evidence: Some(Evidence::Provenance),
        ..Release::default()
    }
}

fn package(releases: Vec<Release>) -> Package {
    Package {
        ecosystem: Ecosystem::Npm,
        name: "widgets".to_owned(),
        latest: None,
        tags: BTreeMap::new(),
        releases,
        repository: Some("git+https://github.com/acme/widgets.git".to_owned()),
        homepage: None,
        description: None,
        maintainers: vec!["ada".to_owned()],
        withdrawn: None,
        gaps: Vec::new(),
    }
}

fn history() -> Vec<Release> {
    vec![release("1.0.0", 900), release("1.1.0", 400), release("1.2.0", 100)]
}

fn outcome(package: &Package, id: &str) -> Outcome {
    let release = package.releases.last().unwrap();
    checks((package, release), package.created_at(), now())
        .into_iter()
        .find(|check| check.spec.id == id)
        .unwrap()
        .outcome
}

fn points(package: &Package, id: &str) -> i16 {
    match outcome(package, id) {
        Outcome::Passed { points, .. } => points,
        Outcome::Failed { points, .. } => -points,
        Outcome::NotPossible { .. } => 999,
    }
}

#[test]
fn an_established_release_earns_trust_in_every_check() {
    let package = package(history());
    for id in ["package.metadata", "package.name_age", "package.provenance", "package.repository"] {
        assert!(points(&package, id) > 0, "{id}");
    }
    assert_eq!(points(&package, "package.publisher"), 0);
    assert_eq!(points(&package, "package.version_age"), 0);
}

#[test]
fn new_names_and_new_releases_lose_points() {
    for (days, lost) in [(1, DAYS_OLD), (10, WEEKS_OLD), (100, 0)] {
        assert_eq!(points(&package(vec![release("1.0.0", days)]), "package.name_age"), -lost, "{days}");
    }
    let mut releases = history();
    releases.push(release("1.3.0", 1));
    assert_eq!(points(&package(releases), "package.version_age"), -10);
}

#[test]
fn an_account_that_published_nothing_before_is_reported_and_a_workflow_is_not() {
    let mut other = package(history());
    other.releases.last_mut().unwrap().publisher = account("mallory");
    assert_eq!(points(&other, "package.publisher"), -15);
    other.releases.last_mut().unwrap().publisher = Some(Publisher::Workflow("github".to_owned()));
    assert_eq!(points(&other, "package.publisher"), 0);
    let mut young = package(vec![release("1.0.0", 9), release("1.0.1", 8)]);
    young.releases.last_mut().unwrap().publisher = account("bea");
    assert_eq!(points(&young, "package.publisher"), 0, "a history of one release is none");
}

#[test]
fn evidence_that_the_major_line_had_is_lost_and_another_line_does_not_count() {
    let mut package = package(history());
    package.releases.last_mut().unwrap().evidence = Some(Evidence::None);
    assert_eq!(points(&package, "package.provenance"), -EVIDENCE_LOST);
    package.releases.push(Release { evidence: Some(Evidence::None), ..release("2.0.0", 50) });
    assert_eq!(points(&package, "package.provenance"), 0);
}

#[test]
fn further_releases_without_evidence_do_not_hide_its_loss() {
    let without =
        |version: String, days| Release { evidence: Some(Evidence::None), ..release(&version, days) };
    let mut package = package(history());
    for patch in 1..=MOST_COMPARED as u64 {
        package.releases.push(without(format!("1.2.{patch}"), 90 - patch));
        assert_eq!(points(&package, "package.provenance"), -EVIDENCE_LOST, "{patch} releases without");
    }
    package.releases.push(without("1.3.0".to_owned(), 10));
    assert_eq!(points(&package, "package.provenance"), 0, "the bound");
}

#[test]
fn a_link_counts_by_its_host_and_not_by_a_name_within_it() {
    let mut package = package(history());
    for link in [
        "https://notgithub.com.evil.example/acme/widgets",
        "https://github.com.evil.example/acme/widgets",
        "https://evil.example/?from=github.com/acme/widgets",
    ] {
        package.repository = Some(link.to_owned());
        assert_eq!(points(&package, "package.repository"), 0, "{link}");
    }
    package.repository = Some("git@gitlab.com:acme/widgets.git".to_owned());
    assert!(points(&package, "package.repository") > 0);
}

#[test]
fn a_detail_that_the_registry_lacks_makes_its_check_not_possible_with_the_reason() {
    let mut package = package(vec![Release { version: "1.0.0".to_owned(), ..Release::default() }]);
    package
        .gaps
        .push(Gap { detail: Detail::PublicationTimes, cause: "the short document has no times".to_owned() });
    for id in ["package.name_age", "package.version_age", "package.publisher", "package.provenance"] {
        let Outcome::NotPossible { reason } = outcome(&package, id) else { panic!("{id}") };
        assert_eq!(reason.contains("short document"), id.ends_with("_age"), "{id}: {reason}");
    }
}

#[test]
fn a_link_elsewhere_or_none_earns_nothing_and_a_quarantine_costs() {
    let mut package = package(history());
    package.repository = Some("https://widgets.example".to_owned());
    assert_eq!(points(&package, "package.repository"), 0);
    package.repository = None;
    assert_eq!(points(&package, "package.repository"), 0);
    let withdrawn = Withdrawal { kind: WithdrawalKind::Quarantined, reason: None };
    package.releases.last_mut().unwrap().withdrawn = Some(withdrawn);
    assert!(points(&package, "package.metadata") < 0);
}

#[test]
fn the_preceding_release_is_that_of_the_major_line() {
    let mut releases = history();
    releases.push(release("2.0.0", 60));
    releases.push(release("1.3.0", 10));
    let package = package(releases);
    let own = package.release("1.3.0").unwrap();
    assert_eq!(preceding(&package, own).unwrap().version, "1.2.0");
    assert_eq!(preceding(&package, package.release("2.0.0").unwrap()).unwrap().version, "1.2.0");
    assert!(preceding(&package, package.release("1.0.0").unwrap()).is_none());
}

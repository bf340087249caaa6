//! Scans without a registry, and advisories of the operator.

use std::sync::Arc;

use common::clock::{Clock, SharedClock, SystemClock};
use common::ids::OrganizationId;
use outbound::{Config, Outbound, SystemResolver};
use uuid::Uuid;

use super::*;
use crate::artifact::{Floor, Origin, ThreatType, Tolerance, Verdict};
use crate::check::Outcome;
use crate::engine::tests::engine;
use crate::scanner::ScannerSettings;
use crate::score::{score, verdict};

/// A scanner without name servers: nothing listens at the port.
fn cut(advisories_index: std::path::PathBuf) -> Scanner {
    let config = Config {
        name_servers: vec!["127.0.0.1:9".parse().unwrap()],
        resolve_timeout_ms: 300,
        ..Config::default()
    };
    let clock: SharedClock = Arc::new(SystemClock::new());
    let resolver = SystemResolver::new(&config, Arc::clone(&clock)).unwrap();
    let outbound = Arc::new(Outbound::new(&config, Arc::new(resolver), Arc::clone(&clock)).unwrap());
    let settings = ScannerSettings { registries: registries::Config::default(), advisories_index };
    Scanner::new(&crate::Config::default(), settings, engine(), (outbound, clock)).unwrap()
}

fn requester() -> Requester {
    Requester::background(OrganizationId(Uuid::from_u128(1)))
}

#[tokio::test]
async fn without_a_registry_every_failed_look_up_is_named_once_and_the_result_is_dangerous() {
    let scanner = cut("/nowhere/advisories.index".into());
    let target = Target::parse("npm:left-pad@1.3.0").unwrap();
    let now = SystemClock::new().now();
    let whole = whole(&scanner, requester(), &target, now).await;
    let ids: Vec<&str> = whole.checks.iter().map(|check| check.spec.id).collect();
    for spec in crate::weights::checks(Origin::Package) {
        assert_eq!(ids.iter().filter(|id| **id == spec.id).count(), 1, "{}", spec.id);
    }
    for spec in [&weights::METADATA, &weights::ARCHIVE, &weights::ADVISORY, &weights::EARLY] {
        let check = whole.checks.iter().find(|check| check.spec.id == spec.id).unwrap();
        assert!(matches!(check.outcome, Outcome::NotPossible { .. }), "{}", spec.id);
    }
    let scored = score(Origin::Package, &whole);
    assert_eq!((scored.score, scored.floor), (0, Some(Floor::Dangerous)));
    assert_eq!(scored.threats.first().map(|threat| threat.kind), Some(ThreatType::PackageUnscannable));
    assert_eq!(verdict(scored.score, scored.floor, Tolerance::Yolo), Verdict::Dangerous);

    let first = preliminary(&scanner, requester(), &target, now).await;
    let scored = score(Origin::Package, &first);
    assert_eq!((scored.floor, scored.sub_scores.content), (Some(Floor::Caution), None));
    let failure = resolve(&scanner, requester(), Target::parse("npm:left-pad").unwrap()).await.unwrap_err();
    let unknown = unscannable(&scanner.engine, &target, &failure);
    assert_eq!(score(Origin::Package, &unknown).floor, Some(Floor::Dangerous));
}

#[tokio::test]
async fn a_release_that_an_advisory_of_the_operator_reports_as_malicious_is_critical() {
    let folder = tempfile::tempdir().unwrap();
    let advisory = r#"{"schema_version": "1.6.0", "id": "MAL-2026-0001", "modified": "2026-01-01T00:00:00Z", "summary": "Malicious code in widgets",
        "affected": [{"package": {"ecosystem": "npm", "name": "widgets"}, "versions": ["1.0.1"]}]}"#;
    std::fs::write(folder.path().join("MAL-2026-0001.json"), advisory).unwrap();
    let index = folder.path().join("advisories.index");
    advisories::import(&[folder.path().to_owned()], &index, SystemClock::new().now()).unwrap();
    let scanner = cut(index);
    let of = async |target: &str| advisory::check(&scanner, &Target::parse(target).unwrap()).await;
    let found = of("npm:widgets@1.0.1").await;
    assert!(
        found.threats().first().is_some_and(|threat| threat.detail.contains("MAL-2026-0001")),
        "{found:?}"
    );
    assert!(of("npm:widgets@1.0.0").await.threats().is_empty());
    assert!(of("npm:other@1.0.1").await.threats().is_empty());
}

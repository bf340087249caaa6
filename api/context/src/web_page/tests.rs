//! Targets, and a page that cannot be looked at.

use std::sync::Arc;

use common::clock::{Clock, SharedClock, SystemClock};
use common::ids::OrganizationId;
use outbound::{Outbound, SystemResolver};
use uuid::Uuid;

use super::*;
use crate::artifact::{Floor, Origin, Tolerance, Verdict};
use crate::check::Outcome;
use crate::config::Config;
use crate::engine::tests::engine;
use crate::scanner::ScannerSettings;
use crate::score::{score, verdict};
use crate::weights;

mod second_fetch;

/// A scanner without name servers: nothing listens at the port. Addresses of this machine may be fetched from.
fn cut(engine: Arc<Engine>) -> Scanner {
    let way_out = outbound::Config {
        name_servers: vec!["127.0.0.1:9".parse().unwrap()],
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        resolve_timeout_ms: 300,
        ..outbound::Config::default()
    };
    let clock: SharedClock = Arc::new(SystemClock::new());
    let resolver = SystemResolver::new(&way_out, Arc::clone(&clock)).unwrap();
    let outbound = Arc::new(Outbound::new(&way_out, Arc::new(resolver), Arc::clone(&clock)).unwrap());
    let settings = ScannerSettings {
        registries: registries::Config::default(),
        advisories_index: "/nonexistent/advisories".into(),
    };
    let config =
        Config { rdap_bootstrap_url: "https://rdap.example/dns.json".to_owned(), ..Config::default() };
    Scanner::new(&config, settings, engine, (outbound, clock)).unwrap()
}

#[tokio::test]
async fn without_a_network_every_failed_look_up_is_named_and_the_result_is_not_safe() {
    let scanner = cut(engine());
    let target = Target::parse("example.org/a").unwrap();
    let now = SystemClock::new().now();
    let scan = Scan::new(&scanner, OrganizationId(Uuid::from_u128(1)), &target, now);
    let whole = scan.finish(scan.begin().await).await;
    let missing = |id: &str| {
        let check = whole.checks.iter().find(|check| check.spec.id == id).unwrap();
        matches!(check.outcome, Outcome::NotPossible { .. })
    };
    for spec in [&weights::web::DNS, &weights::web::TLS, &weights::web::AGE, &weights::web::PAGE] {
        assert!(missing(spec.id), "{}", spec.id);
    }
    let ids: Vec<&str> = whole.checks.iter().map(|check| check.spec.id).collect();
    for spec in weights::web::ALL.iter().chain(&weights::text::ALL).chain(&weights::links::ALL) {
        assert_eq!(ids.iter().filter(|id| **id == spec.id).count(), 1, "{}", spec.id);
    }
    let scored = score(Origin::WebPage, &whole);
    assert_eq!(scored.floor, Some(Floor::Caution));
    assert_ne!(verdict(scored.score, scored.floor, Tolerance::Yolo), Verdict::Safe);
    let preliminary = score(Origin::WebPage, &scan.preliminary().await);
    assert_eq!((preliminary.floor, preliminary.sub_scores.content), (Some(Floor::Caution), None));
}

#[tokio::test]
async fn lists_of_the_operator_block_pages_and_allow_none_without_a_certificate() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("domains-block.txt", "bad.example # incident 7\n");
    write("domains-allow.txt", "good.example\n");
    let lists = crate::lists::Lists::load(directory.path()).unwrap();
    let scanner = cut(Arc::new(crate::engine::tests::loaded().with_lists(lists).unwrap()));
    let outcomes = async |page: &str| {
        let target = Target::parse(page).unwrap();
        let now = SystemClock::new().now();
        let scan = Scan::new(&scanner, OrganizationId(Uuid::from_u128(1)), &target, now);
        let checks = scan.preliminary().await.checks;
        let of = |spec| checks.iter().find(|check| check.spec == spec).unwrap().outcome.clone();
        (of(&weights::web::ALLOWED), of(&weights::web::BLOCKED))
    };
    assert!(matches!(outcomes("www.bad.example/a").await.1, Outcome::Failed { .. }));
    let nothing = Outcome::Passed { points: 0, evidence: None };
    assert_eq!(outcomes("good.example").await, (nothing.clone(), nothing));
}

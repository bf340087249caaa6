//! Targets, and a page that cannot be looked at.

use std::sync::Arc;

use common::clock::{Clock, SharedClock, SystemClock};
use common::ids::OrganizationId;
use outbound::{Config, Outbound, SystemResolver};
use uuid::Uuid;

use super::*;
use crate::artifact::{Floor, Origin, Tolerance, Verdict};
use crate::check::Outcome;
use crate::engine::tests::engine;
use crate::score::{score, verdict};
use crate::weights;

/// A network without name servers: nothing listens at the port.
fn cut() -> Network {
    let config = Config {
        name_servers: vec!["127.0.0.1:9".parse().unwrap()],
        resolve_timeout_ms: 300,
        ..Config::default()
    };
    let clock: SharedClock = Arc::new(SystemClock::new());
    let resolver = SystemResolver::new(&config, Arc::clone(&clock)).unwrap();
    let outbound = Outbound::new(&config, Arc::new(resolver), clock).unwrap();
    Network::new(Arc::new(outbound), "https://rdap.example/dns.json".to_owned())
}

#[tokio::test]
async fn without_a_network_every_failed_look_up_is_named_and_the_result_is_not_safe() {
    let (engine, network) = (engine(), cut());
    let target = Target::parse("example.org/a").unwrap();
    let requester = requester(OrganizationId(Uuid::from_u128(1)));
    let now = SystemClock::new().now();
    let scan = Scan { engine: &engine, network: &network, requester, target: &target, now };
    let whole = scan.whole().await;
    let missing = |id: &str| {
        let check = whole.checks.iter().find(|check| check.spec.id == id).unwrap();
        matches!(check.outcome, Outcome::NotPossible { .. })
    };
    for spec in [&weights::web::DNS, &weights::web::AGE, &weights::web::PAGE] {
        assert!(missing(spec.id), "{}", spec.id);
    }
    let ids: Vec<&str> = whole.checks.iter().map(|check| check.spec.id).collect();
    for spec in weights::web::ALL {
        assert_eq!(ids.iter().filter(|id| **id == spec.id).count(), 1, "{}", spec.id);
    }
    let scored = score(Origin::WebPage, &whole);
    assert_eq!(scored.floor, Some(Floor::Caution));
    assert_ne!(verdict(scored.score, scored.floor, Tolerance::Yolo), Verdict::Safe);
    let preliminary = score(Origin::WebPage, &scan.preliminary().await);
    assert_eq!((preliminary.floor, preliminary.sub_scores.content), (Some(Floor::Caution), None));
}

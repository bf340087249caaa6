//! Results in the ledger: owners, ages, groups, expiry.

use common::clock::{Clock, ManualClock};
use ledger::Range;
use ledger::memory::MemoryLedger;
use uuid::Uuid;

use super::*;
use crate::record::Subject;
use crate::score::Assessment;

const ONE: OrganizationId = OrganizationId(Uuid::from_u128(1));
const OTHER: OrganizationId = OrganizationId(Uuid::from_u128(2));

fn artifact(origin: Origin, identifier: &str, at: Timestamp) -> Artifact {
    let subject = Subject { origin, identifier: identifier.to_owned(), name: "name".to_owned(), url: None };
    Artifact::new(subject, ONE, at, &Assessment::default())
}

struct World {
    ledger: Arc<MemoryLedger>,
    clock: Arc<ManualClock>,
    store: Arc<Store>,
    writer: Writer,
}

fn world() -> World {
    let ledger = Arc::new(MemoryLedger::default());
    let clock = Arc::new(ManualClock::new(Timestamp::parse_rfc3339("2026-07-08T09:00:00Z").unwrap()));
    let (store, writer) = Store::new(ledger.clone(), clock.clone(), 4);
    World { ledger, clock, store, writer }
}

impl World {
    async fn write(&mut self) {
        let first = self.writer.queued.recv().await.unwrap();
        self.writer.write(first).await;
    }

    async fn rows(&self) -> usize {
        let mut rows = 0;
        for (shard, kind) in (0..4).flat_map(|shard| [(shard, Kind::Detail), (shard, Kind::State)]) {
            rows += self
                .ledger
                .scan(LedgerId::Shared(Shard(shard)), kind, Range::default(), 100)
                .await
                .unwrap()
                .len();
        }
        rows
    }
}

#[tokio::test]
async fn a_result_is_readable_before_and_after_it_is_written_and_by_its_owner_only() {
    let mut world = world();
    let written = artifact(Origin::Message, "ab", world.clock.now());
    world.store.put(&written).await.unwrap();
    for _ in 0..2 {
        let read = world.store.get(ONE, Origin::Message, "ab").await.unwrap();
        assert_eq!(read.as_ref(), Some(&written));
        assert_eq!(world.store.get(OTHER, Origin::Message, "ab").await.unwrap(), None);
        assert_eq!(world.store.get(ONE, Origin::Email, "ab").await.unwrap(), None);
        if world.rows().await == 0 {
            world.write().await;
        }
    }
    assert!(world.store.waiting().is_empty());
    assert_eq!(world.rows().await, 2);
}

#[tokio::test]
async fn private_results_are_kept_for_30_days_and_public_ones_for_90() {
    let mut world = world();
    for (origin, identifier) in [(Origin::Message, "ab"), (Origin::WebPage, "example.org")] {
        world.store.put(&artifact(origin, identifier, world.clock.now())).await.unwrap();
    }
    world.write().await;
    let day = Duration::from_secs(24 * 3600);
    world.clock.advance(day * 30);
    assert_eq!(world.store.get(ONE, Origin::Message, "ab").await.unwrap(), None, "not answered from then on");
    world.clock.advance(day);
    world.store.sweep().await.unwrap();
    assert_eq!(world.rows().await, 2, "the row and its expiry are gone");
    let nil = OrganizationId::NONE;
    assert!(world.store.get(nil, Origin::WebPage, "example.org").await.unwrap().is_some());
    world.clock.advance(day * 60);
    world.store.sweep().await.unwrap();
    assert_eq!(world.rows().await, 0);
}

#[tokio::test]
async fn a_result_that_is_written_again_is_kept_from_then_on() {
    let mut world = world();
    world.store.put(&artifact(Origin::Message, "ab", world.clock.now())).await.unwrap();
    world.write().await;
    world.clock.advance(Duration::from_secs(20 * 24 * 3600));
    world.store.put(&artifact(Origin::Message, "ab", world.clock.now())).await.unwrap();
    world.write().await;
    world.clock.advance(Duration::from_secs(15 * 24 * 3600));
    world.store.sweep().await.unwrap();
    assert!(world.store.get(ONE, Origin::Message, "ab").await.unwrap().is_some());
    assert_eq!(world.rows().await, 2, "the earlier expiry is gone");
}

fn pending(origin: Origin, identifier: &str, at: Timestamp) -> Artifact {
    Artifact { is_pending: true, ..artifact(origin, identifier, at) }
}

#[tokio::test]
async fn a_pending_result_never_replaces_a_whole_one_of_another_scan_of_the_content() {
    let mut world = world();
    let at = world.clock.now();
    let get = async |world: &World| {
        world.store.get(OrganizationId::NONE, Origin::WebPage, "example.org").await.unwrap().unwrap()
    };
    // The job of the scan has ended before the request that queued it stores its first result.
    let whole = artifact(Origin::WebPage, "example.org", at);
    write_now(world.ledger.as_ref(), 4, &whole).await.unwrap();
    let answered = world.store.put_pending(pending(Origin::WebPage, "example.org", at)).await.unwrap();
    assert_eq!((&answered, get(&world).await), (&whole, whole.clone()));
    assert!(world.store.waiting().is_empty());
    // It ends between the request and the writer.
    let other = artifact(Origin::WebPage, "example.com", at);
    let first = pending(Origin::WebPage, "example.com", at);
    assert_eq!(world.store.put_pending(first.clone()).await.unwrap(), first);
    write_now(world.ledger.as_ref(), 4, &other).await.unwrap();
    world.write().await;
    let found = world.store.get(OrganizationId::NONE, Origin::WebPage, "example.com").await.unwrap();
    assert_eq!(found, Some(other));
}

#[tokio::test]
async fn of_concurrent_scans_of_one_content_the_newest_whole_result_stays() {
    let world = world();
    let early = world.clock.now();
    world.clock.advance(Duration::from_secs(20));
    let newer = artifact(Origin::WebPage, "example.org", world.clock.now());
    let ledger = world.ledger.as_ref();
    let get = async || {
        world.store.get(OrganizationId::NONE, Origin::WebPage, "example.org").await.unwrap().unwrap()
    };
    write_now(ledger, 4, &pending(Origin::WebPage, "example.org", early)).await.unwrap();
    assert!(get().await.is_pending);
    write_now(ledger, 4, &newer).await.unwrap();
    for late in
        [artifact(Origin::WebPage, "example.org", early), pending(Origin::WebPage, "example.org", early)]
    {
        write_now(ledger, 4, &late).await.unwrap();
        assert_eq!(get().await, newer, "the scan that began first ends last");
    }
    // The first tiers of another scan, and a scan that failed, leave the current result too.
    let later = world.clock.now().plus(Duration::from_secs(60));
    write_now(ledger, 4, &pending(Origin::WebPage, "example.org", later)).await.unwrap();
    write_failure(ledger, 4, &artifact(Origin::WebPage, "example.org", later)).await.unwrap();
    assert_eq!(get().await, newer);
    let latest = artifact(Origin::WebPage, "example.org", later);
    write_now(ledger, 4, &latest).await.unwrap();
    assert_eq!(get().await, latest);
}

#[tokio::test]
async fn a_result_that_depends_on_a_connection_is_seen_by_its_organization_only() {
    let world = world();
    let scanned = |sender, is_of_connection, is_pending| {
        let subject = artifact(Origin::Package, "ab", world.clock.now()).subject;
        let assessment = Assessment { is_of_connection, is_pending, ..Assessment::default() };
        Artifact::new(subject, sender, world.clock.now(), &assessment)
    };
    let seen = async |by| world.store.seen(by, Origin::Package, "ab").await.unwrap();
    let own = scanned(ONE, true, false);
    world.store.put(&own).await.unwrap();
    assert_eq!((seen(ONE).await, seen(OTHER).await), (Some(own.clone()), None));
    let begun = scanned(OTHER, true, true);
    world.store.put(&begun).await.unwrap();
    assert_eq!((seen(ONE).await, seen(OTHER).await), (Some(own), Some(begun)));
    world.clock.advance(Duration::from_secs(60));
    let shared = scanned(OTHER, false, false);
    world.store.put(&shared).await.unwrap();
    assert_eq!((seen(ONE).await, seen(OTHER).await), (Some(shared.clone()), Some(shared.clone())));
    // A refresh without a connection changes nothing for the others.
    world.clock.advance(Duration::from_secs(25 * 3600));
    let own = scanned(ONE, true, false);
    world.store.put(&own).await.unwrap();
    assert_eq!((seen(ONE).await, seen(OTHER).await), (Some(own), Some(shared)));
}

#[tokio::test]
async fn a_scan_whose_process_ended_is_reported_as_lost_after_ten_minutes() {
    use crate::artifact::Tolerance;
    use crate::query::ContextQuery;
    use crate::view::ArtifactView;

    let mut world = world();
    let pending = Assessment { is_pending: true, ..Assessment::default() };
    let begun = Artifact::new(
        artifact(Origin::Email, "ab", world.clock.now()).subject,
        ONE,
        world.clock.now(),
        &pending,
    );
    world.store.put(&begun).await.unwrap();
    world.write().await;
    // The process that would have finished the scan is gone: another one reads the same ledger.
    let (other, _) = Store::new(world.ledger.clone(), world.clock.clone(), 4);
    let shown = async || {
        let known = other.get(ONE, Origin::Email, "ab").await.unwrap().unwrap();
        let query = ContextQuery { details: true, refresh: false, tolerance: Tolerance::Yolo, mode: None };
        serde_json::to_value(ArtifactView::new(known, query, world.clock.now())).unwrap()
    };
    world.clock.advance(Duration::from_secs(9 * 60));
    assert_eq!(shown().await["pending_deep_scan"], true);
    world.clock.advance(Duration::from_secs(61));
    let lost = shown().await;
    assert_eq!((&lost["pending_deep_scan"], &lost["verdict"]), (&false.into(), &"caution".into()), "{lost}");
    let skipped = lost["coverage"]["skipped"][0]["reason"].as_str().unwrap();
    assert!(skipped.contains("was lost") && skipped.contains("send the content again"), "{skipped}");
}

#[tokio::test]
async fn a_pending_result_of_public_content_replaces_no_whole_one() {
    let mut world = world();
    let pending =
        |world: &World| Artifact { is_pending: true, ..artifact(Origin::Package, "ab", world.clock.now()) };
    let is_pending = async |world: &World| {
        let stored = world.store.get(OrganizationId::NONE, Origin::Package, "ab").await.unwrap();
        stored.unwrap().is_pending
    };
    // The job ends, on a clock that is a second behind, while the preliminary result waits to be written.
    let whole = artifact(Origin::Package, "ab", world.clock.now().minus(Duration::from_secs(1)));
    world.store.put(&pending(&world)).await.unwrap();
    write_now(world.ledger.as_ref(), 4, &whole).await.unwrap();
    world.write().await;
    assert!(!is_pending(&world).await, "the scan has ended");
    write_now(world.ledger.as_ref(), 4, &pending(&world)).await.unwrap();
    assert!(!is_pending(&world).await, "an attempt of the job that was replaced writes later");

    world.clock.advance(Duration::from_secs(25 * 3600));
    world.store.put(&pending(&world)).await.unwrap();
    world.write().await;
    assert!(!is_pending(&world).await, "a result of yesterday is kept until a new scan has ended");
    for result in [artifact(Origin::Package, "ab", world.clock.now()), pending(&world)] {
        world.store.put(&result).await.unwrap();
    }
    world.write().await;
    assert!(!is_pending(&world).await, "also where both are written in one commit");
}

#[test]
fn a_pending_result_of_a_page_is_overdue_after_ten_minutes_and_never_lost() {
    let at = Timestamp::parse_rfc3339("2026-07-08T09:00:00Z").unwrap();
    let pending = Artifact { is_pending: true, ..artifact(Origin::WebPage, "example.org", at) };
    let later = |minutes: u64| at.plus(Duration::from_secs(minutes * 60));
    assert!(!pending.is_overdue(later(10)) && pending.is_overdue(later(11)));
    assert!(!pending.is_lost(later(11)), "a job scans it, in whichever process");
    assert!(!Artifact { is_pending: false, ..pending }.is_overdue(later(11)));
}

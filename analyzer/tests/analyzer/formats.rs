//! Records counted by format for their source.

use std::sync::Arc;

use ::ledger::memory::MemoryLedger;
use common::timestamp::Timestamp;
use statistics::{SourceKey, Totals, Writer, read};

use super::harness::{Delivery, Line, World, at, in_paused_time, rules};

async fn totals(world: &World, delivery: &Delivery, now: Timestamp) -> Option<Totals> {
    let ledger = Arc::new(MemoryLedger::new());
    Writer::new(ledger.clone(), world.clock(), Arc::clone(&world.statistics), 1, 7).flush().await;
    let headers = delivery.batch().headers;
    let key = SourceKey { organization: headers.organization, source: headers.source };
    read(ledger.as_ref(), 1, key, now).await.unwrap()
}

fn nonsense(count: usize) -> impl Iterator<Item = Line> {
    (0..count).map(|number| Line::new(format!("[[job {number}]] {}", "é".repeat(400))))
}

#[test]
fn each_record_is_counted_once_by_its_format() {
    in_paused_time(async {
        let world = World::new(&rules::all());
        let known = (0..300).map(|_| Line::failed("root", "203.0.113.9"));
        let delivery = Delivery::new(10, known.chain(nonsense(200))).keyed(1);
        world.take(&[delivery.clone(), delivery.clone()]).await;
        let totals = totals(&world, &delivery, at(10)).await.unwrap();
        let week = totals.of_week();
        let formats: Vec<(&str, u64)> =
            week.recognised.iter().map(|(format, count)| (format.as_ref(), *count)).collect();
        assert_eq!(formats, [("OpenSSH", 300)], "a repeated batch is not counted");
        assert_eq!(week.unrecognised, 200);
        assert_eq!(totals.examples.len(), 5);
        assert!(totals.examples.iter().all(|example| {
            example.text.starts_with("[[job ") && example.text.len() <= 512 && example.at == at(10)
        }));
        assert_eq!((totals.accepted, totals.first_at), (0, None), "ingestion counts those");
    });
}

#[test]
fn a_tick_is_no_record() {
    in_paused_time(async {
        let world = World::new(&rules::all());
        world.take(&[Delivery::tick(10)]).await;
        assert_eq!(totals(&world, &Delivery::tick(10), at(10)).await, None);
    });
}

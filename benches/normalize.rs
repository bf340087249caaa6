//! From a record's bytes to the event that rules see, by kind of record: how long it takes, in processor time
//! of this thread. Rounds take turns over the kinds; medians are printed. Records come as drains deliver them
//! (objects) and as collectors do that read files (objects in text).
//!
//! Arguments are a kind's name, and a number of rounds (many, for a profiler).
//!
//! Beside each time stands a digest of everything that was read, to compare two states of the code by.
#![expect(clippy::print_stdout, reason = "it is what the benchmark is for")]

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::time::Duration;

use benches::events;
use benches::otlp::{batch, object};
use benches::selection::Selection;
use benches::thread_cpu::{median_nanoseconds, timed};
use common::timestamp::Timestamp;
use normalize::record::records;
use normalize::{Room, normalize};
use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;

/// Events that are drawn of Windows, and of the mixture.
const EVENTS: usize = 4_000;
/// Records in one batch.
const BATCH: usize = 500;
const ROUNDS: usize = 15;
/// When the batches claim to have been accepted.
const RECEIVED: Timestamp = Timestamp(1_793_534_400_000_000_000);

/// Records of a kind.
struct Load {
    name: String,
    batches: Vec<Vec<u8>>,
    records: usize,
    walk: Vec<Duration>,
    whole: Vec<Duration>,
}

fn main() {
    let Some(selection) = Selection::of_arguments(ROUNDS) else { return };
    let mut loads: Vec<Load> = loads().into_iter().filter(|load| selection.has(&load.name)).collect();
    for _ in 0..selection.rounds {
        for load in &mut loads {
            let ((), walk) = timed(|| {
                each(&load.batches, |record| {
                    black_box(record);
                });
            });
            load.walk.push(walk);
            load.whole.push(timed(|| normalize_all(&load.batches)).1);
        }
    }
    for load in loads {
        println!(
            "{:<24} {:>6} records of {:>5} bytes: {:>7.0} ns, of these {:>5.0} to find the record; digest {:016x}",
            load.name,
            load.records,
            load.batches.iter().map(Vec::len).sum::<usize>() / load.records,
            median_nanoseconds(&load.whole, load.records),
            median_nanoseconds(&load.walk, load.records),
            digest(&load.batches)
        );
    }
}

/// As detection does: each record has the room of the one before.
fn normalize_all(batches: &[Vec<u8>]) {
    let mut room = Room::default();
    for record in batches.iter().flat_map(|batch| records(batch)) {
        let normalized = black_box(room.normalize(&record, RECEIVED));
        room.take_back(normalized);
    }
}

fn each(batches: &[Vec<u8>], mut work: impl FnMut(normalize::record::Record<'_>)) {
    for batch in batches {
        records(batch).for_each(&mut work);
    }
}

fn digest(batches: &[Vec<u8>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    each(batches, |record| format!("{:?}", normalize(&record, RECEIVED)).hash(&mut hasher));
    hasher.finish()
}

fn loads() -> Vec<Load> {
    let mut chance = StdRng::seed_from_u64(20_261_121);
    let mut kinds: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for _ in 0..EVENTS {
        kinds.entry("windows").or_default().push(events::windows(&mut chance));
        let (event, _) = events::mixed(&mut chance);
        kinds.entry("mixed").or_default().push(event.clone());
        kinds.entry(kind(&event)).or_default().push(event);
    }
    type Form = (&'static str, fn(&Value) -> AnyValue);
    let forms: [Form; 2] = [("", object), (" in text", text)];
    let load = |(name, form): (&str, fn(&Value) -> AnyValue), kind: &str, events: &[Value]| Load {
        name: format!("{kind}{name}"),
        batches: events.chunks(BATCH).map(|events| batch(events.iter().map(form))).collect(),
        records: events.len(),
        walk: Vec::new(),
        whole: Vec::new(),
    };
    let of_form = |form| kinds.iter().map(move |(kind, events)| load(form, kind, events));
    forms.into_iter().flat_map(of_form).collect()
}

fn kind(event: &Value) -> &'static str {
    match event["program"].as_str() {
        Some("sshd") => "sshd",
        Some(_) => "nginx",
        None if event["kind"].is_string() => "kubernetes",
        None => "cloudtrail",
    }
}

fn text(event: &Value) -> AnyValue {
    AnyValue { value: Some(Any::StringValue(event.to_string())) }
}

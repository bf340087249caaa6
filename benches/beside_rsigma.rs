//! Detection beside rsigma-eval, in one process on the same events: rules compiled, then events from their bytes to the
//! rules that match. Counted is processor time of this thread; rounds take turns, and medians are printed. The match sets
//! are compared and every difference named. With the argument `alone` only ours is measured, by kind of event.
//!
//! `PALISADE_SIGMA_CORPUS` names the folder of rules. Ours reads OTLP records in protobuf as they lie in the log; rsigma the
//! same events as JSON, lines of web servers taken apart beforehand, and is given the log source that ours finds.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]
#![expect(clippy::print_stdout, reason = "it is what the benchmark is for")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use benches::events;
use benches::otlp::{batch, object};
use benches::thread_cpu::timed;
use common::timestamp::Timestamp;
use normalize::aliases::CanonicalFields;
use normalize::record::records;
use normalize::{Room, normalize};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rsigma_eval::{Engine, JsonEvent};
use serde_json::Value;
use sigma::RuleSet;

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Events of a kind, and records in one batch.
const EVENTS: usize = 4_000;
const BATCH: usize = 500;
/// Rounds, each of all events by ours and by rsigma in turn.
const ROUNDS: usize = 7;
/// When the batches claim to have been accepted.
const RECEIVED: Timestamp = Timestamp(1_793_534_400_000_000_000);

/// Events in both forms.
struct Load {
    name: &'static str,
    batches: Vec<Vec<u8>>,
    documents: Vec<Vec<u8>>,
    log_sources: Vec<rsigma_parser::LogSource>,
}

fn main() {
    // `cargo test --benches` only asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let Ok(folder) = std::env::var("PALISADE_SIGMA_CORPUS") else {
        println!("not measured: PALISADE_SIGMA_CORPUS names no folder of Sigma rules");
        return;
    };
    let mut texts = BTreeMap::new();
    collect(Path::new(&folder), &mut texts);
    if std::env::args().any(|argument| argument == "alone") {
        return by_kind(&ours(&some(&texts, texts.len())));
    }
    let loads = [load("Windows", windows), load("sshd, nginx, CloudTrail, Kubernetes", events::mixed)];
    for count in [100, 1_000, texts.len()] {
        measure(&some(&texts, count), &loads, count == texts.len());
    }
}

fn windows(chance: &mut StdRng) -> (Value, Value) {
    let event = events::windows(chance);
    (event.clone(), event)
}

/// Distribution of the time, by input and by engine: one kind of event after the other. The name of a
/// kind as an argument leaves the others out.
fn by_kind(rules: &RuleSet) {
    type Made = fn(&mut StdRng) -> (Value, Value);
    let kinds: [(&'static str, Made); 6] = [
        ("Windows", windows),
        ("sshd", events::sshd),
        ("nginx", events::nginx),
        ("CloudTrail", events::cloudtrail),
        ("Kubernetes", events::kubernetes),
        ("mixed", events::mixed),
    ];
    let wanted: Vec<String> = std::env::args().collect();
    let any = kinds.iter().any(|(name, _)| wanted.iter().any(|wanted| wanted == name));
    for (name, made) in kinds.iter().filter(|(name, _)| !any || wanted.iter().any(|wanted| wanted == name)) {
        let load = load(name, made);
        let mut whole = Vec::new();
        for _ in 0..10 * ROUNDS {
            whole.push(timed(|| match_ours(rules, &load, |_, _| {})).1);
        }
        let (whole, matching) = (1e6 / rate(whole), 1e6 / matching_alone(rules, &load, 10 * ROUNDS));
        println!("{name:<12} {whole:>6.2} us an event from its bytes, {matching:>6.2} us of it matching");
    }
}

/// So many of the files, spread over all.
fn some(texts: &BTreeMap<PathBuf, String>, count: usize) -> BTreeMap<&PathBuf, &String> {
    let step = texts.len().div_ceil(count.max(1)).max(1);
    texts.iter().step_by(step).collect()
}

fn collect(folder: &Path, texts: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "yml") {
            texts.insert(path.clone(), std::fs::read_to_string(&path).unwrap());
        }
    }
}

fn measure(texts: &BTreeMap<&PathBuf, &String>, loads: &[Load], compared: bool) {
    let before = resident_kilobytes();
    let (rules, compiling) = timed(|| ours(texts));
    let grown = resident_kilobytes().saturating_sub(before);
    let (engine, theirs_compiling) = timed(|| theirs(texts));
    println!(
        "\n{} files, {} rules: compiled in {:.2} CPU-s, {} MiB more resident; rsigma {:.2} CPU-s",
        texts.len(),
        rules.rules().len(),
        compiling.as_secs_f64(),
        grown / 1024,
        theirs_compiling.as_secs_f64()
    );
    for load in loads {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let (mut found, mut found_by_rsigma) = (0, 0);
        for _ in 0..ROUNDS {
            let (matches, time) = timed(|| match_ours(&rules, load, |_, _| {}));
            (found, own) = (matches, pushed(own, time));
            let (matches, time) = timed(|| match_theirs(&engine, load, |_, _| {}));
            (found_by_rsigma, other) = (matches, pushed(other, time));
        }
        let alone = matching_alone(&rules, load, ROUNDS);
        let (own, other) = (rate(own), rate(other));
        println!(
            "  {:<38} ours {own:>9.0} events/CPU-s, {found} matches; rsigma {other:>9.0}, {found_by_rsigma}; {:.1} times",
            load.name,
            own / other
        );
        println!("    matching alone, of events made beforehand: {:.2} us an event", 1e6 / alone);
        if compared {
            compare(&rules, &engine, load);
        }
    }
}

fn pushed(mut times: Vec<Duration>, time: Duration) -> Vec<Duration> {
    times.push(time);
    times
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand")]
fn rate(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    EVENTS as f64 / times[times.len() / 2].as_secs_f64()
}

fn ours(texts: &BTreeMap<&PathBuf, &String>) -> RuleSet {
    let parse = |(path, text): (&&PathBuf, &&String)| sigma::parse(&path.display().to_string(), text);
    let documents = texts.iter().flat_map(parse).filter_map(Result::ok).collect();
    RuleSet::compile(documents, &CanonicalFields).0
}

fn theirs(texts: &BTreeMap<&PathBuf, &String>) -> Engine {
    let collections: Vec<_> =
        texts.values().filter_map(|text| rsigma_parser::parse_sigma_yaml(text).ok()).collect();
    let mut engine = Engine::new();
    // One that it cannot use is left out, as ours leaves out those it refuses.
    engine.add_rules(collections.iter().flat_map(|collection| &collection.rules));
    engine
}

fn match_ours(rules: &RuleSet, load: &Load, mut each: impl FnMut(usize, &[usize])) -> usize {
    let (mut matched, mut total, mut number) = (Vec::new(), 0, 0);
    for batch in &load.batches {
        let mut matcher = rules.matcher();
        let mut room = Room::default();
        for record in records(batch) {
            let normalized = room.normalize(&record, RECEIVED);
            matcher.matches(&normalized.event, &mut matched);
            total += matched.len();
            each(number, &matched);
            number += 1;
            room.take_back(normalized);
        }
    }
    total
}

/// Events a second where they are made beforehand: not the work that rsigma does, but where the time of ours goes.
fn matching_alone(rules: &RuleSet, load: &Load, rounds: usize) -> f64 {
    let records: Vec<_> = load.batches.iter().flat_map(|batch| records(batch)).collect();
    let made: Vec<_> = records.iter().map(|record| normalize(record, RECEIVED).event).collect();
    let mut matched = Vec::new();
    let mut times = Vec::new();
    for _ in 0..rounds {
        let mut matcher = rules.matcher();
        let ((), time) = timed(|| made.iter().for_each(|event| matcher.matches(event, &mut matched)));
        times.push(time);
    }
    rate(times)
}

fn match_theirs(
    engine: &Engine,
    load: &Load,
    mut each: impl FnMut(usize, &[rsigma_eval::EvaluationResult]),
) -> usize {
    let mut total = 0;
    for (number, (document, log_source)) in load.documents.iter().zip(&load.log_sources).enumerate() {
        let value: Value = serde_json::from_slice(document).unwrap();
        let results = engine.evaluate_with_logsource(&JsonEvent::borrow(&value), log_source);
        total += results.len();
        each(number, &results);
    }
    total
}

/// Names the rules that one of the two finds in events in which the other does not.
fn compare(rules: &RuleSet, engine: &Engine, load: &Load) {
    let mut own: Vec<BTreeSet<String>> = vec![BTreeSet::new(); EVENTS];
    match_ours(rules, load, |number, matched| {
        own[number] = matched.iter().map(|rule| rules.rules()[*rule].info.id.clone()).collect();
    });
    let known: BTreeSet<&str> = rules.rules().iter().map(|rule| rule.info.id.as_str()).collect();
    let mut differences: BTreeMap<(String, &str), (usize, usize)> = BTreeMap::new();
    match_theirs(engine, load, |number, results| {
        let other: BTreeSet<String> = results
            .iter()
            .filter_map(|result| result.header.rule_id.clone())
            .filter(|id| known.contains(id.as_str()))
            .collect();
        for (rules, by) in
            [(own[number].difference(&other), "ours"), (other.difference(&own[number]), "rsigma")]
        {
            for rule in rules {
                differences.entry((rule.clone(), by)).or_insert((0, number)).0 += 1;
            }
        }
    });
    for ((rule, by), (count, example)) in differences {
        let title =
            rules.rules().iter().find(|own| own.info.id == rule).map_or("", |own| own.info.title.as_str());
        println!("    only {by}: {rule} {title:?} in {count} events, one of them number {example}");
    }
}

fn load(name: &'static str, mut event: impl FnMut(&mut StdRng) -> (Value, Value)) -> Load {
    let mut chance = StdRng::seed_from_u64(20_261_121);
    let pairs: Vec<(Value, Value)> = (0..EVENTS).map(|_| event(&mut chance)).collect();
    let sent: Vec<&Value> = pairs.iter().map(|(sent, _)| sent).collect();
    let batches: Vec<Vec<u8>> =
        sent.chunks(BATCH).map(|sent| batch(sent.iter().map(|event| object(event)))).collect();
    let log_sources = batches.iter().flat_map(|batch| log_sources(batch)).collect();
    let documents = pairs.iter().map(|(_, read)| serde_json::to_vec(read).unwrap()).collect();
    Load { name, batches, documents, log_sources }
}

fn log_sources(batch: &[u8]) -> Vec<rsigma_parser::LogSource> {
    let source = |record| {
        let found = normalize(&record, RECEIVED).event.log_source;
        let text = |part: Option<std::borrow::Cow<'_, str>>| part.map(std::borrow::Cow::into_owned);
        rsigma_parser::LogSource {
            product: text(found.product),
            category: text(found.category),
            service: text(found.service),
            definition: None,
            custom: std::collections::HashMap::default(),
        }
    };
    records(batch).map(source).collect()
}

fn resident_kilobytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

//! Durations and memory with many findings. In release, alone:
//! `cargo test -p findings --release --lib -- --ignored --nocapture million`.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use common::clock::{Clock, SystemClock};
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::timestamp::Timestamp;
use common::triage::TriageStatus;
use engine::{Level, Location, Observation, Region};
use index::{Config, Index, Part};
use ledger::{Ledger, LedgerId, Seq};
use records::Records;
use uuid::Uuid;

use super::{application, finding, observation, run};
use crate::counts::{facets, histogram};
use crate::filter::{Filter, Sort, State, list};
use crate::finding::Finding;
use crate::listed::OrganizationIndex;
use crate::recorder::Findings;
use crate::target::Target;

const FINDINGS: u32 = 1_000_000;
const ROUNDS: u32 = 100;
const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(7));

/// Spreads a number over all 32 bits.
fn spread(number: u32) -> u32 {
    number.wrapping_mul(0x9E37_79B1).rotate_left(13).wrapping_mul(0x85EB_CA6B)
}

fn many(number: u32) -> Finding {
    let chance = spread(number);
    let mut hash = [0; 32];
    hash[..4].copy_from_slice(&chance.to_be_bytes());
    hash[4..8].copy_from_slice(&number.to_be_bytes());
    let mut finding = finding(ORGANIZATION, RecordId::new(Shard(0), &hash));
    finding.title = "Reflected cross-site scripting in the search of the shop".to_owned();
    finding.target =
        Target::Repository { id: (chance % 500).to_string(), full_name: format!("acme/{}", chance % 500) };
    finding.risk = Level::ALL[chance as usize % 5];
    finding.severity = Some(finding.risk);
    finding.cwes = vec![chance % 40, 1_000 + chance % 7];
    finding.created_at = Timestamp::from_millis(i64::from(number) * 1_000);
    finding.triage.status = TriageStatus::ALL[chance as usize / 5 % 5];
    finding.triage.board_position = u64::from(chance);
    finding
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Processor time of this thread so far.
fn processor_time() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(statistics.split_whitespace().next().unwrap().parse().unwrap())
}

/// Processor time of all threads of this process so far.
fn process_time() -> Duration {
    let mut sum = Duration::ZERO;
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let statistics = std::fs::read_to_string(task.unwrap().path().join("schedstat")).unwrap_or_default();
        let nanos = statistics.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(0);
        sum += Duration::from_nanos(nanos);
    }
    sum
}

fn say(line: std::fmt::Arguments<'_>) {
    writeln!(std::io::stderr(), "{line}").unwrap();
}

#[test]
#[ignore = "a measurement"]
fn lists_of_a_million_findings() {
    measure_lists("one title", many);
}

/// Titles are those of rules in general; here each one is different, as the messages of some tools are.
#[test]
#[ignore = "a measurement"]
fn lists_of_a_million_findings_with_titles_of_their_own() {
    let own_title = |number| {
        let mut finding = many(number);
        finding.title = format!("Reflected cross-site scripting in the search of shop {}", spread(number));
        finding
    };
    measure_lists("own titles", own_title);
}

fn measure_lists(name: &str, many: impl Fn(u32) -> Finding) {
    let before = resident_kib();
    let mut index = OrganizationIndex::new(1, usize::MAX);
    for number in 0..FINDINGS {
        index.put(&many(number), Seq(1));
    }
    let bytes = (resident_kib() - before) * 1_024 / u64::from(FINDINGS);
    say(format_args!("{name}: {bytes} bytes of the index for each finding"));
    let all = Filter::default();
    let open = Filter { state: Some(State::Open), ..Filter::default() };
    let repository = Filter { repository: Some("ACME/77".to_owned()), ..open.clone() };
    let cwe = Filter { cwe: Some(7), risk_level: Some(Level::High), ..Filter::default() };
    let text = Filter { q: Some("no such words".to_owned()), ..Filter::default() };
    let common = Filter { q: Some("shop".to_owned()), ..Filter::default() };
    let day = Filter { from: Some(Timestamp::from_millis(900_000_000)), ..Filter::default() };
    let part = |offset| Part { offset, limit: 100 };
    let times = ((Timestamp::from_millis(0), Timestamp::from_millis(1_000_000_000)), 200);
    type Asked<'a> = Box<dyn Fn() -> usize + 'a>;
    let asked: [(&str, Asked<'_>); 12] = [
        ("all, offset 999,900", Box::new(|| list(&index, &all, Sort::Newest, part(999_900)).1)),
        ("open, offset 500,000", Box::new(|| list(&index, &open, Sort::Newest, part(500_000)).1)),
        ("open, repository", Box::new(|| list(&index, &repository, Sort::Newest, part(0)).1)),
        ("weakness and risk level", Box::new(|| list(&index, &cwe, Sort::Newest, part(0)).1)),
        ("text without a match", Box::new(|| list(&index, &text, Sort::Newest, part(0)).1)),
        ("text in all", Box::new(|| list(&index, &common, Sort::Newest, part(0)).1)),
        ("last tenth of the time", Box::new(|| list(&index, &day, Sort::Newest, part(0)).1)),
        ("all by severity, offset 500,000", Box::new(|| list(&index, &all, Sort::Severity, part(500_000)).1)),
        ("all as a board, offset 500,000", Box::new(|| list(&index, &all, Sort::Board, part(500_000)).1)),
        ("open, repository as a board", Box::new(|| list(&index, &repository, Sort::Board, part(0)).1)),
        ("histogram, 200 buckets", Box::new(|| histogram(&index, &all, times.0, times.1).counts.len())),
        ("facets", Box::new(|| facets(&index, &all).kind.len())),
    ];
    for (name, ask) in asked {
        let mut took: Vec<Duration> = (0..ROUNDS)
            .map(|_| {
                let began = processor_time();
                std::hint::black_box(ask());
                processor_time() - began
            })
            .collect();
        took.sort_unstable();
        let at = |part: usize| took[took.len() * part / 100].as_secs_f64() * 1_000.0;
        say(format_args!("{name:<34} p50 {:>6.2} ms  p99 {:>6.2} ms", at(50), at(99)));
    }
}

/// Observations with a usual detail: a few hundred bytes.
fn usual(number: u32) -> Observation {
    let mut usual = observation(&format!("src/module_{number}.py"), Level::ALL[number as usize % 5]);
    usual.description = "A parameter of the request is part of the text of a statement. ".repeat(5);
    let region = Region { start_line: 12, end_line: 12, start_column: None, end_column: None };
    usual.locations = vec![Location {
        path: format!("src/module_{number}.py"),
        region: Some(region),
        snippet: "cursor.execute(\"SELECT * FROM users WHERE name = '\" + name + \"'\")".to_owned(),
        message: String::new(),
    }];
    usual
}

#[tokio::test]
#[ignore = "a measurement"]
async fn merging_a_thousand_and_loading_a_hundred_thousand_of_a_million() {
    let directory = std::env::temp_dir().join(format!("findings-{}", Uuid::new_v4()));
    std::fs::create_dir(&directory).unwrap();
    let opened = ledger::embedded::open(&directory, &ledger::embedded::Config::default()).unwrap();
    let ledger: Arc<dyn Ledger> = Arc::new(opened);
    let clock = Arc::new(SystemClock::new());
    let records = Arc::new(Records::new(Arc::clone(&ledger), 8, Uuid::new_v4()));
    let findings = Findings::new(Arc::clone(&ledger), Arc::clone(&records), "http://x/api/v1".to_owned());
    let shard = records.shard(ORGANIZATION, &application(1).anchor());
    for round in 1..=6_u32 {
        let run = run(ORGANIZATION, application(1), round.into(), i64::from(round));
        let observations = (0..1_000).map(usual).collect();
        let commits = ledger.seq(LedgerId::Records(shard)).await.unwrap().0;
        let (began, used) = (clock.monotonic(), process_time());
        findings.record(&run, observations).await.unwrap();
        let took = (clock.monotonic() - began, process_time() - used);
        let commits = ledger.seq(LedgerId::Records(shard)).await.unwrap().0 - commits;
        say(format_args!(
            "run {round}: 1,000 observations in {took:?} (elapsed, processor), {commits} commits"
        ));
    }
    for number in 0..100_u32 {
        let target = application(u8::try_from(number).unwrap() + 2);
        let run = run(ORGANIZATION, target, u128::from(number) + 100, i64::from(number));
        findings.record(&run, (0..1_000).map(usual).collect()).await.unwrap();
    }
    let config = Config {
        memory_bytes: 1 << 30,
        organization_bytes: 1 << 30,
        idle: Duration::from_secs(60),
        poll: Duration::from_secs(1),
    };
    let index: Index<Finding> = Index::new(ledger, clock.clone(), 8, config);
    let (began, used) = (clock.monotonic(), process_time());
    let opened = index.open(ORGANIZATION).await.unwrap();
    let took = (clock.monotonic() - began, process_time() - used);
    let loaded = opened.read().len();
    say(format_args!("{loaded} findings loaded in {took:?} (elapsed, processor)"));
    let used = process_time();
    let part = Part { offset: 50_000, limit: 100 };
    let (ids, _) = list(&opened.read(), &Filter::default(), Sort::Newest, part);
    for id in &ids {
        records.get::<Finding>(ORGANIZATION, **id).await.unwrap().unwrap();
    }
    say(format_args!(
        "{} findings of a page read in {:?} of processor time",
        ids.len(),
        process_time() - used
    ));
    assert_eq!(loaded, 101_000);
    std::fs::remove_dir_all(&directory).unwrap();
}

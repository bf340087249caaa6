//! Attacks from the first scan to the end, and ordinary days, through the whole analyzer: the expected incidents, and no
//! others.
//!
//! Each file in `stories/` names every incident it must give, as `incident SEVERITY TITLE`, and then its
//! records as in `cases/`. A story without such a line must give none.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use common::batch::{Batch, BatchHeaders};
use common::clock::{Clock, SharedClock};
use common::ids::{OrganizationId, SourceId};
use common::incident::IncidentHead;
use common::partition::{Offset, Partition};
use common::pepper::Pepper;
use common::row::{self, Progress};
use directory::Directory;
use durable_log::DurableLog;
use durable_log::memory::MemoryLog;
use escalation::Escalation;
use ledger::memory::MemoryLedger;
use ledger::{Kind, Ledger};
use ownership::Share;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::*;
use crate::{Analyzer, Catalogue, Config, Dependencies, WorkerStatus};

const PARTITION: Partition = Partition(0);

/// A clock that shows tokio's time, which is paused: commits are due although no test waits.
struct TokioClock(tokio::time::Instant);

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        Timestamp(START).plus(self.0.elapsed())
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

#[tokio::test(start_paused = true)]
async fn every_story_gives_its_incidents_and_no_others() {
    let rules = Arc::new(built_in().unwrap());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/pack/tests/stories");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    // Files of other forms are read beside this one.
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "log"));
    paths.sort();
    let mut wrong = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let (expected, records): (Vec<&str>, Vec<&str>) = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .partition(|line| line.starts_with("incident "));
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        expected.sort();
        let found = incidents(&rules, &cases::story(&records.join("\n"))).await;
        if found != expected {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            wrong.push(format!("{name}: found\n{}\nexpected\n{}\n", found.join("\n"), expected.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An hour of an ordinary fleet: its weak signs do not add up to anything, either.
#[tokio::test(start_paused = true)]
async fn benign_traffic_gives_no_incident() {
    let rules = Arc::new(built_in().unwrap());
    assert_eq!(incidents(&rules, &correlations::benign()).await, Vec::<String>::new());
}

/// The incidents of lines that one source sends, as `incident SEVERITY TITLE`, sorted.
async fn incidents(rules: &Arc<RuleSet>, lines: &[Timed]) -> Vec<String> {
    let ledger = analyzed(rules, lines).await;
    let heads = ledger.dump().into_iter().filter(|(_, kind, _)| *kind == Kind::Head);
    let mut incidents: Vec<String> = heads
        .map(|(.., row)| {
            let head: IncidentHead = row::decode(&row.body).unwrap();
            format!("incident {} {}", head.analysis.severity.as_str(), head.analysis.title)
        })
        .collect();
    incidents.sort();
    incidents
}

/// The ledger after the whole analyzer read lines that one source sends.
pub(super) async fn analyzed(rules: &Arc<RuleSet>, lines: &[Timed]) -> Arc<MemoryLedger> {
    let log = Arc::new(MemoryLog::new(1));
    let ledger = Arc::new(MemoryLedger::new());
    log.append(PARTITION, batch(lines)).await.unwrap();
    let pepper = Pepper::new([7; 32]);
    let clock: SharedClock = Arc::new(TokioClock(tokio::time::Instant::now()));
    let directory = Arc::new(Directory::new(ledger.clone(), Arc::clone(&clock), pepper.clone()));
    let dependencies = Dependencies {
        log: Arc::clone(&log) as Arc<dyn DurableLog>,
        ledger: Arc::clone(&ledger) as Arc<dyn Ledger>,
        rules: watch::channel(Arc::new(Catalogue::new(Arc::clone(rules), BTreeSet::new()))).1,
        escalation: Arc::new(Escalation::new(directory, pepper.clone(), "http://127.0.0.1:8080/api/v1")),
        pepper,
        clock,
        status: WorkerStatus::default(),
        statistics: Arc::default(),
    };
    let analyzer = Analyzer::build(Config { threads: 1, ..Config::default() }, dependencies).unwrap();
    let (stop, stopped) = watch::channel(false);
    let mut worker = JoinSet::new();
    worker.spawn(analyzer.run(Share::all(1), stopped));
    let end = log.end(PARTITION).await.unwrap();
    for _ in 0..1_000_000 {
        if progress(&ledger) > end {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    stop.send_replace(true);
    worker.join_next().await.unwrap().unwrap().unwrap();
    assert!(progress(&ledger) > end, "the analyzer stands still");
    ledger
}

/// The position of the analysis.
fn progress(ledger: &MemoryLedger) -> Offset {
    let key = row::progress_key();
    let rows = ledger.dump();
    let found = rows.iter().find(|(_, kind, row)| *kind == Kind::State && *row.key == *key);
    found.map_or(Offset(0), |(.., row)| row::decode::<Progress>(&row.body).unwrap().position.offset)
}

/// Everything in one delivery, a minute after its last line was written.
fn batch(lines: &[Timed]) -> Batch {
    let payload = Bytes::from(payload_of(lines));
    let last = lines.iter().map(|(second, _)| *second).max().unwrap_or(0);
    let headers = BatchHeaders {
        organization: OrganizationId::from_bytes([9; 16]),
        source: SourceId::from_bytes([1; 16]),
        application_group: "shop".to_owned(),
        environment: "production".to_owned(),
        received_at: Timestamp(START).plus(Duration::from_secs(last + 60)),
        digest: Pepper::new([3; 32]).hash("body", &[&payload]),
        idempotency: None,
        every_record_timed: true,
        record_count: u32::try_from(lines.len()).unwrap(),
        tick: false,
        fingerprints: common::fingerprint::Fingerprints::default(),
    };
    Batch { headers, payload }
}

//! Random sequences of runs, reviews and deletions, on a ledger that refuses commits and loses their answers. A failed call is
//! repeated, as a worker repeats a job and a client its request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use common::clock::ManualClock;
use common::event::{Event, EventKind};
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::row;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use engine::{Level, Observation};
use index::{Config, Index};
use ledger::wrapped::{Fate, FatedLedger};
use ledger::{Kind, Ledger, LedgerId, Range};
use proptest::prelude::*;
use records::Records;
use uuid::Uuid;

use super::{application, observation, run};
use crate::error::FindingError;
use crate::filter::{Filter, Sort, State, list};
use crate::finding::Finding;
use crate::merge::Run;
use crate::recorder::{Findings, Recorded};
use crate::review::Review;

const SHARDS: u16 = 2;
const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(7));

#[derive(Clone, Debug)]
enum Step {
    /// A run over a target observes some paths, and covers all.
    Run { target: u8, paths: Vec<u8>, risk: Level },
    /// Two runs over a target interleave: the first is repeated after the second has observed other paths, and after a user has
    /// fixed or deleted one of its findings.
    Interleaved { target: u8, paths: Vec<u8>, others: Vec<u8>, deletes: bool },
    /// A user reviews a finding.
    Review { finding: usize, status: TriageStatus, resolution: TriageResolution },
    /// A user deletes a finding.
    Delete { finding: usize },
}

fn steps() -> impl Strategy<Value = Vec<(Step, Vec<Fate>)>> {
    let risk = prop::sample::select(Level::ALL.to_vec());
    let statuses: Vec<_> =
        TriageStatus::ALL.into_iter().filter(|one| *one != TriageStatus::Triaging).collect();
    let step = prop_oneof![
        4 => (0..3_u8, prop::collection::vec(0..6_u8, 0..8), risk)
            .prop_map(|(target, paths, risk)| Step::Run { target, paths, risk }),
        2 => (0..3_u8, prop::collection::vec(0..6_u8, 1..8), prop::collection::vec(0..6_u8, 0..8), any::<bool>())
            .prop_map(|(target, paths, others, deletes)| Step::Interleaved { target, paths, others, deletes }),
        4 => (0..12_usize, prop::sample::select(statuses), prop::sample::select(TriageResolution::ALL.to_vec()))
            .prop_map(|(finding, status, resolution)| Step::Review { finding, status, resolution }),
        1 => (0..12_usize).prop_map(|finding| Step::Delete { finding }),
    ];
    let fate = prop_oneof![
        4 => Just(Fate::Done), 1 => Just(Fate::AnswerLost), 1 => Just(Fate::Lost), 1 => Just(Fate::Refused)
    ];
    prop::collection::vec((step, prop::collection::vec(fate, 0..6)), 1..16)
}

/// The state that a user gave a finding last.
type Reviewed = BTreeMap<RecordId, (TriageStatus, Option<TriageResolution>)>;

struct History {
    ledger: Arc<FatedLedger>,
    clock: Arc<ManualClock>,
    findings: Findings,
    index: Arc<Index<Finding>>,
    runs: u128,
    reviewed: Reviewed,
    deleted: BTreeSet<RecordId>,
    /// Transitions to the resolution accepted risk.
    accepted: usize,
}

impl History {
    fn new() -> Self {
        let ledger = Arc::new(FatedLedger::default());
        let clock = Arc::new(ManualClock::new(Timestamp::parse_rfc3339("2026-11-27T12:00:00Z").unwrap()));
        let records = Arc::new(Records::new(ledger.clone(), SHARDS, Uuid::from_u128(1)));
        let mut findings = Findings::new(ledger.clone(), records, "http://x/api/v1".to_owned());
        let config = Config {
            memory_bytes: 1 << 24,
            organization_bytes: 1 << 24,
            idle: Duration::from_secs(3_600),
            poll: Duration::from_millis(200),
        };
        let index = Arc::new(Index::new(ledger.clone(), clock.clone(), SHARDS, config));
        findings.index = Some(Arc::clone(&index));
        let (reviewed, deleted) = (Reviewed::new(), BTreeSet::new());
        Self { ledger, clock, findings, index, runs: 0, reviewed, deleted, accepted: 0 }
    }

    async fn all(&self) -> Vec<Finding> {
        let mut all = Vec::new();
        for shard in 0..SHARDS {
            all.extend(self.findings.records.scan(ORGANIZATION, Shard(shard), None, 1_000).await.unwrap());
        }
        all
    }

    async fn step(&mut self, step: &Step) {
        self.clock.advance(Duration::from_millis(7));
        match step {
            Step::Run { target, paths, risk } => self.run(*target, paths, *risk).await,
            Step::Interleaved { target, paths, others, deletes } => {
                self.interleave(*target, (paths, others), *deletes).await;
            }
            Step::Review { finding, status, resolution } => {
                let ids: Vec<_> = self.all().await.iter().map(|finding| finding.id).collect();
                let Some(id) = ids.get(finding % ids.len().max(1)) else { return };
                self.review(*id, *status, *resolution).await;
            }
            Step::Delete { finding } => {
                let ids: Vec<_> = self.all().await.iter().map(|finding| finding.id).collect();
                let Some(id) = ids.get(finding % ids.len().max(1)) else { return };
                self.delete(*id).await;
            }
        }
    }

    async fn delete(&mut self, id: RecordId) {
        while let Err(error) = self.findings.delete(ORGANIZATION, id).await {
            if matches!(error, FindingError::NotFound) {
                break;
            }
        }
        self.reviewed.remove(&id);
        self.deleted.insert(id);
    }

    async fn interleave(&mut self, target: u8, (paths, others): (&[u8], &[u8]), deletes: bool) {
        self.runs += 2;
        let at = 1_000 * i64::try_from(self.runs).unwrap();
        let first = run(ORGANIZATION, application(target), self.runs - 1, at - 1_000);
        let second = run(ORGANIZATION, application(target), self.runs, at);
        let observations = |paths: &[u8]| {
            paths.iter().map(|path| observation(&format!("/{path}"), Level::High)).collect::<Vec<_>>()
        };
        let recorded = self.record(&first, &observations(paths)).await;
        let by_second = self.record(&second, &observations(others)).await;
        let ids: BTreeSet<_> = recorded.iter().chain(&by_second).map(|recorded| recorded.finding).collect();
        let changed = recorded[0].finding;
        if deletes {
            self.delete(changed).await;
        } else {
            self.review(changed, TriageStatus::Resolved, TriageResolution::Fixed).await;
        }
        let before = self.all().await;
        assert_eq!(self.record(&first, &observations(paths)).await, recorded, "the outcomes are the same");
        assert_eq!(self.all().await, before, "a repeated run changes nothing");
        for run in [&second, &first] {
            while self.findings.absent(run, |_, _| true).await.is_err() {}
        }
        for finding in self.all().await {
            let Some(old) = before.iter().find(|old| old.id == finding.id) else { continue };
            if ids.contains(&finding.id) {
                let is_seen_by_second = by_second.iter().any(|recorded| recorded.finding == finding.id);
                let is_kept = finding.triage.status == old.triage.status;
                assert!(is_kept || !is_seen_by_second, "a finding that a later run has seen is absent");
            }
            if finding.triage.status != old.triage.status {
                self.reviewed.remove(&finding.id);
            }
        }
    }

    async fn record(&self, run: &Run, observations: &[Observation]) -> Vec<Recorded> {
        loop {
            if let Ok(recorded) = self.findings.record(run, observations.to_vec()).await {
                return recorded;
            }
        }
    }

    async fn run(&mut self, target: u8, paths: &[u8], risk: Level) {
        self.runs += 1;
        let run =
            run(ORGANIZATION, application(target), self.runs, 1_000 * i64::try_from(self.runs).unwrap());
        let observations =
            || paths.iter().map(|path| observation(&format!("/{path}"), risk)).collect::<Vec<_>>();
        let before: BTreeMap<_, _> = self.all().await.into_iter().map(|one| (one.id, one)).collect();
        let recorded = self.record(&run, &observations()).await;
        assert_eq!(recorded.len(), paths.len());
        while self.findings.absent(&run, |_, _| true).await.is_err() {}
        let observed: BTreeSet<_> = recorded.iter().map(|recorded| recorded.finding).collect();
        for finding in self.all().await {
            let Some(old) = before.get(&finding.id) else { continue };
            if finding.target != run.target || observed.contains(&finding.id) {
                assert_eq!(finding.triage.status, old.triage.status, "a run has changed a review");
                continue;
            }
            let is_untouched = matches!(old.triage.status, TriageStatus::New | TriageStatus::Triaged);
            let fixed = (TriageStatus::Resolved, Some(TriageResolution::Fixed));
            let expected = if is_untouched { fixed } else { (old.triage.status, old.triage.resolution) };
            assert_eq!((finding.triage.status, finding.triage.resolution), expected);
            if is_untouched {
                self.reviewed.remove(&finding.id);
            }
        }
    }

    async fn review(&mut self, id: RecordId, status: TriageStatus, resolution: TriageResolution) {
        let resolution = (status == TriageStatus::Resolved).then_some(resolution);
        let review = Review { status: Some(status), resolution: resolution.map(Some), ..Review::default() };
        let actor = records::Actor::system("test");
        let at = Timestamp::from_millis(1_000_000);
        let before = self.findings.records.get::<Finding>(ORGANIZATION, id).await.unwrap().unwrap();
        loop {
            match self.findings.review((ORGANIZATION, id), &review, &None, (&actor, at)).await {
                Ok(_) => break,
                Err(FindingError::Superseded { .. }) => {
                    assert!(!before.is_open(), "only a resolved finding can have a later one");
                    return;
                }
                Err(_) => {}
            }
        }
        let accepted = Some(TriageResolution::AcceptedRisk);
        self.accepted += usize::from(resolution == accepted && before.triage.resolution != accepted);
        self.reviewed.insert(id, (status, resolution));
    }

    async fn check(&self) {
        let all = self.all().await;
        let mut open = BTreeSet::new();
        for finding in &all {
            assert!(!finding.is_open() || open.insert(finding.identity), "two open findings of one identity");
            let is_resolved = finding.triage.resolution.is_some();
            assert_eq!(is_resolved, !finding.is_open(), "a resolution stands exactly with resolved");
            if let Some(reviewed) = self.reviewed.get(&finding.id) {
                assert_eq!(
                    *reviewed,
                    (finding.triage.status, finding.triage.resolution),
                    "a review was lost"
                );
            }
            assert!(!self.deleted.contains(&finding.id), "a deleted finding is back under its id");
        }
        self.check_events(&all).await;
        self.check_index(all).await;
    }

    async fn check_events(&self, all: &[Finding]) {
        let (mut created, mut accepted) = (BTreeSet::new(), 0);
        let mut ids = BTreeSet::new();
        for shard in 0..SHARDS {
            let ledger = LedgerId::Records(Shard(shard));
            for row in self.ledger.memory.scan(ledger, Kind::Outbox, Range::default(), 10_000).await.unwrap()
            {
                let event: Event = row::decode(&row.body).unwrap();
                assert!(ids.insert(event.id), "an event was written twice");
                accepted += usize::from(event.kind == EventKind::FindingAccepted);
                if event.kind == EventKind::FindingCreated {
                    assert!(
                        created.insert(event.object["id"].as_str().unwrap().to_owned()),
                        "announced twice"
                    );
                }
            }
        }
        let expected: BTreeSet<_> = all
            .iter()
            .map(|finding| finding.id)
            .chain(self.deleted.iter().copied())
            .map(|id| id.to_string())
            .collect();
        assert_eq!(created, expected, "each finding is announced");
        assert_eq!(accepted, self.accepted, "each acceptance is told once");
    }

    async fn check_index(&self, mut all: Vec<Finding>) {
        all.sort_by_key(|finding| std::cmp::Reverse((finding.created_at.as_millis(), finding.id)));
        let opened = self.index.open(ORGANIZATION).await.unwrap();
        let index = opened.read();
        for state in [None, Some(State::Open), Some(State::Resolved)] {
            let filter = Filter { state, ..Filter::default() };
            let is_wanted =
                |finding: &&Finding| state.is_none_or(|state| (state == State::Open) == finding.is_open());
            let expected: Vec<_> = all.iter().filter(is_wanted).map(|finding| finding.id).collect();
            let part = index::Part { offset: 0, limit: 1_000 };
            let (rows, total) = list(&index, &filter, Sort::Newest, part);
            assert_eq!(
                (rows.iter().map(|id| **id).collect::<Vec<_>>(), total),
                (expected.clone(), expected.len())
            );
            let mut board: Vec<_> = all.iter().filter(is_wanted).collect();
            board.sort_by_key(|finding| (finding.triage.status, finding.triage.board_position, finding.id));
            let (rows, _) = list(&index, &filter, Sort::Board, part);
            let board: Vec<_> = board.into_iter().map(|finding| finding.id).collect();
            assert_eq!(rows.iter().map(|id| **id).collect::<Vec<_>>(), board);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_review_is_lost_no_identity_is_open_twice_and_each_event_is_written_once(steps in steps()) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let mut history = History::new();
            // Loaded before anything happens, so that it lives on changes alone.
            history.index.open(ORGANIZATION).await.unwrap();
            for (step, fates) in &steps {
                history.ledger.fates.deal(fates.iter().copied());
                history.step(step).await;
                history.ledger.fates.deal([]);
            }
            history.check().await;
        });
    }
}

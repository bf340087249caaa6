//! Schedules and the rows of their targets, on the ledger in memory, with a worker.

mod interleaved;
mod skips;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use common::clock::{Clock, ManualClock};
use common::ids::{ApplicationId, OrganizationId};
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use directory::{Application, Directory, NewApplication, RedTeamSchedule, RunWindow};
use futures_util::future::BoxFuture;
use jobs::{Config, EnqueueError, JobKind, Jobs, Schedule, Timing, Worker};
use ledger::Ledger;
use ledger::memory::MemoryLedger;
use ownership::Share;
use records::{Draft, Home, Records};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::schedules::timing;
use crate::{Schedules, StartDiscovery, Target, kinds, schedule_housekeeping};

/// Counts the discoveries that slots start; every second one finds another active, unless a result of the next one is set.
#[derive(Default)]
struct CountedDiscovery {
    count: AtomicUsize,
    next: Mutex<Option<Result<bool, EnqueueError>>>,
    /// Changes a row while the slot is being decided.
    meanwhile: Mutex<Option<BoxFuture<'static, ()>>>,
}

#[async_trait]
impl StartDiscovery for CountedDiscovery {
    async fn start(
        &self,
        _: &Jobs,
        draft: &mut Draft,
        (organization, id): (OrganizationId, ApplicationId),
        (url, _): (&str, Timestamp),
    ) -> Result<bool, EnqueueError> {
        assert!(url.starts_with("https://") && !organization.0.is_nil() && !id.0.is_nil());
        assert_eq!(draft.place().0, Home::Records);
        let meanwhile = self.meanwhile.lock().unwrap().take();
        if let Some(meanwhile) = meanwhile {
            meanwhile.await;
        }
        let count = self.count.fetch_add(1, Ordering::SeqCst);
        self.next.lock().unwrap().take().unwrap_or(Ok(count.is_multiple_of(2)))
    }
}

const SHARDS: u16 = 4;
const DAY: Duration = Duration::from_secs(86_400);

struct Fixture {
    clock: Arc<ManualClock>,
    directory: Arc<Directory>,
    jobs: Arc<Jobs>,
    schedules: Schedules,
    discovery: Arc<CountedDiscovery>,
    organization: OrganizationId,
}

impl Fixture {
    async fn new() -> Self {
        Self::on(Arc::new(MemoryLedger::new()), |_, kind| kind).await
    }

    /// On a ledger, with changes to the kinds of jobs.
    async fn on(ledger: Arc<dyn Ledger>, change: impl Fn(&Arc<Directory>, JobKind) -> JobKind) -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp::parse_rfc3339("2026-07-08T09:00:00Z").unwrap()));
        let directory = Arc::new(Directory::new(ledger.clone(), clock.clone(), Pepper::new([7; 32])));
        let records = Arc::new(Records::new(ledger, SHARDS, Uuid::new_v4()));
        let discovery = Arc::new(CountedDiscovery::default());
        let kinds =
            kinds(&directory, discovery.clone()).into_iter().map(|kind| change(&directory, kind)).collect();
        let jobs = Arc::new(Jobs::new(records, kinds, clock.clone()));
        let schedules = Schedules::new(Arc::clone(&directory), Arc::clone(&jobs));
        let organization = directory.create_organization("ours").await.unwrap().id;
        Self { clock, directory, jobs, schedules, discovery, organization }
    }

    async fn application(&self, name: &str) -> ApplicationId {
        let url = format!("https://{name}.example.com/");
        let new = NewApplication { id: None, name: name.to_owned(), url, repository_id: None };
        self.directory.create_application(self.organization, new).await.unwrap().id
    }

    /// Changes the row alone, as a process that ends before it settles the schedule.
    async fn set(&self, id: ApplicationId, schedule: RedTeamSchedule, window: Option<RunWindow>) {
        let change = |row: &mut Application| {
            (row.red_team.schedule, row.red_team.window) = (schedule, window);
            Ok(())
        };
        self.directory.applications().update(self.organization, id, change).await.unwrap();
    }

    async fn settle(&self, id: ApplicationId) {
        self.schedules.settle(self.organization, Target::Application(id)).await.unwrap();
    }

    async fn scheduled(&self, id: ApplicationId) -> Option<Schedule> {
        let id = Target::Application(id).schedule_id(self.jobs.records(), self.organization);
        self.jobs.scheduled((Home::Records, id.shard()), id).await.unwrap()
    }

    async fn shown(&self, id: ApplicationId) -> Value {
        let row = self.directory.applications().get(self.organization, id).await.unwrap().unwrap();
        let shown = self.schedules.show(self.organization, Target::Application(id), &row.red_team).await;
        serde_json::to_value(shown.unwrap()).unwrap()
    }

    /// Lets a worker do everything that is due: a job is queued in one look, started in the next, and done in a few more.
    async fn work(&self) {
        let (stop, stopped) = watch::channel(false);
        let config = Config { poll_milliseconds: 1, ..Config::default() };
        let mut working = JoinSet::new();
        working.spawn(Worker::new(Arc::clone(&self.jobs), config).run(Share::all(SHARDS), stopped));
        for _ in 0..20 {
            self.clock.advance(Duration::from_millis(1));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        stop.send_replace(true);
        working.join_all().await;
    }

    async fn work_at(&self, moment: Timestamp) {
        self.clock.advance(moment.since(self.clock.now()));
        self.work().await;
    }
}

/// A time without its fraction of a second: a worker needs a few milliseconds.
fn second(time: &Value) -> &str {
    &time.as_str().unwrap()[..19]
}

#[tokio::test(start_paused = true)]
async fn a_slot_without_reports_is_skipped_visibly_and_the_next_one_is_a_period_later() {
    let fixture = Fixture::new().await;
    let id = fixture.application("shop").await;
    let nothing = json!({"window": null, "next_run_at": null, "last_run": null, "last_skip": null});
    assert_eq!(fixture.shown(id).await, nothing);
    fixture.set(id, RedTeamSchedule::Daily, Some(RunWindow { start: 1_320, end: 240 })).await;
    fixture.settle(id).await;
    let first = fixture.scheduled(id).await.unwrap().next_due;
    let shown = fixture.shown(id).await;
    assert_eq!(shown["window"], json!({"start": "22:00", "end": "04:00"}));
    assert_eq!(shown["next_run_at"], first.to_iso());
    let minute = first.0 / 60_000_000_000 % 1_440;
    assert!(!(240..1_320).contains(&minute), "{minute} is in the window");
    fixture.work().await;
    assert_eq!(fixture.shown(id).await["last_skip"], Value::Null, "not before it is due");
    fixture.work_at(first).await;
    let shown = fixture.shown(id).await;
    assert_eq!(shown["last_skip"]["reason"], "reports_unavailable");
    assert_eq!(second(&shown["last_skip"]["at"]), second(&json!(first.to_iso())));
    assert_eq!(shown["next_run_at"], first.plus(DAY).to_iso());
    assert_eq!(second(&shown["last_run"]["at"]), second(&json!(first.to_iso())), "the discovery");
    // After three days without a worker there is one run.
    let late = first.plus(DAY * 3).plus(Duration::from_secs(60));
    fixture.work_at(late).await;
    let shown = fixture.shown(id).await;
    assert_eq!(second(&shown["last_skip"]["at"]), second(&json!(late.to_iso())));
    assert_eq!(shown["next_run_at"], first.plus(DAY * 4).to_iso());
    assert_eq!(fixture.discovery.count.load(Ordering::SeqCst), 2, "a discovery for each slot");
    assert_eq!(shown["last_skip"]["reason"], "still_running", "the discovery of the first slot is active");
    assert_eq!(
        second(&shown["last_run"]["at"]),
        second(&json!(first.to_iso())),
        "one that was active is no run"
    );
}

#[tokio::test(start_paused = true)]
async fn housekeeping_adds_and_corrects_schedules_after_a_crash() {
    let fixture = Fixture::new().await;
    schedule_housekeeping(&fixture.jobs).await.unwrap();
    let (missing, wrong) = (fixture.application("missing").await, fixture.application("wrong").await);
    fixture.set(wrong, RedTeamSchedule::Daily, None).await;
    fixture.settle(wrong).await;
    fixture.set(missing, RedTeamSchedule::Weekly, None).await;
    fixture.set(wrong, RedTeamSchedule::Monthly, None).await;
    assert_eq!(fixture.scheduled(missing).await, None);
    assert_eq!(
        fixture.shown(wrong).await["next_run_at"],
        Value::Null,
        "that of the earlier period is not shown"
    );
    fixture.work_at(fixture.clock.now().plus(Duration::from_secs(601))).await;
    for (id, expected) in [(missing, RedTeamSchedule::Weekly), (wrong, RedTeamSchedule::Monthly)] {
        let row = fixture.directory.applications().get(fixture.organization, id).await.unwrap().unwrap();
        assert_eq!(row.red_team.schedule, expected);
        let schedule = fixture.scheduled(id).await.unwrap();
        assert_eq!(Some(schedule.timing()), timing(&row.red_team));
        assert_eq!(fixture.shown(id).await["next_run_at"], schedule.next_due.to_iso());
    }
}

#[tokio::test(start_paused = true)]
async fn a_schedule_left_over_after_a_crash_removes_itself_without_a_run() {
    let fixture = Fixture::new().await;
    let (off, gone) = (fixture.application("off").await, fixture.application("gone").await);
    for id in [off, gone] {
        fixture.set(id, RedTeamSchedule::Daily, None).await;
        fixture.settle(id).await;
    }
    fixture.set(off, RedTeamSchedule::Off, None).await;
    assert!(fixture.directory.applications().delete(fixture.organization, gone).await.unwrap());
    fixture.work_at(fixture.clock.now().plus(DAY)).await;
    assert_eq!((fixture.scheduled(off).await, fixture.scheduled(gone).await), (None, None));
    assert_eq!(fixture.shown(off).await["last_skip"], Value::Null);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_target_leaves_no_rows() {
    let fixture = Fixture::new().await;
    let id = fixture.application("shop").await;
    fixture.set(id, RedTeamSchedule::Daily, None).await;
    fixture.settle(id).await;
    fixture.work_at(fixture.clock.now().plus(DAY)).await;
    assert!(fixture.shown(id).await["last_skip"].is_object());
    assert!(fixture.directory.applications().delete(fixture.organization, id).await.unwrap());
    fixture.settle(id).await;
    assert_eq!(fixture.scheduled(id).await, None);
    let schedule = Target::Application(id).schedule_id(fixture.jobs.records(), fixture.organization);
    let place = (Home::Records, schedule.shard());
    let runs: Option<Value> =
        fixture.jobs.records().row(place, crate::run::RUNS, schedule.as_bytes()).await.unwrap();
    assert_eq!(runs, None);
}

#[tokio::test(start_paused = true)]
async fn rows_and_schedules_converge_after_any_sequence_of_changes_and_crashes() {
    let fixture = Fixture::new().await;
    schedule_housekeeping(&fixture.jobs).await.unwrap();
    let mut ids = Vec::new();
    for name in ["a", "b", "c", "d"] {
        ids.push(fixture.application(name).await);
    }
    // A linear congruential generator (Knuth, MMIX): the same sequence in every run.
    let mut state = 1_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % below).unwrap()
    };
    for _ in 0..60 {
        let id = ids[draw(4)];
        let window = (draw(2) == 0).then_some(RunWindow { start: 60, end: 180 });
        fixture.set(id, RedTeamSchedule::ALL[draw(4)], window).await;
        match draw(4) {
            0 | 1 => fixture.settle(id).await,
            2 => fixture.work_at(fixture.clock.now().plus(Duration::from_secs(3_600))).await,
            _ => {}
        }
    }
    // Past every slot of a schedule that is left over, and then past a housekeeping job.
    for hours in [24 * 31, 1] {
        fixture.work_at(fixture.clock.now().plus(Duration::from_secs(3_600 * hours))).await;
    }
    let mut scheduled = 0;
    for id in ids {
        let row = fixture.directory.applications().get(fixture.organization, id).await.unwrap().unwrap();
        let found: Option<Timing> = fixture.scheduled(id).await.map(|schedule| schedule.timing());
        assert_eq!(found, timing(&row.red_team), "{}", row.name);
        scheduled += usize::from(found.is_some());
    }
    assert!(scheduled > 0, "a sequence that ends without any schedule shows little");
}

//! Background jobs: the one that returns abandoned reservations of credits, and `palisade job`.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use common::clock::{Clock, ManualClock, SystemClock};
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::timestamp::Timestamp;
use credits::Credits;
use jobs::{Class, Ending, Handler, Job, JobKind, Jobs, NewJob, Run, Schedule, Stop};
use ledger::Ledger;
use records::{Change, Draft, Home, Record, RecordError, Records, Table};
use serde::{Deserialize, Serialize};

use crate::server::{Server, wait_for};

/// Never runs here.
struct Nothing;

#[async_trait::async_trait]
impl Handler for Nothing {
    async fn run(&self, _: &mut Run) -> Result<(), Stop> {
        Ok(())
    }

    async fn fail(&self, _: &Records, _: &Job, _: &Ending, _: &mut Draft) -> Result<(), RecordError> {
        Ok(())
    }
}

/// Queues a job in the ledger of a data directory.
async fn queue(data: &Path) -> RecordId {
    let ledger = ledger::embedded::open(data, &ledger::embedded::Config::default()).unwrap();
    let records = Arc::new(Records::new(Arc::new(ledger), 1, uuid::Uuid::new_v4()));
    let kind = JobKind::new("inventory", Class::Light, Duration::from_secs(60), Arc::new(Nothing));
    let jobs = Jobs::new(Arc::clone(&records), vec![kind], Arc::new(SystemClock::new()));
    let resource = RecordId::new(Shard(0), &[7; 32]);
    let mut attempts = records.attempts(Home::Records, resource.shard());
    let mut draft = attempts.next().await.unwrap().unwrap();
    let new = NewJob::new("inventory", OrganizationId::from_bytes([9; 16]), resource);
    let id = jobs.enqueue(&mut draft, new).await.unwrap();
    assert!(attempts.commit(draft).await.unwrap());
    id
}

fn palisade(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.args(arguments).arg("--data-dir").arg(data).output().unwrap()
}

#[test]
fn jobs_are_listed_and_cancelled_without_a_server() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    assert!(palisade(&data, &["init"]).status.success());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let id = runtime.block_on(queue(&data)).to_string();
    drop(runtime);
    let list = |arguments: &[&str]| {
        let output = palisade(&data, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let listed = list(&["job", "list"]);
    let line = listed.lines().find(|line| line.contains(&id)).unwrap_or_else(|| panic!("{listed}"));
    assert!(line.contains("inventory") && line.contains("queued"), "{line}");
    let own = OrganizationId::from_bytes([9; 16]).to_string();
    assert!(list(&["job", "list", "--org", &own]).contains(&id));
    let other = OrganizationId::from_bytes([8; 16]).to_string();
    assert!(!list(&["job", "list", "--org", &other]).contains(&id));
    list(&["job", "cancel", &id]);
    let listed = list(&["job", "list"]);
    assert!(
        listed.lines().any(|line| line.contains(&id) && line.contains("abandoned")),
        "of a kind that nobody knows: {listed}"
    );
    let refused = palisade(&data, &["job", "retry", &id]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("there is no kind of job"), "{refused:?}");
}

/// Partitions of a data directory, and so shards of records.
const SHARDS: u16 = 8;
const MINUTE: Duration = Duration::from_secs(60);

/// A record with a reservation.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Report {
    id: RecordId,
    organization: OrganizationId,
}

impl Record for Report {
    const NAME: &'static str = "test-report";
    type Detail = ();
    type History = ();

    fn id(&self) -> RecordId {
        self.id
    }

    fn organization(&self) -> OrganizationId {
        self.organization
    }
}

/// The data of a stopped server.
struct Stopped {
    ledger: Arc<dyn Ledger>,
    records: Records,
    organization: OrganizationId,
    runtime: tokio::runtime::Runtime,
}

impl Stopped {
    fn new(server: &Server) -> Self {
        let config = ledger::embedded::Config::default();
        let ledger: Arc<dyn Ledger> = Arc::new(ledger::embedded::open(&server.data_dir(), &config).unwrap());
        let records = Records::new(Arc::clone(&ledger), SHARDS, uuid::Uuid::new_v4());
        let organization = server.first_run()["organization_id"].as_str().unwrap().parse().unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Self { ledger, records, organization, runtime: runtime.unwrap() }
    }

    /// Moves the next slot of the schedule of the job: to the past, as after a long stop, or out of the test's way.
    fn schedule_at(&self, next_due: Timestamp) {
        self.runtime.block_on(async {
            let table = Table::new("job-schedule");
            let mut moved = 0;
            for shard in self.records.shards() {
                let place = (Home::Records, shard);
                let rows = self.records.rows::<Schedule>(place, table, b"", None, 10).await.unwrap();
                let is_ours = |(_, schedule): &(_, Schedule)| schedule.kind == "return-abandoned-credits";
                for (key, schedule) in rows.into_iter().filter(is_ours) {
                    let mut attempts = self.records.attempts(place.0, place.1);
                    let mut draft = attempts.next().await.unwrap().unwrap();
                    draft.put_row(table, &key, &Schedule { next_due, ..schedule }).unwrap();
                    assert!(attempts.commit(draft).await.unwrap());
                    moved += 1;
                }
            }
            assert_eq!(moved, 1);
        });
    }

    /// Reserves credits eleven minutes ago, with or without a record.
    fn reserve(&self, number: u8, has_record: bool) {
        let (organization, id) = (self.organization, RecordId::new(Shard(3), &[number; 32]));
        let clock = Arc::new(ManualClock::new(SystemClock::new().now().minus(11 * MINUTE)));
        self.runtime.block_on(async {
            Credits::new(Arc::clone(&self.ledger), clock).reserve(organization, id.0, 5).await.unwrap();
            if has_record {
                let mut attempts = self.records.attempts(Home::Records, id.shard());
                let mut draft = attempts.next().await.unwrap().unwrap();
                draft.add(Change::put(Report { id, organization })).unwrap();
                assert!(attempts.commit(draft).await.unwrap());
            }
        });
    }
}

/// The columns of `palisade job list` for one job, once it has a state.
fn job(server: &Server, state: &str, wanted: impl Fn(&[&str]) -> bool) -> String {
    wait_for(state, || {
        let listed = printed(server, &["job", "list"]);
        let rows = listed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let mut rows = rows.filter(|row| row.len() > 3 && row[3] == state && wanted(row));
        rows.next().map(|row| row[0].to_owned())
    })
}

fn printed(server: &Server, arguments: &[&str]) -> String {
    let output = server.command(arguments).stdout(std::process::Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn reserved(server: &Server) -> u64 {
    server.get("/organization")["credits"]["reserved"].as_u64().unwrap()
}

#[test]
fn abandoned_reservations_are_returned_by_a_job_that_is_listed_repeated_and_cancelled() {
    let mut server = Server::start();
    server.kill();
    let data = Stopped::new(&server);
    let now = SystemClock::new().now();
    data.schedule_at(now.minus(MINUTE));
    data.reserve(1, true);
    data.reserve(2, false);
    drop(data);
    server.run();
    wait_for("one is returned", || (reserved(&server) == 5).then_some(()));
    let first = job(&server, "succeeded", |row| row[1] == "return-abandoned-credits");
    assert_eq!(reserved(&server), 5, "that of the record stays");
    wait_for("the metric of the job", || {
        let series = server.metric("palisade_job_seconds_count");
        let wanted = ["kind=\"return-abandoned-credits\"", "outcome=\"succeeded\""];
        series.iter().any(|(labels, _)| wanted.iter().all(|one| labels.contains(one))).then_some(())
    });
    assert!(!server.command(&["job", "cancel", &first]).output().unwrap().status.success(), "it has ended");

    // Queued while the server runs, by another process.
    let again = queued(&printed(&server, &["job", "retry", &first]));
    job(&server, "succeeded", |row| row[0] == again);

    // Queued when the process is killed, and run by the next.
    server.kill();
    let third = queued(&printed(&server, &["job", "retry", &again]));
    job(&server, "queued", |row| row[0] == third);
    let data = Stopped::new(&server);
    data.schedule_at(now.plus(1_440 * MINUTE));
    data.reserve(3, false);
    drop(data);
    server.run();
    job(&server, "succeeded", |row| row[0] == third);
    assert_eq!(reserved(&server), 5);

    // Cancelled before it runs: it changes nothing.
    server.kill();
    let last = queued(&printed(&server, &["job", "retry", &third]));
    Stopped::new(&server).reserve(4, false);
    printed(&server, &["job", "cancel", &last]);
    server.run();
    job(&server, "cancelled", |row| row[0] == last);
    assert_eq!(reserved(&server), 10);
}

/// The id in the answer of `palisade job retry`.
fn queued(answer: &str) -> String {
    answer.split_whitespace().nth(1).unwrap().to_owned()
}

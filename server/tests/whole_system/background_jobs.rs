//! `palisade job`: what people see of background jobs, and what they do about them.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use common::clock::SystemClock;
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use jobs::{Class, Ending, Handler, Job, JobKind, Jobs, NewJob, Run, Stop};
use records::{Draft, Home, RecordError, Records};

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

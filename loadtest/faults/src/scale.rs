//! The mode `scale`: the gain of each further ingest process. Senders that never pause load one process, then
//! two, and so on; counted are records and the processor time of all processes involved.

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::chaos::answers::{Answers, Side};
use crate::chaos::caller::Caller;
use crate::chaos::deployment::Deployment;
use crate::chaos::input::{Batch, Input};
use crate::chaos::plan::Stores;
use crate::chaos::site::Site;
use crate::failure::RunError;
use crate::measurement::Measurement;
use loadtest::api::logs_path;
use loadtest::arguments::{Trial, seconds};
use loadtest::process::Role;
use loadtest::resources::processor_time;
use loadtest::work::Work;

/// Sources: more than partitions, so that each partition has some.
const ORGANIZATIONS: u8 = 4;
const SOURCES: u8 = 6;
/// Bodies built before the clock starts, and sent repeatedly.
const BODIES: u64 = 8;
/// Scenes in one body: about a thousand records, as collectors send.
const SCENES_A_BODY: u64 = 5;

/// Load one, two, … ingest processes as fast as they go, and count records and processor time.
#[derive(Clone, Debug, Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) trial: Trial,
    #[command(flatten)]
    stores: Stores,
    /// Ingest processes at most, 1..8; where the stores are embedded, there is one.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=8))]
    ingest: u8,
    /// Senders at a time, 1..256.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=256))]
    senders: u16,
    /// Duration of the load for each number of processes.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    seconds: Duration,
    /// Process ids of the stores, whose processor time is counted too.
    #[arg(long, value_name = "PID", value_delimiter = ',')]
    store_pid: Vec<u32>,
}

/// Runs to the end.
///
/// # Errors
/// [`RunError`] when a deployment never started.
pub(crate) async fn run(plan: &Plan, seed: u64) -> Result<Measurement, RunError> {
    let work = Work::open(None)?;
    let input = Input::new(seed);
    let distributed = plan.stores.are_shared();
    let (mut rows, mut violations) = (Vec::new(), String::new());
    for ingest in 1..=if distributed { plan.ingest } else { 1 } {
        let mut roles =
            vec![if distributed { Role::Ingest } else { Role::AllButAnalyzer }; usize::from(ingest)];
        if distributed {
            roles.push(Role::Api);
        }
        let directory = work.path().join(ingest.to_string());
        let name = format!("palisade-scale-{}-{ingest}", input.began_ms);
        let site = Site::new(&plan.trial.binary, directory, &plan.stores, name);
        let deployment = site.open(&roles, ORGANIZATIONS, SOURCES, seed).await?;
        let answers = Answers::default();
        rows.push(load(plan, &deployment, input, &answers, ingest).await);
        deployment.close().await;
        violations.push_str(&answers.violations().to_string());
    }
    Ok(Measurement { figures: Value::Array(rows), is_complete: true, violations })
}

/// Loads one number of processes; returns its figures.
async fn load(plan: &Plan, deployment: &Deployment, input: Input, answers: &Answers, ingest: u8) -> Value {
    let places = deployment.places();
    let mut crew = Vec::new();
    for number in 0..usize::from(plan.senders) {
        let Some(place) = places.get(number % places.len().max(1)).copied() else { break };
        let bodies = (0..BODIES)
            .map(|body| input.whole_scenes(place, body * SCENES_A_BODY..(body + 1) * SCENES_A_BODY));
        crew.push((number, place, bodies.collect::<Vec<_>>()));
    }
    let before = processor_times(plan, deployment).await;
    let begun = Instant::now();
    let mut senders = JoinSet::new();
    for (number, place, bodies) in crew {
        let chance = input.chance(place, number as u64, 5);
        let caller = deployment.caller(Side::Ingest, place.organization, answers, chance);
        let path = logs_path(deployment.source(place));
        let name = format!("{place}-{number}");
        senders.spawn(send(caller, path, name, bodies, begun + plan.seconds));
    }
    let mut body_bytes: u64 = 0;
    while let Some(sent) = senders.join_next().await {
        body_bytes += sent.unwrap_or_default();
    }
    let seconds = begun.elapsed().as_secs_f64().max(0.001);
    let after = processor_times(plan, deployment).await;
    let counts = answers.counts(Side::Ingest);
    let records = answers.all_acknowledged().1;
    let figures = |((name, before), (_, after)): ((String, f64), (String, f64))| {
        let used = after - before;
        let per_million = used * 1e6 / (records.max(1) as f64);
        let value = json!({"seconds": used, "share_of_a_core": used / seconds, "seconds_per_million_records": per_million});
        (name, value)
    };
    let processor: serde_json::Map<String, Value> = before.into_iter().zip(after).map(figures).collect();
    json!({
        "ingest_processes": ingest,
        "seconds": seconds,
        "records": records,
        "records_per_second": (records as f64 / seconds).round(),
        "body_megabytes_per_second": body_bytes as f64 / 1e6 / seconds,
        "refused": counts.refused,
        "milliseconds": counts.took.json(),
        "processor": processor,
    })
}

/// Sends until `end`; returns the bytes of the bodies that were acknowledged.
async fn send(mut caller: Caller, path: String, name: String, bodies: Vec<Batch>, end: Instant) -> u64 {
    let mut bytes = 0;
    for (turn, batch) in bodies.iter().cycle().enumerate() {
        if Instant::now() >= end {
            break;
        }
        let mut content = batch.content.clone();
        content.idempotency_key = Some(format!("{name}-{turn}"));
        caller.deliver(&path, content, batch.records).await;
        bytes += batch.content.body.len() as u64;
    }
    bytes
}

/// Processor seconds used so far by every process of the deployment, the stores and this tool.
async fn processor_times(plan: &Plan, deployment: &Deployment) -> Vec<(String, f64)> {
    let mut times = Vec::new();
    for process in &deployment.processes {
        let process = process.lock().await;
        let id = process.id().map_or_else(String::new, |id| id.to_string());
        times.push((process.name.clone(), processor_time(&id).unwrap_or_default()));
    }
    times.extend(
        plan.store_pid
            .iter()
            .map(|id| (format!("store {id}"), processor_time(&id.to_string()).unwrap_or_default())),
    );
    times.push(("this tool".to_owned(), processor_time("self").unwrap_or_default()));
    times
}

//! The mode `catch-up`: records are ingested without analyzers, then the analyzers are started, and
//! the time until all is analysed is measured.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::chaos::answers::{Answers, Side};
use crate::chaos::caller::Caller;
use crate::chaos::deployment::Deployment;
use crate::chaos::input::{Input, SourceRef};
use crate::chaos::plan::Stores;
use crate::chaos::review::Reviewer;
use crate::chaos::site::Site;
use crate::chaos::weather::Weather;
use crate::failure::RunError;
use crate::measurement::Measurement;
use loadtest::api::logs_path;
use loadtest::arguments::{Trial, seconds};
use loadtest::process::Role;
use loadtest::run::say;
use loadtest::work::Work;

/// Organizations, and sources of each: more sources than partitions, so that each partition has some.
const ORGANIZATIONS: u8 = 4;
const SOURCES: u8 = 6;
/// Scenes in one batch: about a thousand records, as collectors send.
const SCENES_A_BATCH: u64 = 5;
/// Longest time of a start.
const START_BOUND: Duration = Duration::from_secs(120);

/// Take records in with no analyzer running, then start the analyzers and measure until they are done.
#[derive(Clone, Debug, Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) trial: Trial,
    #[command(flatten)]
    stores: Stores,
    /// Records to take in, at least, 1000..10000000.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1_000..=10_000_000))]
    backlog: u64,
    /// Analyzer processes, 1..16; where the stores are embedded, one process plays all roles.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=16))]
    analyzers: u8,
    /// Deadline of the analysis, after which the run fails.
    #[arg(long, value_name = "SECONDS", default_value = "1800", value_parser = seconds)]
    deadline_seconds: Duration,
    /// Directory of data and logs [default: a temporary directory, removed].
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
}

/// Runs to the end.
///
/// # Errors
/// [`RunError`] when a deployment never started.
pub(crate) async fn run(plan: &Plan, seed: u64) -> Result<Measurement, RunError> {
    let work = Work::open(plan.work_dir.as_deref())?;
    let input = Input::new(seed);
    let distributed = plan.stores.are_shared();
    let mut roles = vec![if distributed { Role::Ingest } else { Role::AllButAnalyzer }];
    if distributed {
        roles.push(Role::Api);
        roles.extend(std::iter::repeat_n(Role::Analyzer, usize::from(plan.analyzers)));
    }
    let name = format!("palisade-catch-up-{}", input.began_ms);
    let mut site = Site::new(&plan.trial.binary, work.path().to_owned(), &plan.stores, name);
    site.asleep = Some(Role::Analyzer);
    let deployment = site.open(&roles, ORGANIZATIONS, SOURCES, seed).await?;
    let answers = Answers::default();
    let begun = Instant::now();
    take_in(&deployment, input, &answers, plan.backlog).await;
    let (_, records) = answers.all_acknowledged();
    let taken_in = begun.elapsed();
    say(&format!("{records} records taken in within {} s; now they are analysed", taken_in.as_secs()));

    let begun = Instant::now();
    wake(&deployment).await?;
    let mut reviewer = Reviewer::new(&deployment, input, &answers, &Weather::default());
    let looked = tokio::time::timeout(plan.deadline_seconds, reviewer.marks(0, plan.deadline_seconds)).await;
    let caught_up = looked.is_ok_and(|all_there| all_there).then(|| begun.elapsed());
    deployment.close().await;
    let figures = |took: Duration| {
        let seconds = took.as_secs_f64();
        json!({"seconds": seconds, "records_per_second": (records as f64 / seconds.max(0.001)).round()})
    };
    Ok(Measurement {
        figures: json!({
            "analyzers": if distributed { plan.analyzers } else { 1 },
            "records": records,
            "taken_in": figures(taken_in),
            "analysed": caught_up.map(figures),
        }),
        is_complete: caught_up.is_some(),
        violations: answers.violations().to_string(),
    })
}

/// Sends every source its share, and its mark.
async fn take_in(deployment: &Deployment, input: Input, answers: &Answers, backlog: u64) {
    let places = deployment.places();
    let share = backlog / places.len().max(1) as u64;
    let mut senders = JoinSet::new();
    for place in places {
        let caller = deployment.caller(Side::Ingest, place.organization, answers, input.chance(place, 0, 5));
        let path = logs_path(deployment.source(place));
        senders.spawn(send(caller, place, path, input, share));
    }
    while senders.join_next().await.is_some() {}
}

async fn send(mut caller: Caller, place: SourceRef, path: String, input: Input, share: u64) {
    let (mut sent, mut scene) = (0, 0);
    loop {
        let is_last = sent >= share;
        let batch = if is_last {
            input.mark(place, 0).1
        } else {
            input.whole_scenes(place, scene..scene + SCENES_A_BATCH)
        };
        caller.deliver(&path, batch.content, batch.records).await;
        if is_last {
            return;
        }
        sent += batch.records;
        scene += SCENES_A_BATCH;
    }
}

/// Starts the analyzers; if one process plays all roles, it is restarted with that of the
/// analyzer too.
async fn wake(deployment: &Deployment) -> Result<(), RunError> {
    for process in &deployment.processes {
        let mut process = process.lock().await;
        if process.role == Role::AllButAnalyzer {
            process.end().await?;
            process.role = Role::All;
        }
        if process.id().is_none() {
            process.launch()?;
        }
    }
    for process in &deployment.processes {
        process.lock().await.ready(START_BOUND).await?;
    }
    Ok(())
}

//! The mode `soak`: the rate that a server accepts *and analyses* is measured, then a share of it is held for hours,
//! during which memory, open files, disk and the backlog of analysis must not grow.

mod trend;

use std::fmt;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::arguments::{between, number, seconds};
use crate::load::confirm::settle;
use crate::load::observe::backlog;
use crate::load::phase::{Done, Phase};
use crate::load::plan::{Load, Output, Server};
use crate::load::report::{Report as LoadReport, write};
use crate::load::schedule::Pace;
use crate::load::{LoadError, Stage, capacity, interruptible};
use crate::resources::MEBIBYTE;
use crate::run::{Finished, say};
use trend::{Bound, Trend};

/// Warm-up before the capacity is measured, in addition to that of the plan.
const CAPACITY_WARM_UP: Duration = Duration::from_secs(5);
/// Minimum duration of a soak; a shorter run is reported as too short.
const LEAST_SOAK: Duration = Duration::from_secs(60);

/// Hold a share of a server's capacity for hours; memory, latency and disk must not grow.
#[derive(Clone, Debug, Args)]
pub struct Plan {
    #[command(flatten)]
    server: Server,
    #[command(flatten)]
    pub load: Load,
    #[command(flatten)]
    pub output: Output,
    /// Duration of the load, 0.01..72 hours.
    #[arg(long, default_value = "8", value_parser = hours)]
    hours: Duration,
    /// Share of the capacity that is sent, above 0 and up to 1.
    #[arg(long, default_value_t = 0.7, value_parser = number(0.0, 1.0))]
    share_of_capacity: f64,
    /// Duration of the capacity measurement.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    capacity_seconds: Duration,
    /// Megabytes of disk that the server's data may take, where it is known: its log's own bound and room
    /// for the ledger.
    #[arg(long, value_name = "MB", default_value_t = 40_000)]
    disk_megabytes: u64,
    /// Seconds that analysis may lag behind.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    lag_seconds: f64,
    /// MiB of memory that the server may use.
    #[arg(long, value_name = "MIB", default_value_t = 4_096)]
    memory_mebibytes: u64,
}

fn hours(text: &str) -> Result<Duration, String> {
    between(text, 0.01, 72.0).map(|hours| Duration::from_secs_f64(hours * 3_600.0))
}

/// A completed soak.
#[derive(Debug)]
pub struct Report {
    /// Requests per second that were accepted and analysed without a limit.
    capacity: f64,
    held: f64,
    trends: Vec<Trend>,
    interrupted: bool,
    pub load: LoadReport,
}

impl Finished for Report {
    /// Whether nothing grew, nothing was refused, and everything was found.
    fn is_clean(&self) -> bool {
        !self.interrupted
            && self.trends.iter().all(Trend::is_within)
            && self.soak().is_some_and(|done| done.counts.refused == 0 && !is_behind(done))
            && self.load.is_clean()
    }
}

impl Report {
    fn soak(&self) -> Option<&Done> {
        self.load.phases.iter().find(|done| done.phase.name == "soak")
    }

    /// Writes the requested files.
    pub fn write(&self, output: &Output) -> std::io::Result<()> {
        write(output, &self.json(), || self.load.page(&self.to_string()))
    }

    fn json(&self) -> Value {
        json!({
            "clean": self.is_clean(), "interrupted": self.interrupted,
            "capacity_requests_per_second": self.capacity, "held_requests_per_second": self.held,
            "trends": self.trends.iter().map(Trend::json).collect::<Vec<_>>(),
            "load": self.load.json(),
        })
    }
}

/// Whether more was left unsent than the last moment of any phase may leave.
fn is_behind(done: &Done) -> bool {
    done.unsent > u64::from(done.phase.connections)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "capacity  {:.1} requests/s taken and analysed; {:.1} requests/s held",
            self.capacity, self.held
        )?;
        for trend in &self.trends {
            writeln!(f, "{trend}")?;
        }
        self.load.write_findings(f)?;
        if self.interrupted {
            writeln!(f, "INTERRUPTED before its time")?;
        }
        if let Some(done) = self.soak().filter(|done| done.counts.refused > 0 || is_behind(done)) {
            writeln!(
                f,
                "{} requests were refused and {} never sent at this rate",
                done.counts.refused, done.unsent
            )?;
        }
        writeln!(f, "verdict   {}", if self.is_clean() { "clean" } else { "NOT CLEAN" })
    }
}

/// Runs to the end, or until interrupted.
///
/// # Errors
/// [`LoadError`] when there is no server, or nothing to send.
pub async fn run(plan: &Plan, seed: u64) -> Result<Report, LoadError> {
    if plan.hours < LEAST_SOAK {
        say("a soak this short shows no trend: growth in its report is accidental");
    }
    let stage = Stage::open(&plan.server, &plan.load, &[], seed).await?;
    let (tell, stop) = watch::channel(false);
    let (capacity, phases) = interruptible(story(plan, &stage, &stop), &tell).await?;
    let interrupted = *stop.borrow();
    let records_a_second = phases.last().map_or(0.0, Done::records_a_second);
    let trends = trend::trends(&stage.observer.looks(), "soak", &bounds(plan, records_a_second));
    Ok(Report {
        capacity,
        held: capacity * plan.share_of_capacity,
        trends,
        interrupted,
        load: stage.close(phases, 0).await,
    })
}

/// Measures the capacity and holds the load; returns the capacity and the phases.
async fn story(
    plan: &Plan,
    stage: &Stage,
    stop: &watch::Receiver<bool>,
) -> Result<(f64, Vec<Done>), LoadError> {
    let mut phases = Vec::new();
    let begun = Instant::now();
    let accepted = capacity(stage, CAPACITY_WARM_UP, plan.capacity_seconds, stop, &mut phases).await?;
    // The backlog is analysed before the soak begins; that time is part of the capacity.
    let (_, metrics) = settle(&stage.subject, plan.load.settle).await;
    let sum = |of: fn(&Done) -> u64| phases.iter().map(of).sum::<u64>() as f64;
    let (requests, records) = (sum(|done| done.counts.accepted), sum(|done| done.counts.records));
    // After a timeout, the unanalysed rest is not part of the capacity.
    let left = metrics.as_ref().map_or(0.0, backlog) / records.max(1.0);
    let analysed = requests * (1.0 - left).max(0.0) / begun.elapsed().as_secs_f64().max(0.001);
    let capacity = if stage.subject.admin.is_some() { accepted.min(analysed) } else { accepted };
    say(&format!("{accepted:.1} requests/s taken, {analysed:.1} analysed too"));
    let pace = Pace::steady((capacity * plan.share_of_capacity).max(0.1), true);
    let soak = Phase { name: "soak", pace, duration: plan.hours, connections: plan.load.connections };
    phases.push(stage.phase(soak, stop).await);
    Ok((capacity, phases))
}

fn bounds(plan: &Plan, records_a_second: f64) -> [Bound; 5] {
    [
        Bound {
            name: "memory",
            unit: "MiB",
            value: |look| Some(look.usage?.resident_bytes as f64 / MEBIBYTE),
            most: plan.memory_mebibytes as f64,
            // An allocator retains some freed memory.
            growth: Some((0.05, 16.0)),
        },
        Bound {
            name: "open files",
            unit: "",
            value: |look| Some(look.usage?.open_files as f64),
            most: 1_000.0 + f64::from(plan.load.connections),
            growth: Some((0.05, 10.0)),
        },
        Bound {
            name: "disk",
            unit: "MB",
            value: |look| Some(look.disk_bytes? as f64 / 1e6),
            most: plan.disk_megabytes as f64,
            // Incidents are kept, and the log grows to its bound: growth alone is no error.
            growth: None,
        },
        Bound {
            name: "lag",
            unit: "s",
            value: |look| look.lag_seconds,
            most: plan.lag_seconds,
            growth: Some((0.5, 1.0)),
        },
        // A blocked partition reports no lag; its backlog grows.
        Bound {
            name: "backlog",
            unit: "records",
            value: |look| look.backlog,
            most: plan.lag_seconds * records_a_second,
            growth: Some((0.5, records_a_second)),
        },
    ]
}

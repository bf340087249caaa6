//! `palisade-faults`: failure tests of a `palisade` binary from outside, over HTTP on loopback. The command line.
//!
//! `kill`: *traffic* is sent by *senders*, who keep an *account* of each batch and have every answer judged by the *tally*, while
//! a *reviewer* reviews; the server is *killed* again and again; at the end its incidents are *collected*, *verified* against the
//! account, and *reported*. `chaos` stops more processes, and stores too; `catch-up` and `scale` measure with the parts of chaos;
//! a `day` of ordinary traffic is for a person to judge; an `escalation` is timed from log line to webhook; `abuse` sends
//! malformed requests; of several `tenants` one is hostile.

mod abuse;
mod account;
mod catch_up;
mod chaos;
mod collect;
mod day;
mod escalation;
mod kill;
mod report;
mod reviewer;
mod scale;
mod sender;
mod tally;
mod tenants;
mod traffic;
mod verify;
mod violations;

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use kill::Plan;
use loadtest::arguments::{loopback, seconds};
use loadtest::run::{Failure, drive, exit_code, seed};

/// Failure tests of a palisade binary, from outside.
#[derive(Debug, Parser)]
#[command(name = "palisade-faults", version, about)]
struct Arguments {
    #[command(subcommand)]
    mode: Mode,
}

#[derive(Debug, Subcommand)]
enum Mode {
    /// Kill the server again and again under load, then account for every batch it acknowledged.
    Kill(Kill),
    /// Lose processes and stores under load, then compare with a process that lost nothing.
    Chaos(Box<chaos::plan::Plan>),
    /// Take records in with no analyzer running, then start the analyzers and measure until they are done.
    CatchUp(catch_up::Plan),
    /// Load one, two, … ingest processes as fast as they go, and count records and processor time.
    Scale(scale::Plan),
    /// Send a day of ordinary traffic, with the internet's background noise, and list the incidents.
    Day(day::Plan),
    /// Send attacks among ordinary records, and measure the time from a log line to its webhook.
    Escalation(escalation::Plan),
    /// Send malformed, slow and oversized requests beside a well-behaved client.
    Abuse(abuse::Plan),
    /// Let one organization exhaust the resources it shares with others, and measure the others.
    Tenants(tenants::Plan),
}

#[derive(Debug, Args)]
struct Kill {
    /// The `palisade` binary under test.
    #[arg(long, value_name = "PATH")]
    binary: PathBuf,
    /// Number of kills, 1..100000.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    kills: u32,
    /// Time between two kills on average; each time a random share of twice as much.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    seconds_between: Duration,
    /// Deadline of the whole run, after which it fails.
    #[arg(long, value_name = "SECONDS", default_value = "1800", value_parser = seconds)]
    deadline_seconds: Duration,
    /// Senders at a time, 1..256.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=256))]
    senders: u32,
    /// Batches that each sender begins in a second, at most, 1..1000.
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rate: u32,
    /// Seed of the random choices of kills, forms and retries; the server's own timing is not repeated
    /// [default: a new one, printed].
    #[arg(long)]
    seed: Option<u64>,
    /// The loopback address the server listens on; its port is chosen.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_parser = loopback)]
    listen: IpAddr,
    /// Directory of the server's data and log, kept afterwards [default: a temporary directory, kept only
    /// after a violation].
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
}

fn main() -> ExitCode {
    let finished = match Arguments::parse().mode {
        Mode::Kill(arguments) => kill(arguments),
        Mode::Chaos(plan) => chaos(&plan),
        Mode::CatchUp(plan) => {
            drive(catch_up::run(&plan, seed(plan.seed))).map(|measured| measured.is_clean())
        }
        Mode::Scale(plan) => drive(scale::run(&plan, seed(plan.seed))).map(|measured| measured.is_clean()),
        Mode::Day(plan) => day(&plan),
        Mode::Escalation(plan) => {
            drive(escalation::run(&plan, seed(plan.seed))).map(|measured| measured.is_clean())
        }
        Mode::Abuse(plan) => abuse(&plan),
        Mode::Tenants(plan) => tenants(&plan),
    };
    exit_code("palisade-faults", finished)
}

/// Runs; returns whether nothing was violated.
fn kill(arguments: Kill) -> Result<bool, Failure> {
    let plan = Plan {
        binary: arguments.binary,
        kills: arguments.kills,
        mean_life: arguments.seconds_between,
        deadline: arguments.deadline_seconds,
        senders: arguments.senders,
        rate: arguments.rate,
        seed: seed(arguments.seed),
        listen: arguments.listen,
        work_dir: arguments.work_dir,
    };
    let finished = drive(kill::run(&plan))?;
    Ok(finished.is_clean())
}

/// See [`kill`].
fn chaos(plan: &chaos::plan::Plan) -> Result<bool, Failure> {
    let finished = drive(chaos::run(plan, seed(plan.seed)))?;
    if let Some(file) = &plan.json {
        std::fs::write(file, format!("{:#}\n", finished.json()))?;
    }
    Ok(finished.is_clean())
}

/// See [`kill`].
fn day(plan: &day::Plan) -> Result<bool, Failure> {
    let report = drive(day::run(plan, seed(plan.seed)))?;
    if let Some(file) = &plan.report {
        std::fs::write(file, report.markdown()?)?;
    }
    Ok(report.is_clean())
}

/// See [`kill`].
fn abuse(plan: &abuse::Plan) -> Result<bool, Failure> {
    let report = drive(abuse::run(plan, seed(plan.seed)))?;
    report.write(&plan.output)?;
    Ok(report.is_clean())
}

/// See [`kill`].
fn tenants(plan: &tenants::Plan) -> Result<bool, Failure> {
    let report = drive(tenants::run(plan, seed(plan.seed)))?;
    report.write(&plan.output)?;
    Ok(report.is_clean())
}

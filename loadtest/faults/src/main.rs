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
mod failure;
mod kill;
mod measurement;
mod report;
mod reviewer;
mod scale;
mod sender;
mod tally;
mod tenants;
mod traffic;
mod verify;
mod violations;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use loadtest::run::{drive, exit_code, seed};

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
    Kill(kill::Plan),
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

fn main() -> ExitCode {
    let finished = match Arguments::parse().mode {
        Mode::Kill(plan) => drive(kill::run(&plan, seed(plan.trial.seed)), |_| Ok(())),
        Mode::Chaos(plan) => drive(chaos::run(&plan, seed(plan.trial.seed)), |outcome| match &plan.json {
            Some(file) => std::fs::write(file, format!("{:#}\n", outcome.json())),
            None => Ok(()),
        }),
        Mode::CatchUp(plan) => drive(catch_up::run(&plan, seed(plan.trial.seed)), |_| Ok(())),
        Mode::Scale(plan) => drive(scale::run(&plan, seed(plan.trial.seed)), |_| Ok(())),
        Mode::Day(plan) => drive(day::run(&plan, seed(plan.seed)), |report| match &plan.report {
            Some(file) => std::fs::write(file, report.markdown().map_err(std::io::Error::other)?),
            None => Ok(()),
        }),
        Mode::Escalation(plan) => drive(escalation::run(&plan, seed(plan.trial.seed)), |_| Ok(())),
        Mode::Abuse(plan) => drive(abuse::run(&plan, seed(plan.seed)), |report| report.write(&plan.output)),
        Mode::Tenants(plan) => {
            drive(tenants::run(&plan, seed(plan.trial.seed)), |report| report.write(&plan.output))
        }
    };
    exit_code("palisade-faults", finished)
}

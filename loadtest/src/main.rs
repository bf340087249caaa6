//! `palisade-loadtest`: load tests of a server. The command line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use loadtest::run::{drive, exit_code, seed};
use loadtest::{load, soak};

/// Load tests of a palisade server, from outside.
#[derive(Debug, Parser)]
#[command(name = "palisade-loadtest", version, about)]
struct Arguments {
    #[command(subcommand)]
    mode: Mode,
}

#[derive(Debug, Subcommand)]
enum Mode {
    /// Load a server at a rate, or as fast as it answers; measure, then confirm that everything was analysed.
    #[command(alias = "run")]
    Load(Box<load::plan::Plan>),
    /// Hold a share of a server's capacity for hours; memory, latency and disk must not grow.
    Soak(Box<soak::Plan>),
}

fn main() -> ExitCode {
    let finished = match Arguments::parse().mode {
        Mode::Load(plan) => {
            drive(load::run(&plan, seed(plan.load.seed)), |report| report.write(&plan.output))
        }
        Mode::Soak(plan) => {
            drive(soak::run(&plan, seed(plan.load.seed)), |report| report.write(&plan.output))
        }
    };
    exit_code("palisade-loadtest", finished)
}

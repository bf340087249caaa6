//! `palisade-loadtest`: load and failure tests of a `palisade` binary from outside, over HTTP on
//! loopback. The modules stand in the order of a run: a *target* process is started, *traffic* is made
//! up and sent by *senders*, who book what became of it in an *account* and have every
//! answer judged by the *tally*, while a *reviewer* reviews; the
//! target is *killed* again and again; at the end what it tells is *collected*, *verified* against the
//! account, and *reported*. *Chaos* does more than killing, to more than one process, and has a folder of
//! its own; *catch up* and *scale* measure, with what chaos is made of; a *day* of ordinary traffic is
//! for a person to judge; an *escalation* is timed from log line to webhook; of several *tenants* one is hostile. This file is the command line.

mod work;

mod target;

mod client;

mod forms;

mod access_log;

mod traffic;

mod account;

mod violations;

mod tally;

mod sender;

mod reviewer;

mod kill;

mod collect;

mod verify;

mod report;

mod chaos;

mod catch_up;

mod scale;

mod day;

mod escalation;

mod histogram;

mod resources;

mod load;

mod soak;

mod abuse;

mod tenants;

use std::error::Error;
use std::fmt::Display;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use kill::Plan;
use tokio::runtime::Runtime;

/// Why there is nothing to report.
type Failure = Box<dyn Error>;

/// Load and failure tests of a palisade binary, from outside.
#[derive(Debug, Parser)]
#[command(name = "palisade-loadtest", version, about)]
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
    /// Send a day of ordinary traffic, with the internet's background noise, and list what becomes of it.
    Day(day::Plan),
    /// Send attacks among ordinary records, and measure the time from a log line to its webhook.
    Escalation(escalation::Plan),
    /// Load a server at a rate, or as fast as it answers; measure, then check what became of it.
    #[command(alias = "run")]
    Load(Box<load::plan::Plan>),
    /// Hold a share of what a server can do for hours; nothing may creep.
    Soak(Box<soak::Plan>),
    /// Send what no honest sender sends, while a well-behaved client goes on.
    Abuse(abuse::Plan),
    /// Let one organization exhaust what it shares with others, and measure the others.
    Tenants(tenants::Plan),
}

#[derive(Debug, Args)]
struct Kill {
    /// The `palisade` binary under test.
    #[arg(long, value_name = "PATH")]
    binary: PathBuf,
    /// How often the server is killed, 1..100000.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    kills: u32,
    /// How long the server is left alone between two kills, on average; each time a random share of
    /// twice as much.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    seconds_between: Duration,
    /// When the whole run is given up, which is a failure.
    #[arg(long, value_name = "SECONDS", default_value = "1800", value_parser = seconds)]
    deadline_seconds: Duration,
    /// Senders at a time, 1..256.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=256))]
    senders: u32,
    /// Batches that each sender begins in a second, at most, 1..1000.
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rate: u32,
    /// What chance is seeded with: kills, forms and retries are drawn the same way again, though the
    /// server's own timing is not [default: a new one, printed].
    #[arg(long)]
    seed: Option<u64>,
    /// The loopback address the server listens on; its port is chosen.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_parser = loopback)]
    listen: IpAddr,
    /// Where the data directory and the server's log are made, and kept [default: a temporary directory,
    /// kept only when something is wrong].
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
}

fn main() -> ExitCode {
    let finished = match Arguments::parse().mode {
        Mode::Kill(arguments) => kill(arguments),
        Mode::Chaos(plan) => chaos(&plan),
        Mode::CatchUp(plan) => catch_up(&plan),
        Mode::Scale(plan) => scale(&plan),
        Mode::Day(plan) => day(&plan),
        Mode::Escalation(plan) => escalation(&plan),
        Mode::Load(plan) => load(&plan),
        Mode::Soak(plan) => soak(&plan),
        Mode::Abuse(plan) => abuse(&plan),
        Mode::Tenants(plan) => tenants(&plan),
    };
    match finished {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            report::say(&format!("palisade-loadtest: {failure}"));
            ExitCode::from(2)
        }
    }
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
    let finished = runtime()?.block_on(kill::run(&plan))?;
    print(&finished);
    Ok(finished.is_clean())
}

/// See [`kill`].
fn chaos(plan: &chaos::plan::Plan) -> Result<bool, Failure> {
    let finished = runtime()?.block_on(chaos::run(plan, seed(plan.seed)))?;
    print(&finished);
    if let Some(file) = &plan.json {
        std::fs::write(file, format!("{:#}\n", finished.json()))?;
    }
    Ok(finished.is_clean())
}

/// See [`kill`].
fn catch_up(plan: &catch_up::Plan) -> Result<bool, Failure> {
    let measured = runtime()?.block_on(catch_up::run(plan, seed(plan.seed)))?;
    print(&measured);
    Ok(measured.is_clean())
}

/// See [`kill`].
fn scale(plan: &scale::Plan) -> Result<bool, Failure> {
    let measured = runtime()?.block_on(scale::run(plan, seed(plan.seed)))?;
    print(&measured);
    Ok(measured.is_clean())
}

/// See [`kill`].
fn day(plan: &day::Plan) -> Result<bool, Failure> {
    let report = runtime()?.block_on(day::run(plan, seed(plan.seed)))?;
    print(&report);
    if let Some(file) = &plan.report {
        std::fs::write(file, report.markdown()?)?;
    }
    Ok(report.is_clean())
}

/// See [`kill`].
fn escalation(plan: &escalation::Plan) -> Result<bool, Failure> {
    let measured = runtime()?.block_on(escalation::run(plan, seed(plan.seed)))?;
    print(&measured);
    Ok(measured.is_clean())
}

/// See [`kill`].
fn load(plan: &load::plan::Plan) -> Result<bool, Failure> {
    let report = runtime()?.block_on(load::run(plan, seed(plan.load.seed)))?;
    print(&report);
    report.write(&plan.output)?;
    Ok(report.is_clean())
}

/// See [`kill`].
fn soak(plan: &soak::Plan) -> Result<bool, Failure> {
    let report = runtime()?.block_on(soak::run(plan, seed(plan.load.seed)))?;
    print(&report);
    report.write(&plan.output)?;
    Ok(report.is_clean())
}

/// See [`kill`].
fn abuse(plan: &abuse::Plan) -> Result<bool, Failure> {
    let report = runtime()?.block_on(abuse::run(plan, seed(plan.seed)))?;
    print(&report);
    report.write(&plan.output)?;
    Ok(report.is_clean())
}

/// See [`kill`].
fn tenants(plan: &tenants::Plan) -> Result<bool, Failure> {
    let report = runtime()?.block_on(tenants::run(plan, seed(plan.seed)))?;
    print(&report);
    report.write(&plan.output)?;
    Ok(report.is_clean())
}

/// The seed given, else a new one; printed, so that a run can be repeated.
fn seed(given: Option<u64>) -> u64 {
    let seed = given.unwrap_or_else(rand::random);
    report::say(&format!("seed {seed}"));
    seed
}

fn runtime() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}

fn print(finished: &impl Display) {
    // Whoever closed standard output still gets the exit status.
    let _ = write!(std::io::stdout().lock(), "{finished}");
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.05..=86_400.0).contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("expected seconds from 0.05 to 86400, found {text:?}"))
}

/// Load goes nowhere but to this machine: a tool that sends attacks must not be pointed at others.
fn loopback(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr = text.parse().map_err(|_| format!("expected an IP address, found {text:?}"))?;
    if !address.is_loopback() {
        return Err(format!(
            "{address} is not a loopback address: this tool loads its own server on this machine only"
        ));
    }
    Ok(address)
}

/// The same with a port.
fn loopback_port(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr =
        text.parse().map_err(|_| format!("expected an IP address and a port, found {text:?}"))?;
    loopback(&address.ip().to_string())?;
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_loaded() {
        assert!(loopback("127.0.0.1").is_ok() && loopback("::1").is_ok());
        for other in ["0.0.0.0", "192.0.2.1", "::", "2001:db8::1"] {
            assert!(loopback(other).unwrap_err().contains("not a loopback address"), "{other}");
        }
        assert!(loopback("localhost").is_err());
        assert!(loopback_port("127.0.0.1:9092").is_ok());
        assert!(loopback_port("192.0.2.1:9092").unwrap_err().contains("not a loopback address"));
    }

    #[test]
    fn a_run_is_bounded_in_time() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for other in ["0", "-1", "NaN", "inf", "1e9", "soon"] {
            assert!(seconds(other).is_err(), "{other}");
        }
    }
}

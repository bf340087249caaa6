//! The command line of the modes that load a server: the server, the requests and their rate, and the files of the
//! report.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::arguments::{loopback_port, number, origin, seconds};
use crate::load::attacks::Kind;

/// Bounds of a rate, requests a second.
const LEAST_RATE: f64 = 0.1;
const MOST_RATE: f64 = 200_000.0;

/// The server under load: one that is started for it, or one that runs.
#[derive(Clone, Debug, Args)]
pub struct Server {
    /// The `palisade` binary to start, in a directory of its own.
    #[arg(long, value_name = "PATH", required_unless_present = "url", conflicts_with_all = ["url", "pid", "admin", "data_dir"])]
    pub binary: Option<PathBuf>,
    /// A server that runs, on this machine: http://127.0.0.1:8080.
    #[arg(long, requires = "api_key", value_parser = origin)]
    pub url: Option<SocketAddr>,
    /// A key of the server at --url that may create sources and keys.
    #[arg(long, value_name = "KEY")]
    pub api_key: Option<String>,
    /// Process id of the server at --url: its processor time, memory and open files are measured.
    #[arg(long)]
    pub pid: Option<u32>,
    /// Admin listener of the server at --url, which has its metrics; without it, analysed records are not counted.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = loopback_port)]
    pub admin: Option<SocketAddr>,
    /// Data directory of the server at --url: the disk it takes is measured.
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
}

/// The requests, and their senders.
#[derive(Clone, Debug, Args)]
pub struct Load {
    /// Connections, and so requests at a time, 1..4096.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub connections: u32,
    /// Form of the bodies.
    #[arg(long, value_enum, default_value_t = Forms::Protobuf)]
    pub form: Forms,
    /// Share of the bodies that are gzip, 0..1, to a quarter; all without a value.
    #[arg(long, value_name = "SHARE", num_args = 0..=1, default_value_t = 0.0, default_missing_value = "1", value_parser = number(0.0, 1.0))]
    pub gzip: f64,
    /// Records in a request, 1..10000. A request with an attack in it has at least those of the attack, up to 24.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub batch: u32,
    /// Keys that senders take turns with, 1..100; made for the run, and revoked after it.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub keys: u32,
    /// Sources that are made and sent to, 1..1000.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub sources: u32,
    /// Share of the requests with an attack in them, 0..1, each from one address.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = number(0.0, 1.0))]
    pub attack_share: f64,
    /// Kinds of attacks: attackers are of each in turn.
    #[arg(long, value_enum, value_name = "KIND,...", value_delimiter = ',', num_args = 1, default_values_t = Kind::value_variants().to_vec())]
    pub attack_kinds: Vec<Kind>,
    /// Sends the lines of a file, repeatedly, instead of generated ones.
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Longest time of an answer.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub patience: Duration,
    /// Longest time of the remaining analysis after the end of the load.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    pub settle: Duration,
    /// Seed of the random choices [default: a new one, printed].
    #[arg(long)]
    pub seed: Option<u64>,
}

/// Files of the report, besides standard output.
#[derive(Clone, Debug, Default, Args)]
pub struct Output {
    /// Writes the whole report as JSON.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Writes the report as a self-contained page with plots.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Load a server at a rate, or as fast as it answers; measure, then confirm that everything was analysed.
#[derive(Clone, Debug, Args)]
pub struct Plan {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub load: Load,
    #[command(flatten)]
    pub output: Output,
    /// Requests a second, regardless of the server (open loop); latency counts from the time a request was
    /// due. Without it, each connection sends when it has its answer (closed loop).
    #[arg(long, value_name = "REQUESTS", value_parser = number(LEAST_RATE, MOST_RATE))]
    pub rate: Option<f64>,
    /// A rate that grows or falls: FROM..TO or FROM..TO/SECONDS, else over the whole duration.
    #[arg(long, value_name = "FROM..TO[/SECONDS]", conflicts_with = "rate", value_parser = ramp)]
    pub ramp: Option<Ramp>,
    /// Measures the capacity of the server, then sends this multiple of it, then half of it; reports
    /// the guarantees for overload and the time of recovery.
    #[arg(long, value_name = "FACTOR", conflicts_with_all = ["rate", "ramp"], value_parser = number(0.1, 10.0))]
    pub times_capacity: Option<f64>,
    /// Requests come by chance (Poisson) instead of evenly.
    #[arg(long)]
    pub poisson: bool,
    /// Duration of the measurement.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub duration: Duration,
    /// Duration of the load before that.
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = seconds)]
    pub warm_up: Duration,
}

/// The form of the bodies that are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Forms {
    Protobuf,
    /// OTLP in JSON.
    Json,
    /// An array of log objects.
    JsonArray,
    Ndjson,
    /// All of them in turn.
    Mixed,
}

/// A rate that changes linearly, then stays constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    pub from: f64,
    pub to: f64,
    /// Duration of the change; the whole phase if absent.
    pub over: Option<Duration>,
}

fn ramp(text: &str) -> Result<Ramp, String> {
    let (rates, over) = match text.split_once('/') {
        Some((rates, over)) => (rates, Some(seconds(over)?)),
        None => (text, None),
    };
    let (from, to) =
        rates.split_once("..").ok_or_else(|| format!("expected FROM..TO[/SECONDS], found {text:?}"))?;
    let rate = number(LEAST_RATE, MOST_RATE);
    Ok(Ramp { from: rate(from)?, to: rate(to)?, over })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_are_read() {
        let expected = Ramp { from: 10.0, to: 200.0, over: None };
        assert_eq!(ramp("10..200"), Ok(expected));
        assert_eq!(ramp("10..200/60"), Ok(Ramp { over: Some(Duration::from_secs(60)), ..expected }));
        for other in ["10", "10..", "0..5", "1..2/0", "1..2/x"] {
            assert!(ramp(other).is_err(), "{other}");
        }
    }
}

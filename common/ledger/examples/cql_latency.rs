//! Prints the latency of sequential calls of a ledger in a cluster, as rows of a table. The server is
//! `PALISADE_TEST_CQL` (`host:port`); a keyspace is created there and remains.
//!
//!     cargo run -p ledger --features cql --example cql_latency

#![expect(clippy::print_stdout, reason = "the program prints a table")]

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use ledger::cql::{self, CqlLedger};
use ledger::cql_config::Config;
use ledger::{Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Seq};
use tokio::time::Instant;
use uuid::Uuid;

type Failure = Box<dyn Error + Send + Sync>;

/// Bytes of a body: an incident's head.
const BODY_BYTES: usize = 600;
/// Every call is made so often before it is measured.
const WARM_UP: usize = 20;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let node = std::env::var("PALISADE_TEST_CQL").map_err(|_| "PALISADE_TEST_CQL names no server")?;
    let config = Config {
        nodes: vec![node],
        keyspace: format!("latency_{}", Uuid::new_v4().as_u64_pair().0),
        replication_factor: 1,
        request_timeout_ms: 30_000,
        ..Config::default()
    };
    cql::create_schema(&config).await?;
    let measured = Measured { ledger: cql::connect(&config).await?, id: LedgerId::Platform };
    println!("| | p50 | p99 |\n| --- | --- | --- |");
    for (rows, times) in [(4, 500), (100, 200), (1_000, 100)] {
        row(&format!("commit of {rows} rows of {BODY_BYTES} B"), measured.commits(rows, times).await?);
    }
    row("seq", measured.repeat(1_000, async |it, _| timed(it.ledger.seq(it.id)).await).await?);
    let get = async |it: &Measured, turn| timed(it.ledger.get(it.id, Kind::Head, key(turn).as_bytes())).await;
    row("get", measured.repeat(1_000, get).await?);
    let scan =
        async |it: &Measured, _| timed(it.ledger.scan(it.id, Kind::Head, Range::default(), 1_000)).await;
    row("scan of 1 000 rows", measured.repeat(100, scan).await?);
    let at = measured.ledger.seq(measured.id).await?;
    let none = async |it: &Measured, _| timed(it.ledger.changes(it.id, at)).await;
    row("changes, none", measured.repeat(1_000, none).await?);
    let last = Seq(at.0.saturating_sub(1));
    let one = async |it: &Measured, _| timed(it.ledger.changes(it.id, last)).await;
    row("changes, one commit of 1 000 rows", measured.repeat(200, one).await?);
    Ok(())
}

struct Measured {
    ledger: CqlLedger,
    id: LedgerId,
}

impl Measured {
    /// Commits over the same thousand rows, so that a scan finds as many.
    async fn commits(&self, rows: usize, times: usize) -> Result<Vec<Duration>, Failure> {
        self.repeat(times, async |it, turn| {
            let at = it.ledger.seq(it.id).await?;
            let ops = (0..rows).map(|row| put(turn * rows + row)).collect();
            let began = Instant::now();
            match it.ledger.commit(it.id, at, ops).await? {
                Commit::Done(_) => Ok(began.elapsed()),
                other => Err(format!("nobody else commits, and it was {other:?}").into()),
            }
        })
        .await
    }

    /// Durations of `times` calls, shortest first.
    async fn repeat(
        &self,
        times: usize,
        call: impl AsyncFn(&Self, usize) -> Result<Duration, Failure>,
    ) -> Result<Vec<Duration>, Failure> {
        for turn in 0..WARM_UP {
            call(self, turn).await?;
        }
        let mut took = Vec::with_capacity(times);
        for turn in 0..times {
            took.push(call(self, turn).await?);
        }
        took.sort_unstable();
        Ok(took)
    }
}

async fn timed<T>(call: impl Future<Output = Result<T, LedgerError>>) -> Result<Duration, Failure> {
    let began = Instant::now();
    call.await?;
    Ok(began.elapsed())
}

fn key(number: usize) -> String {
    format!("{:032}", number % 1_000)
}

fn put(number: usize) -> Op {
    let body = Bytes::from(vec![u8::try_from(number % 251).unwrap_or_default(); BODY_BYTES]);
    Op::Put { kind: Kind::Head, key: key(number).into(), body }
}

fn row(call: &str, took: Vec<Duration>) {
    let at = |hundredth: usize| {
        took.get(took.len() * hundredth / 100).map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
    };
    println!("| {call} | {:.1} ms | {:.1} ms |", at(50), at(99));
}

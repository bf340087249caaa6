//! Samples the run once a second, and at the end of each phase: requests and answers, and
//! the metrics and resource usage of the server. Prints a line of progress for each sample.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::clock::turns;
use crate::load::sender::Shared;
use crate::load::subject::Subject;
use crate::locked::Locked;
use crate::metrics::{LAG, Metrics};
use crate::resources::{MEBIBYTE, Usage};
use crate::run::say;

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Shortest interval for measuring the used cores, seconds: the system counts processor time in hundredths.
const LEAST_FOR_CORES: f64 = 0.1;
/// Samples that are kept: three days. A run is not longer.
const MOST_LOOKS: usize = 3 * 24 * 60 * 60;

/// One sample.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// Seconds since the start of the run.
    pub at: f64,
    /// Seconds that it covers.
    pub seconds: f64,
    /// The name of the phase.
    pub phase: &'static str,
    pub sent: u64,
    pub accepted: u64,
    pub records: u64,
    pub refused: u64,
    /// Neither accepted nor refused with `Retry-After`.
    pub wrong: u64,
    /// Of accepted requests, milliseconds from their due time; 0 when there was none.
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub most_ms: f64,
    /// Of the server: cores used, and the other measurements of the system.
    pub cores: Option<f64>,
    pub usage: Option<Usage>,
    pub disk_bytes: Option<u64>,
    /// Records accepted and not yet analysed.
    pub backlog: Option<f64>,
    /// The greatest lag in its own metrics, seconds.
    pub lag_seconds: Option<f64>,
}

impl Look {
    pub fn json(&self) -> Value {
        json!({
            "at": self.at, "phase": self.phase, "sent": self.sent, "accepted": self.accepted,
            "records": self.records, "refused": self.refused, "wrong": self.wrong,
            "p50_ms": self.p50_ms, "p99_ms": self.p99_ms, "most_ms": self.most_ms,
            "server_cores": self.cores,
            "resident_bytes": self.usage.map(|usage| usage.resident_bytes),
            "open_files": self.usage.map(|usage| usage.open_files),
            "disk_bytes": self.disk_bytes, "backlog_records": self.backlog, "lag_seconds": self.lag_seconds,
        })
    }
}

/// Observer of a run.
#[derive(Debug)]
pub struct Observer {
    began: Instant,
    looks: Locked<Vec<Look>>,
}

impl Observer {
    #[expect(clippy::new_without_default, reason = "it begins now, which no default value does")]
    pub fn new() -> Self {
        Self { began: Instant::now(), looks: Locked::default() }
    }

    /// Starts sampling a phase.
    pub fn begin<'a>(
        &'a self,
        phase: &'static str,
        shared: &'a Shared,
        subject: &'a Subject,
    ) -> Watching<'a> {
        shared.results.take_second();
        Watching { observer: self, phase, shared, subject, before: (Instant::now(), subject.usage()) }
    }

    fn keep(&self, look: Look) {
        say(&progress(&look));
        let mut looks = self.looks.lock();
        if looks.len() < MOST_LOOKS {
            looks.push(look);
        }
    }

    /// All samples.
    pub fn looks(&self) -> Vec<Look> {
        self.looks.lock().clone()
    }
}

/// A phase being sampled.
pub struct Watching<'a> {
    observer: &'a Observer,
    phase: &'static str,
    shared: &'a Shared,
    subject: &'a Subject,
    /// Time of the last sample, and the processor time of the server until then.
    before: (Instant, Option<Usage>),
}

impl Watching<'_> {
    /// Samples once a second until dropped.
    pub async fn go_on(&mut self) {
        let mut ticks = turns(LOOK_EVERY);
        // The first is at once.
        ticks.tick().await;
        loop {
            ticks.tick().await;
            let look = self.look().await;
            self.observer.keep(look);
        }
    }

    /// Samples the rest since the last sample, as phases do not end on a second.
    pub async fn finish(mut self) {
        let look = self.look().await;
        if look.sent + look.accepted + look.refused + look.wrong > 0 {
            self.observer.keep(look);
        }
    }

    async fn look(&mut self) -> Look {
        let metrics = self.subject.metrics().await;
        let (usage, now) = (self.subject.usage(), Instant::now());
        let (before, usage_before) = std::mem::replace(&mut self.before, (now, usage));
        let seconds = (now - before).as_secs_f64().max(0.001);
        let used = usage_before
            .zip(usage)
            .map(|(before, usage)| usage.processor_seconds - before.processor_seconds)
            .filter(|_| seconds >= LEAST_FOR_CORES);
        let counts = self.shared.results.take_second();
        Look {
            at: self.observer.began.elapsed().as_secs_f64(),
            seconds,
            phase: self.phase,
            sent: counts.sent,
            accepted: counts.accepted,
            records: counts.records,
            refused: counts.refused,
            wrong: counts.wrong(),
            p50_ms: counts.latency.quantile_ms(0.5),
            p99_ms: counts.latency.quantile_ms(0.99),
            most_ms: counts.latency.greatest_ms(),
            cores: used.map(|used| used / seconds),
            usage,
            disk_bytes: self.subject.disk_bytes(),
            backlog: metrics.as_ref().map(backlog),
            lag_seconds: metrics.as_ref().and_then(|metrics| metrics.most(LAG)),
        }
    }
}

/// Records accepted and not yet analysed.
pub fn backlog(metrics: &Metrics) -> f64 {
    (metrics.sum("palisade_ingest_records_total") - metrics.sum("palisade_analysis_records_total")).max(0.0)
}

fn progress(look: &Look) -> String {
    let mut line = format!(
        "{:>6.0} s  {:<10} {:>8.0} records/s  {:>6.0} requests/s  p50 {:>7.1} ms  p99 {:>7.1} ms",
        look.at,
        look.phase,
        look.records as f64 / look.seconds,
        look.sent as f64 / look.seconds,
        look.p50_ms,
        look.p99_ms
    );
    if look.refused > 0 {
        line += &format!("  {} refused", look.refused);
    }
    if look.wrong > 0 {
        line += &format!("  {} WRONG", look.wrong);
    }
    if let Some((cores, usage)) = look.cores.zip(look.usage) {
        line += &format!("  {cores:.2} cores  {:.0} MiB", usage.resident_bytes as f64 / MEBIBYTE);
    }
    if let Some(backlog) = look.backlog {
        line += &format!("  backlog {backlog:.0}");
    }
    line
}

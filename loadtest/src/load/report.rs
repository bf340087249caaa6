//! The report of a load: as text, as JSON, and on request as a page.

use std::fmt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::histogram::Histogram;
use crate::load::confirm::Confirmed;
use crate::load::observe::Look;
use crate::load::overload::Promise;
use crate::load::page;
use crate::load::phase::Done;
use crate::load::plan::{Load, Output};
use crate::load::results::Counts;
use crate::load::schedule::Pace;
use crate::resources::MEBIBYTE;
use crate::run::Finished;

/// The reported percentiles.
const SHARES: [(&str, f64); 6] =
    [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999), ("max", 1.0)];

/// A completed run.
#[derive(Debug)]
pub struct Report {
    pub load: Load,
    pub seed: u64,
    pub phases: Vec<Done>,
    pub looks: Vec<Look>,
    pub confirmed: Confirmed,
    /// The guarantees of the run, if it has any.
    pub promises: Vec<Promise>,
    /// Directory of the data and log of a server started here, if they are kept.
    pub kept: Option<PathBuf>,
}

impl Finished for Report {
    /// Whether everything acknowledged was found, every guarantee held, and every answer was 200 or a
    /// refusal with `Retry-After`.
    fn is_clean(&self) -> bool {
        let wrong: u64 = self.phases.iter().map(|done| done.counts.wrong()).sum();
        let broken = self.promises.iter().any(|promise| promise.kept == Some(false));
        wrong == 0 && !broken && self.confirmed.complaints.is_empty()
    }
}

impl Report {
    /// Writes the requested files.
    pub fn write(&self, output: &Output) -> std::io::Result<()> {
        write(output, &self.json(), || self.page(&self.to_string()))
    }

    /// The page with this text above its plots.
    pub fn page(&self, said: &str) -> String {
        page::page("Palisade under load", said, &page::plots(self))
    }

    /// The whole report as JSON.
    pub fn json(&self) -> Value {
        json!({
            "seed": self.seed,
            "clean": self.is_clean(),
            "connections": self.load.connections, "batch": self.load.batch,
            "keys": self.load.keys, "sources": self.load.sources,
            "form": format!("{:?}", self.load.form).to_lowercase(), "gzip_share": self.load.gzip,
            "attack_share": self.load.attack_share,
            "attack_kinds": self.load.attack_kinds.iter().map(|kind| format!("{kind:?}").to_lowercase()).collect::<Vec<_>>(),
            "phases": self.phases.iter().map(phase_json).collect::<Vec<_>>(),
            "promises": self.promises.iter().map(Promise::json).collect::<Vec<_>>(),
            "confirmed": self.confirmed.json(),
            "series": self.looks.iter().map(Look::json).collect::<Vec<_>>(),
        })
    }
}

/// Writes the requested files: the whole of a run as JSON, and a page with the text above the
/// plots of its load.
pub fn write(output: &Output, whole: &Value, page: impl FnOnce() -> String) -> std::io::Result<()> {
    if let Some(file) = &output.json {
        std::fs::write(file, format!("{whole:#}\n"))?;
    }
    if let Some(file) = &output.html {
        std::fs::write(file, page())?;
    }
    Ok(())
}

fn phase_json(done: &Done) -> Value {
    let counts = &done.counts;
    let million = counts.records.max(1) as f64 / 1e6;
    json!({
        "name": done.phase.name,
        "loop": if done.phase.pace == Pace::Closed { "closed" } else { "open" },
        "seconds": done.lasted.as_secs_f64(),
        "requests": counts.sent, "unsent": done.unsent, "accepted": counts.accepted,
        "records": counts.records, "body_bytes": counts.bytes,
        "requests_per_second": done.accepted_a_second(), "records_per_second": done.records_a_second(),
        "latency_ms": times(&counts.latency), "service_ms": times(&counts.service),
        "refusal_ms": times(&counts.refusal),
        "statuses": counts.statuses,
        "refused_without_retry_after": counts.impolite,
        "retry_after_seconds": counts.retry_after,
        "failed": counts.failed, "complaints": counts.complaints,
        "server": done.processor_seconds().zip(done.usage).map(|(used, (_, after))| json!({
            "processor_seconds": used, "processor_seconds_per_million_records": used / million,
            "resident_bytes": after.resident_bytes, "most_resident_bytes": after.most_resident_bytes,
            "open_files": after.open_files,
        })),
        "tool_processor_seconds": done.own_processor_seconds,
        "tool_processor_seconds_per_million_records": done.own_processor_seconds / million,
    })
}

fn times(histogram: &Histogram) -> Value {
    let shares =
        SHARES.iter().map(|(name, share)| ((*name).to_owned(), json!(histogram.quantile_ms(*share))));
    // Each bucket by the longest time in it, so that runs can be summed and compared by any percentile.
    let buckets = histogram.buckets().map(|(most_ms, count)| json!([most_ms, count]));
    let buckets = ("buckets".to_owned(), Value::Array(buckets.collect()));
    Value::Object(shares.chain([buckets]).collect())
}

/// A line of percentiles.
pub fn percentiles(histogram: &Histogram) -> String {
    if histogram.count() == 0 {
        return "none".to_owned();
    }
    let shares = SHARES.iter().map(|(name, share)| format!("{name} {:.1}", histogram.quantile_ms(*share)));
    shares.collect::<Vec<_>>().join("  ") + "  ms"
}

impl Report {
    /// Everything except the verdict.
    pub fn write_findings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for done in &self.phases {
            write_phase(f, done)?;
        }
        write_confirmed(f, &self.confirmed)?;
        for promise in &self.promises {
            writeln!(f, "{promise}")?;
        }
        if let Some(kept) = &self.kept {
            writeln!(f, "kept      {}", kept.display())?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_findings(f)?;
        writeln!(f, "verdict   {}", if self.is_clean() { "clean" } else { "NOT CLEAN" })
    }
}

fn write_phase(f: &mut fmt::Formatter<'_>, done: &Done) -> fmt::Result {
    let counts = &done.counts;
    let aim = match done.phase.pace.rate_at(done.lasted) {
        None => "closed loop".to_owned(),
        Some(rate) => format!("open loop, {rate:.1} requests/s at the end"),
    };
    writeln!(f, "{} ({aim}, {:.1} s)", done.phase.name, done.lasted.as_secs_f64())?;
    let Counts { accepted, records, statuses, .. } = counts;
    let (megabytes, requests_a_second) = (counts.bytes as f64 / 1e6, done.accepted_a_second());
    writeln!(
        f,
        "  accepted  {accepted} requests, {records} records, {megabytes:.1} MB; {requests_a_second:.1} requests/s, {:.0} records/s",
        done.records_a_second()
    )?;
    if done.phase.pace != Pace::Closed {
        writeln!(f, "  latency   {}  from when a request was due", percentiles(&counts.latency))?;
    }
    writeln!(f, "  service   {}  from when it was sent", percentiles(&counts.service))?;
    if counts.refused > 0 {
        let waits: Vec<String> =
            counts.retry_after.iter().map(|(seconds, count)| format!("{seconds} s x{count}")).collect();
        writeln!(f, "  refused   {} with 503; Retry-After {}", counts.refused, waits.join(", "))?;
    }
    if counts.wrong() > 0 {
        let (wrong, complaints) = (counts.wrong(), counts.complaints.join("; "));
        writeln!(f, "  WRONG     {wrong} answers or none; statuses {statuses:?}; {complaints}")?;
    }
    if done.unsent > 0 {
        writeln!(
            f,
            "  behind    {} requests were due and never sent: all connections waited; latency tells only of those that were",
            done.unsent
        )?;
    }
    write_resources(f, done)
}

fn write_resources(f: &mut fmt::Formatter<'_>, done: &Done) -> fmt::Result {
    let records = done.counts.records.max(1) as f64;
    let seconds = done.lasted.as_secs_f64().max(0.001);
    if let Some((used, (_, after))) = done.processor_seconds().zip(done.usage) {
        writeln!(
            f,
            "  server    {used:.2} CPU-s, {:.2} cores, {:.0} records per CPU-s; {:.0} MiB, {:.0} MiB at most; {} open files",
            used / seconds,
            records / used.max(0.001),
            after.resident_bytes as f64 / MEBIBYTE,
            after.most_resident_bytes as f64 / MEBIBYTE,
            after.open_files
        )?;
    }
    let own = done.own_processor_seconds;
    writeln!(f, "  this tool {own:.2} CPU-s, {:.2} us per record", own * 1e6 / records)
}

fn write_confirmed(f: &mut fmt::Formatter<'_>, confirmed: &Confirmed) -> fmt::Result {
    let analysed = confirmed.analysed.map_or_else(
        || "not asked, for want of --admin".to_owned(),
        |analysed| {
            format!("{analysed}, the last {:.1} s after the load", confirmed.settled_after.as_secs_f64())
        },
    );
    writeln!(f, "analysed  {analysed}; acknowledged {} records", confirmed.acknowledged)?;
    writeln!(
        f,
        "incidents {} of {} attackers have theirs, with every record; {} about many together, {} others",
        confirmed.incidents, confirmed.attackers, confirmed.together, confirmed.others
    )?;
    for complaint in &confirmed.complaints {
        writeln!(f, "WRONG     {complaint}")?;
    }
    Ok(())
}

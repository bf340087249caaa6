//! The mode `day`: a company's day of ordinary logs, with the internet's background noise in it, is sent to
//! a server, and the resulting incidents are listed for a person to judge. Nothing in it is an
//! attack on this company, so every incident must be worth its review.

mod plan;
mod company;
mod template;
pub(crate) mod scene;
mod logs;
mod bodies;
mod incidents;
mod report;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::failure::RunError;
use loadtest::api::{ApiError, Call, SOURCES, logs_path, may_pass, text};
use loadtest::client::{Client, Content};
use loadtest::clock::WallClock;
use loadtest::forms::Form;
use loadtest::process::Process;
use loadtest::run::{Finished, say};
use loadtest::work::Work;

use logs::{LOGS, Log};
pub(crate) use plan::Plan;
use report::{Kind, Report};
use scene::{Day, Record, SceneError, Script};

/// Default time between the end of a day and its sending.
const ENDED_BEFORE_MS: u64 = 60_000;
/// Most attempts of one batch: a server that starts to refuse has a minute to recover.
const ATTEMPTS: u32 = 120;
/// Longest time of a start.
const START_BOUND: Duration = Duration::from_secs(60);
/// Interval of checking whether everything is analysed.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Failed logins that end each log: enough for an incident, which comes last, and proves that all before
/// was analysed. From an otherwise unused address.
const MARK_RECORDS: i64 = 6;
const MARK_ADDRESS: &str = "192.0.2.254";
/// Largest number of bytes of a line of a real machine: longer ones are cut, as collectors do.
const MOST_LINE_BYTES: usize = 16 * 1024;

/// Sends the day and lists the incidents.
///
/// # Errors
/// [`RunError`] when the day cannot be generated, sent, or read back.
pub(crate) async fn run(plan: &Plan, seed: u64) -> Result<Report, RunError> {
    let Some(binary) = &plan.binary else {
        let address = plan.url.unwrap_or_else(|| (Ipv4Addr::LOCALHOST, 8_080).into());
        let client = Client::new(address, plan.key.as_deref().unwrap_or_default());
        return Sending::new(plan, seed, client).send().await;
    };
    let work = Work::open(plan.work_dir.as_deref())?;
    let mut server = Process::alone(binary, work.path(), IpAddr::V4(Ipv4Addr::LOCALHOST), &[])?;
    server.launch()?;
    server.ready(START_BOUND).await?;
    let client = Client::new(server.address, &server.first_key()?);
    let report = Sending::new(plan, seed, client).send().await?;
    server.kill().await?;
    work.leave(report.is_clean());
    Ok(report)
}

/// A day being sent.
struct Sending<'p> {
    plan: &'p Plan,
    day: Day,
    client: Client,
    /// Names of the sources by their ids.
    sources: BTreeMap<String, String>,
    kinds: Vec<Kind>,
}

impl<'p> Sending<'p> {
    fn new(plan: &'p Plan, seed: u64, client: Client) -> Self {
        let latest = WallClock::start().now_ms().saturating_sub(ENDED_BEFORE_MS).cast_signed();
        // Times ahead of the server's clock would be corrected by it.
        let end_ms = plan.ending.map_or(latest, |ending| ending.as_millisecond().min(latest));
        let day = Day { end_ms, scale: 1.0, seed };
        Self { plan, day, client, sources: BTreeMap::new(), kinds: Vec::new() }
    }

    async fn send(mut self) -> Result<Report, RunError> {
        self.day.scale = scale(self.day, self.plan.records)?;
        let began = Instant::now();
        for log in LOGS {
            let records = self.records_of(&log)?;
            say(&format!("{}: {} records", log.name, records.len()));
            let source = self.open(log.name, log.application_group, log.environment).await?;
            self.send_batches(&source, log.form, &records).await?;
        }
        let mut files = Vec::new();
        for file in &self.plan.lines {
            let (name, records) = lines_of(file)?;
            files.push((name.clone(), records.len() as u64));
            let source = self.open(&name, "machine", "production").await?;
            self.send_batches(&source, Form::Protobuf, &records).await?;
        }
        let sent_within = began.elapsed();
        let analysed_after = self.wait().await?;
        let mut found = incidents::read(&mut self.client, &self.sources).await?;
        found.retain(|incident| !incident.entity.ends_with(MARK_ADDRESS));
        let ending = jiff::Timestamp::from_millisecond(self.day.end_ms).unwrap_or_default();
        Ok(Report {
            seed: self.day.seed,
            ending: ending.strftime("%Y-%m-%d %H:%M").to_string(),
            kinds: self.kinds,
            files,
            sent_within,
            analysed_after,
            incidents: found,
        })
    }

    /// All records of one log, in order of time.
    fn records_of(&mut self, log: &Log) -> Result<Vec<Record>, SceneError> {
        let script = Script::read(log.name, log.scenes)?;
        let mut records = Vec::new();
        for (index, scene) in script.scenes.iter().enumerate() {
            let before = records.len();
            script.play(index, self.day, &mut records)?;
            self.kinds.push(Kind {
                log: log.name,
                title: scene.title.to_owned(),
                is_noise: scene.is_noise,
                times: Script::occurrences(scene, self.day),
                records: (records.len() - before) as u64,
            });
        }
        records.sort_by_key(|record| record.time_ms);
        Ok(records)
    }

    /// Creates a source.
    async fn open(&mut self, name: &str, group: &str, environment: &str) -> Result<String, RunError> {
        let body = json!({"name": name, "application_group": group, "environment": environment});
        let created = Call::create(SOURCES, &body).once(&mut self.client).await?;
        let id = text(&created.json()["id"]);
        self.sources.insert(id.clone(), name.to_owned());
        Ok(id)
    }

    /// Sends records, and the mark that ends them.
    async fn send_batches(&mut self, source: &str, form: Form, records: &[Record]) -> Result<(), ApiError> {
        for (number, batch) in bodies::batches(records).enumerate() {
            self.send_batch(source, bodies::content(form, batch, format!("day-{source}-{number}"))).await?;
        }
        let mark = mark(self.day.end_ms);
        self.send_batch(source, bodies::content(Form::JsonArray, &mark, format!("day-{source}-mark"))).await
    }

    /// Sends a batch until it is acknowledged.
    async fn send_batch(&mut self, source: &str, content: Content) -> Result<(), ApiError> {
        // The idempotency key prevents a second acceptance.
        let path = logs_path(source);
        Call::ingest(&path, content).repeated(&mut self.client, ATTEMPTS, may_pass).await?;
        Ok(())
    }

    /// Waits until the mark of each source is an incident; returns the elapsed time, `None` after a
    /// timeout.
    async fn wait(&mut self) -> Result<Option<Duration>, ApiError> {
        let began = Instant::now();
        while began.elapsed() < self.plan.deadline_seconds {
            if incidents::count(&mut self.client, MARK_ADDRESS).await? >= self.sources.len() as u64 {
                return Ok(Some(began.elapsed()));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(None)
    }
}

/// Size factor of a day with this number of records.
fn scale(day: Day, records: u64) -> Result<f64, SceneError> {
    let made = |scale| -> Result<f64, SceneError> {
        let mut made = Vec::new();
        for log in LOGS {
            let script = Script::read(log.name, log.scenes)?;
            for index in 0..script.scenes.len() {
                script.play(index, Day { scale, ..day }, &mut made)?;
            }
        }
        Ok(made.len() as f64)
    };
    // Two points of a straight line.
    let (none, some) = (made(0.0)?, made(0.1)?);
    Ok(((records as f64 - none) / (some - none).max(1.0) / 10.0).max(0.0))
}

/// Logins that fail, after everything else.
fn mark(end_ms: i64) -> Vec<Record> {
    let line = |number: i64| {
        let message = format!("Failed password for mark from {MARK_ADDRESS} port {} ssh2", 40_000 + number);
        let time_ms = end_ms + number;
        let text = json!({"timestamp": time_ms, "host": "mark", "program": "sshd", "message": message});
        Record { time_ms, host: None, text: text.to_string() }
    };
    (0..MARK_RECORDS).map(line).collect()
}

/// The lines of a file, without times of their own, and the name of its source.
fn lines_of(file: &Path) -> Result<(String, Vec<Record>), RunError> {
    let failed = |source| RunError::File { file: file.to_owned(), source };
    let bytes = std::fs::read(file).map_err(failed)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = String::from_utf8_lossy(&bytes);
    let record = |line: &str| {
        let text = line.get(..line.floor_char_boundary(MOST_LINE_BYTES)).unwrap_or(line).to_owned();
        Record { time_ms: 0, host: None, text }
    };
    Ok((name, text.lines().filter(|line| !line.is_empty()).map(record).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_about_as_many_records_as_it_was_told() {
        let day = Day { end_ms: 1_795_165_811_250, scale: 1.0, seed: 7 };
        let scale = scale(day, 60_000).unwrap();
        let mut records = Vec::new();
        for log in LOGS {
            let script = Script::read(log.name, log.scenes).unwrap();
            for index in 0..script.scenes.len() {
                script.play(index, Day { scale, ..day }, &mut records).unwrap();
            }
        }
        assert!((57_000..63_000).contains(&records.len()), "{}", records.len());
    }

    #[test]
    fn a_real_file_is_sent_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("dpkg.log");
        std::fs::write(&file, b"one\n\ntwo \xff\n").unwrap();
        let (name, records) = lines_of(&file).unwrap();
        assert_eq!(name, "dpkg.log");
        let texts: Vec<&str> = records.iter().map(|record| record.text.as_str()).collect();
        assert_eq!(texts, ["one", "two \u{fffd}"]);
        assert!(lines_of(Path::new("/nowhere/log")).is_err());
    }
}

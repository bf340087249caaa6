//! One process of the deployment under test: started, killed, paused, ended in order, and measured.
//! The caller decides which of these happens, and when.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value;
use thiserror::Error;
use tokio::process::{Child, Command};
use tokio::time::Instant;

use crate::client::Client;
use crate::ports::Ports;

/// Interval of asking a starting process whether it is ready.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Longest time of a request to its listeners: a running process answers at once or is not ready.
const QUESTION_BOUND: Duration = Duration::from_secs(2);
/// Longest time of an orderly shutdown: far beyond the configured bounds.
const END_BOUND: Duration = Duration::from_secs(60);
/// Lines of level ERROR of a log that are kept.
const MOST_ERRORS: usize = 20;
/// Settings of every process.
const SETTINGS: [(&str, &str); 3] = [
    ("PALISADE__TELEMETRY__LOG", "warn"),
    ("PALISADE__TELEMETRY__LOG_FORMAT", "json"),
    // Reading everything back is a burst beyond the limits for people.
    ("PALISADE__API__REQUESTS_PER_MINUTE", "1000000"),
];

/// Reason why a process is unusable.
#[derive(Debug, Error)]
pub enum ProcessError {
    #[error("{name}: {} cannot be started: {source}", binary.display())]
    Spawn { name: String, binary: PathBuf, source: io::Error },
    #[error("{name} ended by itself, with {status}; its log is {}", log.display())]
    Ended { name: String, status: ExitStatus, log: PathBuf },
    #[error("{name} was not ready within {} s; its log is {}", bound.as_secs(), log.display())]
    NotReady { name: String, bound: Duration, log: PathBuf },
    #[error("{name} had not ended {} s after SIGTERM", END_BOUND.as_secs())]
    DoesNotEnd { name: String },
    #[error("{name} ended with {status} after SIGTERM; its log is {}", log.display())]
    EndedBadly { name: String, status: ExitStatus, log: PathBuf },
    #[error("{name}: signal {signal} cannot be sent: {status}")]
    Signal { name: String, signal: &'static str, status: ExitStatus },
    #[error("no port between {from} and {to} is free on {listen}")]
    NoPort { listen: IpAddr, from: u16, to: u16 },
    #[error("{}: expected the text api_key in a JSON object", file.display())]
    FirstRun { file: PathBuf },
    #[error("a process or its files: {0}")]
    Io(#[from] io::Error),
}

/// Roles that a process plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Ingest,
    Analyzer,
    Api,
    /// All three.
    All,
    /// All but the analyzer's.
    AllButAnalyzer,
}

impl Role {
    fn argument(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Analyzer => "analyzer",
            Self::Api => "api",
            Self::All => "ingest,analyzer,api",
            Self::AllButAnalyzer => "ingest,api",
        }
    }

    /// Name of such a process in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ingest => "ingest process",
            Self::Analyzer => "analyzer process",
            Self::Api => "API process",
            Self::All | Self::AllButAnalyzer => "process",
        }
    }

    /// Whether it accepts logs.
    pub fn takes_logs(self) -> bool {
        matches!(self, Self::Ingest | Self::All | Self::AllButAnalyzer)
    }

    /// Whether it answers the API.
    pub fn answers_api(self) -> bool {
        matches!(self, Self::Api | Self::All | Self::AllButAnalyzer)
    }
}

/// Environment of a process: the settings of every process, and others, which take precedence.
pub fn environment(settings: &[(&str, &str)]) -> Vec<(String, String)> {
    let all = SETTINGS.iter().chain(settings);
    all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Findings in the log of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaints {
    pub panics: Vec<String>,
    /// Number of lines of level ERROR: a process whose stores are unavailable has reason for them.
    pub errors: u64,
    /// The first of them.
    pub first_errors: Vec<String>,
}

impl Complaints {
    fn read(lines: impl Iterator<Item = String>) -> Self {
        let mut complaints = Self::default();
        for line in lines {
            if line.contains("panicked at") {
                complaints.panics.push(line);
            } else if line.contains(r#""level":"ERROR""#) {
                complaints.errors += 1;
                if complaints.first_errors.len() < MOST_ERRORS {
                    complaints.first_errors.push(line);
                }
            }
        }
        complaints
    }
}

/// A process, running or not; its data outlives it.
#[derive(Debug)]
pub struct Process {
    /// Name in reports and of its directory.
    pub name: String,
    pub role: Role,
    /// Address of its listener.
    pub address: SocketAddr,
    /// Address of its admin listener.
    pub admin: SocketAddr,
    pub binary: PathBuf,
    /// Directory of its data and log.
    pub directory: PathBuf,
    pub environment: Vec<(String, String)>,
    pub child: Option<Child>,
    /// Whether it has been ready since it was last started.
    pub was_ready: bool,
}

impl Process {
    /// A server of one process with all roles, on free ports of an address; not started yet.
    pub fn alone(
        binary: &Path,
        directory: &Path,
        listen: IpAddr,
        settings: &[(&str, &str)],
    ) -> Result<Self, ProcessError> {
        let mut ports = Ports::of(listen);
        Ok(Self {
            name: "the server".to_owned(),
            role: Role::All,
            address: ports.another()?,
            admin: ports.another()?,
            binary: binary.to_owned(),
            directory: directory.to_owned(),
            environment: environment(settings),
            child: None,
            was_ready: false,
        })
    }

    /// Starts it without waiting.
    pub fn launch(&mut self) -> Result<(), ProcessError> {
        std::fs::create_dir_all(&self.directory)?;
        let log = OpenOptions::new().create(true).append(true).open(self.log())?;
        let child = Command::new(&self.binary)
            .args(["serve", "--role", self.role.argument()])
            .args(["--listen", &self.address.to_string(), "--admin-listen", &self.admin.to_string()])
            .arg("--data-dir")
            .arg(self.data())
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .map_err(|source| ProcessError::Spawn {
                name: self.name.clone(),
                binary: self.binary.clone(),
                source,
            })?;
        self.child = Some(child);
        self.was_ready = false;
        Ok(())
    }

    /// Waits until it is ready; returns the elapsed time.
    pub async fn ready(&mut self, bound: Duration) -> Result<Duration, ProcessError> {
        let begun = Instant::now();
        while begun.elapsed() < bound {
            self.check()?;
            let mut client = Client::new(self.admin, "");
            client.be_patient_for(QUESTION_BOUND);
            if client.get("/readyz").await.is_ok_and(|answer| answer.status == 200) {
                self.was_ready = true;
                return Ok(begun.elapsed());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Err(ProcessError::NotReady { name: self.name.clone(), bound, log: self.log() })
    }

    /// Fails, once, when it exited unexpectedly.
    pub fn check(&mut self) -> Result<(), ProcessError> {
        let Some(child) = &mut self.child else { return Ok(()) };
        let Some(status) = child.try_wait()? else { return Ok(()) };
        self.child = None;
        Err(ProcessError::Ended { name: self.name.clone(), status, log: self.log() })
    }

    /// Kills it at once, paused or not, and waits until it has exited.
    pub async fn kill(&mut self) -> Result<(), ProcessError> {
        if let Some(mut child) = self.child.take() {
            child.kill().await?;
        }
        Ok(())
    }

    /// Pauses it.
    pub async fn pause(&self) -> Result<(), ProcessError> {
        self.signal("-STOP").await
    }

    /// Resumes it.
    pub async fn resume(&self) -> Result<(), ProcessError> {
        self.signal("-CONT").await
    }

    /// Requests an orderly shutdown, and waits for it; returns the elapsed time.
    pub async fn end(&mut self) -> Result<Duration, ProcessError> {
        let begun = Instant::now();
        self.signal("-TERM").await?;
        let Some(mut child) = self.child.take() else { return Ok(Duration::ZERO) };
        let Ok(ended) = tokio::time::timeout(END_BOUND, child.wait()).await else {
            child.kill().await?;
            return Err(ProcessError::DoesNotEnd { name: self.name.clone() });
        };
        let status = ended?;
        if !status.success() {
            return Err(ProcessError::EndedBadly { name: self.name.clone(), status, log: self.log() });
        }
        Ok(begun.elapsed())
    }

    /// Its process id, while it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref().and_then(Child::id)
    }

    /// Its standard error over all its starts.
    pub fn log(&self) -> PathBuf {
        self.directory.join("server.log")
    }

    /// Panics and errors in its log.
    pub fn complaints(&self) -> io::Result<Complaints> {
        let lines = BufReader::new(File::open(self.log())?).lines();
        Ok(Complaints::read(lines.map_while(Result::ok)))
    }

    /// The key that a server of one process wrote to a file at its first start.
    pub fn first_key(&self) -> Result<String, ProcessError> {
        let file = self.data().join("first-run.json");
        let document: Value = serde_json::from_slice(&std::fs::read(&file)?).unwrap_or_default();
        let key = document["api_key"].as_str().map(str::to_owned);
        key.ok_or(ProcessError::FirstRun { file })
    }

    /// Its data directory.
    pub fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    /// Sends a signal through the command `kill`: the standard library knows SIGKILL only.
    async fn signal(&self, signal: &'static str) -> Result<(), ProcessError> {
        let Some(id) = self.id() else { return Ok(()) };
        let status = Command::new("kill").args([signal, &id.to_string()]).status().await?;
        if !status.success() {
            return Err(ProcessError::Signal { name: self.name.clone(), signal, status });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_panics_are_complaints_and_nothing_else_is() {
        let error = r#"{"timestamp":"…","level":"ERROR","message":"a record was quarantined"}"#;
        let panic = "thread 'main' panicked at server/src/main.rs:1:1:";
        let warning = r#"{"level":"WARN","error":"the partition is read again"}"#;
        let found = Complaints::read([error, panic, warning].map(str::to_owned).into_iter());
        assert_eq!((found.panics, found.errors), (vec![panic.to_owned()], 1));
        assert_eq!(found.first_errors, [error]);
    }
}

//! One process of the deployment under test: started, killed, paused, ended in order, and measured.
//! The caller decides which of these happens, and when.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use thiserror::Error;
use tokio::process::{Child, Command};
use tokio::time::Instant;

use crate::client::Client;

/// Interval of asking a starting process whether it is ready.
const LOOK_EVERY: Duration = Duration::from_millis(25);
/// Longest time of a request to its listeners: a running process answers at once or is not ready.
const QUESTION_BOUND: Duration = Duration::from_secs(2);
/// Longest time of an orderly shutdown: far beyond the configured bounds.
const END_BOUND: Duration = Duration::from_secs(60);

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

/// A process, running or not.
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

    /// Panics in its log, and the number of lines of level ERROR: a process whose stores are
    /// unavailable has reason for the latter.
    pub fn complaints(&self) -> io::Result<(Vec<String>, u64)> {
        let (mut panics, mut errors) = (Vec::new(), 0);
        for line in BufReader::new(File::open(self.log())?).lines().map_while(Result::ok) {
            errors += u64::from(line.contains(r#""level":"ERROR""#));
            if line.contains("panicked at") {
                panics.push(line);
            }
        }
        Ok((panics, errors))
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

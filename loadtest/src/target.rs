//! The process under test: started in its own directory and on its own port, killed, started again. Its
//! callers send the requests.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::Value;
use thiserror::Error;
use tokio::process::{Child, Command};
use tokio::time::Instant;

use crate::client::Client;

/// Longest time of a start: far longer than recovery needs, so that reaching it means never.
const START_BOUND: Duration = Duration::from_secs(60);
/// Interval of asking a starting server whether it is ready.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Port range, below the ephemeral ports: a client that tries to
/// connect while the server is down could otherwise be assigned the port that it connects to.
const PORTS: std::ops::Range<u16> = 20_000..30_000;
/// Ports tried until one is free.
const PORT_ATTEMPTS: usize = 100;
/// Lines of the server's own log that are repeated in the report, at most.
const MOST_COMPLAINTS: usize = 20;

/// Reason why the server cannot be tested (any more).
#[derive(Debug, Error)]
pub enum TargetError {
    #[error("{} cannot be started: {source}", binary.display())]
    Spawn { binary: PathBuf, source: io::Error },
    #[error("the server ended by itself, with {status}; its log is {}", log.display())]
    Ended { status: ExitStatus, log: PathBuf },
    #[error("the server was not ready within {} s; its log is {}", START_BOUND.as_secs(), log.display())]
    NotReady { log: PathBuf },
    #[error("{}: expected the texts api_key and base_url: {cause}", file.display())]
    FirstRun { file: PathBuf, cause: String },
    #[error("no port between {} and {} is free on {listen}", PORTS.start, PORTS.end)]
    NoPort { listen: IpAddr },
    #[error("the server's process or files: {0}")]
    Io(#[from] io::Error),
}

/// A server, running or not; its data outlives the process.
#[derive(Debug)]
pub struct Target {
    binary: PathBuf,
    directory: PathBuf,
    address: SocketAddr,
    process: Option<Child>,
}

impl Target {
    /// A server that is not started yet, in an empty directory.
    pub fn new(
        binary: &Path,
        directory: &Path,
        listen: IpAddr,
        chance: &mut StdRng,
    ) -> Result<Self, TargetError> {
        let address = free_address(listen, chance)?;
        Ok(Self { binary: binary.to_owned(), directory: directory.to_owned(), address, process: None })
    }

    /// Starts the process without waiting for it.
    pub fn launch(&mut self) -> Result<(), TargetError> {
        let log = OpenOptions::new().create(true).append(true).open(self.log())?;
        let process = Command::new(&self.binary)
            .args(["serve", "--admin-listen", "off", "--listen", &self.address.to_string(), "--data-dir"])
            .arg(self.directory.join("data"))
            .env("PALISADE__TELEMETRY__LOG", "warn")
            .env("PALISADE__TELEMETRY__LOG_FORMAT", "json")
            // Reading everything back is a burst beyond the limits for people.
            .env("PALISADE__API__REQUESTS_PER_MINUTE", "1000000")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .map_err(|source| TargetError::Spawn { binary: self.binary.clone(), source })?;
        self.process = Some(process);
        Ok(())
    }

    /// Waits until the started process is ready; returns the elapsed time.
    pub async fn ready(&mut self) -> Result<Duration, TargetError> {
        let begun = Instant::now();
        while begun.elapsed() < START_BOUND {
            self.check()?;
            let mut client = Client::new(self.address, "");
            if client.get("/readyz").await.is_ok_and(|answer| answer.status == 200) {
                return Ok(begun.elapsed());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Err(TargetError::NotReady { log: self.log() })
    }

    /// Fails when the process exited unexpectedly.
    pub fn check(&mut self) -> Result<(), TargetError> {
        let Some(process) = &mut self.process else { return Ok(()) };
        match process.try_wait()? {
            Some(status) => Err(TargetError::Ended { status, log: self.log() }),
            None => Ok(()),
        }
    }

    /// Kills the process with SIGKILL, and waits until it has exited.
    pub async fn kill(&mut self) -> Result<(), TargetError> {
        self.check()?;
        if let Some(mut process) = self.process.take() {
            process.kill().await?;
        }
        Ok(())
    }

    /// Address of its listener.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The key that it wrote to a file at its first start.
    pub fn api_key(&self) -> Result<String, TargetError> {
        let file = self.directory.join("data").join("first-run.json");
        let bytes = std::fs::read(&file)?;
        let document: Result<Value, _> = serde_json::from_slice(&bytes);
        let key = document.map(|document| document["api_key"].as_str().map(str::to_owned));
        match key {
            Ok(Some(key)) => Ok(key),
            Ok(None) => Err(TargetError::FirstRun { file, cause: "api_key is missing".to_owned() }),
            Err(error) => Err(TargetError::FirstRun { file, cause: error.to_string() }),
        }
    }

    /// Standard error of the server over all its starts.
    pub fn log(&self) -> PathBuf {
        self.directory.join("server.log")
    }

    /// Errors and panics in its log: a killed server has no reason for either.
    pub fn complaints(&self) -> io::Result<Vec<String>> {
        let lines = BufReader::new(File::open(self.log())?).lines().map_while(Result::ok);
        Ok(lines.filter(|line| is_complaint(line)).take(MOST_COMPLAINTS).collect())
    }
}

fn is_complaint(line: &str) -> bool {
    line.contains(r#""level":"ERROR""#) || line.contains("panicked at")
}

/// An address with a free port.
pub fn free_address(listen: IpAddr, chance: &mut StdRng) -> Result<SocketAddr, TargetError> {
    for _ in 0..PORT_ATTEMPTS {
        let address = SocketAddr::new(listen, chance.random_range(PORTS));
        if TcpListener::bind(address).is_ok() {
            return Ok(address);
        }
    }
    Err(TargetError::NoPort { listen })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_panics_are_complaints_and_nothing_else_is() {
        assert!(is_complaint(r#"{"timestamp":"…","level":"ERROR","message":"a record was quarantined"}"#));
        assert!(is_complaint("thread 'main' panicked at server/src/main.rs:1:1:"));
        assert!(!is_complaint(r#"{"level":"WARN","error":"the partition is read again"}"#));
    }
}

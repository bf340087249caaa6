//! The demo's server: this same binary, serving from a temporary directory on a free port. It ends,
//! and the directory is removed, with the demo.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;

use crate::Failure;

/// Interval of checking whether the server is up.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Name of the file in the data directory.
const FIRST_RUN_FILE: &str = "first-run.json";
/// Checks before giving up: a minute. Compiling the rules takes long on a busy machine or in a build without optimization.
const MOST_LOOKS: u32 = 1_200;

/// A running server.
pub(super) struct Child {
    process: tokio::process::Child,
    /// Its addresses and key.
    pub first_run: FirstRun,
    directory: tempfile::TempDir,
}

/// Document that the server wrote at its first start.
#[derive(Debug, Deserialize)]
pub(super) struct FirstRun {
    /// URL of its API.
    pub base_url: String,
    /// The first key.
    pub api_key: String,
    /// URL for the logs of the first source.
    pub logs_url: String,
}

/// The server did not start.
#[derive(Debug, Error)]
pub(super) enum StartError {
    #[error("the server exited immediately, with {status}; try: palisade doctor")]
    Ended { status: std::process::ExitStatus },
    #[error("the server did not become ready within a minute")]
    NotUp,
}

impl Child {
    /// Starts a server and waits until it has written its addresses.
    pub(super) async fn start() -> Result<Self, Failure> {
        let directory = tempfile::Builder::new().prefix("palisade-demo-").tempdir()?;
        let mut command = tokio::process::Command::new(std::env::current_exe()?);
        // Settings belong to another deployment, to which a demo sends nothing.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PALISADE__") {
                command.env_remove(name);
            }
        }
        let mut process = command
            .args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "off", "--data-dir"])
            .arg(directory.path())
            .env("PALISADE__TELEMETRY__LOG", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let file = directory.path().join(FIRST_RUN_FILE);
        for _ in 0..MOST_LOOKS {
            if let Some(first_run) = read(&file) {
                return Ok(Self { process, first_run, directory });
            }
            if let Some(status) = process.try_wait()? {
                return Err(StartError::Ended { status }.into());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Err(StartError::NotUp.into())
    }

    /// The file with the server's addresses.
    pub(super) fn first_run_file(&self) -> PathBuf {
        self.directory.path().join(FIRST_RUN_FILE)
    }

    /// Keeps the server running until the person at the terminal interrupts.
    pub(super) async fn until_interrupted(mut self) -> Result<(), Failure> {
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted?,
            ended = self.process.wait() => { ended?; }
        }
        Ok(())
    }
}

/// The file appears complete or not at all.
fn read(file: &Path) -> Option<FirstRun> {
    serde_json::from_slice(&std::fs::read(file).ok()?).ok()
}

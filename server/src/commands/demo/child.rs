//! The demo's server: this same binary, serving from a temporary directory on a free port. It ends,
//! and the directory goes, with the demo.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;

use crate::Failure;

/// How often the server is asked whether it is up.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Name of the file in the data directory.
const FIRST_RUN_FILE: &str = "first-run.json";
/// Looks until it is given up: a minute. Compiling the rules takes long on a busy machine or in a build without optimization.
const MOST_LOOKS: u32 = 1_200;

/// A running server.
pub(super) struct Child {
    process: tokio::process::Child,
    /// How to reach it.
    pub first_run: FirstRun,
    directory: tempfile::TempDir,
}

/// What the server wrote down at its first start.
#[derive(Debug, Deserialize)]
pub(super) struct FirstRun {
    /// Where its API is.
    pub base_url: String,
    /// The first key.
    pub api_key: String,
    /// Where the first source takes logs in.
    pub logs_url: String,
}

/// The server did not come up.
#[derive(Debug, Error)]
pub(super) enum StartError {
    #[error("the server exited immediately, with {status}; try: palisade doctor")]
    Ended { status: std::process::ExitStatus },
    #[error("the server did not become ready within a minute")]
    NotUp,
}

impl Child {
    /// Starts a server and waits until it has written down how to reach it.
    pub(super) async fn start() -> Result<Self, Failure> {
        let directory = tempfile::Builder::new().prefix("palisade-demo-").tempdir()?;
        let mut command = tokio::process::Command::new(std::env::current_exe()?);
        // Settings are of another deployment, to which a demo sends nothing.
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

    /// Where the server wrote down how to reach it.
    pub(super) fn first_run_file(&self) -> PathBuf {
        self.directory.path().join(FIRST_RUN_FILE)
    }

    /// Leaves the server running until the person at the terminal has seen enough.
    pub(super) async fn until_interrupted(mut self) -> Result<(), Failure> {
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted?,
            ended = self.process.wait() => { ended?; }
        }
        Ok(())
    }
}

/// The file appears whole or not at all.
fn read(file: &Path) -> Option<FirstRun> {
    serde_json::from_slice(&std::fs::read(file).ok()?).ok()
}

//! Kafka or Cassandra, as far as a command controls them: started, stopped, killed, paused and resumed.
//! They outlive the run, and run when it is over.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use thiserror::Error;
use tokio::process::Command;

/// How long a command may take: a start of Cassandra on a busy machine.
const COMMAND_BOUND: Duration = Duration::from_secs(180);

/// The command did not do what it was asked for.
#[derive(Debug, Error)]
#[error("{} {word}: {what}", command.display())]
pub(crate) struct StoreError {
    command: PathBuf,
    word: &'static str,
    what: String,
}

/// A store, and the command that controls it.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    /// What it is called in reports.
    pub(crate) name: &'static str,
    pub(crate) command: PathBuf,
}

impl Store {
    /// Has the command do something; it returns when that is done.
    pub(crate) async fn control(&self, word: &'static str) -> Result<(), StoreError> {
        let failed = |what: String| StoreError { command: self.command.clone(), word, what };
        let mut command = Command::new(&self.command);
        // What it starts keeps its standard streams; a pipe would never end.
        command.arg(word).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = tokio::time::timeout(COMMAND_BOUND, command.status())
            .await
            .map_err(|_| failed(format!("not done after {} s", COMMAND_BOUND.as_secs())))?
            .map_err(|error| failed(error.to_string()))?;
        if status.success() { Ok(()) } else { Err(failed(status.to_string())) }
    }

    /// Has it run again, whatever was done to it.
    pub(crate) async fn leave_running(&self) -> Result<(), StoreError> {
        // Fails when it does not run; then it is not paused either.
        let _ = self.control("resume").await;
        self.control("start").await
    }
}

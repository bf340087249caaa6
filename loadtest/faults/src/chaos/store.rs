//! Kafka or Cassandra, controlled by a command: started, stopped, killed, paused and resumed.
//! They outlive the run, and are running at its end.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::failure::RunError;

/// Longest time of a command: a start of Cassandra on a busy machine.
const COMMAND_BOUND: Duration = Duration::from_secs(180);

/// A store, and the command that controls it.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    /// Name in reports.
    pub(crate) name: &'static str,
    pub(crate) command: PathBuf,
}

impl Store {
    /// Executes an action of the command; returns when it is done.
    pub(crate) async fn control(&self, word: &str) -> Result<(), RunError> {
        let failed =
            |what: String| RunError::Command { command: format!("{} {word}", self.command.display()), what };
        let mut command = Command::new(&self.command);
        // A process that it starts keeps its standard streams; a pipe would never end.
        command.arg(word).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = tokio::time::timeout(COMMAND_BOUND, command.status())
            .await
            .map_err(|_| failed(format!("not done after {} s", COMMAND_BOUND.as_secs())))?
            .map_err(|error| failed(error.to_string()))?;
        if status.success() { Ok(()) } else { Err(failed(status.to_string())) }
    }

    /// Makes it run again, from any state.
    pub(crate) async fn leave_running(&self) -> Result<(), RunError> {
        // Fails when it does not run; then it is not paused either.
        let _ = self.control("resume").await;
        self.control("start").await
    }
}

//! The supervised task set: the only place where long-running tasks are spawned. Every task has a
//! name and an owner; one that ends early or panics shuts the process down in order, with an error
//! that names it.

use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use thiserror::Error;
use tokio::task::{Id, JoinError, JoinSet};

use crate::shutdown::{Shutdown, ShutdownConfig, Stage};

/// Time that the front may take to end beyond that of its requests: listeners close the remaining
/// connections at the end of the drain, and log their number.
const CUTTING: Duration = Duration::from_secs(1);

/// Error of a task: erased, because the set only reports it.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Reason why the process ended other than on request.
#[derive(Debug, Error)]
pub enum TaskError {
    /// The task returned although no shutdown was requested.
    #[error("task {name} ended, expected it to run until the shutdown")]
    EndedEarly {
        /// The task.
        name: &'static str,
    },
    /// The task returned an error.
    #[error("task {name} failed")]
    Failed {
        /// The task.
        name: &'static str,
        /// Error that it returned.
        source: BoxError,
    },
    /// The task panicked, or the runtime ended under it.
    #[error("task {name} terminated abnormally: {cause}")]
    Broken {
        /// The task.
        name: &'static str,
        /// Error of the runtime.
        cause: JoinError,
    },
    /// Tasks that were still running when their time to finish was over.
    #[error("{} did not end within {} s", names.join(", "), limit.as_secs_f64())]
    Overdue {
        /// The tasks.
        names: Vec<&'static str>,
        /// The time they had.
        limit: Duration,
    },
    /// A second signal: running tasks were dropped.
    #[error("terminated immediately after a second signal")]
    AtOnce,
}

/// Stage in which a task is asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Accepts work: ends in [`Stage::Draining`].
    Front,
    /// Processes the work of the front: ends in [`Stage::Flushing`], once the front has ended.
    Back,
}

/// The tasks of the process. Each waits for the stage of its [`Tier`] and then returns.
#[derive(Debug, Default)]
pub struct Tasks {
    front: Group,
    back: Group,
}

#[derive(Debug, Default)]
struct Group {
    set: JoinSet<Result<(), BoxError>>,
    names: HashMap<Id, &'static str>,
}

impl Tasks {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a task. Needs a running tokio runtime.
    pub fn spawn<F>(&mut self, name: &'static str, tier: Tier, task: F)
    where
        F: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        let group = match tier {
            Tier::Front => &mut self.front,
            Tier::Back => &mut self.back,
        };
        let handle = group.set.spawn(task);
        group.names.insert(handle.id(), name);
    }

    /// Supervises the tasks until the process has shut down: by `shutdown`, or because a task ended on its own.
    /// The front is given `drain` and a second, then the back is given `flush`. A set without tasks waits for
    /// the shutdown all the same.
    ///
    /// # Errors
    /// The first [`TaskError`]; none after an orderly end.
    pub async fn supervise(mut self, shutdown: &Shutdown, config: &ShutdownConfig) -> Result<(), TaskError> {
        let early = tokio::select! {
            // First, because a front that ends at once on request has not ended early.
            biased;
            () = shutdown.reached(Stage::Draining) => None,
            error = first_to_end(&mut self.front, &mut self.back) => Some(error),
        };
        if let Some(error) = &early {
            tracing::error!(error = error as &dyn Error, "shutting down");
            shutdown.advance(Stage::Draining);
        }
        let drained = tokio::select! {
            () = shutdown.reached(Stage::AtOnce) => return Err(TaskError::AtOnce),
            drained = self.front.finish(config.drain + CUTTING) => drained,
        };
        shutdown.advance(Stage::Flushing);
        let flushed = tokio::select! {
            () = shutdown.reached(Stage::AtOnce) => return Err(TaskError::AtOnce),
            flushed = self.back.finish(config.flush) => flushed,
        };
        early.map_or(Ok(()), Err).and(drained).and(flushed)
    }
}

async fn first_to_end(front: &mut Group, back: &mut Group) -> TaskError {
    tokio::select! {
        error = front.next_to_end() => error,
        error = back.next_to_end() => error,
    }
}

impl Group {
    /// Waits for a task to end when none should. Never returns while the group is empty.
    async fn next_to_end(&mut self) -> TaskError {
        match self.set.join_next_with_id().await {
            None => std::future::pending().await,
            Some(Ok((id, Ok(())))) => TaskError::EndedEarly { name: self.forget(id) },
            Some(Ok((id, Err(source)))) => TaskError::Failed { name: self.forget(id), source },
            Some(Err(cause)) => TaskError::Broken { name: self.forget(cause.id()), cause },
        }
    }

    /// Waits for all tasks to end now that they should; aborts those that do not within `limit`.
    async fn finish(&mut self, limit: Duration) -> Result<(), TaskError> {
        let mut outcome = Ok(());
        let all = async {
            while let Some(ended) = self.set.join_next_with_id().await {
                let this = match ended {
                    Ok((id, result)) => {
                        let name = forget(&mut self.names, id);
                        result.map_err(|source| TaskError::Failed { name, source })
                    }
                    Err(cause) => Err(TaskError::Broken { name: forget(&mut self.names, cause.id()), cause }),
                };
                if outcome.is_ok() {
                    outcome = this;
                }
            }
        };
        if tokio::time::timeout(limit, all).await.is_ok() {
            return outcome;
        }
        self.set.abort_all();
        let mut names: Vec<_> = self.names.values().copied().collect();
        names.sort_unstable();
        outcome.and(Err(TaskError::Overdue { names, limit }))
    }

    fn forget(&mut self, id: Id) -> &'static str {
        forget(&mut self.names, id)
    }
}

fn forget(names: &mut HashMap<Id, &'static str>, id: Id) -> &'static str {
    names.remove(&id).unwrap_or("without a name")
}

#[cfg(test)]
mod tests;

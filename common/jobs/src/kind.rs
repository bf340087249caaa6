//! Kinds of jobs, and what their crates provide.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::clock::SharedClock;
use records::{Draft, RecordError, Records};
use thiserror::Error;

use crate::job::{Ending, Job};
use crate::run::Run;
use crate::unreadable::Unreadable;

/// A kind of job.
#[derive(Clone)]
pub struct JobKind {
    /// Its name, stored with every job.
    pub name: &'static str,
    /// Which slots it takes.
    pub class: Class,
    /// Time limit of one attempt, as a safeguard.
    pub deadline: Duration,
    /// Start of an attempt after a failure.
    pub restart: Restart,
    /// Jobs of one organization that run at once.
    pub running: usize,
    /// Jobs of one organization that are queued beside those.
    pub queued: usize,
    /// Runs it.
    pub handler: Arc<dyn Handler>,
}

impl JobKind {
    /// A kind with the usual bounds for an organization, 2 running and 100 queued, that restarts from its checkpoint.
    #[must_use]
    pub fn new(name: &'static str, class: Class, deadline: Duration, handler: Arc<dyn Handler>) -> Self {
        Self { name, class, deadline, restart: Restart::Checkpoint, running: 2, queued: 100, handler }
    }
}

/// Which slots a job takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Uses a processor.
    Heavy,
    /// Waits for the network.
    Light,
}

/// Start of an attempt after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// At the last checkpoint.
    Checkpoint,
    /// At the beginning, from the snapshot that the record names: the checkpoint is removed.
    Snapshot,
}

/// Runs jobs of a kind. What blocks or computes for long belongs in a thread or process of its own: an attempt is ended at a
/// point where it waits.
#[async_trait]
pub trait Handler: Send + Sync {
    /// Runs one attempt: reads the checkpoint, works in [`Run::steps`], and ends with a step that finishes or defers. A return
    /// without one finishes the job.
    ///
    /// # Errors
    /// [`Stop`].
    async fn run(&self, run: &mut Run) -> Result<(), Stop>;

    /// Adds to the commit that ends a job without a result what the record has to say about it. May be called again when
    /// another commit came first.
    ///
    /// # Errors
    /// When the record cannot be read or the change not added; it is tried again like an attempt.
    async fn fail(
        &self,
        records: &Records,
        job: &Job,
        ending: &Ending,
        draft: &mut Draft,
    ) -> Result<(), RecordError>;
}

/// Reason why an attempt stops.
#[derive(Debug, Error)]
pub enum Stop {
    /// Another attempt has begun, or the job has ended: nothing can be committed.
    #[error("the job was taken over")]
    Replaced,
    /// Somebody cancelled the job.
    #[error("the job was cancelled")]
    Cancelled,
    /// The attempt takes too long.
    #[error("the deadline has passed")]
    DeadlineExceeded,
    /// It failed and may succeed in another attempt.
    #[error("the attempt failed: {0}")]
    Retry(String),
    /// It cannot succeed.
    #[error("the job failed: {0}")]
    Fatal(String),
}

impl From<RecordError> for Stop {
    fn from(error: RecordError) -> Self {
        Self::Retry(error.to_string())
    }
}

/// Jobs of all kinds: what queues and runs them shares.
pub struct Jobs {
    pub(crate) records: Arc<Records>,
    pub(crate) kinds: BTreeMap<&'static str, JobKind>,
    pub(crate) clock: SharedClock,
    pub(crate) unreadable: Unreadable,
}

impl Jobs {
    /// Jobs of these kinds, beside these records. Of two kinds with one name the later counts.
    #[must_use]
    pub fn new(records: Arc<Records>, kinds: Vec<JobKind>, clock: SharedClock) -> Self {
        let kinds = kinds.into_iter().map(|kind| (kind.name, kind)).collect();
        Self { records, kinds, clock, unreadable: Unreadable::default() }
    }

    /// The records beside which the jobs are.
    #[must_use]
    pub fn records(&self) -> &Arc<Records> {
        &self.records
    }
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.kinds.keys()).finish()
    }
}

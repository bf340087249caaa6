//! Threads for work that blocks, such as reads from a disk: a fixed number for each kind of work, with a bounded queue
//! in front. The blocking pool of the runtime is shared by everything in the process, so that one kind of work that
//! hangs would hold up all others there.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// A pool of threads that each own one `S`, such as a connection.
pub struct Threads<S> {
    jobs: Option<SyncSender<Job<S>>>,
    /// One permit for each thread, taken before work is handed over: so the channel always has room.
    idle: Arc<Semaphore>,
    waiting: AtomicUsize,
    limits: Limits,
    threads: Vec<JoinHandle<()>>,
}

type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// Limits on work that waits for a thread.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Callers that wait. Those beyond are refused at once.
    pub waiting: usize,
    /// Time limit of each wait.
    pub patience: Duration,
}

/// Reason why work was not done, or its result is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ThreadsError {
    /// As many callers wait as may.
    #[error("expected at most {limit} callers to wait for a thread, found more")]
    Full {
        /// Their limit.
        limit: usize,
    },
    /// No thread became free in time.
    #[error("no thread was free within {patience:?}")]
    Busy {
        /// Time waited.
        patience: Duration,
    },
    /// The work panicked, or the threads have ended.
    #[error("the work was aborted")]
    Broken,
}

impl<S: Send + 'static> Threads<S> {
    /// Starts one thread for each state, named `name`.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn start(name: &str, states: Vec<S>, limits: Limits) -> std::io::Result<Self> {
        let (jobs, incoming) = sync_channel(states.len());
        let idle = Arc::new(Semaphore::new(states.len()));
        let incoming = Arc::new(Mutex::new(incoming));
        let mut started =
            Self { jobs: Some(jobs), idle, waiting: AtomicUsize::new(0), limits, threads: Vec::new() };
        for state in states {
            let incoming = Arc::clone(&incoming);
            let builder = thread::Builder::new().name(name.to_owned());
            started.threads.push(builder.spawn(move || work(&incoming, state))?);
        }
        Ok(started)
    }

    /// Runs work on the next free thread, in the order of calls. Once it has begun it goes on, also when the caller
    /// goes away.
    ///
    /// # Errors
    /// [`ThreadsError`].
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> Result<T, ThreadsError> {
        let permit = self.turn().await?;
        let (answer, answered) = oneshot::channel();
        let job = Box::new(move |state: &mut S| {
            let result = work(state);
            // In front of the answer, so that a caller that asks again at once finds the thread free.
            drop(permit);
            // A caller that went away has given up its answer.
            let _ = answer.send(result);
        });
        let jobs = self.jobs.as_ref().ok_or(ThreadsError::Broken)?;
        jobs.send(job).map_err(|_| ThreadsError::Broken)?;
        answered.await.map_err(|_| ThreadsError::Broken)
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, ThreadsError> {
        if let Ok(permit) = Arc::clone(&self.idle).try_acquire_owned() {
            return Ok(permit);
        }
        let _waiting = Waiting::new(self)?;
        let patience = self.limits.patience;
        let turn = tokio::time::timeout(patience, Arc::clone(&self.idle).acquire_owned()).await;
        turn.map_err(|_| ThreadsError::Busy { patience })?.map_err(|_| ThreadsError::Broken)
    }
}

/// Loop of each thread until the pool is dropped.
fn work<S>(incoming: &Mutex<Receiver<Job<S>>>, mut state: S) {
    loop {
        // One thread waits for work, the others for the lock: either way for the next job.
        let next = incoming.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        if catch_unwind(AssertUnwindSafe(|| job(&mut state))).is_err() {
            // The caller is told; what a panic left of the state is the work's concern.
            tracing::error!("blocking work panicked; its thread continues");
        }
    }
}

/// One of those who wait, for as long as it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new<S>(threads: &'a Threads<S>) -> Result<Self, ThreadsError> {
        let limit = threads.limits.waiting;
        let one_more = |waiting: usize| (waiting < limit).then_some(waiting + 1);
        let counted = threads.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        counted.map(|_| Self(&threads.waiting)).map_err(|_| ThreadsError::Full { limit })
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Waits for the work under way, so that nothing of the states is left when it returns.
impl<S> Drop for Threads<S> {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // The last one to hold the pool may be work of its own.
            if thread.thread().id() != thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

impl<S> fmt::Debug for Threads<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threads").field("limits", &self.limits).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

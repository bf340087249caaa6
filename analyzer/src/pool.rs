//! The threads that match rules: the only file that names rayon. Work is handed over once a batch,
//! because a hand-over costs about as much as matching several records.

use rayon::prelude::*;
use thiserror::Error;
use tokio::sync::oneshot;

/// Items a thread takes at once.
const CHUNK: usize = 128;

/// A fixed set of threads for work that only computes.
#[derive(Debug)]
pub(crate) struct Pool {
    threads: rayon::ThreadPool,
}

/// Why work was not done.
#[derive(Debug, Error)]
pub enum PoolError {
    /// The operating system gave no threads.
    #[error("the threads for matching could not be started")]
    Start(#[source] rayon::ThreadPoolBuildError),
    /// The work panicked outside of what it guards itself.
    #[error("a batch could not be matched: the work on it panicked")]
    Panicked,
}

impl Pool {
    /// Starts `threads` threads, one per core when 0.
    pub(crate) fn start(threads: usize) -> Result<Self, PoolError> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("match-{index}"))
            .build()
            .map(|threads| Self { threads })
            .map_err(PoolError::Start)
    }

    /// Runs `work` on the pool without blocking the caller's thread. Work in flight is bounded by the
    /// callers: each partition has a fixed number of batches under way.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PoolError> {
        let (answer, answered) = oneshot::channel();
        self.threads.spawn(move || {
            // Nobody waits any more when the partition was given up.
            let _ = answer.send(work());
        });
        answered.await.map_err(|_| PoolError::Panicked)
    }
}

/// Maps items in parallel, keeping their order; `work` is given what `start` made for some items in a row, and may
/// use it again from item to item. Called on a pool's thread.
pub(crate) fn filter_map_in_order<T: Sync, S, R: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> Option<R> + Sync,
) -> Vec<R> {
    let chunk = |items: &[T]| -> Vec<R> {
        let mut kept = start();
        items.iter().filter_map(|item| work(&mut kept, item)).collect()
    };
    if items.len() <= CHUNK {
        return chunk(items);
    }
    let parts: Vec<Vec<R>> = items.par_chunks(CHUNK).map(chunk).collect();
    parts.into_iter().flatten().collect()
}

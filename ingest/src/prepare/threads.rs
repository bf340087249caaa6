//! The few threads on which large bodies are prepared, and the only file of ingestion that names rayon. Not the
//! runtime's, of which dozens would take turns: the allocator keeps freed memory for each thread, so that the memory
//! of the largest bodies would stay once for every one of them. `prepare` defines the work.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use thiserror::Error;
use tokio::sync::oneshot;

/// Reason why ingestion cannot be built.
#[derive(Debug, Error)]
#[error("starting {wanted} threads that prepare large bodies failed")]
pub struct BuildError {
    /// Number of threads wanted.
    wanted: usize,
    #[source]
    cause: ThreadPoolBuildError,
}

/// Threads that end when this is dropped and their work is done.
pub(super) struct Threads {
    pool: ThreadPool,
}

impl Threads {
    /// Starts this many.
    ///
    /// # Errors
    /// If the system starts no more threads.
    pub(super) fn start(count: usize) -> Result<Self, BuildError> {
        let builder =
            ThreadPoolBuilder::new().num_threads(count).thread_name(|number| format!("prepare-{number}"));
        builder.build().map(|pool| Self { pool }).map_err(|cause| BuildError { wanted: count, cause })
    }

    /// Runs work there; a panic is propagated to the caller, and there is no result when the threads have ended. Work
    /// beyond the number of threads waits without a bound, which the caller must set. Work whose caller stops waiting
    /// before it begins is not done.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (tell, told) = oneshot::channel();
        self.pool.spawn_fifo(move || {
            if !tell.is_closed() {
                // The caller may have stopped waiting by the end.
                drop(tell.send(catch_unwind(AssertUnwindSafe(work))));
            }
        });
        match told.await.ok()? {
            Ok(outcome) => Some(outcome),
            Err(panic) => resume_unwind(panic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_done_elsewhere_and_a_panic_comes_back() {
        let threads = Threads::start(1).unwrap();
        let name = threads.run(|| std::thread::current().name().map(str::to_owned)).await;
        assert_eq!(name.flatten().as_deref(), Some("prepare-0"));
        let mut asked = tokio::task::JoinSet::new();
        asked.spawn(async move { threads.run(|| panic!("as it happens")).await.unwrap_or(()) });
        assert!(asked.join_next().await.unwrap().unwrap_err().is_panic());
    }
}

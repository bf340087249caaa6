//! Threads for the analysis of texts, apart from those that serve requests: one for each core, with a bounded queue.

use std::io;
use std::time::Duration;

use rest::error::ApiError;
use threads::{Limits, Threads, ThreadsError};

/// Requests that wait for a thread, for each thread. At a millisecond a request the last one waits 64 ms.
const WAITING_PER_THREAD: usize = 64;
/// Time limit of the wait: large texts take up to half a second each.
const PATIENCE: Duration = Duration::from_secs(2);

/// The threads.
pub(crate) struct Work(Threads<()>);

impl Work {
    /// Starts one thread for each core.
    pub(crate) fn start(cores: usize) -> io::Result<Self> {
        let cores = cores.max(1);
        let limits = Limits { waiting: cores * WAITING_PER_THREAD, patience: PATIENCE };
        Threads::start("text analysis", vec![(); cores], limits).map(Self)
    }

    /// Runs an analysis.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        analysis: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        self.0.run(move |()| analysis()).await.map_err(|error| match error {
            ThreadsError::Full { .. } | ThreadsError::Busy { .. } => ApiError::unavailable(error),
            ThreadsError::Broken => ApiError::internal(error),
        })
    }
}

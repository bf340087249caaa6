//! Scans that go on after the reply, in the process that received their content. Their content is in memory only.

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use rest::error::ApiError;
use thiserror::Error;
use tokio::sync::mpsc;

/// Scans that wait to begin. Each holds its content, 1 MiB at most, within the memory of its turn.
const WAITING: usize = 64;
/// Scans that run at a time: their analysis waits for threads, and their look-ups for the network.
const RUNNING: usize = 32;

/// No place was free.
#[derive(Debug, Error)]
#[error("expected fewer than {WAITING} waiting scans")]
struct Full;

/// Takes scans.
pub(crate) struct Background(mpsc::Sender<BoxFuture<'static, ()>>);

/// A place for a scan.
pub(crate) struct Place(mpsc::OwnedPermit<BoxFuture<'static, ()>>);

/// Runs the scans that were taken.
pub(crate) struct Runner(mpsc::Receiver<BoxFuture<'static, ()>>);

impl Background {
    pub(crate) fn new() -> (Self, Runner) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self(sender), Runner(receiver))
    }

    /// Reserves a place for a scan.
    ///
    /// # Errors
    /// 503 when too many wait.
    pub(crate) fn place(&self) -> Result<Place, ApiError> {
        self.0.clone().try_reserve_owned().map(Place).map_err(|_| ApiError::unavailable(Full))
    }
}

impl Place {
    /// Takes the scan of the place.
    pub(crate) fn start(self, scan: BoxFuture<'static, ()>) {
        self.0.send(scan);
    }
}

impl Runner {
    /// Runs scans until no more can be taken.
    pub(crate) async fn run(mut self) {
        let mut running = FuturesUnordered::new();
        loop {
            tokio::select! {
                scan = self.0.recv(), if running.len() < RUNNING => match scan {
                    Some(scan) => running.push(scan),
                    None => break,
                },
                Some(()) = running.next() => {}
            }
        }
        while running.next().await.is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn scans_run_side_by_side_and_too_many_are_refused() {
        let (background, runner) = Background::new();
        let done = Arc::new(AtomicUsize::new(0));
        for _ in 0..WAITING {
            let done = Arc::clone(&done);
            let scan = async move {
                tokio::task::yield_now().await;
                done.fetch_add(1, Ordering::SeqCst);
            };
            background.place().unwrap().start(Box::pin(scan));
        }
        assert!(matches!(background.place(), Err(ApiError::Unavailable(_))));
        drop(background);
        runner.run().await;
        assert_eq!(done.load(Ordering::SeqCst), WAITING);
    }
}

//! Whether a connection is at work: counts the requests in progress, from the complete head to the
//! last byte of the response handed over.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body::{Body, Frame, SizeHint};

/// Shared by a connection, its requests and its watcher.
#[derive(Debug, Default)]
pub(super) struct Activity {
    in_progress: AtomicUsize,
    /// Begins and ends of requests: two looks that see the same number saw nothing in between.
    events: AtomicU64,
}

impl Activity {
    pub(super) fn begin(self: &Arc<Self>) -> InProgress {
        self.in_progress.fetch_add(1, Ordering::Relaxed);
        self.events.fetch_add(1, Ordering::Relaxed);
        InProgress(self.clone())
    }

    /// Returns once there is no reason to keep the connection: no request within `first`, or later
    /// a whole period of `idle` without one in progress.
    pub(super) async fn idle(&self, first: Duration, idle: Duration) {
        tokio::time::sleep(first).await;
        if self.events.load(Ordering::Relaxed) > 0 {
            self.quiet(idle).await;
        }
    }

    /// Returns after a whole `period` in which nothing was in progress.
    pub(super) async fn quiet(&self, period: Duration) {
        loop {
            let seen = self.events.load(Ordering::Relaxed);
            tokio::time::sleep(period).await;
            let nothing = self.in_progress.load(Ordering::Relaxed) == 0;
            if nothing && self.events.load(Ordering::Relaxed) == seen {
                return;
            }
        }
    }
}

/// A request in progress, until dropped.
#[derive(Debug)]
pub(super) struct InProgress(Arc<Activity>);

impl Drop for InProgress {
    fn drop(&mut self) {
        self.0.events.fetch_add(1, Ordering::Relaxed);
        self.0.in_progress.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A response body that keeps its request in progress while it is sent.
#[derive(Debug)]
pub(super) struct Tracked<B> {
    pub(super) body: B,
    pub(super) _in_progress: InProgress,
}

impl<B: Body + Unpin> Body for Tracked<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

//! Whether a connection is at work: counts the requests in progress, from the complete head to the
//! last byte of the response handed over.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::CONTENT_LENGTH;
use http::{Method, Response};
use http_body::{Body, Frame, SizeHint};

/// How often an idle connection is looked at before it is closed: often enough to close those of a crowd
/// soon, seldom enough that ten thousand of them cost nothing.
const LOOKS: u32 = 15;

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
    /// a whole period of `idle` without one in progress; where it is one of a crowd, one of the
    /// [`LOOKS`] parts of that period.
    pub(super) async fn idle(&self, first: Duration, idle: Duration, crowded: impl Fn() -> bool) {
        tokio::time::sleep(first).await;
        if self.events.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut quiet = 0;
        while quiet < LOOKS && !(quiet > 0 && crowded()) {
            quiet = if self.was_quiet(idle / LOOKS).await { quiet + 1 } else { 0 };
        }
    }

    /// Returns after a whole `period` in which nothing was in progress.
    pub(super) async fn quiet(&self, period: Duration) {
        while !self.was_quiet(period).await {}
    }

    /// Whether nothing was in progress for a period from now on.
    async fn was_quiet(&self, period: Duration) -> bool {
        let seen = self.events.load(Ordering::Relaxed);
        tokio::time::sleep(period).await;
        let nothing = self.in_progress.load(Ordering::Relaxed) == 0;
        nothing && self.events.load(Ordering::Relaxed) == seen
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
    body: B,
    /// Whether the request was a HEAD, which is answered without the body.
    withheld: bool,
    _in_progress: InProgress,
}

impl<B: Body> Tracked<B> {
    /// The response as it is sent. A HEAD is answered with the head that a GET would get, length
    /// included, and nothing behind it (RFC 9110 section 9.3.2): the HTTP/1.1 encoder sees to that by
    /// itself, the HTTP/2 one does not.
    pub(super) fn response(
        response: Response<B>,
        method: &Method,
        in_progress: InProgress,
    ) -> Response<Self> {
        let withheld = *method == Method::HEAD;
        let (mut head, body) = response.into_parts();
        if let Some(length) = body.size_hint().exact().filter(|_| withheld) {
            head.headers.entry(CONTENT_LENGTH).or_insert_with(|| length.into());
        }
        Response::from_parts(head, Self { body, withheld, _in_progress: in_progress })
    }
}

impl<B: Body + Unpin> Body for Tracked<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if self.withheld {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.withheld || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.withheld { SizeHint::with_exact(0) } else { self.body.size_hint() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_secs(10);
    const IDLE: Duration = Duration::from_secs(75);

    async fn kept(activity: &Activity, crowded: bool) -> Duration {
        let begun = tokio::time::Instant::now();
        activity.idle(FIRST, IDLE, || crowded).await;
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connections_are_kept_for_the_period_and_those_of_a_crowd_for_a_part_of_it() {
        let activity = Arc::new(Activity::default());
        assert_eq!(kept(&activity, false).await, FIRST, "it has never said anything");
        drop(activity.begin());
        assert_eq!(kept(&activity, false).await, FIRST + IDLE);
        assert_eq!(kept(&activity, true).await, FIRST + IDLE / LOOKS);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_at_work_is_kept_whatever_the_crowd() {
        let activity = Arc::new(Activity::default());
        let request = activity.begin();
        let working = async {
            tokio::time::sleep(IDLE * 3).await;
            drop(request);
        };
        let (kept, ()) = tokio::join!(kept(&activity, true), working);
        assert!(kept > IDLE * 3);
    }
}

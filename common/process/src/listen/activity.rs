//! Activity of a connection: its time of acceptance, the number of requests in progress, from the complete
//! head to the last byte of the response taken, and responses that are not being taken.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Interval at which a new or an idle connection is checked before it is closed: short enough to close
/// those of a crowd soon, long enough that ten thousand of them cost almost nothing.
const LOOKS: u32 = 15;
/// The part of the time for a first request that those of a crowd have: a fleet that reconnects behind one address
/// shakes hands all at once, and must not be cut off while we are slow.
const OF_A_CROWD: u32 = 5;
/// Bytes of a response, if that many are left, by which it must advance: a peer that reads byte by byte
/// could otherwise keep it for as long as one that reads nothing, at hardly more cost.
const LEAST_TAKEN: usize = 1024;

/// Shared by a connection, its requests and its watcher.
#[derive(Debug)]
pub(super) struct Activity {
    accepted: Instant,
    in_progress: AtomicUsize,
    /// Starts and ends of requests: no change between two checks means no activity.
    events: AtomicU64,
    /// Successive checks without activity: a new watcher continues this count.
    quiet_looks: AtomicU32,
    /// By the number of their request. No more than requests are allowed at a time.
    untaken: Mutex<BTreeMap<u64, Untaken>>,
}

/// Part of the response that the connection was given and has not written.
#[derive(Debug)]
struct Untaken {
    bytes: usize,
    /// Time of its last progress.
    since: Instant,
    taken_since: usize,
}

impl Activity {
    /// Of a connection that is accepted now.
    pub(super) fn new() -> Self {
        Self {
            accepted: Instant::now(),
            in_progress: AtomicUsize::default(),
            events: AtomicU64::default(),
            quiet_looks: AtomicU32::default(),
            untaken: Mutex::default(),
        }
    }

    /// Time since the connection was accepted.
    pub(super) fn age(&self) -> Duration {
        self.accepted.elapsed()
    }

    pub(super) fn begin(self: &Arc<Self>) -> InProgress {
        self.in_progress.fetch_add(1, Ordering::Relaxed);
        let number = self.events.fetch_add(1, Ordering::Relaxed);
        InProgress { activity: self.clone(), number }
    }

    /// Whether there is a first request within `first` of the connection's being accepted; where it is one of a
    /// crowd, within a part of that.
    async fn was_asked(&self, first: Duration, crowded: impl Fn() -> bool) -> bool {
        loop {
            let left = first.saturating_sub(self.age());
            tokio::time::sleep(left.min(first / LOOKS)).await;
            if self.events.load(Ordering::Relaxed) > 0 {
                return true;
            }
            if self.age() >= first || (self.age() >= first / OF_A_CROWD && crowded()) {
                return false;
            }
        }
    }

    /// Returns once a connection has had its time for a first request and made none: see
    /// [`Activity::idle`].
    pub(super) async fn unasked(&self, first: Duration, crowded: impl Fn() -> bool) {
        if self.was_asked(first, crowded).await {
            std::future::pending::<()>().await;
        }
    }

    /// Returns once the connection need not be kept: no request within `first` of its being accepted, or
    /// later a whole period of `idle` without one in progress; where it is one of a crowd, a part of
    /// either.
    pub(super) async fn idle(&self, first: Duration, idle: Duration, crowded: impl Fn() -> bool) {
        if !self.was_asked(first, &crowded).await {
            return;
        }
        loop {
            let looks = self.quiet_looks.load(Ordering::Relaxed);
            if looks >= LOOKS || (looks > 0 && crowded()) {
                return;
            }
            let looks = if self.was_quiet(idle / LOOKS).await { looks + 1 } else { 0 };
            self.quiet_looks.store(looks, Ordering::Relaxed);
        }
    }

    /// Returns after a whole `period` in which nothing was in progress.
    pub(super) async fn quiet(&self, period: Duration) {
        while !self.was_quiet(period).await {}
    }

    /// Whether nothing was in progress for one period from now.
    async fn was_quiet(&self, period: Duration) -> bool {
        let seen = self.events.load(Ordering::Relaxed);
        tokio::time::sleep(period).await;
        let nothing = self.in_progress.load(Ordering::Relaxed) == 0;
        nothing && self.events.load(Ordering::Relaxed) == seen
    }

    /// Returns once a response has not advanced for this time.
    pub(super) async fn stalled(&self, limit: Duration) {
        loop {
            let left = limit.saturating_sub(self.longest_untaken());
            if left.is_zero() {
                return;
            }
            // A response passed on meanwhile stalls later than the end of this sleep.
            tokio::time::sleep(left).await;
        }
    }

    /// Returns once a response has not advanced for this time and nothing else is in progress, or has not
    /// for as long again.
    pub(super) async fn given_up(&self, limit: Duration) {
        self.stalled(limit).await;
        let begun = Instant::now();
        while self.in_progress.load(Ordering::Relaxed) > self.untaken().len() && begun.elapsed() < limit {
            tokio::time::sleep(limit / LOOKS).await;
            self.stalled(limit).await;
        }
    }

    /// Time for which the longest waiting response has not advanced; zero where none waits.
    fn longest_untaken(&self) -> Duration {
        let longest = self.untaken().values().map(|untaken| untaken.since).min();
        longest.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn untaken(&self) -> MutexGuard<'_, BTreeMap<u64, Untaken>> {
        self.untaken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in progress, until dropped.
#[derive(Debug)]
pub(super) struct InProgress {
    activity: Arc<Activity>,
    number: u64,
}

impl InProgress {
    /// This much of the response has been passed to the connection.
    pub(super) fn hand_over(&self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let mut all = self.activity.untaken();
        let new = || Untaken { bytes: 0, since: Instant::now(), taken_since: 0 };
        all.entry(self.number).or_insert_with(new).bytes += bytes;
    }

    /// The connection has written this much of it, or is about to.
    pub(super) fn take(&self, bytes: usize) {
        let mut all = self.activity.untaken();
        let Some(untaken) = all.get_mut(&self.number) else { return };
        untaken.bytes = untaken.bytes.saturating_sub(bytes);
        untaken.taken_since += bytes;
        if untaken.bytes == 0 {
            all.remove(&self.number);
        } else if untaken.taken_since >= LEAST_TAKEN {
            (untaken.since, untaken.taken_since) = (Instant::now(), 0);
        }
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.activity.untaken().remove(&self.number);
        self.activity.events.fetch_add(1, Ordering::Relaxed);
        self.activity.in_progress.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_secs(15);
    const IDLE: Duration = Duration::from_secs(75);
    const STALL: Duration = Duration::from_secs(30);

    async fn kept(activity: &Activity, crowded: bool) -> Duration {
        let begun = Instant::now();
        activity.idle(FIRST, IDLE, || crowded).await;
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn new_connections_have_one_time_for_everything_and_those_of_a_crowd_a_part_of_it() {
        assert_eq!(kept(&Activity::new(), false).await, FIRST, "it has never said anything");
        assert_eq!(kept(&Activity::new(), true).await, FIRST / OF_A_CROWD);
        let activity = Activity::new();
        tokio::time::sleep(FIRST / 2).await;
        assert_eq!(kept(&activity, false).await, FIRST / 2, "from when it was accepted");
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connections_are_kept_for_the_period_and_those_of_a_crowd_for_a_part_of_it() {
        for (crowded, idle) in [(false, IDLE), (true, IDLE / LOOKS)] {
            let activity = Arc::new(Activity::new());
            drop(activity.begin());
            assert_eq!(kept(&activity, crowded).await, FIRST / LOOKS + idle);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_at_work_is_kept_whatever_the_crowd() {
        let activity = Arc::new(Activity::new());
        let request = activity.begin();
        let working = async {
            tokio::time::sleep(IDLE * 3).await;
            drop(request);
        };
        let (kept, ()) = tokio::join!(kept(&activity, true), working);
        assert!(kept > IDLE * 3);
    }

    /// Time after which a response of this many bytes is given up, if some are taken every second.
    async fn borne(bytes: usize, taken: usize) -> Option<Duration> {
        let activity = Arc::new(Activity::new());
        let response = activity.begin();
        response.hand_over(bytes);
        let taking = async {
            for _ in 0..bytes.checked_div(taken).unwrap_or(usize::MAX) {
                tokio::time::sleep(Duration::from_secs(1)).await;
                response.take(taken);
            }
        };
        tokio::select! {
            () = activity.stalled(STALL) => Some(activity.age()),
            () = taking => None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_else_is_in_progress_is_finished_within_as_long_again() {
        for (others, expected) in [(0, 30), (5, 36), (20, 50), (1_000, 60)] {
            let activity = Arc::new(Activity::new());
            let left = activity.begin();
            left.hand_over(100);
            let other = activity.begin();
            let working = async {
                tokio::time::sleep(STALL + Duration::from_secs(others)).await;
                drop(other);
            };
            let given_up = async {
                activity.given_up(STALL).await;
                activity.age()
            };
            let expected = Duration::from_secs(expected);
            tokio::select! {
                biased;
                () = async { working.await; std::future::pending().await } => {}
                age = given_up => assert_eq!(age, expected, "the other takes {others} s more"),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_that_does_not_move_on_is_given_up_and_one_that_does_is_not() {
        assert_eq!(borne(100, 0).await, Some(STALL));
        assert_eq!(borne(100_000, 1).await, Some(STALL), "byte by byte is no better");
        assert_eq!(borne(20, 1).await, None, "it was all there was");
        assert_eq!(borne(100_000, 50).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_that_waits_for_nobody_stalls() {
        let activity = Arc::new(Activity::new());
        let (taken, reset, unborn) = (activity.begin(), activity.begin(), activity.begin());
        taken.hand_over(10);
        taken.take(10);
        reset.hand_over(10);
        drop(reset);
        unborn.hand_over(0);
        let stalled = tokio::time::timeout(STALL * 100, activity.stalled(STALL)).await;
        assert!(stalled.is_err());
        taken.hand_over(10);
        let again = Instant::now();
        activity.stalled(STALL).await;
        assert!(again.elapsed() >= STALL, "from when more was handed over");
    }
}

//! Due times of requests. In the open loop they follow from the rate alone: the server
//! delays no request, and a request that waits for a connection is late from the moment it was due.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::locked::Locked;

/// Requests that may wait for a connection: more than accumulate in some minutes at ten times the capacity of a
/// server; beyond it they are counted as never sent.
const MOST_WAITING: usize = 1_000_000;
/// Longest sleep of the dispatcher, and so its delay in noticing a stop.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// Pace of the requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Each connection sends when it has its answer.
    Closed,
    /// A number of requests per second, from one rate to another over a time, then constant.
    Open { from: f64, to: f64, over: Duration, poisson: bool },
}

impl Pace {
    /// A constant rate.
    pub fn steady(rate: f64, poisson: bool) -> Self {
        Self::Open { from: rate, to: rate, over: Duration::ZERO, poisson }
    }

    /// Requests per second after some time; `None` in the closed loop.
    pub fn rate_at(&self, after: Duration) -> Option<f64> {
        let Self::Open { from, to, over, .. } = self else { return None };
        let share = if over.is_zero() { 1.0 } else { after.as_secs_f64() / over.as_secs_f64() };
        Some(from + (to - from) * share.min(1.0))
    }
}

/// Due time of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// When a sender is free.
    Now,
    /// At this moment, which is not in the future.
    Due(Instant),
}

/// Distributes the turns of one phase to its senders.
#[derive(Debug)]
pub struct Turns {
    pace: Pace,
    began: Instant,
    duration: Duration,
    waiting: Locked<VecDeque<Instant>>,
    released: Semaphore,
    stopped: AtomicBool,
    /// Requests that were due when the queue was full.
    dropped: AtomicU64,
}

impl Turns {
    pub fn new(pace: Pace, duration: Duration) -> Self {
        Self {
            pace,
            began: Instant::now(),
            duration,
            waiting: Locked::default(),
            released: Semaphore::new(0),
            stopped: AtomicBool::new(false),
            dropped: AtomicU64::new(0),
        }
    }

    /// The next request; `None` when the phase is over.
    pub async fn next(&self) -> Option<Turn> {
        if self.pace == Pace::Closed {
            let is_over = self.stopped.load(Ordering::Relaxed) || self.began.elapsed() >= self.duration;
            return (!is_over).then_some(Turn::Now);
        }
        self.released.acquire().await.ok()?.forget();
        let mut waiting = self.waiting.lock();
        waiting.pop_front().map(Turn::Due)
    }

    /// Releases each request when it is due, until the phase ends. Sleeps on its own thread: the
    /// timers of the runtime have a resolution of one millisecond, which exceeds the latency of many answers.
    pub fn dispatch(&self, seed: u64) {
        let Pace::Open { poisson, .. } = self.pace else { return };
        let mut chance = StdRng::seed_from_u64(seed);
        let mut due = Duration::ZERO;
        while !self.stopped.load(Ordering::Relaxed) {
            let now = self.began.elapsed();
            let mut released = 0;
            while due <= now && due < self.duration {
                released += usize::from(self.release(self.began + due));
                due += self.gap(due, poisson.then_some(&mut chance));
            }
            self.released.add_permits(released);
            if now >= self.duration {
                break;
            }
            std::thread::sleep(due.saturating_sub(now).min(LONGEST_SLEEP).min(self.duration - now));
        }
        self.released.close();
    }

    /// Time from one request to the next.
    fn gap(&self, at: Duration, chance: Option<&mut StdRng>) -> Duration {
        let rate = self.pace.rate_at(at).unwrap_or(1.0).max(0.01);
        let stretched = chance.map_or(1.0, |chance| -(1.0 - chance.random::<f64>()).ln());
        Duration::from_secs_f64(stretched / rate)
    }

    fn release(&self, due: Instant) -> bool {
        let mut waiting = self.waiting.lock();
        if waiting.len() >= MOST_WAITING {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        waiting.push_back(due);
        true
    }

    /// Ends the phase now.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Requests that were due and not sent because the senders were behind.
    pub fn unsent(&self) -> u64 {
        let waiting = self.waiting.lock();
        waiting.len() as u64 + self.dropped.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_goes_evenly_and_stays() {
        let ramp = Pace::Open { from: 10.0, to: 30.0, over: Duration::from_secs(10), poisson: false };
        assert_eq!(ramp.rate_at(Duration::ZERO), Some(10.0));
        assert_eq!(ramp.rate_at(Duration::from_secs(5)), Some(20.0));
        assert_eq!(ramp.rate_at(Duration::from_secs(100)), Some(30.0));
        assert_eq!(Pace::steady(7.0, true).rate_at(Duration::from_secs(3)), Some(7.0));
        assert_eq!(Pace::Closed.rate_at(Duration::ZERO), None);
    }

    #[test]
    fn requests_that_come_by_chance_keep_the_rate() {
        let turns = Turns::new(Pace::steady(1_000.0, true), Duration::from_secs(1));
        let mut chance = StdRng::seed_from_u64(9);
        let gaps: Vec<f64> =
            (0..20_000).map(|_| turns.gap(Duration::ZERO, Some(&mut chance)).as_secs_f64()).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((mean * 1_000.0 - 1.0).abs() < 0.05, "{mean}");
        let spread = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((spread.sqrt() / mean - 1.0).abs() < 0.1, "as wide as its mean, as chance is");
    }

    /// Without senders, every request becomes due all the same, and none is lost.
    #[tokio::test]
    async fn what_nobody_sends_is_counted() {
        let turns = Turns::new(Pace::steady(2_000.0, false), Duration::from_millis(50));
        turns.dispatch(1);
        assert_eq!(turns.unsent(), 100);
        assert!(turns.next().await.is_none(), "the phase is over");
    }

    #[tokio::test]
    async fn a_turn_knows_when_it_was_due() {
        let turns = Turns::new(Pace::steady(10.0, false), Duration::from_secs(60));
        assert!(turns.release(turns.began));
        turns.released.add_permits(1);
        assert_eq!(turns.next().await, Some(Turn::Due(turns.began)));
        let closed = Turns::new(Pace::Closed, Duration::from_secs(60));
        assert_eq!(closed.next().await, Some(Turn::Now));
        closed.stop();
        assert_eq!(closed.next().await, None);
    }
}

//! How much may wait so that nobody waits long: a bound in bytes that follows the delay it causes. Pure
//! bookkeeping over moments handed in; who is let in is `admit`'s.
//!
//! A queue that stands is lowered, one that only swings is not; as CoDel (RFC 8289) tells them apart: by the
//! least delay within a window. How much to lower it by follows from what each request found in front of it
//! and how long it waited: that is the speed at which the queue is worked off, whatever makes it slow.

use std::time::Duration;

/// What is looked at together: CoDel's interval.
const WINDOW: Duration = Duration::from_millis(100);
/// A request that is worked on for as long, with none done meanwhile, says that nothing goes on any more.
const STUCK: Duration = Duration::from_secs(1);
/// The bound grows by this part in a window in which it turned somebody away for no good.
const GROWTH: usize = 4;
/// It returns to the usual by this part in a window in which it was in nobody's way.
const CALM_GROWTH: usize = 16;
/// The least bound is this part of the usual: forty batches of a thousand records, by default. With fewer in
/// hand the cores and the disk wait for each other: where others keep them busy, less is done then and nobody
/// waits shorter.
const LEAST_PART: usize = 2;
/// How much a window counts in how hard we are pressed: one in four, so that it follows within a second.
const WEIGHT: f64 = 0.25;

/// The bound and what it is made from.
#[derive(Debug)]
pub(super) struct DelayLimit {
    target: Duration,
    /// The least the bound may become, where it begins and returns to, and the most.
    least: usize,
    usual: usize,
    most: usize,
    bytes: usize,
    /// Requests whose body is there and that are not done.
    at_work: usize,
    last_done: Duration,
    window: Window,
    /// Whether everybody in the last window waited too long.
    stood: bool,
    pressure: f64,
    seen: Seen,
}

/// How long was waited on the average of the last window: for the turn of a connection, and then for that of
/// its request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) round: Duration,
    pub(super) wait: Duration,
}

#[derive(Debug, Default)]
struct Window {
    began: Duration,
    waits: Samples,
    rounds: Samples,
    /// Sum of the bytes that those found who waited.
    ahead: usize,
    let_in: u32,
    turned_away: u32,
}

#[derive(Debug, Default)]
struct Samples {
    least: Duration,
    sum: Duration,
    count: u32,
}

impl Samples {
    fn add(&mut self, value: Duration) {
        self.least = if self.count == 0 { value } else { self.least.min(value) };
        self.sum += value;
        self.count += 1;
    }

    fn mean(&self) -> Duration {
        self.sum.checked_div(self.count).unwrap_or_default()
    }
}

impl DelayLimit {
    pub(super) fn new(target: Duration, usual: usize, most: usize) -> Self {
        Self {
            target,
            least: usual / LEAST_PART,
            usual,
            most,
            bytes: usual,
            at_work: 0,
            last_done: Duration::ZERO,
            window: Window::default(),
            stood: false,
            pressure: 1.0,
            seen: Seen::default(),
        }
    }

    /// The most bytes that may wait.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many times as much is asked for as can be done; 1 where nobody is turned away.
    pub(super) fn pressure(&self) -> f64 {
        self.pressure
    }

    /// What was found in the last window.
    pub(super) fn seen(&self) -> Seen {
        self.seen
    }

    /// A request was let in, or turned away.
    pub(super) fn note_asked(&mut self, now: Duration, is_let_in: bool) {
        if is_let_in {
            self.window.let_in += 1;
        } else {
            self.window.turned_away += 1;
        }
        self.end_window(now);
    }

    /// The body of a request is there.
    pub(super) fn note_arrived(&mut self, now: Duration) {
        if self.at_work == 0 {
            self.last_done = now;
        }
        self.at_work += 1;
    }

    /// A request is done that waited so long, what was done for itself not counted, behind so many bytes, its
    /// own included.
    pub(super) fn note_done(&mut self, now: Duration, waited: Duration, ahead: usize) {
        self.at_work = self.at_work.saturating_sub(1);
        self.last_done = now;
        self.window.waits.add(waited);
        self.window.ahead = self.window.ahead.saturating_add(ahead);
        self.end_window(now);
    }

    /// A connection that was ready waited so long for its turn.
    pub(super) fn note_round(&mut self, took: Duration) {
        self.window.rounds.add(took);
    }

    fn end_window(&mut self, now: Duration) {
        if now.saturating_sub(self.window.began) < WINDOW {
            return;
        }
        let window = std::mem::replace(&mut self.window, Window { began: now, ..Window::default() });
        self.seen = Seen { wait: window.waits.mean(), round: window.rounds.mean() };
        let stands = window.waits.least + window.rounds.least > self.target;
        let is_stuck = self.at_work > 0 && now.saturating_sub(self.last_done) > STUCK;
        let wanted = self.wanted(&window);
        if is_stuck {
            self.bytes = self.least;
        } else if stands && self.stood {
            self.bytes = self.bytes.min(wanted);
        } else if window.turned_away > 0 {
            self.bytes = (self.bytes + self.bytes / GROWTH).min(wanted).max(self.bytes);
        } else if !stands && self.bytes < self.usual {
            self.bytes = (self.bytes + self.bytes / CALM_GROWTH).min(self.usual);
        }
        self.stood = stands;
        let asked = f64::from(window.let_in + window.turned_away) / f64::from(window.let_in.max(1));
        self.pressure += (asked.max(1.0) - self.pressure) * WEIGHT;
    }

    /// The bound with which those of the window would have waited as long as is wanted.
    fn wanted(&self, window: &Window) -> usize {
        let ahead = window.ahead.checked_div(window.waits.count as usize).unwrap_or(self.bytes);
        let delay = window.waits.mean() + window.rounds.mean();
        // A float that is too large for the type becomes its greatest.
        let bytes = ahead as f64 * (self.target.as_secs_f64() / delay.as_secs_f64());
        (bytes as usize).clamp(self.least, self.most)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    const TARGET: Duration = Duration::from_millis(100);
    const MIB: usize = 1 << 20;

    fn limit() -> DelayLimit {
        DelayLimit::new(TARGET, 8 * MIB, 256 * MIB)
    }

    /// Senders that always want more, at something that takes so many bytes a second, in pieces of a
    /// quarter of a mebibyte; the delay of the last request and the greatest after two seconds, in milliseconds.
    fn flood(limit: &mut DelayLimit, from: Duration, seconds: u32, mebibytes_a_second: u32) -> (u128, u128) {
        let (piece, steps) = (MIB / 4, seconds * mebibytes_a_second * 4);
        let each = Duration::from_secs(1) / (mebibytes_a_second * 4);
        let mut queue = VecDeque::new();
        let (mut last, mut worst) = (Duration::ZERO, Duration::ZERO);
        for step in 1..=steps {
            let now = from + each * step;
            while (queue.len() + 1) * piece <= limit.bytes() {
                queue.push_back((now, (queue.len() + 1) * piece));
                limit.note_asked(now, true);
                limit.note_arrived(now);
            }
            limit.note_asked(now, false);
            let (arrived, ahead) = queue.pop_front().unwrap();
            last = now - arrived;
            limit.note_done(now, last, ahead);
            if now - from > Duration::from_secs(2) {
                worst = worst.max(last);
            }
        }
        for (_, ahead) in queue {
            limit.note_done(from + each * steps, last, ahead);
        }
        (last.as_millis(), worst.as_millis())
    }

    #[test]
    fn the_delay_comes_to_the_target_whatever_the_speed() {
        for (mebibytes_a_second, most) in [(60, 140), (200, 140), (500, 140), (2_000, 140)] {
            let (last, worst) = flood(&mut limit(), Duration::ZERO, 20, mebibytes_a_second);
            assert!((40..=140).contains(&last), "{mebibytes_a_second} MiB/s: {last} ms");
            assert!(worst <= most, "{mebibytes_a_second} MiB/s: {worst} ms");
        }
    }

    #[test]
    fn a_machine_that_becomes_slower_is_given_less() {
        let mut limit = limit();
        flood(&mut limit, Duration::ZERO, 10, 800);
        let (last, worst) = flood(&mut limit, Duration::from_secs(10), 5, 100);
        assert!(last <= 140 && worst <= 200, "{last} ms, {worst} ms");
    }

    #[test]
    fn one_hiccup_is_no_standing_queue() {
        let mut limit = limit();
        for second in 0..10 {
            let now = Duration::from_secs(second);
            limit.note_asked(now, true);
            limit.note_arrived(now);
            let waited = if second == 5 { TARGET * 9 } else { TARGET / 50 };
            limit.note_done(now + waited, waited, MIB);
        }
        assert_eq!(limit.bytes(), 8 * MIB);
    }

    #[test]
    fn calm_brings_the_usual_back_and_nothing_more() {
        let mut limit = limit();
        flood(&mut limit, Duration::ZERO, 10, 20);
        assert!(limit.bytes() == 4 * MIB && limit.pressure() > 1.5, "{limit:?}");
        for step in 0..100 {
            limit.note_asked(Duration::from_secs(10) + WINDOW * step, true);
        }
        assert_eq!(limit.bytes(), 8 * MIB);
        assert!(limit.pressure() < 1.01);
    }

    #[test]
    fn what_is_stuck_is_seen_though_nothing_is_done() {
        let mut limit = limit();
        limit.note_arrived(Duration::ZERO);
        for step in 0..10 {
            limit.note_asked(WINDOW * step, true);
        }
        assert_eq!(limit.bytes(), 8 * MIB);
        limit.note_asked(STUCK + WINDOW, true);
        assert_eq!(limit.bytes(), 4 * MIB);
    }

    #[test]
    fn a_runtime_that_comes_round_late_counts_as_delay() {
        let mut limit = limit();
        for step in 1..10 {
            limit.note_round(TARGET * 2);
            limit.note_asked(WINDOW * step, true);
        }
        assert_eq!(limit.bytes(), 4 * MIB);
    }
}

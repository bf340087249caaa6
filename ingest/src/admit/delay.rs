//! Length of the queue for a short delay: a bound in bytes that follows the delay it causes. Pure
//! bookkeeping over given times; `admit` decides on admission.
//!
//! The bound is lowered for a standing queue, but not for an oscillating one; as in CoDel (RFC 8289), they
//! differ in the least delay within a window. The amount follows from the bytes that each request found in
//! front of it and the time it waited: their ratio is the service rate of the queue, whatever limits it. Small
//! requests have room of their own and hardly ever wait: they carry no information about the common queue.

use std::time::Duration;

use super::rooms::Room;

/// Least length of a window: half of CoDel's interval, as two in a row indicate a standing queue.
const WINDOW: Duration = Duration::from_millis(50);
/// Processing time of a request that, with none finished meanwhile, indicates a standstill.
const STUCK: Duration = Duration::from_secs(1);
/// The bound grows by this part in a window with needless refusals.
const GROWTH: usize = 4;
/// It returns to the usual by this part in a window in which it refused nothing.
const CALM_GROWTH: usize = 16;
/// The least bound is this part of the usual: twenty batches of a thousand records, by default, which the log makes
/// durable at once. With fewer the cores and the disk wait for each other; with twice as many, all requests wait
/// longer at twice the demand without higher throughput.
const LEAST_PART: usize = 4;
/// Weight of a window in the pressure: one in eight, so that it follows within a second where anything
/// is finished.
const WEIGHT: f64 = 0.125;

/// The bound and the data it is computed from.
#[derive(Debug)]
pub(super) struct DelayLimit {
    target: Duration,
    /// The minimum of the bound, its initial and usual value, and the maximum.
    least: usize,
    usual: usize,
    most: usize,
    bytes: usize,
    /// Requests of the common queue whose body has arrived and that are not finished, and the time when one last was.
    at_work: usize,
    last_done: Duration,
    window: Window,
    /// Whether all requests in the last window waited too long.
    stood: bool,
    pressure: f64,
    seen: Seen,
}

/// Average waiting times in the last window: for the turn of a connection, and then for that of its request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) round: Duration,
    /// Of all requests, small ones included.
    pub(super) wait: Duration,
}

/// A finished request. Its own processing time is not counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    /// Room it was in when it finished.
    pub(super) room: Room,
    /// From when its body was there.
    pub(super) waited: Duration,
    /// Since it got its place: as long as it delayed others, whatever the cause.
    pub(super) took: Duration,
    /// The bytes that were in the queue when it got its place, its own included.
    pub(super) ahead: usize,
}

#[derive(Debug, Default)]
struct Window {
    began: Duration,
    /// Total waiting time of all. The other fields are of the common queue.
    waits_of_all: Samples,
    waits: Samples,
    stays: Samples,
    /// Sum of the bytes found by the requests that waited.
    ahead: usize,
    /// Of connections, and then of requests of any size.
    rounds: Samples,
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

    /// Ratio of demand to capacity; 1 where nothing is refused.
    pub(super) fn pressure(&self) -> f64 {
        self.pressure
    }

    /// Result of the last window.
    pub(super) fn seen(&self) -> Seen {
        self.seen
    }

    /// A request was admitted or refused.
    pub(super) fn note_asked(&mut self, now: Duration, is_let_in: bool) {
        if is_let_in {
            self.window.let_in += 1;
        } else {
            self.window.turned_away += 1;
        }
        self.end_window(now);
    }

    /// The body of a request has arrived, or a request whose body has arrived has moved to this room.
    pub(super) fn note_arrived(&mut self, now: Duration, room: Room) {
        if room != Room::Common {
            return;
        }
        if self.at_work == 0 {
            self.last_done = now;
        }
        self.at_work += 1;
    }

    /// A request is done.
    pub(super) fn note_done(&mut self, now: Duration, done: Done) {
        let Done { room, waited, took, ahead } = done;
        self.window.waits_of_all.add(waited);
        if room == Room::Common {
            self.at_work = self.at_work.saturating_sub(1);
            self.last_done = now;
            self.window.waits.add(waited);
            self.window.stays.add(took);
            self.window.ahead = self.window.ahead.saturating_add(ahead);
        }
        self.end_window(now);
    }

    /// A ready connection waited this long for its turn.
    pub(super) fn note_round(&mut self, took: Duration) {
        self.window.rounds.add(took);
    }

    fn end_window(&mut self, now: Duration) {
        let is_stuck = self.at_work > 0 && now.saturating_sub(self.last_done) > STUCK;
        // While requests are processed and none has finished there is no data, until it is stuck.
        let is_silent = self.at_work > 0 && self.window.waits.count == 0 && !is_stuck;
        if is_silent || now.saturating_sub(self.window.began) < WINDOW {
            return;
        }
        let window = std::mem::replace(&mut self.window, Window { began: now, ..Window::default() });
        self.seen = Seen { wait: window.waits_of_all.mean(), round: window.rounds.mean() };
        let stands = window.waits.least + window.rounds.least > self.target;
        let wanted = self.wanted(&window);
        if is_stuck {
            self.bytes = self.least;
        } else if stands && self.stood {
            self.bytes = self.bytes.min(wanted);
        } else if window.turned_away > 0 && window.stays.count > 0 {
            // Above the usual value the bound follows the target in both directions; below, only a standing queue lowers it.
            let grown = (self.bytes + self.bytes / GROWTH).min(wanted);
            self.bytes = grown.max(self.bytes.min(self.usual));
        } else if !stands && self.bytes < self.usual {
            self.bytes = (self.bytes + self.bytes / CALM_GROWTH).min(self.usual);
        }
        self.stood = stands;
        let asked = f64::from(window.let_in + window.turned_away) / f64::from(window.let_in.max(1));
        self.pressure += (asked.max(1.0) - self.pressure) * WEIGHT;
    }

    /// The bound with which those of the window would have kept their places for the target time. Bodies that
    /// arrive slowly are no reason to lower it, but none to let more of them in either.
    fn wanted(&self, window: &Window) -> usize {
        let ahead = window.ahead.checked_div(window.waits.count as usize).unwrap_or(self.bytes);
        let delay = window.stays.mean() + window.rounds.mean();
        // A float that is too large for the type becomes its greatest.
        let bytes = ahead as f64 * (self.target.as_secs_f64() / delay.as_secs_f64());
        (bytes as usize).clamp(self.least, self.most)
    }
}

#[cfg(test)]
mod tests;

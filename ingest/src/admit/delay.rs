//! How much may wait so that nobody waits long: a bound in bytes that follows the delay it causes. Pure
//! bookkeeping over moments handed in; who is let in is `admit`'s.
//!
//! A queue that stands is lowered, one that only swings is not; as CoDel (RFC 8289) tells them apart: by the
//! least delay within a window. How much to lower it by follows from what each request found in front of it
//! and how long it waited: that is the speed at which the queue is worked off, whatever makes it slow.
//! Little requests have room of their own and hardly ever wait: they say nothing of the common queue.

use std::time::Duration;

use super::rooms::Room;

/// What is looked at together, at least: half of CoDel's interval, as two in a row tell a queue that stands.
const WINDOW: Duration = Duration::from_millis(50);
/// A request that is worked on for as long, with none done meanwhile, says that nothing goes on any more.
const STUCK: Duration = Duration::from_secs(1);
/// The bound grows by this part in a window in which it turned somebody away for no good.
const GROWTH: usize = 4;
/// It returns to the usual by this part in a window in which it was in nobody's way.
const CALM_GROWTH: usize = 16;
/// The least bound is this part of the usual: twenty batches of a thousand records, by default, which the log makes
/// durable at once. With fewer in hand the cores and the disk wait for each other; with twice as many, everybody waits
/// longer at twice the capacity and no more is done.
const LEAST_PART: usize = 4;
/// How much a window counts in how hard we are pressed: one in eight, so that it follows within a second
/// where anything is done.
const WEIGHT: f64 = 0.125;

/// The bound and what it is made from.
#[derive(Debug)]
pub(super) struct DelayLimit {
    target: Duration,
    /// The least the bound may become, where it begins and returns to, and the most.
    least: usize,
    usual: usize,
    most: usize,
    bytes: usize,
    /// Requests of the common queue whose body is there and that are not done, and when one of them was.
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
    /// Of all requests, little ones included.
    pub(super) wait: Duration,
}

/// A request that is done. What was done for itself counts nowhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    /// Where it was when it was done.
    pub(super) room: Room,
    /// From when its body was there.
    pub(super) waited: Duration,
    /// From when it got its place: as long as it was in the way of others, whoever kept it so long.
    pub(super) took: Duration,
    /// The bytes that were in the queue when it got its place, its own included.
    pub(super) ahead: usize,
}

#[derive(Debug, Default)]
struct Window {
    began: Duration,
    /// How long all waited. What follows is of those in the common queue.
    waits_of_all: Samples,
    waits: Samples,
    stays: Samples,
    /// Sum of the bytes that those found who waited.
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

    /// The body of a request is there, or one whose body is there has moved to this room.
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

    /// A connection that was ready waited so long for its turn.
    pub(super) fn note_round(&mut self, took: Duration) {
        self.window.rounds.add(took);
    }

    fn end_window(&mut self, now: Duration) {
        let is_stuck = self.at_work > 0 && now.saturating_sub(self.last_done) > STUCK;
        // While somebody is worked on and nobody is done there is nothing to tell by, until it is stuck.
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
            // Above the usual it follows what is wanted both ways; below, only a queue that stands lowers it.
            let grown = (self.bytes + self.bytes / GROWTH).min(wanted);
            self.bytes = grown.max(self.bytes.min(self.usual));
        } else if !stands && self.bytes < self.usual {
            self.bytes = (self.bytes + self.bytes / CALM_GROWTH).min(self.usual);
        }
        self.stood = stands;
        let asked = f64::from(window.let_in + window.turned_away) / f64::from(window.let_in.max(1));
        self.pressure += (asked.max(1.0) - self.pressure) * WEIGHT;
    }

    /// The bound with which those of the window would have kept their places as long as is wanted. Bodies that
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

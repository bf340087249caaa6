//! The queue between appending tasks and the commit thread: bounded in bytes and in number. The
//! only place that decides whether a batch may enter, under one lock with the poison.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use bytes::Bytes;

use super::answer::{self, Outcome};
use super::frame::HEAD_BYTES;
use super::locked;
use super::segment::BLOCK;
use crate::{AppendError, room};

/// Most batches that may wait: small ones would otherwise take more memory for their waiters than
/// for themselves.
const MAX_WAITING: usize = 65_536;

/// A batch waiting to be written.
pub(super) struct Pending {
    pub(super) partition: u16,
    /// Encoded by the sender, so that the size of the frame is known before it enters.
    pub(super) headers: Vec<u8>,
    pub(super) payload: Bytes,
    pub(super) answer: answer::Sender,
}

impl Pending {
    /// Bytes of the batch as a frame, at most.
    pub(super) fn frame_bytes(&self) -> u64 {
        let padding = if self.is_uncopied() { BLOCK } else { 0 };
        (HEAD_BYTES + self.headers.len() + self.payload.len()) as u64 + padding
    }

    /// Whether the payload is written in place, without a copy.
    pub(super) fn is_uncopied(&self) -> bool {
        room::is_uncopied(&self.payload)
    }

    /// Bytes of the frame that are copied together with others, at most.
    pub(super) fn copied_bytes(&self) -> u64 {
        let written = if self.is_uncopied() { self.payload.len() as u64 / BLOCK * BLOCK } else { 0 };
        self.frame_bytes() - written
    }

    /// Answers the sender.
    pub(super) fn answer(self, outcome: Outcome) {
        answer::send(self.answer, outcome);
    }
}

/// Bytes and number of unreleased batches, kept where an append can see them without the index.
#[derive(Default)]
pub(super) struct QueueUsage {
    pub(super) bytes: AtomicU64,
    pub(super) batches: AtomicU64,
}

/// Bounds of the queue.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) queue_bytes: u64,
    pub(super) capacity_bytes: u64,
    pub(super) least_free_bytes: u64,
    pub(super) max_batches: u64,
}

pub(super) struct Queue {
    bounds: Bounds,
    held: QueueUsage,
    /// Bytes free on the disk, as last looked at.
    free_bytes: AtomicU64,
    state: Mutex<State>,
    arrived: Condvar,
    /// As in `state`, for callers that only need the status: every request does.
    bytes: AtomicU64,
    is_open: AtomicBool,
}

struct State {
    waiting: VecDeque<Pending>,
    /// Bytes and number of batches that wait or are being written.
    bytes: u64,
    batches: u64,
    condition: Condition,
    /// Whether the commit thread waits for a batch: waking it costs a system call even when it does not.
    is_idle: bool,
}

enum Condition {
    Open,
    Closed,
    Poisoned(String),
}

impl Queue {
    /// A queue in front of a disk with room, until it is reported full.
    pub(super) fn new(bounds: Bounds) -> Self {
        let state = State {
            waiting: VecDeque::new(),
            bytes: 0,
            batches: 0,
            condition: Condition::Open,
            is_idle: false,
        };
        Self {
            bounds,
            held: QueueUsage::default(),
            free_bytes: AtomicU64::new(u64::MAX),
            state: Mutex::new(state),
            arrived: Condvar::new(),
            bytes: AtomicU64::new(0),
            is_open: AtomicBool::new(true),
        }
    }

    pub(super) fn bounds(&self) -> Bounds {
        self.bounds
    }

    pub(super) fn held(&self) -> &QueueUsage {
        &self.held
    }

    /// Records the free space of the disk; returns whether it became too little, or enough again.
    pub(super) fn note_free(&self, bytes: u64) -> bool {
        let floor = self.bounds.least_free_bytes;
        let before = self.free_bytes.swap(bytes, Ordering::SeqCst);
        (before < floor) != (bytes < floor)
    }

    /// Free space of the disk where it is less than the minimum.
    pub(super) fn disk_low(&self) -> Option<u64> {
        let free = self.free_bytes.load(Ordering::SeqCst);
        (free < self.bounds.least_free_bytes).then_some(free)
    }

    /// Admits a batch, or returns the reason for refusing it; then it is certainly not appended.
    pub(super) fn push(&self, pending: Pending) -> Result<(), AppendError> {
        let mut state = locked(&self.state);
        self.admit(&state, pending.frame_bytes())?;
        state.bytes += pending.frame_bytes();
        state.batches += 1;
        state.waiting.push_back(pending);
        self.bytes.store(state.bytes, Ordering::Relaxed);
        let wakes = std::mem::take(&mut state.is_idle);
        drop(state);
        if wakes {
            self.arrived.notify_one();
        }
        Ok(())
    }

    fn admit(&self, state: &State, incoming: u64) -> Result<(), AppendError> {
        match &state.condition {
            Condition::Open => {}
            Condition::Closed => return Err(AppendError::Closed),
            Condition::Poisoned(cause) => return Err(AppendError::Poisoned { cause: cause.clone() }),
        }
        let Bounds { queue_bytes, capacity_bytes, least_free_bytes, max_batches } = self.bounds;
        if let Some(free) = self.disk_low() {
            return Err(AppendError::DiskLow { free, floor: least_free_bytes });
        }
        let too_many = state.waiting.len() >= MAX_WAITING;
        if too_many || (state.bytes > 0 && state.bytes + incoming > queue_bytes) {
            return Err(AppendError::QueueFull { queued: state.bytes, capacity: queue_bytes });
        }
        let used = self.held.bytes.load(Ordering::SeqCst) + state.bytes;
        if used + incoming > capacity_bytes {
            return Err(AppendError::Full { used, capacity: capacity_bytes });
        }
        let batches = self.held.batches.load(Ordering::SeqCst) + state.batches;
        if batches >= max_batches {
            return Err(AppendError::Full { used: batches, capacity: max_batches });
        }
        Ok(())
    }

    /// Waits until there is something to write; false once there never will be.
    pub(super) fn wait(&self) -> bool {
        let mut state = locked(&self.state);
        while state.waiting.is_empty() {
            if !matches!(state.condition, Condition::Open) {
                return false;
            }
            state.is_idle = true;
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        true
    }

    /// Size of the frame that is next.
    pub(super) fn front_bytes(&self) -> Option<u64> {
        locked(&self.state).waiting.front().map(Pending::frame_bytes)
    }

    /// Takes the next frame, and those after it that fit into `limit` bytes with it. They count as
    /// waiting until [`done`](Self::done).
    pub(super) fn take(&self, limit: u64, group: &mut Vec<Pending>) {
        let mut state = locked(&self.state);
        let mut total = 0;
        while let Some(front) = state.waiting.front() {
            total += front.frame_bytes();
            if total > limit && !group.is_empty() {
                return;
            }
            group.extend(state.waiting.pop_front());
        }
    }

    /// The batches taken are durable, or never will be.
    pub(super) fn done(&self, bytes: u64, batches: u64) {
        let mut state = locked(&self.state);
        state.bytes = state.bytes.saturating_sub(bytes);
        state.batches = state.batches.saturating_sub(batches);
        self.bytes.store(state.bytes, Ordering::Relaxed);
    }

    /// Admits nothing any more; waiting batches are still written.
    pub(super) fn close(&self) {
        let mut state = locked(&self.state);
        if matches!(state.condition, Condition::Open) {
            state.condition = Condition::Closed;
        }
        self.is_open.store(false, Ordering::Relaxed);
        self.arrived.notify_all();
    }

    /// Admits nothing any more, and refuses waiting batches: none of them was written.
    pub(super) fn poison(&self, cause: &str) {
        let mut state = locked(&self.state);
        state.condition = Condition::Poisoned(cause.to_owned());
        let waiting = std::mem::take(&mut state.waiting);
        state.bytes = 0;
        state.batches = 0;
        self.bytes.store(0, Ordering::Relaxed);
        self.is_open.store(false, Ordering::Relaxed);
        self.arrived.notify_all();
        drop(state);
        for pending in waiting {
            pending.answer(Err(AppendError::Poisoned { cause: cause.to_owned() }));
        }
    }

    /// Bytes that wait, and whether the queue admits batches at all: as of a moment ago.
    pub(super) fn usage(&self) -> (u64, bool) {
        (self.bytes.load(Ordering::Relaxed), self.is_open.load(Ordering::Relaxed))
    }
}

//! Memory that matching reuses for event after event: a matcher takes a piece out, and returns it.

use std::sync::{Mutex, PoisonError};

use crate::candidates::{Marks, Views};
use crate::matcher::lookup::Memory;
use crate::matcher::metered::Spending;

/// Most unused pieces that are kept: with more threads than these at once, the others allocate anew. A piece is some tens of
/// kilobytes for thousands of rules.
const MOST_IDLE: usize = 32;

/// Memory of one event during matching.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) memory: Memory,
    pub(crate) marks: Marks,
    pub(crate) views: Views,
    pub(crate) spending: Spending,
    /// Whether an event is being matched, or was when matching panicked.
    is_in_use: bool,
}

impl Scratch {
    /// The same for the next event: empty where the last one left it half used.
    #[inline]
    pub(crate) fn begin(&mut self) -> &mut Self {
        if self.is_in_use {
            *self = Self::default();
        }
        self.is_in_use = true;
        self
    }

    /// Ends the work begun by [`Scratch::begin`].
    #[inline]
    pub(crate) fn end(&mut self) {
        self.is_in_use = false;
    }
}

impl Scratch {
    /// The same without the cached state of one set of rules, for another, which caches less.
    pub(crate) fn for_layer(self) -> Self {
        Self { views: Views::of_layer(), ..self }
    }
}

/// The unused pieces.
#[derive(Debug, Default)]
pub(crate) struct ScratchPool {
    idle: Mutex<Vec<Scratch>>,
}

impl ScratchPool {
    /// An unused piece.
    pub(crate) fn take(&self) -> Scratch {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps a piece for others.
    pub(crate) fn give_back(&self, scratch: Scratch) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE {
            idle.push(scratch);
        }
    }
}

impl Clone for ScratchPool {
    /// Of its own: there is nothing in the pieces that a clone could want.
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_used_again_and_no_more_are_kept_than_there_is_use_for() {
        let pool = ScratchPool::default();
        let taken: Vec<Scratch> = (0..MOST_IDLE + 3).map(|_| pool.take()).collect();
        taken.into_iter().for_each(|scratch| pool.give_back(scratch));
        assert_eq!(pool.idle.lock().unwrap().len(), MOST_IDLE);
        drop(pool.take());
        assert_eq!(pool.idle.lock().unwrap().len(), MOST_IDLE - 1);
    }

    #[test]
    fn what_a_panic_left_half_used_is_made_anew() {
        let mut scratch = Scratch::default();
        let marked = |scratch: &mut Scratch| {
            scratch.begin().marks.start(64);
            scratch.marks.set(3);
        };
        marked(&mut scratch);
        scratch.end();
        assert_eq!(scratch.begin().marks.ascending(), [3], "kept: it was left in order");
        assert_eq!(scratch.begin().marks.ascending(), [0; 0], "the one before did not end");
    }
}

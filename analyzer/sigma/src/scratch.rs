//! Memory that matching uses again for event after event, a piece for each thread that is at it.

use std::hash::BuildHasher;
use std::sync::{Mutex, TryLockError};

use foldhash::fast::FixedState;

use crate::candidates::Marks;
use crate::matcher::lookup::Memory;

/// Pieces that are kept: more threads than these at once allocate anew for each event. A piece is some tens
/// of kilobytes for thousands of rules.
const PIECES: usize = 32;

/// What one event needs while it is matched.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) memory: Memory,
    pub(crate) marks: Marks,
}

/// The pieces. Nothing but memory is shared through them.
#[derive(Debug)]
pub(crate) struct ScratchPool {
    pieces: [Mutex<Scratch>; PIECES],
}

impl ScratchPool {
    /// Calls `work` with a piece that nobody else uses; never waits for one. Threads begin to look at places of
    /// their own, so that they seldom meet.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let hash = FixedState::default().hash_one(std::thread::current().id());
        let first = usize::try_from(hash % PIECES as u64).unwrap_or(0);
        let (before, after) = self.pieces.split_at(first);
        for piece in after.iter().chain(before) {
            match piece.try_lock() {
                Ok(mut scratch) => return work(&mut scratch),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Poisoned(poisoned)) => {
                    // Matching panicked and left it half used.
                    piece.clear_poison();
                    let mut scratch = poisoned.into_inner();
                    *scratch = Scratch::default();
                    return work(&mut scratch);
                }
            }
        }
        work(&mut Scratch::default())
    }
}

impl Default for ScratchPool {
    fn default() -> Self {
        Self { pieces: std::array::from_fn(|_| Mutex::default()) }
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
    fn each_has_a_piece_of_its_own_however_many_there_are() {
        fn nested(pool: &ScratchPool, depth: usize) -> usize {
            pool.with(|_| if depth == 0 { 1 } else { nested(pool, depth - 1) + 1 })
        }
        assert_eq!(nested(&ScratchPool::default(), PIECES + 3), PIECES + 4);
    }

    #[test]
    fn a_panic_leaves_a_piece_that_can_be_used() {
        let pool = ScratchPool::default();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            pool.with(|_| panic!("matching broke"));
        }));
        assert!(panicked.is_err());
        assert!(pool.pieces.iter().any(Mutex::is_poisoned));
        pool.with(|_| ());
        assert!(!pool.pieces.iter().any(Mutex::is_poisoned));
    }
}

//! A bound on the work for one line, whatever the number of wordings that it is compared with.

use std::cell::Cell;

/// Places at which a literal may end a hole that are tried for one line, by all wordings together: ordinary lines need a few dozen.
const MOST_TRIES: u32 = 1024;

/// The tries that are left for a line.
pub(super) struct Budget(Cell<u32>);

impl Budget {
    /// For a line of which nothing is read yet.
    pub(super) fn of_line() -> Self {
        Self(Cell::new(MOST_TRIES))
    }

    /// Whether another way to read the line may have been left untried.
    pub(super) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }

    /// The tries that were used.
    #[cfg(test)]
    pub(super) fn spent(&self) -> u32 {
        MOST_TRIES - self.0.get()
    }

    /// Uses one; `false` where it was the last.
    pub(super) fn take(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left > 1
    }
}

//! One commit at a time for each ledger in this process: a contended conditional write costs seconds, and
//! there is no need to contend with ourselves. Order among processes is the server's.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard};

use super::unavailable;
use crate::{LedgerError, LedgerId};

/// Number of turns. A deployment has tens to hundreds of ledgers that are written at once; two that
/// share a turn only wait for each other.
const TURNS: usize = 1024;

/// The turns.
#[derive(Debug)]
pub(super) struct Writers {
    turns: Box<[Mutex<()>]>,
    /// Time that a commit waits for its turn.
    patience: Duration,
}

impl Writers {
    pub(super) fn new(patience: Duration) -> Self {
        Self { turns: (0..TURNS).map(|_| Mutex::new(())).collect(), patience }
    }

    /// Waits until no other task here commits to the ledger, first come, first served.
    pub(super) async fn turn(&self, ledger: LedgerId) -> Result<MutexGuard<'_, ()>, LedgerError> {
        let mut hasher = DefaultHasher::new();
        ledger.hash(&mut hasher);
        let place = usize::try_from(hasher.finish() % TURNS as u64).unwrap_or(0);
        let cause =
            || unavailable(format!("other commits to this ledger took more than {:?}", self.patience));
        let turn = self.turns.get(place).ok_or_else(cause)?;
        tokio::time::timeout(self.patience, turn.lock()).await.map_err(|_| cause())
    }
}

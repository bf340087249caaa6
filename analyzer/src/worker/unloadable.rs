//! Rules of an organization that cannot be loaded: its own detection suffers, and no other organization of the partition.
//!
//! Rules that have changed since they were unloaded are in a later catalogue within seconds, so the partition waits for
//! it a little. Rules that are damaged, that break the compiler, or that are not there after the wait are withheld: the
//! organization's records are matched against the shared rules until a catalogue comes in which its own can be loaded.
//! That happens at a commit, which records the version of the rules that are left, so that no record is folded under
//! rules that the ledger does not name; see [`Catalogue::withholding`](crate::Catalogue).
//! Where the partition's own ledger does not answer either, nothing is withheld: all organizations wait for the ledger.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::{TurnError, Worker, replaced, stopped};
use crate::failing::Cause;
use crate::fold::FoldError;
use crate::residence::LoadError;
use crate::state::State;

/// Time that a partition waits in all for rules that cannot be loaded, within [`PATIENCE_RETURNS`]: a later catalogue comes
/// within a look of the follower, a second, and the time of compiling. All organizations in the partition wait meanwhile.
const PATIENCE: Duration = Duration::from_secs(3);
/// See [`PATIENCE`]: so that an organization whose rules change all the time takes a twentieth of the time at most.
const PATIENCE_RETURNS: Duration = Duration::from_secs(60);
/// Pause before rules are read again that the store did not return.
const AGAIN: Duration = Duration::from_millis(250);

/// Time that a partition has waited.
#[derive(Debug, Default)]
pub(super) struct Patience {
    /// Monotonic time at which it began to wait.
    began_at: Option<Duration>,
}

impl Patience {
    /// Remaining time that the partition may wait; zero when it may not.
    fn left(&mut self, now: Duration) -> Duration {
        let began_at = self.began_at.filter(|at| now.saturating_sub(*at) < PATIENCE_RETURNS);
        let began_at = *self.began_at.insert(began_at.unwrap_or(now));
        PATIENCE.saturating_sub(now.saturating_sub(began_at))
    }
}

impl Worker {
    /// Waits for a later catalogue while that may help, and otherwise continues without an organization's rules. Everything
    /// folded so far must be committed.
    pub(super) async fn wait_or_withhold(
        &mut self,
        state: &mut State,
        error: LoadError,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<(), TurnError> {
        let lookup = self.lookup();
        lookup.ledger.seq(lookup.ledger_id()).await.map_err(FoldError::from)?;
        let pause = self.pause_after(&error);
        if !pause.is_zero() {
            let mut rules = self.shared.rules.clone();
            tokio::select! {
                biased;
                () = stopped(stop) => {}
                () = replaced(&mut rules, &self.followed) => {}
                () = tokio::time::sleep(pause) => {}
            }
            return Ok(());
        }
        self.withhold(&error);
        let version = state.steps.version(self.catalogue.version());
        state.adopted(version);
        self.commit(state).await
    }

    /// Time to wait before rules that were not loaded are loaded again; zero when waiting does not help.
    fn pause_after(&mut self, error: &LoadError) -> Duration {
        match error.cause() {
            // The catalogue in force has other rules, which loading these again does not bring.
            Some(Cause::Changing) => self.patience.left(self.shared.clock.monotonic()),
            Some(Cause::Unreachable) => self.patience.left(self.shared.clock.monotonic()).min(AGAIN),
            Some(Cause::Damaged | Cause::Broken) | None => Duration::ZERO,
        }
    }

    fn withhold(&mut self, error: &LoadError) {
        let organization = error.organization();
        let partition = self.partition.0;
        tracing::warn!(partition, %organization, %error, "the partition continues without rules of an organization");
        self.catalogue = Arc::new(self.catalogue.withholding(organization, error.cause()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_waits_for_three_seconds_of_a_minute() {
        let mut patience = Patience::default();
        let seconds = Duration::from_secs;
        assert_eq!(patience.left(seconds(100)), seconds(3));
        assert_eq!(patience.left(seconds(102)), seconds(1));
        assert_eq!([103, 104, 159].map(|at| patience.left(seconds(at))), [Duration::ZERO; 3]);
        assert_eq!(patience.left(seconds(160)), seconds(3));
    }
}

//! Changes of an organization's rules and suppressions: checked before they are made, off the asynchronous threads,
//! one of an organization at a time. The rule language is known to the [`DocumentCheck`]; changes are kept by the
//! directory.

mod turns;

use std::sync::Arc;
use std::time::Duration;

use common::ids::OrganizationId;
use directory::{Asked, Directory, DirectoryError, DocumentCheck, DocumentRefusal, OwnDetection};
use thiserror::Error;
use turns::{Turn, Turns};

use rest::error::ApiError;
use rest::kit::Kit;

/// Checks at a time, of different organizations: each may take a core for a second, which the analysis of logs needs,
/// and one that takes long must not make all others wait.
const AT_ONCE: usize = 2;
/// Checks of one organization that wait: its requests are refused beyond, so that they cannot pile up.
const MOST_WAITING: usize = 16;
/// Time that a change waits for its turn: enough for [`AT_ONCE`] checks before it that take [`DEADLINE`].
const PATIENCE: Duration = Duration::from_secs(10);
/// Limit for the checks of one change together. Bounds of an organization's rules keep one below two seconds on a
/// core of its own.
const DEADLINE: Duration = Duration::from_secs(5);
/// Most checks of one change when another process changes the same organization's rules in between.
const MAX_CHECKS: usize = 8;
/// Most faults or dependents that a message names.
const MAX_NAMED: usize = 10;

/// The check, and the queue for it.
pub(crate) struct Checking {
    check: Arc<dyn DocumentCheck>,
    turns: Arc<Turns>,
}

/// Reason why a change could not be checked.
#[derive(Debug, Error)]
pub(crate) enum CheckError {
    #[error("the check of the rule did not start within {} s", PATIENCE.as_secs())]
    NoTurn,
    #[error("{MOST_WAITING} checks of rules of the organization are already waiting")]
    TooManyWaiting,
    #[error("the check of the rule timed out after {} s", DEADLINE.as_secs())]
    GivenUp,
    #[error("the rules changed during each of {MAX_CHECKS} checks")]
    Busy,
    #[error("the check of a rule panicked")]
    Panicked(#[source] tokio::task::JoinError),
}

impl Checking {
    pub(crate) fn new(check: Arc<dyn DocumentCheck>) -> Self {
        Self { check, turns: Turns::new(AT_ONCE, MOST_WAITING) }
    }

    /// Checks a change of an organization's rules and makes it, `make` being given the version that was checked and
    /// what the check found; both anew where the rules changed in between.
    pub(crate) async fn change<D, T, M>(
        &self,
        kit: &Kit,
        organization: OrganizationId,
        check: impl Fn(&dyn DocumentCheck, Asked<'_>) -> Result<D, DocumentRefusal> + Clone + Send + 'static,
        make: impl Fn(Arc<Directory>, u64, D) -> M,
    ) -> Result<T, ApiError>
    where
        D: Send + 'static,
        M: Future<Output = Result<T, DirectoryError>>,
    {
        let turn = self.turn(organization).await?;
        let until = kit.clock.monotonic() + DEADLINE;
        for _ in 0..MAX_CHECKS {
            let own = in_force(kit, organization).await?;
            let version = own.version;
            let found = self.checked(kit, (Arc::clone(&turn), until), check.clone(), own).await?;
            match make(Arc::clone(&kit.directory), version, found).await {
                Err(DirectoryError::Changed) => {}
                made => return Ok(made?),
            }
        }
        Err(CheckError::Busy.into())
    }

    /// Asks something about documents beside the organization's own, which changes nothing.
    pub(crate) async fn ask<D: Send + 'static>(
        &self,
        kit: &Kit,
        organization: OrganizationId,
        check: impl FnOnce(&dyn DocumentCheck, Asked<'_>) -> Result<D, DocumentRefusal> + Send + 'static,
    ) -> Result<D, ApiError> {
        let turn = self.turn(organization).await?;
        let until = kit.clock.monotonic() + DEADLINE;
        let own = in_force(kit, organization).await?;
        self.checked(kit, (turn, until), check, own).await
    }

    async fn turn(&self, organization: OrganizationId) -> Result<Arc<Turn>, CheckError> {
        let waiting = tokio::time::timeout(PATIENCE, self.turns.next(organization));
        let turn = waiting.await.map_err(|_| CheckError::NoTurn)?;
        Ok(Arc::new(turn.map_err(|_| CheckError::TooManyWaiting)?))
    }

    /// The work keeps the turn, even when no caller waits for it any more, and is given up at the moment `until`.
    async fn checked<D: Send + 'static>(
        &self,
        kit: &Kit,
        (turn, until): (Arc<Turn>, Duration),
        check: impl FnOnce(&dyn DocumentCheck, Asked<'_>) -> Result<D, DocumentRefusal> + Send + 'static,
        own: OwnDetection,
    ) -> Result<D, ApiError> {
        let (by, clock) = (Arc::clone(&self.check), Arc::clone(&kit.clock));
        let work = tokio::task::spawn_blocking(move || {
            let give_up = || clock.monotonic() >= until;
            let outcome = check(by.as_ref(), Asked { own: &own, give_up: &give_up });
            drop(turn);
            outcome
        });
        work.await.map_err(CheckError::Panicked)?.map_err(refused)
    }
}

/// Documents of the organization, without suppressions that have expired: they keep nothing from being changed.
async fn in_force(kit: &Kit, organization: OrganizationId) -> Result<OwnDetection, ApiError> {
    let mut own = kit.directory.own_detection(organization).await?;
    let now = kit.clock.now();
    own.suppressions.retain(|suppression| suppression.is_in_force(now));
    Ok(own)
}

impl From<CheckError> for ApiError {
    fn from(error: CheckError) -> Self {
        match error {
            // Its own doing, which is no failure of the service: one organization must not set off alerts.
            CheckError::TooManyWaiting => Self::RateLimited {
                message: "too many checks of this organization's rules are waiting",
                retry_seconds: DEADLINE.as_secs(),
            },
            CheckError::NoTurn | CheckError::GivenUp | CheckError::Busy => Self::unavailable(error),
            CheckError::Panicked(_) => Self::internal(error),
        }
    }
}

fn refused(refusal: DocumentRefusal) -> ApiError {
    match refusal {
        DocumentRefusal::Faulty(faults) => {
            ApiError::Invalid(format!("yaml: {}", named(faults.iter().map(ToString::to_string))).into())
        }
        DocumentRefusal::Needed(dependents) => {
            let told = dependents
                .iter()
                .map(|dependent| format!("the {} {} ({})", dependent.object, dependent.id, dependent.title));
            ApiError::Conflict(format!("it is referred to by {}", named(told)).into())
        }
        DocumentRefusal::GivenUp => CheckError::GivenUp.into(),
    }
}

/// The first few, and the number of the others.
fn named(texts: impl ExactSizeIterator<Item = String>) -> String {
    let count = texts.len();
    let mut told = texts.take(MAX_NAMED).collect::<Vec<_>>().join("; ");
    if count > MAX_NAMED {
        told.push_str(&format!("; and {} more", count - MAX_NAMED));
    }
    told
}

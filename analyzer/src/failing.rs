//! Organizations whose own rules cannot be read or compiled, and the reasons: recorded by the follower and by the partitions
//! that need them, counted, and logged once for each change. The follower reads them again and ends it. Until then the rules
//! that were last compiled are applied while they are in memory, and the shared rules alone otherwise.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use common::ids::OrganizationId;
use directory::DirectoryError;

/// Reason why they cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// A row of them is damaged, or not in a format that this program reads.
    Damaged,
    /// They do not stay the same for long enough to be read, or have changed since they were unloaded.
    Changing,
    /// The store does not answer for them.
    Unreachable,
    /// The compiler panicked, which is an error in this program.
    Broken,
}

/// All such organizations of a process: one entry each at most.
#[derive(Debug, Default)]
pub(crate) struct Failing {
    causes: Mutex<BTreeMap<OrganizationId, Cause>>,
}

impl Cause {
    /// Every cause.
    pub(crate) const ALL: [Self; 4] = [Self::Damaged, Self::Changing, Self::Unreachable, Self::Broken];

    /// The cause of an error of the directory, if it is in one organization's rows: `None` if the store does not answer, which
    /// is assumed to concern all organizations.
    pub(crate) fn of_organization(error: &DirectoryError) -> Option<Self> {
        match error {
            error if error.is_damage() => Some(Self::Damaged),
            DirectoryError::Conflict => Some(Self::Changing),
            _ => None,
        }
    }

    /// The word for it in metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Damaged => "damaged",
            Self::Changing => "changing",
            Self::Unreachable => "unreachable",
            Self::Broken => "broken",
        }
    }

    /// The reason in readable form, in English.
    pub(crate) fn reason(self) -> String {
        let cause = match self {
            Self::Damaged => "a row of them is damaged or of an unknown format",
            Self::Changing => "they change too often",
            Self::Unreachable => "the store does not answer for them",
            Self::Broken => "compiling them fails",
        };
        format!(
            "The rules and suppressions of the organization cannot be loaded: {cause}. They are applied as they were last \
             loaded while that is in memory; otherwise only the shared rules are applied."
        )
    }
}

impl Failing {
    /// Notes that the rules of an organization cannot be used.
    pub(crate) fn begin(&self, organization: OrganizationId, cause: Cause) {
        if self.lock().insert(organization, cause) == Some(cause) {
            return;
        }
        let cause = cause.as_str();
        tracing::error!(%organization, cause, "rules of an organization cannot be loaded; only the shared rules are applied");
        self.measure();
    }

    /// Records that they can be used; returns whether they could not before.
    pub(crate) fn end(&self, organization: OrganizationId) -> bool {
        let was_failing = self.lock().remove(&organization).is_some();
        if was_failing {
            tracing::info!(%organization, "rules of an organization can be loaded again");
            self.measure();
        }
        was_failing
    }

    /// The cause, if the rules of an organization cannot be used.
    pub(crate) fn cause(&self, organization: OrganizationId) -> Option<Cause> {
        self.lock().get(&organization).copied()
    }

    /// All of them.
    pub(crate) fn causes(&self) -> BTreeMap<OrganizationId, Cause> {
        self.lock().clone()
    }

    /// Sets the gauges.
    pub(crate) fn measure(&self) {
        let causes = self.lock();
        for cause in Cause::ALL {
            let count = causes.values().filter(|other| **other == cause).count();
            #[expect(clippy::cast_precision_loss, reason = "a figure to look at")]
            metrics::gauge!("palisade_own_rules_failing", "reason" => cause.as_str()).set(count as f64);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<OrganizationId, Cause>> {
        self.causes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Triage of an incident by a user.

use crate::words;

words!(
    /// Review status of an incident or finding.
    TriageStatus {
        /// Nobody has looked yet.
        New = "new",
        /// Automated triage is running. Findings only; never an incident's state.
        Triaging = "triaging",
        /// Looked at, nothing decided.
        Triaged = "triaged",
        /// Somebody works on it.
        InProgress = "in_progress",
        /// Closed, with a resolution.
        Resolved = "resolved",
    }
);

words!(
    /// Result of a review. Present exactly when the status is [`TriageStatus::Resolved`].
    TriageResolution {
        /// The cause is gone.
        Fixed = "fixed",
        /// Known, and lived with.
        AcceptedRisk = "accepted_risk",
        /// Nothing of the kind happened.
        FalsePositive = "false_positive",
        /// Another one tells the same story.
        Duplicate = "duplicate",
        /// True, and nothing will be done.
        WontFix = "wont_fix",
    }
);

//! Words and values of a result.

use common::words;
use serde::{Deserialize, Serialize};

words! {
    /// Verdict of a score.
    Verdict {
        /// 80 to 100.
        Trusted = "trusted",
        /// 50 to 79.
        Caution = "caution",
        /// 20 to 49.
        Suspicious = "suspicious",
        /// 0 to 19.
        Dangerous = "dangerous",
    }
}

words! {
    /// Confidence in a score, by the number of reviewed pull requests.
    Confidence {
        /// Fewer than three, or the search for pull requests was incomplete.
        Low = "low",
        /// Fewer than ten.
        Medium = "medium",
        /// Ten.
        High = "high",
    }
}

words! {
    /// Verdict of a reviewed pull request.
    PullVerdict {
        /// All added lines were read, and no check failed.
        Clean = "clean",
        /// A check of the diff failed.
        Review = "review",
        /// Not all added lines could be read.
        Inconclusive = "inconclusive",
    }
}

words! {
    /// Part of the data that a result could not use.
    Part {
        /// The search for pull requests: signals that depend on those that may be missing are unknown, and do not lower the score.
        PullRequests = "pull_requests",
        /// Evidence that a reply leaves out.
        PublicEvidence = "public_evidence",
    }
}

words! {
    /// Reason why a part could not be used.
    Gap {
        /// The code host ended the search before it was complete, twice.
        SearchIncomplete = "search_incomplete",
        /// The code host did not confirm at the moment of the reply that the repository is public.
        NotConfirmed = "not_confirmed",
    }
}

/// A part of the data that a result could not use, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Skipped {
    /// The part.
    pub(crate) what: Part,
    /// The reason.
    pub(crate) reason: Gap,
}

/// Scores of the dimensions, 0 to 100 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SubScores {
    /// The account.
    pub(crate) identity: u8,
    /// Its activity.
    pub(crate) behavior: u8,
    /// Its pull requests.
    pub(crate) content: u8,
}

/// A result without its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Assessment {
    /// Version of the weights and checks.
    pub(crate) score_version: String,
    /// 0 to 100.
    pub(crate) score: u8,
    /// Its verdict.
    pub(crate) verdict: Verdict,
    /// Confidence in it.
    pub(crate) confidence: Confidence,
    /// Scores of the dimensions.
    pub(crate) sub_scores: SubScores,
    /// Reviewed pull requests.
    pub(crate) analyzed_pr_count: u32,
    /// Parts of the data that could not be used.
    pub(crate) skipped: Vec<Skipped>,
}

/// A reviewed pull request: public metadata of the code host, names of files and a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Evidence {
    /// The repository, `owner/name`.
    pub(crate) repo: String,
    /// Number of the pull request.
    pub(crate) number: u64,
    /// Its title.
    pub(crate) title: String,
    /// Page of it.
    pub(crate) url: String,
    /// Its verdict.
    pub(crate) verdict: PullVerdict,
    /// Names of the files that were read.
    pub(crate) files_reviewed: Vec<String>,
}

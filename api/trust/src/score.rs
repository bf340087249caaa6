//! Facts to a score. Pure: equal facts give equal scores, and every dimension lies in 0..=100.
//!
//! `identity.rs`, `behavior.rs` and `content.rs` score the dimensions; `weights.rs` has their points. Signals explain a score in tests
//! and are neither stored nor sent.

mod behavior;
mod content;
mod identity;

use std::collections::BTreeSet;

use common::words;

use crate::artifact::{Assessment, Confidence, Gap, Part, Skipped, SubScores, Verdict};
use crate::facts::Facts;
use crate::weights::{
    BEHAVIOR_SHARE, CAUTION, CONTENT_SHARE, HIGH_CONFIDENCE, IDENTITY_SHARE, MEDIUM_CONFIDENCE,
    SCORE_VERSION, SUSPICIOUS, TRUSTED,
};

words! {
    /// A pattern that lowers a score.
    Signal {
        /// An account of less than 30 days whose pull requests spray repositories or fail a check of their diff.
        MaliciousNewAccount = "malicious_new_account",
        /// A burst of pull requests after a long silence.
        SleeperAccount = "sleeper_account",
        /// Pull requests to many repositories within a day.
        PrSpray = "pr_spray",
        /// Most pull requests are unsolicited.
        UnsolicitedPrPattern = "unsolicited_pr_pattern",
        /// Pull requests were rejected in several repositories.
        PrRejectedAcrossRepos = "pr_rejected_across_repos",
        /// Few pull requests were merged.
        LowMergeRate = "low_merge_rate",
        /// No pull request names an issue.
        NoIssueLinkage = "no_issue_linkage",
        /// Pull requests have no text.
        LowEffortPr = "low_effort_pr",
    }
}

/// Points of a dimension and the signals behind them.
struct Points {
    points: i32,
    signals: BTreeSet<Signal>,
}

impl Points {
    fn new(points: i32) -> Self {
        Self { points, signals: BTreeSet::new() }
    }

    /// Adds points where a condition holds.
    fn add_if(&mut self, holds: bool, points: i32) {
        if holds {
            self.points += points;
        }
    }

    /// Adds points and a signal where a condition holds.
    fn signal_if(&mut self, holds: bool, points: i32, signal: Signal) {
        self.add_if(holds, points);
        if holds {
            self.signals.insert(signal);
        }
    }

    /// The score, at least `least`.
    fn score(&self, least: i32) -> u8 {
        u8::try_from(self.points.clamp(least, 100)).unwrap_or(0)
    }
}

/// A score with the signals that lowered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scored {
    pub(crate) assessment: Assessment,
    pub(crate) signals: BTreeSet<Signal>,
}

/// Scores a contributor.
pub(crate) fn score(facts: &Facts) -> Scored {
    let behavior = behavior::points(facts);
    let content = content::points(facts);
    let mut signals = behavior.signals.clone();
    signals.extend(&content.signals);
    if identity::is_malicious(facts, &signals) {
        signals.insert(Signal::MaliciousNewAccount);
    }
    let sub_scores = SubScores {
        identity: identity::score(facts),
        behavior: behavior.score(0),
        content: content.score(0),
    };
    let score = total(sub_scores);
    let analyzed = facts.reviews.len();
    let incomplete = Skipped { what: Part::PullRequests, reason: Gap::SearchIncomplete };
    let assessment = Assessment {
        score_version: SCORE_VERSION.to_owned(),
        score,
        verdict: verdict(score),
        confidence: if facts.is_partial { Confidence::Low } else { confidence(analyzed) },
        sub_scores,
        analyzed_pr_count: u32::try_from(analyzed).unwrap_or(u32::MAX),
        skipped: facts.is_partial.then_some(incomplete).into_iter().collect(),
    };
    Scored { assessment, signals }
}

/// The rounded sum of the dimensions by their shares.
fn total(of: SubScores) -> u8 {
    let hundredfold = IDENTITY_SHARE * u32::from(of.identity)
        + BEHAVIOR_SHARE * u32::from(of.behavior)
        + CONTENT_SHARE * u32::from(of.content);
    u8::try_from(((hundredfold + 50) / 100).min(100)).unwrap_or(100)
}

fn verdict(score: u8) -> Verdict {
    match score {
        TRUSTED.. => Verdict::Trusted,
        CAUTION.. => Verdict::Caution,
        SUSPICIOUS.. => Verdict::Suspicious,
        _ => Verdict::Dangerous,
    }
}

fn confidence(reviewed: usize) -> Confidence {
    match reviewed {
        HIGH_CONFIDENCE.. => Confidence::High,
        MEDIUM_CONFIDENCE.. => Confidence::Medium,
        _ => Confidence::Low,
    }
}

#[cfg(test)]
mod tests;

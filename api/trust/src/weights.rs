//! All weights and thresholds of the score, in points of a dimension unless stated otherwise. Sources: design of contributor trust
//! for the points of each signal; the finer steps within a range are choices of this service.

use std::time::Duration;

/// Version of the score: raised whenever a weight, a threshold or a check changes.
pub(crate) const SCORE_VERSION: &str = "2026-11-28";

/// Share of identity in the score, in percent.
pub(crate) const IDENTITY_SHARE: u32 = 35;
/// Share of behavior in the score, in percent.
pub(crate) const BEHAVIOR_SHARE: u32 = 40;
/// Share of content in the score, in percent.
pub(crate) const CONTENT_SHARE: u32 = 25;

/// Least score of the verdict `trusted`.
pub(crate) const TRUSTED: u8 = 80;
/// Least score of the verdict `caution`.
pub(crate) const CAUTION: u8 = 50;
/// Least score of the verdict `suspicious`.
pub(crate) const SUSPICIOUS: u8 = 20;

/// Reviewed pull requests from which the confidence is `medium`.
pub(crate) const MEDIUM_CONFIDENCE: usize = 3;
/// Reviewed pull requests from which the confidence is `high`.
pub(crate) const HIGH_CONFIDENCE: usize = 10;

/// Length of a day.
pub(crate) const DAY: Duration = Duration::from_secs(24 * 3600);

/// Identity of an account about which nothing else is known.
pub(crate) const IDENTITY_BASE: i32 = 50;
/// Least identity: a new account is not a bad one, and alone leaves a score of at least 50.
pub(crate) const IDENTITY_LEAST: i32 = 10;
/// Days from which an account is not new any more.
pub(crate) const NEW_ACCOUNT_DAYS: u32 = 30;
/// Age of the account: points below a number of days.
pub(crate) const AGE: [(u32, i32); 5] =
    [(NEW_ACCOUNT_DAYS, -40), (90, -20), (365, 0), (730, 15), (1_096, 25)];
/// Age of an account of more than three years.
pub(crate) const OLD_ACCOUNT: i32 = 35;
/// At least one signing key that is neither revoked nor expired.
pub(crate) const SIGNING_KEY: i32 = 10;
/// Each public membership of an organization.
pub(crate) const ORGANIZATION: i32 = 10;
/// Most points of memberships.
pub(crate) const ORGANIZATIONS_MOST: i32 = 20;
/// Followers: points from a number of followers.
pub(crate) const FOLLOWERS: [(u64, i32); 3] = [(1_000, 8), (100, 5), (10, 2)];
/// Each merged pull request outside of the login's own repositories.
pub(crate) const MERGED_WORK: i32 = 2;
/// Most points of merged work.
pub(crate) const MERGED_WORK_MOST: i32 = 10;
/// Most points of followers and merged work together.
pub(crate) const STANDING_MOST: i32 = 15;

/// Behavior of a login without activity.
pub(crate) const BEHAVIOR_BASE: i32 = 85;
/// Each review of a pull request.
pub(crate) const REVIEW: i32 = 1;
/// Most points of reviews.
pub(crate) const REVIEWS_MOST: i32 = 5;
/// Each month of the last year with activity.
pub(crate) const STEADY_MONTH: i32 = 1;
/// Most points of steady months.
pub(crate) const STEADY_MONTHS_MOST: i32 = 10;
/// `low_merge_rate`: the smoothed merge rate is below [`LOW_MERGE_RATE_PERCENT`].
pub(crate) const LOW_MERGE_RATE: i32 = -15;
/// Threshold of the smoothed merge rate `(merged + 2) / (ended + 4)`, in percent.
pub(crate) const LOW_MERGE_RATE_PERCENT: usize = 30;
/// `sleeper_account`: a burst of pull requests after a long silence.
pub(crate) const SLEEPER: i32 = -25;
/// Least length of the silence.
pub(crate) const SILENCE: Duration = Duration::from_secs(365 * 24 * 3600);
/// Length of the burst.
pub(crate) const BURST: Duration = Duration::from_secs(30 * 24 * 3600);
/// Least pull requests of the burst.
pub(crate) const BURST_PULLS: usize = 10;
/// Greatest age of the beginning of a burst: later on, the account has a history again.
pub(crate) const BURST_AGE: Duration = Duration::from_secs(180 * 24 * 3600);
/// `pr_spray`: [`SPRAY_PULLS`] pull requests in [`SPRAY_REPOSITORIES`] repositories within a day.
pub(crate) const SPRAY: i32 = -20;
/// Least pull requests of a day.
pub(crate) const SPRAY_PULLS: usize = 5;
/// Least repositories of a day.
pub(crate) const SPRAY_REPOSITORIES: usize = 4;
/// `unsolicited_pr_pattern`: more than [`UNSOLICITED_PERCENT`] of the pull requests are unsolicited.
pub(crate) const UNSOLICITED: i32 = -20;
/// Threshold of unsolicited pull requests, in percent.
pub(crate) const UNSOLICITED_PERCENT: usize = 80;
/// Least pull requests for a pattern: the first ones of a new contributor are unsolicited everywhere.
pub(crate) const UNSOLICITED_LEAST: usize = 5;
/// `pr_rejected_across_repos`: rejected in [`REJECTED_REPOSITORIES`] repositories that merged nothing, and in more than merged.
pub(crate) const REJECTED: i32 = -20;
/// Least repositories that rejected.
pub(crate) const REJECTED_REPOSITORIES: usize = 3;
/// More than [`NEW_REPOSITORIES_MOST`] new repositories within [`NEW_REPOSITORIES_TIME`].
pub(crate) const NEW_REPOSITORIES: i32 = -10;
/// Most new repositories without points.
pub(crate) const NEW_REPOSITORIES_MOST: usize = 20;
/// Three months.
pub(crate) const NEW_REPOSITORIES_TIME: Duration = Duration::from_secs(91 * 24 * 3600);
/// Time over which spray and rejections count.
pub(crate) const RECENT: Duration = Duration::from_secs(365 * 24 * 3600);

/// Content of pull requests in which nothing was found.
pub(crate) const CONTENT_BASE: i32 = 100;
/// Content without a reviewed pull request.
pub(crate) const CONTENT_WITHOUT_PULLS: i32 = 60;
/// `low_effort_pr`: at least half of the pull requests have no text.
pub(crate) const EMPTY_BODIES: i32 = -20;
/// `no_issue_linkage`: no pull request names an issue.
pub(crate) const NO_ISSUE: i32 = -10;
/// A chain of capabilities of high or critical severity in added lines.
pub(crate) const CHAIN: i32 = -60;
/// Hidden characters in added lines.
pub(crate) const HIDDEN_CHARACTERS: i32 = -40;
/// A changed workflow of continuous integration, or a hook that runs on installation or build.
pub(crate) const HOOK: i32 = -15;
/// An added or changed executable or archive.
pub(crate) const BINARY: i32 = -15;

//! A result as it is stored.

use std::time::Duration;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use crate::artifact::{Confidence, Floor, Origin};
use crate::check::{Check, CheckRecord, Threat};
use crate::score::{Assessment, Coverage, Scored, Skipped, SubScores, score};
use crate::weights::SCORE_VERSION;

/// A result counts as current for this long (specification, Limits: refresh).
pub(crate) const FRESH: Duration = Duration::from_secs(24 * 3600);
/// A scan in a process that has ended is reported as lost after this long, and that of public content is asked for again.
pub(crate) const LOST: Duration = Duration::from_secs(10 * 60);
/// Public content of which nothing could be read is answered from memory this long only: it may be read soon after.
const UNREAD: Duration = Duration::from_secs(5 * 60);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Private results are kept this long, public ones longer.
const KEPT_PRIVATE: u32 = 30;
const KEPT_PUBLIC: u32 = 90;
/// Longest text of a reason in characters, and most parts that are listed as unread: a row stays below its limit.
const MOST_REASON: usize = 300;
const MOST_SKIPPED: usize = 50;

/// The content of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Kind of content.
    pub origin: Origin,
    /// Identifier: a host and path, or a SHA-256 in hexadecimal digits.
    pub identifier: String,
    /// Label for people.
    pub name: String,
    /// URL of public content.
    pub url: Option<String>,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// The content.
    pub subject: Subject,
    /// The owner of a private result; the nil UUID for public ones.
    pub organization: OrganizationId,
    /// Time of the scan.
    pub scanned_at: Timestamp,
    /// Time of its deletion.
    pub expires_at: Timestamp,
    /// Version of checks and weights.
    pub score_version: String,
    /// Whether checks are still to be made.
    pub is_pending: bool,
    /// 0 to 100, higher is safer.
    pub score: u8,
    /// Verdict that the result is never better than.
    pub floor: Option<Floor>,
    /// Confidence.
    pub confidence: Confidence,
    /// Scores of the dimensions.
    pub sub_scores: SubScores,
    /// Threats, the most severe first. Excerpts are not stored.
    pub threats: Vec<Threat>,
    /// Every check of the origin.
    pub checks: Vec<CheckRecord>,
    /// How much was read.
    pub coverage: Coverage,
}

impl Artifact {
    /// The result of an assessment.
    #[must_use]
    pub fn new(
        subject: Subject,
        sender: OrganizationId,
        scanned_at: Timestamp,
        assessment: &Assessment,
    ) -> Self {
        let Scored { score, floor, confidence, sub_scores, mut threats, mut coverage } =
            score(subject.origin, assessment);
        threats.iter_mut().for_each(|threat| shorten(&mut threat.detail));
        let mut checks: Vec<CheckRecord> = assessment.checks.iter().map(Check::record).collect();
        checks.iter_mut().filter_map(|check| check.reason.as_mut()).for_each(shorten);
        bound(&mut coverage);
        let is_unread = assessment.is_unreadable && !subject.origin.is_private();
        let days = if subject.origin.is_private() { KEPT_PRIVATE } else { KEPT_PUBLIC };
        Self {
            expires_at: scanned_at.plus(if is_unread { UNREAD } else { DAY * days }),
            organization: owner(subject.origin, sender),
            subject,
            scanned_at,
            score_version: SCORE_VERSION.to_owned(),
            is_pending: assessment.is_pending,
            score,
            floor,
            confidence,
            sub_scores,
            threats,
            checks,
            coverage,
        }
    }

    /// Whether it is older than a day, or scored by another version.
    #[must_use]
    pub fn is_stale(&self, now: Timestamp) -> bool {
        now.since(self.scanned_at) > FRESH || self.score_version != SCORE_VERSION
    }

    /// Whether its scan was lost, because the process that made it has ended.
    #[must_use]
    pub fn is_lost(&self, now: Timestamp) -> bool {
        self.subject.origin.is_private() && self.is_overdue(now)
    }

    /// Whether its scan should have ended: the process has, or the job gave up or still waits.
    #[must_use]
    pub fn is_overdue(&self, now: Timestamp) -> bool {
        self.is_pending && now.since(self.scanned_at) > LOST
    }

    /// The same, deleted after a shorter time.
    #[must_use]
    pub fn kept_for(self, time: Duration) -> Self {
        Self { expires_at: self.scanned_at.plus(time), ..self }
    }
}

/// The owner of a result: the organization that sent private content, none of public content.
#[must_use]
pub(crate) fn owner(origin: Origin, sender: OrganizationId) -> OrganizationId {
    if origin.is_private() { sender } else { OrganizationId::NONE }
}

fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(MOST_REASON) {
        text.truncate(end);
        text.push('…');
    }
}

fn bound(coverage: &mut Coverage) {
    let further = coverage.skipped.len().saturating_sub(MOST_SKIPPED);
    coverage.skipped.truncate(MOST_SKIPPED);
    let texts = coverage.skipped.iter_mut().flat_map(|skipped| [&mut skipped.what, &mut skipped.reason]);
    texts.for_each(shorten);
    if further > 0 {
        let reason = "the list is limited".to_owned();
        coverage.skipped.push(Skipped { what: format!("{further} further parts"), reason });
    }
}

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
    /// The owner of a result that is no other organization's; the nil UUID for shared ones.
    pub organization: OrganizationId,
    /// Time of the scan.
    pub scanned_at: Timestamp,
    /// Time of its deletion.
    pub expires_at: Timestamp,
    /// Version of checks and weights.
    pub score_version: String,
    /// Whether checks are still to be made.
    pub is_pending: bool,
    /// Whether an organization with a connection to the code host would get more facts.
    #[serde(default)]
    pub is_partial: bool,
    /// Whether it is answered in place of the result of a scan that goes on. Not stored.
    #[serde(skip)]
    pub is_scanned_again: bool,
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
        let is_shared = !subject.origin.is_private() && !assessment.is_of_connection;
        let days = if is_shared { KEPT_PUBLIC } else { KEPT_PRIVATE };
        Self {
            expires_at: scanned_at.plus(if is_unread { UNREAD } else { DAY * days }),
            organization: if is_shared { OrganizationId::NONE } else { sender },
            subject,
            scanned_at,
            score_version: SCORE_VERSION.to_owned(),
            is_pending: assessment.is_pending,
            is_partial: assessment.is_partial,
            is_scanned_again: false,
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
        self.is_pending && !self.is_scanned_again && now.since(self.scanned_at) > LOST
    }

    /// The same while the content is scanned again. With a pending scan no result is better than `caution` (design: floor).
    #[must_use]
    pub(crate) fn scanned_again(self) -> Self {
        let floor = self.floor.max(Some(Floor::Caution));
        Self { is_pending: true, is_scanned_again: true, floor, confidence: Confidence::Low, ..self }
    }

    /// Whether it may replace another result of the content: a pending one never replaces a whole one, nor an older one a newer one, nor a
    /// shared one that is partial a shared one with all facts.
    pub(crate) fn may_replace(&self, other: &Self) -> bool {
        let are_shared = [self, other].iter().all(|one| one.organization == OrganizationId::NONE);
        let has_less = are_shared && self.is_partial && !other.is_partial;
        other.is_pending || !(self.is_pending || has_less) && self.scanned_at >= other.scanned_at
    }

    /// The same, deleted after a shorter time.
    #[must_use]
    pub fn kept_for(self, time: Duration) -> Self {
        Self { expires_at: self.scanned_at.plus(time), ..self }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::Tolerance;
    use crate::score::verdict;

    #[test]
    fn a_result_that_is_scanned_again_stays_with_its_score_and_is_not_better_than_caution() {
        let subject = Subject {
            origin: Origin::WebPage,
            identifier: "example.org".to_owned(),
            name: "example.org".to_owned(),
            url: None,
        };
        let current = Artifact::new(subject, OrganizationId::NONE, Timestamp(1), &Assessment::default());
        assert_eq!((current.floor, current.is_pending), (None, false));
        let again = current.clone().scanned_again();
        assert_eq!((again.score, again.scanned_at, again.is_pending), (current.score, Timestamp(1), true));
        assert_eq!((again.floor, again.confidence), (Some(Floor::Caution), Confidence::Low));
        assert!(verdict(again.score, again.floor, Tolerance::Yolo) > crate::artifact::Verdict::Safe);
        let dangerous = Artifact { floor: Some(Floor::Dangerous), ..current };
        assert_eq!(dangerous.scanned_again().floor, Some(Floor::Dangerous));
    }
}

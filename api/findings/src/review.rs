//! Reviewing a finding: a change of its triage by a user, decided from the row that was read and committed at its version.

use common::event::EventKind;
use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use directory::check_text;
use ledger::Seq;
use records::Actor;
use records::{Change, Home, RecordError};

use crate::detail::FindingDetail;
use crate::error::FindingError;
use crate::events::event;
use crate::finding::Finding;
use crate::history::ChangeKind;
use crate::identity::Episode;
use crate::recorder::Findings;
use crate::triage::result_of;

/// Most characters of a comment.
pub(crate) const MAX_COMMENT: usize = 4_000;
/// Most characters of an assignee.
pub(crate) const MAX_ASSIGNEE: usize = 200;
/// Greatest board position: the largest integer that a JSON number represents exactly.
pub(crate) const MAX_POSITION: u64 = (1 << 53) - 1;

/// A requested review. `None` leaves a property as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Review {
    /// New status.
    pub status: Option<TriageStatus>,
    /// New resolution; the inner `None` clears it.
    pub resolution: Option<Option<TriageResolution>>,
    /// New order on a board.
    pub board_position: Option<u64>,
    /// New assignee; the inner `None` clears it.
    pub assignee: Option<Option<String>>,
    /// Reason for the change.
    pub comment: Option<String>,
}

/// Versions that the caller accepts; any without a list.
pub(crate) type IfMatch = Option<Vec<u64>>;

impl Review {
    /// Refuses a review that no finding can have.
    ///
    /// # Errors
    /// [`FindingError::Invalid`].
    pub(crate) fn check(&self) -> Result<(), FindingError> {
        let is_resolved = self.status == Some(TriageStatus::Resolved);
        let resolution = self.resolution.flatten();
        let characters = |text: Option<&String>| text.map_or(0, |text| text.chars().count());
        let assignee = self.assignee.as_ref().and_then(Option::as_ref);
        let refusal = if *self == Self::default() {
            "the body: expected at least one property to change, found none"
        } else if self.status == Some(TriageStatus::Triaging) {
            "triage_status: expected new, triaged, in_progress or resolved, found triaging, which automated triage sets"
        } else if is_resolved && resolution.is_none() {
            "triage_resolution: expected a resolution with triage_status resolved, found none"
        } else if self.status.is_some() && !is_resolved && resolution.is_some() {
            "triage_resolution: expected none unless triage_status is resolved, found a resolution"
        } else if self.board_position.is_some_and(|position| position > MAX_POSITION) {
            "board_position: expected an integer from 0 to 9007199254740991, found a greater one"
        } else if self.comment.as_ref().is_some_and(|comment| comment.trim().is_empty())
            || characters(self.comment.as_ref()) > MAX_COMMENT
        {
            "comment: expected 1 to 4000 characters"
        } else {
            return match assignee {
                Some(name) => Ok(check_text("assignee", name, MAX_ASSIGNEE)?),
                None => Ok(()),
            };
        };
        Err(FindingError::Invalid(refusal))
    }

    /// The finding after the review; `None` when nothing is different and there is no comment.
    fn apply(&self, mut finding: Finding, at: Timestamp) -> Result<Option<Finding>, FindingError> {
        let before = finding.triage.clone();
        match (self.status, self.resolution) {
            (Some(TriageStatus::Resolved), Some(Some(resolution))) => {
                finding.triage.resolve(resolution, finding.risk);
            }
            (Some(status), _) if status != before.status => finding.triage.open(status),
            (None, Some(Some(resolution))) if !finding.is_open() => {
                finding.triage.resolve(resolution, finding.risk);
            }
            (None, Some(None)) if !finding.is_open() => {
                return Err(FindingError::Invalid(
                    "triage_resolution is required with triage_status resolved",
                ));
            }
            (None, Some(Some(_))) => {
                return Err(FindingError::Invalid(
                    "triage_resolution: expected none unless the finding is resolved, found a resolution",
                ));
            }
            _ => {}
        }
        finding.triage.board_position = self.board_position.unwrap_or(before.board_position);
        if let Some(assignee) = &self.assignee {
            finding.triage.assignee.clone_from(assignee);
        }
        if finding.triage == before && self.comment.is_none() {
            return Ok(None);
        }
        finding.touch(at);
        Ok(Some(finding))
    }
}

impl Findings {
    /// Reviews a finding; as it is afterwards. A review without effect changes nothing.
    ///
    /// # Errors
    /// [`FindingError::NotFound`], [`FindingError::Invalid`], [`FindingError::Stale`], and failures of the ledger.
    pub(crate) async fn review(
        &self,
        (organization, id): (OrganizationId, RecordId),
        review: &Review,
        if_match: &IfMatch,
        (actor, at): (&Actor, Timestamp),
    ) -> Result<Finding, FindingError> {
        review.check()?;
        if !self.records.has(id) {
            return Err(FindingError::NotFound);
        }
        let mut attempts = self.records.attempts(Home::Records, id.shard());
        while let Some(mut draft) = attempts.next().await? {
            let before =
                self.records.get::<Finding>(organization, id).await?.ok_or(FindingError::NotFound)?;
            if if_match.as_ref().is_some_and(|versions| !versions.contains(&before.version)) {
                return Err(FindingError::Stale { found: before.version });
            }
            let Some(after) = review.apply(before.clone(), at)? else { return Ok(before) };
            if !before.is_open() && after.is_open() {
                self.check_latest(&before).await?;
            }
            let change = self.reviewed(&before, after.clone(), review, (actor, at)).await?;
            let seq = Seq(draft.number());
            draft.add(change)?;
            if attempts.commit(draft).await? {
                self.show(std::slice::from_ref(&after), seq);
                return Ok(after);
            }
        }
        Err(RecordError::Conflict.into())
    }

    /// Refuses to open a finding whose weakness has a later finding: no two of one identity are open.
    async fn check_latest(&self, finding: &Finding) -> Result<(), FindingError> {
        let (organization, shard, key) = (finding.organization, finding.id.shard(), finding.identity.key());
        let episode = self.records.state::<Finding, Episode>(organization, shard, &key).await?;
        match episode.filter(|episode| episode.number != finding.episode) {
            Some(later) => Err(FindingError::Superseded { by: later.finding }),
            None => Ok(()),
        }
    }

    async fn reviewed(
        &self,
        before: &Finding,
        after: Finding,
        review: &Review,
        (actor, at): (&Actor, Timestamp),
    ) -> Result<Change<Finding>, FindingError> {
        let mut change = Change::put(after.clone());
        let moved = Finding { triage: before.triage.clone(), ..after.clone() };
        let only_moved =
            crate::finding::Triage { board_position: after.triage.board_position, ..moved.triage }
                == after.triage;
        if !only_moved || review.comment.is_some() {
            let mut entry = after.entry(ChangeKind::Reviewed, actor, at, before.state());
            entry.comment.clone_from(&review.comment);
            change = change.history(entry);
        }
        let accepted = Some(TriageResolution::AcceptedRisk);
        if after.triage.resolution == accepted && before.triage.resolution != accepted {
            let (organization, id) = (after.organization, after.id);
            let detail = self.records.detail::<Finding>(organization, id).await?.unwrap_or_default();
            let result = result_of(&self.records, &after).await?;
            let detail: (&FindingDetail, _) = (&detail, result.as_ref());
            change = change.event(event(EventKind::FindingAccepted, &after, detail, &self.base_url, at)?);
        }
        Ok(change)
    }
}

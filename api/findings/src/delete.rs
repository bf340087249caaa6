//! Deleting a finding for good. A tombstone keeps its identity and episode, so that the finding gets a new id when it is observed
//! again.

use common::ids::{OrganizationId, RecordId};
use records::{Change, Home, RecordError, Removal, Removing};

use crate::error::FindingError;
use crate::finding::Finding;
use crate::identity::Episode;
use crate::recorder::Findings;
use crate::triage::{TriageRun, result_key};

impl Findings {
    /// Deletes a finding with its detail and history, and cancels its triage. The triage's record, whose reservation is to be
    /// returned, if one was running.
    ///
    /// # Errors
    /// [`FindingError::NotFound`], and failures of the ledger.
    pub async fn delete(
        &self,
        organization: OrganizationId,
        id: RecordId,
    ) -> Result<Option<RecordId>, FindingError> {
        if !self.records.has(id) {
            return Err(FindingError::NotFound);
        }
        let mut attempts = self.records.attempts(Home::Records, id.shard());
        let mut begun = false;
        loop {
            let Some(mut draft) = attempts.next().await? else { return Err(RecordError::Conflict.into()) };
            let removing = match self.records.removal::<Finding>(&mut draft, organization, id).await? {
                Some(removing) => removing,
                None if begun => return Ok(None),
                None => return Err(FindingError::NotFound),
            };
            let Removing::Whole(removal) = removing else {
                if attempts.commit(draft).await? {
                    // The history was longer than a commit: the rest follows, with attempts of its own.
                    attempts = self.records.attempts(Home::Records, id.shard());
                }
                begun = true;
                continue;
            };
            let Removal { head: finding, .. } = &removal;
            let tombstone = Episode {
                number: finding.episode,
                finding: None,
                begun_by: finding.observed.first_run,
                recurred: finding.previous.is_some(),
                observed_by: finding.observed.recent_runs.clone(),
            };
            let (key, triage) =
                (finding.identity.key(), finding.triage.running.map(|running| running.triage));
            let current: Option<Episode> =
                self.records.state::<Finding, Episode>(organization, id.shard(), &key).await?;
            let is_latest = current.is_none_or(|episode| episode.number == finding.episode);
            let mut change = Change::delete(removal).without_state(&result_key(id));
            if is_latest {
                change = change.state(&key, &tombstone)?;
            }
            draft.add(change)?;
            if let Some(triage) = triage
                && let Some(Removing::Whole(run)) =
                    self.records.removal::<TriageRun>(&mut draft, organization, triage).await?
            {
                draft.add(Change::delete(run))?;
            }
            let seq = ledger::Seq(draft.number());
            if attempts.commit(draft).await? {
                if let Some(index) = &self.index {
                    index.removed(organization, id, seq);
                }
                return Ok(triage);
            }
            begun = true;
        }
    }
}

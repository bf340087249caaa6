//! Recording the observations of a run: reads what is known of their identities, merges, and commits findings, histories and
//! events together, at most 100 observations at a time.

use std::sync::Arc;

use common::event::EventKind;
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use engine::Observation;
use futures_util::{StreamExt, TryStreamExt, stream};
use index::Index;
use ledger::{Ledger, Seq};
use records::{Change, Home, RecordError, Records};

use crate::detail::FindingDetail;
use crate::distinct::distinct;
use crate::error::FindingError;
use crate::events;
use crate::finding::Finding;
use crate::identity::{Episode, Identity};
use crate::measure;
use crate::merge::{Known, Merge, Outcome, Run, Written, absent, is_absent, merge};
use crate::numbers::Numbers;

/// Most observations of one commit: five rows each, of the thousand that a commit may have.
const CHUNK: usize = 100;
/// Identities that are read at a time.
const READS_AT_ONCE: usize = 16;

/// Findings of all organizations: the changes that reports, imports, users and jobs make.
pub struct Findings {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) records: Arc<Records>,
    /// The specification's `{base_url}`, for links in events.
    pub(crate) base_url: String,
    /// The index of this process; `None` in a process that answers no lists.
    pub(crate) index: Option<Arc<Index<Finding>>>,
}

/// An observation that was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The finding.
    pub finding: RecordId,
    /// Outcome of the observation.
    pub outcome: Outcome,
}

impl Findings {
    /// Findings in a ledger. `base_url` is where clients reach the API, without a trailing slash.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>, records: Arc<Records>, base_url: String) -> Self {
        Self { ledger, records, base_url, index: None }
    }

    /// Records the observations of a run; for each, in their order, its finding and the outcome. A repeated call with the same
    /// run, after a failure or a crash, changes only what is not recorded yet, and has the same outcomes.
    ///
    /// # Errors
    /// [`FindingError`]; observations before the failing commit are recorded.
    pub async fn record(
        &self,
        run: &Run,
        observations: Vec<Observation>,
    ) -> Result<Vec<Recorded>, FindingError> {
        let (distinct, places) = distinct(run, observations);
        let shard = self.records.shard(run.organization, &run.target.anchor());
        let (mut recorded, mut numbers) = (Vec::with_capacity(distinct.len()), Numbers::default());
        while let Some(rest) = distinct.get(recorded.len()..).filter(|rest| !rest.is_empty()) {
            let chunk = rest.get(..CHUNK).unwrap_or(rest);
            recorded.extend(self.record_chunk(run, shard, chunk, &mut numbers).await?);
        }
        measure::recorded(&recorded);
        Ok(places.into_iter().filter_map(|place| recorded.get(place).copied()).collect())
    }

    /// Resolves the open findings of the target that a run did not observe although it `covers` their location, as fixed. A
    /// finding that a user works on stays as it is. The number of resolved findings.
    ///
    /// # Errors
    /// [`FindingError`]; findings of earlier commits are resolved.
    pub async fn absent(
        &self,
        run: &Run,
        covers: impl Fn(&Finding, &FindingDetail) -> bool,
    ) -> Result<u64, FindingError> {
        let anchor = run.target.anchor();
        let shard = self.records.shard(run.organization, &anchor);
        let (mut after, mut resolved) = (None, 0);
        loop {
            let page: Vec<Finding> = self.records.scan(run.organization, shard, after, CHUNK).await?;
            let Some(last) = page.last() else { return Ok(resolved) };
            after = Some(last.id);
            let is_absent = |finding: &Finding| finding.target.anchor() == anchor && is_absent(run, finding);
            let open = page.into_iter().filter(is_absent);
            let read = |finding: Finding| async move {
                let detail = self.records.detail::<Finding>(run.organization, finding.id).await?;
                Ok::<_, FindingError>(detail.map(|detail| (finding, detail)))
            };
            let read: Vec<Option<(Finding, FindingDetail)>> =
                stream::iter(open).map(read).buffered(READS_AT_ONCE).try_collect().await?;
            let covered = read.into_iter().flatten().filter(|(finding, detail)| covers(finding, detail));
            let mut ids: Vec<RecordId> = covered.map(|(finding, _)| finding.id).collect();
            while !ids.is_empty() {
                let (done, count) = self.resolve_absent(run, shard, &ids).await?;
                ids.drain(..done);
                resolved += count;
            }
        }
    }

    /// Resolves the first of some findings, as many as fit into a commit; how many were decided, and how many resolved.
    async fn resolve_absent(
        &self,
        run: &Run,
        shard: Shard,
        ids: &[RecordId],
    ) -> Result<(usize, u64), FindingError> {
        let mut attempts = self.records.attempts(Home::Records, shard);
        while let Some(mut draft) = attempts.next().await? {
            let (mut done, mut changed) = (0, Vec::new());
            for id in ids {
                let found = self.records.get::<Finding>(run.organization, *id).await?;
                done += 1;
                let Some(finding) = found.filter(|finding| is_absent(run, finding)) else { continue };
                let (finding, entry) = absent(run, finding);
                if !draft.add_if_room(Change::put(finding.clone()).history(entry))? {
                    done -= 1;
                    break;
                }
                changed.push(finding);
            }
            let seq = Seq(draft.number());
            if attempts.commit(draft).await? {
                self.show(&changed, seq);
                return Ok((done, changed.len() as u64));
            }
        }
        Err(RecordError::Conflict.into())
    }

    /// Records the first observations of a chunk, as many as fit into a commit.
    async fn record_chunk(
        &self,
        run: &Run,
        shard: Shard,
        chunk: &[(Identity, Observation)],
        numbers: &mut Numbers,
    ) -> Result<Vec<Recorded>, FindingError> {
        let mut attempts = self.records.attempts(Home::Records, shard);
        while let Some(mut draft) = attempts.next().await? {
            let known = self.known(run.organization, shard, chunk).await?;
            let begun = known.iter().filter(|known| known.begins_episode(run)).count();
            numbers.reserve(self.ledger.as_ref(), run.organization, begun).await?;
            let mut positions = numbers.positions();
            let (mut recorded, mut written, mut used) = (Vec::new(), Vec::new(), 0);
            for ((identity, observation), known) in chunk.iter().zip(known) {
                let is_new = known.begins_episode(run);
                let position = if is_new { positions.next().unwrap_or_default() } else { 0 };
                let Merge { finding, outcome, change } =
                    merge(run, (shard, *identity), observation, known, position)?;
                let Some(change) = change else {
                    recorded.push(Recorded { finding, outcome });
                    continue;
                };
                let finding_after = change.finding.clone();
                if !draft.add_if_room(self.change(run, *change)?)? {
                    break;
                }
                used += usize::from(is_new);
                written.push(finding_after);
                recorded.push(Recorded { finding, outcome });
            }
            let seq = Seq(draft.number());
            if attempts.commit(draft).await? {
                numbers.used(used);
                self.show(&written, seq);
                return Ok(recorded);
            }
        }
        Err(RecordError::Conflict.into())
    }

    async fn known(
        &self,
        organization: OrganizationId,
        shard: Shard,
        chunk: &[(Identity, Observation)],
    ) -> Result<Vec<Known>, FindingError> {
        let read = |identity| self.known_of(organization, shard, identity);
        let identities: Vec<Identity> = chunk.iter().map(|(identity, _)| *identity).collect();
        stream::iter(identities).map(read).buffered(READS_AT_ONCE).try_collect().await
    }

    /// The finding of an identity.
    pub(crate) async fn known_of(
        &self,
        organization: OrganizationId,
        shard: Shard,
        identity: Identity,
    ) -> Result<Known, FindingError> {
        let key = identity.key();
        let episode = self.records.state::<Finding, Episode>(organization, shard, &key).await?;
        let finding = match episode.as_ref().and_then(|episode| episode.finding) {
            Some(id) => self.records.get(organization, id).await?,
            None => None,
        };
        Ok(Known { episode, finding })
    }

    /// The rows of one observation, with the event of a new finding.
    pub(crate) fn change(&self, run: &Run, written: Written) -> Result<Change<Finding>, FindingError> {
        let Written { finding, detail, history, episode } = written;
        let (identity, mut event) = (finding.identity.key(), None);
        if let Some(detail) = detail.as_ref().filter(|_| episode.is_some() && run.announced) {
            let kind = EventKind::FindingCreated;
            event = Some(events::event(kind, &finding, (detail, None), &self.base_url, run.at)?);
        }
        let mut change = Change::put(finding);
        if let Some(episode) = episode {
            change = change.state(&identity, &episode)?;
        }
        if let Some(detail) = detail {
            change = change.detail(detail);
        }
        let change = history.into_iter().fold(change, Change::history);
        Ok(event.into_iter().fold(change, Change::event))
    }

    /// Shows changes at once in the lists of this process.
    pub(crate) fn show(&self, findings: &[Finding], seq: Seq) {
        if let Some(index) = &self.index {
            findings.iter().for_each(|finding| index.apply(finding, seq));
        }
    }
}

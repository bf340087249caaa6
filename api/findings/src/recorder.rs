//! Recording the observations of a run: reads what is known of their identities, merges, and commits findings, histories and
//! events together, at most 100 observations at a time.

use std::sync::Arc;

use common::event::EventKind;
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::row::encode;
use engine::Observation;
use futures_util::{StreamExt, TryStreamExt, stream};
use index::Index;
use ledger::{Ledger, Seq};
use records::{Change, Draft, Home, RecordError, Records};

use crate::detail::FindingDetail;
use crate::distinct::distinct;
use crate::error::FindingError;
use crate::events::event;
use crate::finding::Finding;
use crate::identity::{Episode, Identity};
use crate::measure;
use crate::merge::{Known, Merge, Outcome, Run, Written, absent, merge};
use crate::numbers::Numbers;

/// Most observations of one commit: five rows each, of the thousand that a commit may have.
const CHUNK: usize = 100;
/// Identities that are read at a time.
const READS_AT_ONCE: usize = 16;
/// Rows of one observation: head, detail, history, event, episode.
const ROWS: usize = 5;
/// Bytes that an observation takes beside its rows: keys, the entry of the history, the episode, the envelope of the event.
pub(crate) const ROW_BYTES: usize = 4 * 1024;

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
        let shard = self.records.shard(run.organization, &run.target.anchor());
        let (mut after, mut resolved) = (None, 0);
        loop {
            let page: Vec<Finding> = self.records.scan(run.organization, shard, after, CHUNK).await?;
            let Some(last) = page.last() else { return Ok(resolved) };
            after = Some(last.id);
            let anchor = run.target.anchor();
            let open = page.into_iter().filter(|finding| finding.target.anchor() == anchor);
            let open = open.filter(|finding| absent(run, finding.clone()).is_some());
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
                let Some((finding, entry)) = found.and_then(|finding| absent(run, finding)) else { continue };
                if !draft.is_empty() && !draft.has_room(2, ROW_BYTES + encoded(&finding)?) {
                    done -= 1;
                    break;
                }
                draft.add(Change::put(finding.clone()).history(entry))?;
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
                let change = self.change(run, *change, observation)?;
                // The first one is always added: if it alone is too large, that is an error.
                if !draft.is_empty() && !draft.has_room(ROWS, change.bytes) {
                    break;
                }
                used += usize::from(is_new);
                written.push(change.finding.clone());
                change.add_to(&mut draft)?;
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

    pub(crate) fn change(
        &self,
        run: &Run,
        written: Written,
        observation: &Observation,
    ) -> Result<NewRows, FindingError> {
        let Written { finding, detail, history, episode } = written;
        let mut bytes = ROW_BYTES + encoded(&finding)? + detail.as_ref().map_or(Ok(0), encoded)?;
        let mut change = Change::put(finding.clone());
        if let Some(episode) = episode {
            if run.announced {
                let detail = FindingDetail::of(observation);
                let event =
                    event(EventKind::FindingCreated, &finding, (&detail, None), &self.base_url, run.at)?;
                bytes += event.object.to_string().len();
                change = change.event(event);
            }
            change = change.state(&finding.identity.key(), &episode)?;
        }
        if let Some(detail) = detail {
            change = change.detail(detail);
        }
        if let Some(entry) = history {
            change = change.history(entry);
        }
        Ok(NewRows { finding, change, bytes })
    }

    /// Shows changes at once in the lists of this process.
    pub(crate) fn show(&self, findings: &[Finding], seq: Seq) {
        if let Some(index) = &self.index {
            findings.iter().for_each(|finding| index.apply(finding, seq));
        }
    }
}

/// The rows of one observation.
pub(crate) struct NewRows {
    pub(crate) finding: Finding,
    pub(crate) change: Change<Finding>,
    bytes: usize,
}

impl NewRows {
    pub(crate) fn add_to(self, draft: &mut Draft) -> Result<(), RecordError> {
        draft.add(self.change)
    }
}

pub(crate) fn encoded(row: &impl serde::Serialize) -> Result<usize, FindingError> {
    Ok(encode(row)?.len())
}

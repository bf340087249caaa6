//! Merging observations in a commit of another crate, so that a finding changes together with the rows and events of its
//! cause. The rule of merging is that of `merge`; here evidence accumulates instead of being replaced.

use common::event::Event;
use common::ids::RecordId;
use common::row::encode;
use engine::{Evidence, Observation};
use ledger::Seq;
use records::Draft;

use crate::detail::FindingDetail;
use crate::error::FindingError;
use crate::finding::Finding;
use crate::identity::Identity;
use crate::merge::{Known, Merge, Run, merge};
use crate::numbers::Numbers;
use crate::recorder::{Findings, Recorded};

/// Most pieces of accumulated evidence. Each has a few hundred bytes, so that the detail stays below 64 KiB.
pub const MAX_EVIDENCE: usize = 50;
/// Bytes that a finding takes in a commit beside head and detail: keys, the entry of the history, the episode.
const ROW_BYTES: usize = 4 * 1024;

/// The finding of an observation before the observation is merged.
#[derive(Clone, Debug)]
pub struct Prior {
    identity: Identity,
    known: Known,
    detail: Option<FindingDetail>,
    bytes: usize,
}

/// An observation that is to be merged.
#[derive(Debug)]
pub struct Contribution {
    /// Its finding so far, read in the same attempt.
    pub prior: Prior,
    /// The observation. Its evidence is appended to that of the finding, of which the last [`MAX_EVIDENCE`] pieces stay.
    pub observation: Observation,
    /// How often it was made.
    pub times: u64,
    /// Events of the same commit, which replace those of findings.
    pub events: Vec<Event>,
}

/// Adds contributions to the drafts of one change, over its attempts.
pub struct Merging<'f> {
    findings: &'f Findings,
    numbers: Numbers,
    written: Vec<Finding>,
}

impl Prior {
    /// Bytes that the finding takes in a commit, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a user has resolved the finding, and an observation does not begin a new one.
    #[must_use]
    pub fn is_resolved(&self, run: &Run) -> bool {
        let is_resolved = self.known.finding.as_ref().is_some_and(|finding| !finding.is_open());
        is_resolved && !self.known.begins_episode(run)
    }

    /// The finding that an observation becomes part of.
    #[must_use]
    pub fn finding(&self, run: &Run, findings: &Findings) -> RecordId {
        let shard = findings.records.shard(run.organization, &run.target.anchor());
        let begun = self.known.episode.as_ref().map_or(1, |episode| episode.number + 1);
        match &self.known.finding {
            Some(finding) if !self.known.begins_episode(run) => finding.id,
            _ => self.identity.finding(shard, begun),
        }
    }
}

impl Findings {
    /// Reads the finding of an observation. Everything is read after the attempt has begun.
    ///
    /// # Errors
    /// [`FindingError`] when a row cannot be read.
    pub async fn prior(&self, run: &Run, observation: &Observation) -> Result<Prior, FindingError> {
        let shard = self.records.shard(run.organization, &run.target.anchor());
        let identity = Identity::of(run.organization, &run.target, observation);
        let known = self.known_of(run.organization, shard, identity).await?;
        let detail = match &known.finding {
            Some(finding) => self.records.detail::<Finding>(run.organization, finding.id).await?,
            None => None,
        };
        let head = known.finding.as_ref().map_or_else(|| encode(observation), encode)?;
        let bytes = ROW_BYTES
            + head.len()
            + detail.as_ref().map_or(Ok(0), |detail| encode(detail).map(|row| row.len()))?;
        Ok(Prior { identity, known, detail, bytes })
    }

    /// Begins a change that findings are part of.
    #[must_use]
    pub fn merging(&self) -> Merging<'_> {
        Merging { findings: self, numbers: Numbers::default(), written: Vec::new() }
    }
}

impl Merging<'_> {
    /// Adds contributions of different identities to a draft in the shard of their target. What an earlier, failed attempt
    /// added is forgotten.
    ///
    /// # Errors
    /// [`FindingError`]; the draft cannot be used any more then.
    pub async fn add(
        &mut self,
        draft: &mut Draft,
        run: &Run,
        contributions: Vec<Contribution>,
    ) -> Result<Vec<Recorded>, FindingError> {
        self.written.clear();
        let begun = contributions.iter().filter(|one| one.prior.known.begins_episode(run)).count();
        self.numbers.reserve(self.findings.ledger.as_ref(), run.organization, begun).await?;
        let mut positions = self.numbers.positions();
        let mut recorded = Vec::with_capacity(contributions.len());
        for Contribution { prior, mut observation, times, events } in contributions {
            let Prior { identity, known, detail, .. } = prior;
            let is_new = known.begins_episode(run);
            let position = if is_new { positions.next().unwrap_or_default() } else { 0 };
            if !is_new {
                accumulate(&mut observation, detail);
            }
            let shard = draft.place().1;
            // Another server's clock may be ahead; accumulated evidence is news nevertheless.
            let last = known.finding.as_ref().map_or(run.at, |finding| finding.observed.last_at);
            let run = &Run { at: run.at.max(last), ..run.clone() };
            let Merge { finding, outcome, change } =
                merge(run, (shard, identity), &observation, known, position)?;
            if let Some(mut written) = change {
                written.finding.observed.runs += times.saturating_sub(1);
                self.written.push(written.finding.clone());
                let change = self.findings.change(run, *written)?;
                draft.add(events.into_iter().fold(change, records::Change::event))?;
            }
            recorded.push(Recorded { finding, outcome });
        }
        Ok(recorded)
    }

    /// The commit of the last draft, `seq`, has taken effect.
    pub fn committed(self, seq: Seq) {
        self.findings.show(&self.written, seq);
    }
}

/// Puts the evidence of the finding before that of the observation.
fn accumulate(observation: &mut Observation, detail: Option<FindingDetail>) {
    let before = detail.map(|detail| detail.evidence).unwrap_or_default();
    let all: Vec<Evidence> = before.into_iter().chain(observation.evidence.drain(..)).collect();
    let first = all.len().saturating_sub(MAX_EVIDENCE);
    observation.evidence = all.into_iter().skip(first).collect();
}

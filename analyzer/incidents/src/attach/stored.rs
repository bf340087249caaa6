//! Incidents to and from the ledger's rows, and which of them leave memory.

use bytes::Bytes;
use common::ids::{IncidentId, OrganizationId};
use common::row::{self, BodyError};
use ledger::{Kind, Op};

use super::members::{CHUNK_MEMBERS, EXACT_MEMBERS, Members};
use super::tracked::{Tracked, WorkingState};
use super::{Incidents, MOST_BYTES};
use crate::escalate::Escalated;
use crate::plan::Plan;
use crate::rows;

/// Member chunks that an incident has at most.
pub const MOST_CHUNKS: usize = EXACT_MEMBERS.div_ceil(CHUNK_MEMBERS);

/// Rows that are needed and not in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The episode of an incident key: [`Incidents::restore_episode`].
    Episode {
        /// The organization.
        organization: OrganizationId,
        /// The incident key.
        key: [u8; 16],
    },
    /// An incident: [`Incidents::restore`].
    Incident {
        /// The organization.
        organization: OrganizationId,
        /// The incident.
        incident: IncidentId,
    },
}

/// The rows of one incident.
#[derive(Debug)]
pub struct IncidentRows {
    /// Its head.
    pub head: Bytes,
    /// Its row at [`rows::working_key`].
    pub working: Option<Bytes>,
    /// Its member chunks, in the order of their keys.
    pub members: Vec<Bytes>,
}

impl Incidents {
    /// Takes in the episode row of an incident key; `None` where the ledger has none.
    ///
    /// # Errors
    /// When the row is broken.
    pub fn restore_episode(&mut self, key: [u8; 16], body: Option<&[u8]>) -> Result<(), BodyError> {
        self.episodes.insert(key, body.map(row::decode).transpose()?);
        Ok(())
    }

    /// Takes in the rows of an incident; `None` where the ledger has none.
    ///
    /// # Errors
    /// When a row is broken.
    pub fn restore(&mut self, incident: IncidentId, rows: Option<&IncidentRows>) -> Result<(), BodyError> {
        let Some(rows) = rows else {
            self.absent.insert(incident);
            return Ok(());
        };
        let working = rows.working.as_ref().map(|body| row::decode(body)).transpose()?.unwrap_or_default();
        let members = rows.members.iter().flat_map(|chunk| Members::read_chunk(chunk)).collect();
        self.tracked.insert(incident, Tracked::restored(row::decode(&rows.head)?, working, members));
        Ok(())
    }

    /// Rows and bytes, about, of a commit now.
    #[must_use]
    pub fn pending_cost(&self) -> (usize, usize) {
        let (rows, bytes) = self.changed_cost;
        (rows + self.changed_episodes.len(), bytes)
    }

    /// Appends the operations that bring the ledger up to date. Nothing is marked as committed: a conflict is followed by
    /// another call.
    ///
    /// # Errors
    /// When something cannot be written as JSON.
    pub fn write(&self, ops: &mut Vec<Op>) -> Result<(), BodyError> {
        for tracked in self.changed() {
            tracked.write(ops)?;
        }
        for key in &self.changed_episodes {
            if let Some(episode) = self.episodes.get(key).copied().flatten() {
                let key = rows::episode_key(episode.organization, key);
                ops.push(Op::Put { kind: Kind::State, key, body: row::encode(&episode)?.into() });
            }
        }
        Ok(())
    }

    /// The escalated revisions that the same commit writes, unless a person has resolved the incident by now.
    pub fn escalated(&self) -> impl Iterator<Item = Escalated<'_>> {
        self.changed().flat_map(Tracked::escalated)
    }

    fn changed(&self) -> impl Iterator<Item = &Tracked> {
        let changed = self.changed.keys().filter_map(|id| self.tracked.get(id));
        changed.filter(|tracked| tracked.is_changed())
    }

    /// Notes that everything is committed; the incidents that were not touched for longest leave memory.
    pub fn committed(&mut self) {
        self.changed_episodes.clear();
        self.absent.clear();
        if self.episodes.len() > 4 * self.most_tracked.max(1_000) {
            self.episodes.clear();
        }
        if self.changed.is_empty() {
            return;
        }
        self.changed_cost = (0, 0);
        for id in std::mem::take(&mut self.changed).into_keys() {
            if let Some(tracked) = self.tracked.get_mut(&id) {
                tracked.committed();
            }
        }
        let bytes: usize = self.tracked.values().map(Tracked::memory).sum();
        if self.tracked.len() <= self.most_tracked && bytes <= MOST_BYTES {
            return;
        }
        let mut touches: Vec<(u64, IncidentId)> =
            self.tracked.iter().map(|(id, tracked)| (tracked.last_touch, *id)).collect();
        touches.sort_unstable();
        for (_, id) in touches.iter().take(touches.len().div_ceil(2)) {
            self.tracked.remove(id);
        }
    }
}

/// Whether an incident rests on a rule that is no longer in force, or on one that is in force again; `working` is its
/// row at [`rows::working_key`].
///
/// # Errors
/// When the row is broken.
pub fn differs_from(working: Option<&[u8]>, plan: &Plan) -> Result<bool, BodyError> {
    let working: Option<WorkingState> = working.map(row::decode).transpose()?;
    Ok(working.is_some_and(|working| working.differs_from(plan)))
}

//! Handling of attempts that have ended, or are to be ended.

use std::collections::BTreeMap;
use std::time::Duration;

use common::ids::RecordId;
use tokio::task::{Id, JoinError};

use super::{MOST_TAKEN, Running, Worker};
use crate::attempt::Ended;
use crate::measure;
use crate::tables::Place;

impl Worker {
    /// Ends the attempts of a ledger's jobs, and waits until they have ended: those that were under way.
    pub(super) async fn abort(&mut self, place: Place) -> Vec<(RecordId, u32)> {
        let of_place = |running: &&Running| running.ticket.place == place;
        let aborted: Vec<_> =
            self.running.values().filter(of_place).map(|one| (one.ticket.id, one.attempt)).collect();
        for (id, _) in &aborted {
            if let Some(running) = self.running.get(id) {
                running.task.abort();
            }
        }
        while aborted.iter().any(|(id, _)| self.running.contains_key(id) && !self.returned.contains(id)) {
            let Some(ended) = self.tasks.join_next_with_id().await else { break };
            self.end(ended);
        }
        for (id, _) in aborted.iter().filter(|(id, _)| self.returned.remove(id)) {
            self.running.remove(id);
        }
        aborted
    }

    /// Takes note of an attempt that has ended.
    pub(super) fn end(&mut self, ended: Result<(Id, Ended), JoinError>) {
        let now = self.jobs.clock.monotonic();
        let (id, outcome) = match &ended {
            Ok((id, outcome)) => (*id, *outcome),
            Err(error) => (error.id(), Ended::Unknown),
        };
        let Some(job) = self.running.values().find(|one| one.task.id() == id).map(|one| one.ticket.id) else {
            return;
        };
        let word = match outcome {
            Ended::Returned => {
                self.returned.insert(job);
                return;
            }
            Ended::Committed(word) => word,
            Ended::Refused => "deferred",
            Ended::Unknown => "interrupted",
        };
        let Some(running) = self.running.remove(&job) else { return };
        measure::ended(running.ticket.kind, word, now.saturating_sub(running.since));
        if let Err(error) = ended
            && error.is_panic()
        {
            tracing::error!(%job, kind = running.ticket.kind, "a job panicked");
        }
        if matches!(outcome, Ended::Refused)
            && let Some(key) = running.ticket.claim
        {
            self.refused.insert((running.ticket.organization, key), now);
        }
        // As far as its row says it is running, and it is not: reading everything again finds it.
        if matches!(outcome, Ended::Unknown)
            && let Some(owned) = self.owned.get_mut(&running.ticket.place)
        {
            owned.is_stale = true;
            self.looked_at = None;
        }
    }

    /// Ends the jobs whose handlers have returned, many in one commit.
    pub(super) async fn finish_returned(&mut self) {
        let now = self.jobs.clock.monotonic();
        let mut by_place: BTreeMap<Place, Vec<Running>> = BTreeMap::new();
        for id in std::mem::take(&mut self.returned) {
            if let Some(running) = self.running.remove(&id) {
                by_place.entry(running.ticket.place).or_default().push(running);
            }
        }
        for (place, returned) in by_place {
            for returned in returned.chunks(MOST_TAKEN) {
                self.finish(place, returned, now).await;
            }
        }
    }

    async fn finish(&mut self, place: Place, returned: &[Running], now: Duration) {
        let Some(owned) = self.owned.get(&place).copied() else { return };
        let ids: Vec<_> = returned.iter().map(|one| (one.ticket.id, one.attempt)).collect();
        match owned.finish(&self.jobs, &ids, self.jobs.clock.now()).await {
            Ok(true) => {
                for Running { ticket, since, .. } in returned {
                    measure::ended(ticket.kind, "succeeded", now.saturating_sub(*since));
                }
            }
            Ok(false) => self.lose(place).await,
            Err(error) => self.mistrust(place, &error),
        }
    }
}

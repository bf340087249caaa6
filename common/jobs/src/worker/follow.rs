//! Taking ledgers over, and following them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use common::ids::RecordId;
use common::partition::Partition;
use common::timestamp::Timestamp;
use records::RecordError;
use tokio::task::JoinSet;

use super::look::{Look, Seen};
use super::{Failing, LOST_PAUSE, Wants, Worker};
use crate::tables::Place;
use crate::waiting::{MOST_WAITING, Ticket};

/// Ledgers that are looked at side by side.
const AT_ONCE: usize = 8;
/// Retention of finished jobs, and the interval of their removal.
const KEPT: Duration = Duration::from_secs(86_400);
const SWEEP_EVERY: Duration = Duration::from_secs(60);
/// First pause after a failure of a ledger; twice as long each time that it fails again, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

impl Worker {
    /// Takes over what is wanted and not owned, and reads what is new in what is.
    pub(super) async fn follow(&mut self, wants: Wants<'_>) {
        let now = self.jobs.clock.monotonic();
        let sweeps = self.swept_at.is_none_or(|swept| now.saturating_sub(swept) >= SWEEP_EVERY);
        if sweeps {
            self.swept_at = Some(now);
        }
        let sweeps = sweeps.then(|| self.jobs.clock.now().minus(KEPT));
        let running = self.running.values().map(|one| (one.ticket.id, one.attempt));
        let running: Arc<HashMap<_, _>> = Arc::new(running.collect());
        let is_lost = |lost: &Duration| now.saturating_sub(*lost) < LOST_PAUSE;
        let mut places = Self::places(&wants());
        places.retain(|place| !self.lost.get(place).is_some_and(is_lost) && !self.is_paused(*place));
        let (mut places, mut looks) = (places.into_iter(), JoinSet::new());
        loop {
            while looks.len() < AT_ONCE {
                let Some(place) = places.next() else { break };
                // Asked anew: others were looked at meanwhile, which takes its time.
                if wants().contains(&Partition(place.1.0)) {
                    looks.spawn(self.look(place, &running, sweeps).run());
                }
            }
            match looks.join_next().await {
                Some(Ok(seen)) => self.learn(seen).await,
                Some(Err(error)) => tracing::error!(%error, "polling the jobs of a shard panicked"),
                None => return,
            }
        }
    }

    fn look(
        &mut self,
        place: Place,
        running: &Arc<HashMap<RecordId, u32>>,
        sweeps: Option<Timestamp>,
    ) -> Look {
        let mut owned = self.owned.get(&place).copied();
        if let Some(owned) = &mut owned {
            owned.is_stale |= owned.is_partial && self.waiting.len() < MOST_WAITING / 2;
            if owned.is_stale {
                self.waiting.remove_place(place);
                self.calendar.remove_place(place);
            }
        }
        let room = MOST_WAITING.saturating_sub(self.waiting.len()).max(1);
        Look { jobs: Arc::clone(&self.jobs), place, owned, running: Arc::clone(running), room, sweeps }
    }

    async fn learn(&mut self, seen: Seen) {
        let place = seen.place;
        if let Some(owned) = seen.owned {
            self.lost.remove(&place);
            self.owned.insert(place, owned);
        }
        match seen.ended {
            Ok(true) => {}
            Ok(false) => return self.lose(place).await,
            Err(error) => return self.mistrust(place, &error),
        }
        if self.failing.remove(&place).is_some() {
            tracing::info!(?place, "jobs can be read again");
        }
        if seen.is_whole {
            self.waiting.remove_place(place);
            self.calendar.remove_place(place);
        }
        for (id, schedule) in seen.schedules {
            match schedule {
                Some(schedule) => self.calendar.put(place, &schedule),
                None => self.calendar.remove(id),
            }
        }
        for (id, ticket) in seen.jobs {
            match ticket {
                Some(ticket) => self.wait(ticket),
                None => self.waiting.remove(id),
            }
        }
    }

    /// Lets a queued job wait for its turn, or to be read again once there is room.
    pub(super) fn wait(&mut self, ticket: Ticket) {
        let place = ticket.place;
        if !self.waiting.put(ticket)
            && let Some(owned) = self.owned.get_mut(&place)
        {
            owned.is_partial = true;
        }
    }

    /// Somebody else owns the ledger: nothing of it is worked on any more.
    pub(super) async fn lose(&mut self, place: Place) {
        tracing::warn!(?place, "the jobs of a shard were taken over");
        self.lost.insert(place, self.jobs.clock.monotonic());
        self.forget(place);
        self.abort(place).await;
    }

    /// State in memory can no longer be trusted: after a pause everything is read again.
    pub(super) fn mistrust(&mut self, place: Place, error: &RecordError) {
        if let Some(owned) = self.owned.get_mut(&place) {
            owned.is_stale = true;
        }
        let now = self.jobs.clock.monotonic();
        let pause = match self.failing.get(&place) {
            Some(failing) if now < failing.until => return,
            Some(failing) => (failing.pause * 2).min(LONGEST_PAUSE),
            None => {
                tracing::warn!(?place, %error, "jobs are paused: their ledger cannot be read or written");
                FIRST_PAUSE
            }
        };
        self.failing.insert(place, Failing { until: now + pause, pause });
    }

    /// Whether a ledger is left alone since it has failed.
    pub(super) fn is_paused(&self, place: Place) -> bool {
        self.failing.get(&place).is_some_and(|failing| self.jobs.clock.monotonic() < failing.until)
    }
}

//! Starting jobs: as far as the process has slots, and the organization and the key have room.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;

use super::{Config, MOST_TAKEN, Running, Worker};
use crate::attempt::{CLAIM_PAUSE, attempt};
use crate::job::Job;
use crate::kind::Class;
use crate::tables::Place;
use crate::waiting::Ticket;

impl Worker {
    /// Starts jobs as far as there are slots.
    pub(super) async fn start(&mut self) {
        let now = self.jobs.clock.now();
        self.waiting.release(now);
        let mut picked: BTreeMap<Place, Vec<Ticket>> = BTreeMap::new();
        let paused: HashSet<Place> =
            self.failing.keys().copied().filter(|place| self.is_paused(*place)).collect();
        let asked_at = self.jobs.clock.monotonic();
        self.refused.retain(|_, asked| asked_at.saturating_sub(*asked) < CLAIM_PAUSE);
        let mut load = Load::of(self.running.values().map(|one| &one.ticket));
        // One job asks for all that wait for the same key.
        load.claims.extend(self.refused.keys().cloned());
        while load.has_slots(&self.config) {
            let (running, config) = (&self.running, &self.config);
            let may = |ticket: &Ticket| {
                !running.contains_key(&ticket.id)
                    && load.has_room(ticket, config)
                    && !paused.contains(&ticket.place)
            };
            let Some(ticket) = self.waiting.pick(may) else { break };
            load.add(&ticket);
            picked.entry(ticket.place).or_default().push(ticket);
        }
        for (place, tickets) in picked {
            for tickets in tickets.chunks(MOST_TAKEN) {
                self.take(place, tickets, now).await;
            }
        }
    }

    /// Takes jobs that were due at `now`.
    async fn take(&mut self, place: Place, tickets: &[Ticket], now: Timestamp) {
        let Some(owned) = self.owned.get(&place).copied() else { return };
        let ids: Vec<_> = tickets.iter().map(|ticket| ticket.id).collect();
        let taken = match owned.take(&self.jobs, &ids, now).await {
            Ok(Some(taken)) => taken,
            Ok(None) => return self.lose(place).await,
            Err(error) => return self.mistrust(place, &error),
        };
        for ticket in taken.later {
            self.wait(ticket);
        }
        for job in taken.jobs {
            if let Some(ticket) = tickets.iter().find(|ticket| ticket.id == job.id) {
                self.spawn(ticket.clone(), job);
            }
        }
    }

    fn spawn(&mut self, ticket: Ticket, job: Job) {
        let (id, number) = (job.id, job.attempt);
        let task = self.tasks.spawn(attempt(Arc::clone(&self.jobs), ticket.place, job));
        let since = self.jobs.clock.monotonic();
        self.running.insert(id, Running { ticket, attempt: number, since, task });
    }
}

/// Slots and claims in use.
#[derive(Debug, Default)]
struct Load {
    by_class: BTreeMap<Class, usize>,
    by_kind: HashMap<(OrganizationId, &'static str), usize>,
    claims: HashSet<(OrganizationId, String)>,
}

impl Load {
    fn of<'t>(tickets: impl Iterator<Item = &'t Ticket>) -> Self {
        let mut load = Self::default();
        tickets.for_each(|ticket| load.add(ticket));
        load
    }

    fn add(&mut self, ticket: &Ticket) {
        *self.by_class.entry(ticket.class).or_default() += 1;
        *self.by_kind.entry((ticket.organization, ticket.kind)).or_default() += 1;
        self.claims.extend(ticket.claim.clone().map(|key| (ticket.organization, key)));
    }

    fn in_use(&self, class: Class) -> usize {
        self.by_class.get(&class).copied().unwrap_or(0)
    }

    fn has_slots(&self, config: &Config) -> bool {
        self.in_use(Class::Heavy) < config.heavy_slots || self.in_use(Class::Light) < config.light_slots
    }

    fn has_room(&self, ticket: &Ticket, config: &Config) -> bool {
        let slots = match ticket.class {
            Class::Heavy => config.heavy_slots,
            Class::Light => config.light_slots,
        };
        let running = self.by_kind.get(&(ticket.organization, ticket.kind)).copied().unwrap_or(0);
        let is_claimed =
            ticket.claim.clone().is_some_and(|key| self.claims.contains(&(ticket.organization, key)));
        self.in_use(ticket.class) < slots && running < ticket.limit && !is_claimed
    }
}

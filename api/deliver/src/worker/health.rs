//! The health of targets: one that answers nothing for too long, or wants nothing any more, is disabled.

use std::collections::hash_map::Entry;

use common::partition::Partition;
use common::row::decode;
use common::timestamp::Timestamp;
use ledger::{Kind, LedgerId};

use super::measure;
use super::{Worker, WorkerError};
use crate::endpoint::Endpoint;
use crate::health::{Followed, Health};
use crate::journal::Batch;
use crate::rows::{health_key, put};
use crate::target::TargetId;
use crate::verdict::Verdict;

/// Targets whose health is kept in memory. When there are more, all are forgotten and read again.
const MOST_HEALTHS: usize = 20_000;

impl Worker {
    /// Keeps the target's health, and disables it when there is none left.
    pub(super) async fn judge_target(
        &mut self,
        endpoint: &Endpoint,
        verdict: &Verdict,
        batch: &mut Batch,
        now: Timestamp,
    ) -> Result<(), WorkerError> {
        let target = TargetId::of(&endpoint.target);
        if *verdict == Verdict::Gone {
            return self
                .disable(endpoint, "the receiver answered 410 (Gone) and accepts no further events")
                .await;
        }
        let limit = self.shared.config.disable_after();
        let deliveries = self.deliveries();
        if self.health.len() >= MOST_HEALTHS {
            self.health.clear();
        }
        let health = match self.health.entry(target) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let body = self.shared.ledger.get(deliveries, Kind::State, &health_key(target)).await?;
                unknown.insert(body.map(|body| decode(&body)).transpose()?.unwrap_or_default())
            }
        };
        let followed = match verdict {
            verdict if verdict.is_acknowledged() => health.succeeded(now),
            _ => health.failed(now, endpoint.target.enabled_at, limit),
        };
        let seen = *health;
        match followed {
            Followed::Same => Ok(()),
            Followed::Changed => {
                batch.push(put(Kind::State, health_key(target), &seen)?);
                Ok(())
            }
            Followed::Exhausted if self.answers_elsewhere(target, seen).await? => Ok(()),
            Followed::Exhausted => {
                let hours = self.shared.config.disable_after_hours;
                self.disable(endpoint, &format!("it has not answered for {hours} hours")).await
            }
        }
    }

    /// Whether other partitions get answers from a target.
    async fn answers_elsewhere(&self, target: TargetId, seen: Health) -> Result<bool, WorkerError> {
        let Some(since) = seen.failing_since else { return Ok(false) };
        for partition in (0..self.shared.partitions).map(Partition).filter(|other| *other != self.partition) {
            let ledger = LedgerId::Deliveries(partition);
            let body = self.shared.ledger.get(ledger, Kind::State, &health_key(target)).await?;
            let health: Option<Health> = body.map(|body| decode(&body)).transpose()?;
            if health.is_some_and(|health| health.contradicts(since)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn disable(&self, endpoint: &Endpoint, reason: &str) -> Result<(), WorkerError> {
        let target = &endpoint.target;
        let id = TargetId::of(target);
        match self.shared.directory.disable_receiver(target, reason).await {
            Ok(true) => {
                tracing::warn!(organization = %target.organization, target = ?id, reason, "a target is disabled");
                measure::disabled(id);
            }
            Ok(false) => {}
            // The next failure says so again.
            Err(error) => tracing::error!(target = ?id, %error, "a target cannot be disabled"),
        }
        Ok(())
    }
}

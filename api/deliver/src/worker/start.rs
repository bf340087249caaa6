//! Starting attempts: of targets that work and of targets that fail, as far as there is room for either.

use std::sync::Arc;
use std::time::Duration;

use common::timestamp::Timestamp;
use tokio::sync::OwnedSemaphorePermit;

use super::Worker;
use crate::queue::Job;

/// Pause of a delivery whose rows or target could not be read.
pub(super) const UNREAD_PAUSE: Duration = Duration::from_secs(1);
/// Pause of a target whose host was not resolved because its organization has too many look-ups in progress:
/// about as long as look-ups of silent name servers take to end.
pub(super) const LOOKUP_PAUSE: Duration = Duration::from_secs(2);

impl Worker {
    /// Starts what is due, as far as there is room.
    pub(super) fn start_attempts(&mut self, now: Timestamp) {
        self.queue.release(now);
        for failing in [false, true] {
            let room = if failing { &self.shared.failing } else { &self.shared.healthy };
            let room = Arc::clone(room);
            while let Ok(permit) = Arc::clone(&room).try_acquire_owned() {
                let Some(jobs) = self.queue.start(failing) else { break };
                self.start(jobs, permit);
            }
        }
    }

    /// Starts one request.
    fn start(&mut self, jobs: Vec<Job>, permit: OwnedSemaphorePermit) {
        let Some(Job { target, waiting, .. }) = jobs.first().copied() else { return };
        let attempting = Arc::clone(&self.attempting);
        self.attempts.spawn(async move {
            let finished = attempting.attempt(waiting.organization, target, jobs).await;
            drop(permit);
            finished
        });
    }
}

/// A delivery that is tried again soon because something of ours was not there.
pub(super) fn rested(job: Job, pause: Duration, now: Timestamp) -> Job {
    let mut job = job;
    job.waiting.due = now.plus(pause);
    job
}

//! The commit stage: takes waiting batches, has them written and synced together, publishes them and
//! answers all senders. There is no timer: batches that arrive during one sync are the next group.
//! The thread is at the bottom; the stage itself takes one step at a time, so that tests can too.

use std::sync::Arc;

use common::clock::SharedClock;
use common::partition::Offset;
use metrics::{
    Counter, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};
use tracing::error;

use super::answer;
use super::queue::Pending;
use super::shared::Shared;
use super::supply::SupplyError;
use super::writer::{Writer, Written};
use crate::AppendError;

/// The owner of the log's files.
pub(super) struct Committer {
    shared: Arc<Shared>,
    writer: Writer,
    clock: SharedClock,
    group_bytes: u64,
    group: Vec<Pending>,
    meters: Meters,
}

/// Metrics of every group, looked up once.
struct Meters {
    bytes_written: Counter,
    syncs: Counter,
    group_batches: Histogram,
}

impl Committer {
    pub(super) fn new(shared: Arc<Shared>, writer: Writer, clock: SharedClock, group_bytes: u64) -> Self {
        let meters = Meters {
            bytes_written: counter!("palisade_durable_log_bytes_written_total"),
            syncs: counter!("palisade_durable_log_syncs_total"),
            group_batches: histogram!("palisade_durable_log_group_batches"),
        };
        Self { shared, writer, clock, group_bytes, group: Vec::new(), meters }
    }

    /// Makes one group durable, if anything waits.
    pub(super) fn step(&mut self) {
        let Some(front_bytes) = self.shared.queue.front_bytes() else { return };
        if front_bytes > self.writer.room() {
            match self.shared.supply.take(front_bytes) {
                Ok(segment) => self.writer.rotate(segment),
                Err(SupplyError::NoSpace { .. }) => return self.refuse_front(),
                Err(SupplyError::Disk(error)) => return self.poison(&error.to_string()),
            }
            self.shared.supply.prepare_soon();
        }
        self.shared.queue.take(self.group_bytes.min(self.writer.room()), &mut self.group);
        match self.writer.write(&self.group, self.clock.now()) {
            Ok(written) => self.publish(&written),
            Err(error) => self.poison(&error.to_string()),
        }
    }

    /// Makes a durable group readable, then answers its senders.
    fn publish(&mut self, written: &Written) {
        self.meters.bytes_written.increment(written.bytes);
        self.meters.syncs.increment(1);
        self.meters.group_batches.record(self.group.len() as f64);
        self.shared.publish(written, &self.group);
        let bytes = self.group.iter().map(Pending::frame_bytes).sum();
        self.shared.queue.done(bytes, self.group.len() as u64);
        let outcomes = self.group.drain(..).zip(&written.places);
        answer::send_all(outcomes.map(|(pending, place)| (pending.answer, Ok(Offset(place.offset)))));
    }

    /// The disk is full and the batch at the front needs a new segment: nothing was written, so it
    /// alone is refused. A smaller one after it may still fit.
    fn refuse_front(&mut self) {
        self.shared.queue.take(0, &mut self.group);
        let capacity = self.shared.queue.bounds().capacity_bytes;
        for pending in self.group.drain(..) {
            self.shared.queue.done(pending.frame_bytes(), 1);
            pending.answer(Err(AppendError::Full { used: self.shared.held_bytes(), capacity }));
        }
    }

    /// After a failed write or sync the log acknowledges nothing: a repeated sync may succeed without
    /// having written the data that the first one lost. Senders in the failed group cannot be told
    /// whether their batch will be there when the log is reopened; those that waited after it can.
    fn poison(&mut self, cause: &str) {
        error!(cause, "writing to the durable log failed: it accepts no batches until it is reopened");
        counter!("palisade_durable_log_poisoned_total").increment(1);
        self.shared.queue.poison(cause);
        for pending in self.group.drain(..) {
            pending.answer(Err(AppendError::Unknown { cause: cause.to_owned() }));
        }
    }
}

/// Body of the commit thread: runs until the queue is closed and empty, or poisoned.
pub(super) fn run(mut committer: Committer) {
    let _ending = Ending(Arc::clone(&committer.shared));
    while committer.shared.queue.wait() {
        committer.step();
    }
}

/// However the thread ends, a panic included, no sender is left waiting for it.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.queue.poison("the commit thread panicked");
        }
        self.0.supply.stop();
        self.0.announce_end();
    }
}

/// Records the fill level of the log.
pub(super) fn show_usage(held_bytes: u64, segments: usize) {
    gauge!("palisade_durable_log_unreleased_bytes").set(held_bytes as f64);
    gauge!("palisade_durable_log_segments").set(segments as f64);
}

/// Records the free space of the disk.
pub(super) fn show_free(bytes: u64) {
    gauge!("palisade_durable_log_disk_free_bytes").set(bytes as f64);
}

/// Registers the descriptions of the log's metrics.
pub(super) fn describe() {
    counter!("palisade_durable_log_poisoned_total").increment(0);
    describe_counter!(
        "palisade_durable_log_bytes_written_total",
        "Bytes written to segments, including frames and padding."
    );
    describe_counter!("palisade_durable_log_syncs_total", "Syncs (group commits).");
    describe_counter!(
        "palisade_durable_log_poisoned_total",
        "Failed writes or syncs after which the log stopped acknowledging batches."
    );
    describe_gauge!(
        "palisade_durable_log_unreleased_bytes",
        "Bytes of segments that contain batches not yet analysed."
    );
    describe_gauge!("palisade_durable_log_disk_free_bytes", "Free bytes on the disk of the log.");
    describe_gauge!("palisade_durable_log_segments", "Segments in use, without preallocated ones.");
    describe_histogram!("palisade_durable_log_group_batches", "Batches per group commit.");
}

//! Background jobs and schedules. A job is a row in the ledger of the record that it works on, so that "the record changed,
//! the job is queued, the event is written" is one commit ([`Jobs::enqueue`] adds to a [`Draft`](records::Draft)).
//!
//! * Taking a job is a commit that raises its `attempt`. Every later commit of that run ([`Steps`]) is decided at the same
//!   attempt and fails with [`Stop::Replaced`] once another attempt has begun, so that a worker that was paused, or taken for
//!   dead, changes nothing any more. A job ends by exactly one commit, together with what it changes.
//! * The workers of a deployment lease shards ([`Worker::run`] follows a [`Share`](ownership::Share)). The next owner of a
//!   shard finds the jobs of a dead one running and begins their next attempt from the last checkpoint, 10 seconds after the
//!   first failure and 2 minutes after the second. After the third, [`Handler::fail`] adds to the commit that ends the job, so
//!   that the record reports the failure; likewise when it was cancelled or its deadline has passed. A failure handler that
//!   fails, or takes longer than an attempt may, is tried again every 2 minutes, and given up after 20 times: the job is then abandoned and logged as an error.
//! * [`Step::Defer`] gives the slot back until a given time and counts as no failure.
//! * An [`Exclusive`] key is claimed by a row: for queued and running jobs of a shard, which refuses a second one, or for
//!   running jobs of an organization, of which the others wait.
//! * Organizations take turns. Each has 2 running and 100 queued jobs of a kind unless the [`JobKind`] says otherwise; each
//!   process has slots for heavy and for light jobs. The bound of running jobs is exact within a process: an organization may
//!   have as many in each worker process whose shards its jobs lie in. The bound of queued jobs is read over all shards, so
//!   that requests at the same moment may exceed it by their number.
//! * A [`Schedule`] is a row with its next due time, which a [`Window`] may restrict to a part of the day. Missed runs collapse into one, and a slot is skipped while the job of the
//!   last one is unfinished.
//! * A ledger that fails is left alone for 250 ms, and longer each time up to 8 s. A row that cannot be decoded is logged once
//!   and left out.
//! * Finished jobs are kept for a day, for `palisade job list` and `retry`.

mod attempt;
mod claims;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod due;
mod enqueue;
mod job;
mod kind;
mod measure;
mod operations;
mod owner;
mod run;
mod schedule;
mod tables;
mod transitions;
mod unreadable;
mod waiting;
mod worker;

pub use enqueue::{EnqueueError, NewJob};
pub use job::{
    Ending, Exclusive, FinishedJob, Job, JobState, MAX_CHECKPOINT_BYTES, MAX_PAYLOAD_BYTES, Outcome, Scope,
};
pub use kind::{Class, Handler, JobKind, Jobs, Restart, Stop};
pub use measure::describe_metrics;
pub use operations::Listed;
pub use run::{Run, Step, Steps};
pub use schedule::{Cadence, Schedule, SkipReason, SkippedSlot, Timing, Window};
pub use worker::{Config, Worker};

#[cfg(test)]
mod tests;

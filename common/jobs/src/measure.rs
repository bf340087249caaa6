//! Measurements of a worker.

use std::time::Duration;

/// Describes the metrics of jobs and begins their counters at 0, also in a process that has nothing to run yet.
pub fn describe_metrics() {
    metrics::counter!("palisade_jobs_unreadable_rows_total").increment(0);
    metrics::describe_gauge!("palisade_jobs_queued", "Queued jobs in the shards of this process.");
    metrics::describe_gauge!("palisade_jobs_running", "Jobs that this process runs.");
    metrics::describe_gauge!(
        "palisade_jobs_oldest_queued_seconds",
        "Time since the due time of the longest waiting job in the shards of this process."
    );
    metrics::describe_counter!(
        "palisade_jobs_unreadable_rows_total",
        "Rows of jobs and schedules that this process cannot read."
    );
    metrics::describe_histogram!(
        "palisade_job_seconds",
        "Duration of attempts of jobs by kind and outcome: succeeded, deferred, retried, replaced, cancelled, \
         deadline_exceeded, failed, abandoned."
    );
}

/// An attempt that has ended.
pub(crate) fn ended(kind: &'static str, outcome: &'static str, duration: Duration) {
    metrics::histogram!("palisade_job_seconds", "kind" => kind, "outcome" => outcome)
        .record(duration.as_secs_f64());
}

/// Numbers of waiting and running jobs.
#[expect(clippy::cast_precision_loss, reason = "bounded by what is kept in memory")]
pub(crate) fn depths(queued: usize, running: usize, oldest: Duration) {
    metrics::gauge!("palisade_jobs_queued").set(queued as f64);
    metrics::gauge!("palisade_jobs_running").set(running as f64);
    metrics::gauge!("palisade_jobs_oldest_queued_seconds").set(oldest.as_secs_f64());
}

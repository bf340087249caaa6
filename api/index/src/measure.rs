//! Metrics of the indexes, by resource.

use std::time::Duration;

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

/// Describes each metric to the recorder, and starts the counters of a resource at 0.
pub(crate) fn describe(resource: &'static str) {
    describe_gauge!("palisade_api_index_bytes", Unit::Bytes, "Memory of the indexes that answer lists.");
    describe_gauge!("palisade_api_index_organizations", "Organizations whose index is loaded.");
    describe_gauge!("palisade_api_index_rows", "Resources in the loaded indexes.");
    describe_counter!("palisade_api_index_evictions_total", "Indexes evicted because of the memory limit.");
    describe_counter!(
        "palisade_api_index_reloads_total",
        "Shards reloaded because of a gap in the change feed."
    );
    describe_counter!(
        "palisade_api_index_unreadable_rows_total",
        "Resources omitted from lists because their row is unreadable or misplaced."
    );
    describe_histogram!(
        "palisade_api_index_load_seconds",
        Unit::Seconds,
        "Time to load an organization's index."
    );
    describe_histogram!(
        "palisade_api_index_refresh_seconds",
        Unit::Seconds,
        "Time to refresh all loaded indexes from the ledgers."
    );
    // A counter that is born at 1 has not increased, as Prometheus sees it.
    counter!("palisade_api_index_evictions_total", "resource" => resource).increment(0);
    counter!("palisade_api_index_reloads_total", "resource" => resource).increment(0);
    counter!("palisade_api_index_unreadable_rows_total", "resource" => resource).increment(0);
}

/// An index was dropped because of the memory limit.
pub(crate) fn evicted(resource: &'static str) {
    counter!("palisade_api_index_evictions_total", "resource" => resource).increment(1);
}

/// A shard was read anew because the change feed has a gap.
pub(crate) fn reloaded(resource: &'static str) {
    counter!("palisade_api_index_reloads_total", "resource" => resource).increment(1);
}

/// A head cannot be read, or lies under the key of another.
pub(crate) fn unreadable(resource: &'static str) {
    counter!("palisade_api_index_unreadable_rows_total", "resource" => resource).increment(1);
}

/// Time of one load.
pub(crate) fn load_took(resource: &'static str, took: Duration) {
    histogram!("palisade_api_index_load_seconds", "resource" => resource).record(took);
}

/// Time of one refresh.
pub(crate) fn refresh_took(resource: &'static str, took: Duration) {
    histogram!("palisade_api_index_refresh_seconds", "resource" => resource).record(took);
}

/// The loaded indexes.
#[expect(clippy::cast_precision_loss, reason = "gauges are floating point; sizes in memory are below 2^53")]
pub(crate) fn loaded(resource: &'static str, organizations: usize, rows: usize, bytes: usize) {
    gauge!("palisade_api_index_bytes", "resource" => resource).set(bytes as f64);
    gauge!("palisade_api_index_organizations", "resource" => resource).set(organizations as f64);
    gauge!("palisade_api_index_rows", "resource" => resource).set(rows as f64);
}

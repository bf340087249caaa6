//! What the index counts, in words.

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram};

/// Tells the recorder what each metric means; once, after it is installed.
pub(super) fn describe() {
    describe_gauge!("palisade_api_index_bytes", Unit::Bytes, "Memory of the indexes that answer lists.");
    describe_gauge!("palisade_api_index_organizations", "Organizations whose index is loaded.");
    describe_gauge!("palisade_api_index_incidents", "Incidents in the loaded indexes.");
    describe_counter!("palisade_api_index_evictions_total", "Indexes evicted because of the memory limit.");
    describe_counter!(
        "palisade_api_index_reloads_total",
        "Partitions reloaded because of a gap in the change feed."
    );
    describe_counter!(
        "palisade_api_index_unreadable_rows_total",
        "Incidents omitted from lists because their row is unreadable or misplaced."
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
    counter!("palisade_api_index_evictions_total").increment(0);
    counter!("palisade_api_index_reloads_total").increment(0);
    counter!("palisade_api_index_unreadable_rows_total").increment(0);
}

//! What the analyzer's metrics mean; they are counted where things happen.

use common::severity::Severity;

use crate::detect::UNRECOGNISED;
use normalize::Format;

/// Values of the label of `palisade_analysis_records_total`.
const RECORD_OUTCOMES: [&str; 6] =
    ["unmatched", "routine", "inconclusive", "qualified", "duplicate", "quarantined"];
/// Values of the label of `palisade_analysis_window_events_total`.
const WINDOW_REASONS: [&str; 6] =
    ["late", "coarsened", "crowded_out", "without_group_value", "without_value", "set_aside"];

/// Tells the recorder what each metric means; once, after it is installed.
pub(crate) fn describe() {
    use metrics::{counter, describe_counter, describe_gauge};
    describe_own_rules();
    describe_counter!(
        "palisade_analysis_records_total",
        "Records analysed, by the best of what became of them."
    );
    describe_counter!(
        "palisade_analysis_window_events_total",
        "Matches that no window counted as usual, by reason: late, coarsened, crowded_out, without_group_value, without_value; or \
         windows whose end could not be folded: set_aside."
    );
    describe_counter!(
        "palisade_analysis_ticks_total",
        "Messages appended to an idle partition's log so that windows that wait there for their end can be closed."
    );
    describe_counter!(
        "palisade_analysis_restarts_total",
        "Times a partition was read again from the ledger."
    );
    describe_counter!(
        "palisade_analysis_formats_total",
        "Records analysed, by the format they were recognised as; unrecognised where no reader knows the format."
    );
    describe_gauge!("palisade_analysis_partitions", "Partitions this process works on.");
    describe_counter!(
        "palisade_analysis_findings_left_out_total",
        "Findings and counts of records that matched more rules than one commit can follow."
    );
    describe_counter!(
        "palisade_analysis_tallies_left_out_total",
        "Findings that no rule's tally counts, because the partition has too many."
    );
    describe_counter!("palisade_incidents_created_total", "Incidents opened, by severity at the time.");
    // A counter that is born at 1 has not increased, as Prometheus sees it.
    for outcome in RECORD_OUTCOMES {
        counter!("palisade_analysis_records_total", "outcome" => outcome).increment(0);
    }
    for format in Format::all().map(Format::name).chain([UNRECOGNISED]) {
        counter!("palisade_analysis_formats_total", "format" => format).increment(0);
    }
    for reason in WINDOW_REASONS {
        counter!("palisade_analysis_window_events_total", "reason" => reason).increment(0);
    }
    for severity in Severity::ALL {
        counter!("palisade_incidents_created_total", "severity" => severity.as_str()).increment(0);
    }
    counter!("palisade_analysis_ticks_total").increment(0);
    counter!("palisade_analysis_restarts_total").increment(0);
    counter!("palisade_analysis_findings_left_out_total").increment(0);
    counter!("palisade_analysis_tallies_left_out_total").increment(0);
}

/// The same for rules and suppressions of organizations.
fn describe_own_rules() {
    use metrics::{counter, describe_counter, describe_gauge};
    describe_counter!(
        "palisade_analysis_searches_cut_short_total",
        "Searches for expressions and wildcards of organizations that ended without a match when the steps of a record \
         were used up: whether the rule or suppression matches the record is left open."
    );
    describe_counter!(
        "palisade_analysis_rules_suspended_total",
        "Rules and suppressions of organizations that were suspended in a partition because of the steps they took."
    );
    describe_counter!(
        "palisade_analysis_shares_used_up_total",
        "Minutes of a partition's records in which the rules of an organization used up their steps, so that only what is \
         cheap was decided for the rest."
    );
    describe_counter!(
        "palisade_own_rules_loads_total",
        "Times rules of an organization were compiled again after they had been unloaded."
    );
    describe_gauge!(
        "palisade_own_rules_loaded_bytes",
        metrics::Unit::Bytes,
        "Compiled rules of organizations in memory, by estimate."
    );
    describe_gauge!(
        "palisade_own_rules_failing",
        "Organizations whose rules and suppressions cannot be loaded, by reason: damaged, changing, unreachable or broken. \
         They are applied as last loaded while that is in memory, and everybody's rules alone otherwise."
    );
    describe_gauge!(
        "palisade_own_rules_unusable",
        "Rules and suppressions of organizations that are in force and cannot be used, for example because they are over a \
         limit that came later."
    );
    counter!("palisade_analysis_searches_cut_short_total").increment(0);
    counter!("palisade_own_rules_loads_total").increment(0);
    counter!("palisade_analysis_rules_suspended_total").increment(0);
    counter!("palisade_analysis_shares_used_up_total").increment(0);
}

/// The same for the backlog, which every process measures.
pub(crate) fn describe_backlog() {
    use metrics::{Unit, describe_gauge};
    describe_gauge!(
        "palisade_analysis_lag_seconds",
        Unit::Seconds,
        "Time since the acceptance of the oldest batch that is not analysed and committed, by partition; 0 when none waits."
    );
    describe_gauge!(
        "palisade_analysis_partitions_blocked",
        "Partitions that cannot be analysed, as far as this process knows, by reason: damaged, halted, failing, unowned or stalled."
    );
}

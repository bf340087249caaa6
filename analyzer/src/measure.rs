//! Descriptions of the analyzer's metrics; they are counted in the other modules.

use common::severity::Severity;

use crate::detect::UNRECOGNISED;
use normalize::Format;

/// Values of the label of `palisade_analysis_records_total`.
const RECORD_OUTCOMES: [&str; 6] =
    ["unmatched", "routine", "inconclusive", "qualified", "duplicate", "quarantined"];
/// Values of the label of `palisade_analysis_window_events_total`.
const WINDOW_REASONS: [&str; 6] =
    ["late", "coarsened", "crowded_out", "without_group_value", "without_value", "set_aside"];

/// Describes each metric to the recorder; once, after it is installed.
pub(crate) fn describe() {
    use metrics::{counter, describe_counter, describe_gauge};
    describe_own_rules();
    describe_counter!(
        "palisade_analysis_records_total",
        "Records analysed, by their most significant outcome."
    );
    describe_counter!(
        "palisade_analysis_window_events_total",
        "Matches that a correlation window did not count normally, by reason: late, coarsened, crowded_out, \
         without_group_value, without_value; set_aside counts windows whose end could not be evaluated."
    );
    describe_counter!(
        "palisade_analysis_ticks_total",
        "Tick messages appended to the log of an idle partition, so that its open windows can be closed."
    );
    describe_counter!("palisade_analysis_restarts_total", "Reloads of a partition's state from the ledger.");
    describe_counter!(
        "palisade_analysis_formats_total",
        "Records analysed, by recognised format; unrecognised if no reader recognises the format."
    );
    describe_gauge!("palisade_analysis_partitions", "Partitions assigned to this process.");
    describe_counter!(
        "palisade_analysis_findings_left_out_total",
        "Findings and counts left out because a record matched more rules than one commit can hold."
    );
    describe_counter!(
        "palisade_analysis_tallies_left_out_total",
        "Findings not counted in the tally of a rule, because the partition has too many tallies."
    );
    describe_counter!("palisade_incidents_created_total", "Incidents opened, by severity at opening.");
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
        "Regular expression and wildcard searches of organizations' rules and suppressions that were aborted \
         because the processing steps of a record were exhausted; whether the record matches is undecided."
    );
    describe_counter!(
        "palisade_analysis_rules_suspended_total",
        "Rules and suppressions of organizations suspended in a partition because they exceeded their processing steps."
    );
    describe_counter!(
        "palisade_analysis_shares_used_up_total",
        "Minutes of log time in which the rules of an organization exhausted their processing steps in a \
         partition; only inexpensive conditions were evaluated for the remaining records."
    );
    describe_counter!(
        "palisade_own_rules_loads_total",
        "Recompilations of an organization's rules after they had been unloaded."
    );
    describe_gauge!(
        "palisade_own_rules_loaded_bytes",
        metrics::Unit::Bytes,
        "Estimated memory of the compiled rules of organizations."
    );
    describe_gauge!(
        "palisade_own_rules_failing",
        "Organizations whose rules and suppressions cannot be loaded, by reason: damaged, changing, unreachable \
         or broken. The last loaded version is applied while it is in memory, otherwise only the shared rules."
    );
    describe_gauge!(
        "palisade_own_rules_unusable",
        "Enabled rules and suppressions of organizations that cannot be applied, for example because they exceed \
         a limit introduced later."
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
        "Age of the oldest accepted batch that is not analysed and committed, by partition; 0 if there is none."
    );
    describe_gauge!(
        "palisade_analysis_partitions_blocked",
        "Partitions that cannot be analysed, as seen by this process, by reason: damaged, halted, failing, unowned or stalled."
    );
}

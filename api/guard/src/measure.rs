//! Measurements of the family: counts by result, never a text. Latencies are measured by route, with those of all requests.

use guard::Violation;
use metrics::{counter, describe_counter};

use crate::judge::Content;

const REQUESTS: &str = "palisade_guard_requests_total";
const VIOLATIONS: &str = "palisade_guard_violations_total";

/// Describes the counters, and starts them at 0 for every label.
pub(crate) fn describe() {
    describe_counter!(REQUESTS, "Guard requests that were classified, by classification.");
    describe_counter!(
        VIOLATIONS,
        "Blocked guard requests by violation type. A request may have several types."
    );
    for classification in ["block", "pass"] {
        counter!(REQUESTS, "classification" => classification).increment(0);
    }
    for violation in Violation::ALL {
        counter!(VIOLATIONS, "type" => violation.name()).increment(0);
    }
}

/// Counts a request.
pub(crate) fn classified(content: &Content) {
    counter!(REQUESTS, "classification" => content.classification).increment(1);
    for violation in &content.violation_types {
        counter!(VIOLATIONS, "type" => *violation).increment(1);
    }
}

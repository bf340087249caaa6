//! Measurements of the family: counts by result, never a text.

use metrics::{counter, describe_counter};

const GUARD_REQUESTS: &str = "palisade_guard_requests_total";
const GUARD_VIOLATIONS: &str = "palisade_guard_violations_total";

pub(crate) fn describe() {
    describe_counter!(GUARD_REQUESTS, "Guard requests that were classified, by classification");
    describe_counter!(GUARD_VIOLATIONS, "Blocked guard requests by violation type; a request may have several types");
}

pub(crate) fn classified(classification: &'static str, violations: &[&'static str]) {
    counter!(GUARD_REQUESTS, "classification" => classification).increment(1);
    for violation in violations {
        counter!(GUARD_VIOLATIONS, "type" => *violation).increment(1);
    }
}

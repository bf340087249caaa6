//! Measurements of the family: counts by result, never a text. Latencies are measured by route, with those of all requests.

use ::verify::Outcome;
use guard::Violation;
use metrics::{counter, describe_counter};
use redact::identifiers::Entity;

use crate::engines::{Claims, Content};

const REQUESTS: &str = "palisade_guard_requests_total";
const VIOLATIONS: &str = "palisade_guard_violations_total";
const REDACTIONS: &str = "palisade_redact_requests_total";
const REDACTED: &str = "palisade_redact_values_total";
const CLAIMS: &str = "palisade_verify_claims_total";
/// Label of the types that requests describe themselves.
const OTHER: &str = "other";

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
    describe_counter!(REDACTIONS, "Redact requests that were answered, by form of the replacement.");
    describe_counter!(REDACTED, "Values that redact requests replaced, by type.");
    for rewrite in [false, true] {
        counter!(REDACTIONS, "form" => form(rewrite)).increment(0);
    }
    describe_counter!(CLAIMS, "Claims that verify checked, by outcome.");
    for outcome in [Outcome::Supported, Outcome::Contradicted, Outcome::NotFound] {
        counter!(CLAIMS, "outcome" => name(outcome)).increment(0);
    }
    for word in Entity::all().filter_map(Entity::word).chain([OTHER]) {
        counter!(REDACTED, "type" => word).increment(0);
    }
}

/// Counts a request.
pub(crate) fn classified(content: &Content) {
    counter!(REQUESTS, "classification" => content.classification).increment(1);
    for violation in &content.violation_types {
        counter!(VIOLATIONS, "type" => *violation).increment(1);
    }
}

/// Counts a redaction, with the replaced values by type.
pub(crate) fn redacted(rewrite: bool, counts: &[(String, usize)]) {
    counter!(REDACTIONS, "form" => form(rewrite)).increment(1);
    for (word, count) in counts {
        let known = Entity::all().filter_map(Entity::word).find(|known| known == word);
        counter!(REDACTED, "type" => known.unwrap_or(OTHER)).increment(*count as u64);
    }
}

/// Counts the claims of a request.
pub(crate) fn verified(claims: &Claims) {
    for outcome in claims.outcomes() {
        counter!(CLAIMS, "outcome" => name(outcome)).increment(1);
    }
}

fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Supported => "supported",
        Outcome::Contradicted => "contradicted",
        Outcome::NotFound => "not_found",
    }
}

fn form(rewrite: bool) -> &'static str {
    if rewrite { "surrogates" } else { "placeholders" }
}

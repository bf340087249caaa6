//! Measurement of requests: one histogram for all that listeners answer. Handlers report the route of
//! a request.

use std::borrow::Cow;

use http::{Method, StatusCode};
use metrics::{Histogram, Unit, counter, describe_counter, describe_histogram, histogram};

/// The name by OpenTelemetry's conventions, in the spelling of Prometheus.
const DURATION: &str = "palisade_http_server_request_duration_seconds";

/// Registers the description of the metric; once, after the recorder is installed.
pub(crate) fn describe() {
    describe_histogram!(
        DURATION,
        Unit::Seconds,
        "Duration from the head of a request to its response, by route, method and status."
    );
    describe_counter!(
        "palisade_http_server_refused_total",
        Unit::Count,
        "Requests rejected before routing, by the invalid part: host."
    );
    for reason in REFUSAL_REASONS {
        counter!("palisade_http_server_refused_total", "reason" => reason).increment(0);
    }
}

/// Values of the label of `palisade_http_server_refused_total`.
const REFUSAL_REASONS: [&str; 1] = ["host"];

/// Counts a request that was refused before it reached a handler.
pub(crate) fn refused(reason: &'static str) {
    counter!("palisade_http_server_refused_total", "reason" => reason).increment(1);
}

/// Counts an answered request. `route` is the path as a template, never as the sender wrote it.
pub fn measure(route: impl Into<Cow<'static, str>>, method: &Method, status: StatusCode, seconds: f64) {
    durations(route, method, status).record(seconds);
}

/// Histogram of the durations of one kind of response, for handlers that send many of a kind: looking
/// it up costs more than counting.
pub fn durations(route: impl Into<Cow<'static, str>>, method: &Method, status: StatusCode) -> Histogram {
    let labels = [
        ("route", route.into()),
        ("method", Cow::Borrowed(label(method))),
        ("status", Cow::Owned(status.as_str().to_owned())),
    ];
    histogram!(DURATION, &labels)
}

/// Methods are the sender's to invent; labels are not (OpenTelemetry semantic conventions,
/// `http.request.method`).
fn label(method: &Method) -> &'static str {
    const KNOWN: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("_OTHER")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invented_methods_share_one_label() {
        let invented = Method::from_bytes(b"BREW").unwrap();
        assert_eq!((label(&Method::PATCH), label(&invented)), ("PATCH", "_OTHER"));
    }
}

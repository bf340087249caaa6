//! Events as OpenTelemetry log records, and what a collector's answer means. A record is made from the stored bytes of its
//! event alone, so that it is the same at every attempt. The protocol itself lies in `otlp`.

use bytes::Bytes;
use directory::TelemetryProtocol;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue};
use outbound::{Reply, SendError};
use serde::Deserialize;
use serde_json::Value;

use crate::envelope::API_VERSION;
use crate::otlp::{
    AnyValue, ExportRequest, KeyValue, LogRecord, Resource, ResourceLogs, Scope, ScopeLogs, media_type,
    partial_success, refusal,
};
use crate::post::{Message, escaped};
use crate::signature::AGENT;
use crate::verdict::{Verdict, chain};

/// The scope of all records; its version is that of the shapes of events.
const SCOPE: &str = "palisade.events";
/// Location of the severity in an event's object, by the kind of object: incidents, findings, alerts of agents.
const SEVERITIES: [&str; 3] = ["/severity", "/risk_level", "/rule/severity"];

/// Members that are read of a stored payload.
#[derive(Deserialize)]
struct Envelope {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    object: Value,
}

/// Headers and body of a request that tells of some events: the target's own headers first, so that none of them overrides
/// one of ours. Bodies are not compressed: they are small, and not every receiver inflates.
///
/// # Errors
/// When a payload is not what is stored of events.
pub(crate) fn request<'a>(
    custom: &HeaderMap,
    protocol: TelemetryProtocol,
    messages: impl Iterator<Item = &'a Message<'a>>,
) -> Result<(HeaderMap, Bytes), serde_json::Error> {
    let mut headers = custom.clone();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(protocol)));
    headers.insert(USER_AGENT, AGENT);
    let log_records = messages.map(record).collect::<Result<_, _>>()?;
    let scope = Scope { name: SCOPE.to_owned(), version: API_VERSION.to_owned() };
    let resource = Resource {
        attributes: vec![
            KeyValue::new("service.name", "palisade"),
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
        ],
    };
    let scope_logs = vec![ScopeLogs { scope: Some(scope), log_records }];
    let request =
        ExportRequest { resource_logs: vec![ResourceLogs { resource: Some(resource), scope_logs }] };
    Ok((headers, request.encoded(protocol)?))
}

/// An event as a record. Its name is the kind of event (the field of records that replaced the attribute `event.name`);
/// `log.record.uid` is the attribute by which receivers drop what they have seen. The body is the event's object as a map,
/// not as text, so that collectors can route and filter by any part of it without parsing; spread over attributes it would
/// exceed the number that receivers take.
fn record(message: &Message<'_>) -> Result<LogRecord, serde_json::Error> {
    let Envelope { data: Data { object } } = serde_json::from_slice(&message.payload)?;
    let severity = SEVERITIES.iter().find_map(|place| object.pointer(place)?.as_str()).map(str::to_owned);
    let mut attributes = vec![
        KeyValue::new("log.record.uid", message.id.to_string()),
        KeyValue::new("palisade.organization.id", message.organization.to_string()),
    ];
    if let Some(incident) = message.incident {
        attributes.push(KeyValue::new("palisade.incident.id", incident.to_string()));
    }
    if let Some(source) = message.source {
        attributes.push(KeyValue::new("palisade.source.group", source.group.as_str()));
        attributes.extend(source.id.as_ref().map(|id| KeyValue::new("palisade.source.id", id.as_str())));
    }
    if let Some(severity) = &severity {
        attributes.push(KeyValue::new("palisade.severity", severity.as_str()));
    }
    Ok(LogRecord {
        time_unix_nano: nanoseconds(message.created_at.as_millis()),
        observed_time_unix_nano: nanoseconds(message.observed_at.as_millis()),
        severity_number: severity.as_deref().map_or(INFO, severity_number),
        severity_text: severity.unwrap_or_default(),
        body: Some(AnyValue::from(object)),
        attributes,
        event_name: message.kind.to_owned(),
    })
}

fn nanoseconds(millis: i64) -> u64 {
    u64::try_from(millis).unwrap_or(0).saturating_mul(1_000_000)
}

/// `SEVERITY_NUMBER_INFO`: of events that say nothing of how bad they are.
const INFO: i32 = 9;

/// As OpenTelemetry's data model of logs has those of Syslog: warning, error, critical. `low` and `medium` are both
/// warnings, of two grades. Words it does not know, `unknown` among them, have no number.
fn severity_number(word: &str) -> i32 {
    match word {
        "informational" => INFO,
        "low" => 13,
        "medium" => 14,
        "high" => 17,
        "critical" => 18,
        _ => 0,
    }
}

/// Judges an attempt as OTLP over HTTP has it (OTLP 1.x, Failures): 429, 502, 503 and 504 may pass, and so may what broke
/// off; every other refusal is final. But a 400 or 413 may be for one record or for all of them together, so it is final
/// only for one that was sent alone: several are sent again in halves. As each half is smaller, a record is refused with
/// others at most seven times. Records that a collector has rejected while it accepted the others are not sent again. With
/// it, why not everything is there.
pub(crate) fn judge(
    outcome: &Result<Reply, SendError>,
    protocol: TelemetryProtocol,
    sent: usize,
) -> (Verdict, Option<String>) {
    let reply = match outcome {
        Err(error) if error.is_final() => return refused(&chain(error)),
        Err(error) => return (Verdict::Retry { after: None }, Some(escaped(chain(error).as_bytes()))),
        Ok(reply) => reply,
    };
    if (200..=299).contains(&reply.status) {
        return accepted(&reply.body, protocol, sent);
    }
    let mut reason = format!("the collector answered {}", reply.status);
    if let Some(message) = refusal(protocol, &reply.body) {
        reason = format!("{reason}: {message}");
    }
    match reply.status {
        400 | 413 if sent > 1 => (divide(sent), Some(escaped(reason.as_bytes()))),
        429 | 502..=504 => (Verdict::Retry { after: reply.retry_after() }, Some(escaped(reason.as_bytes()))),
        _ => refused(&reason),
    }
}

/// A refused request is sent again in halves.
pub(crate) fn divide(sent: usize) -> Verdict {
    Verdict::Divide { together: sent.div_ceil(2) }
}

fn refused(reason: &str) -> (Verdict, Option<String>) {
    let reason = escaped(reason.as_bytes());
    (Verdict::Final { reason: reason.clone() }, Some(reason))
}

fn accepted(body: &[u8], protocol: TelemetryProtocol, sent: usize) -> (Verdict, Option<String>) {
    let partial = partial_success(protocol, body);
    let rejected = usize::try_from(partial.rejected_log_records).unwrap_or(0).min(sent);
    let message = partial.error_message;
    if rejected == 0 {
        // Without a number a message is advice.
        return (Verdict::Acknowledged, (!message.is_empty()).then(|| escaped(message.as_bytes())));
    }
    let cause = format!("the collector rejected {rejected} of {sent} records: {message}");
    if rejected == sent {
        return refused(&cause);
    }
    let cause = escaped(cause.as_bytes());
    // Which ones is not told.
    (Verdict::Partly { rejected, cause: cause.clone() }, Some(cause))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn answered(status: u16, retry_after: Option<&str>) -> Result<Reply, SendError> {
        let mut headers = HeaderMap::new();
        if let Some(seconds) = retry_after {
            headers.insert(http::header::RETRY_AFTER, seconds.parse().unwrap());
        }
        Ok(Reply { status, headers, ..Reply::default() })
    }

    #[test]
    fn only_four_statuses_are_tried_again_and_not_before_a_collector_wants_it() {
        for status in 100..600_u16 {
            let (verdict, remark) = judge(&answered(status, Some("30")), TelemetryProtocol::Json, 1);
            match status {
                200..=299 => assert_eq!((verdict, remark), (Verdict::Acknowledged, None), "{status}"),
                429 | 502 | 503 | 504 => {
                    assert_eq!(verdict, Verdict::Retry { after: Some(Duration::from_secs(30)) }, "{status}");
                }
                _ => assert!(matches!(verdict, Verdict::Final { .. }), "{status}: {verdict:?}"),
            }
        }
        let (verdict, _) =
            judge(&answered(503, Some("Fri, 31 Dec 2027 23:59:59 GMT")), TelemetryProtocol::Json, 1);
        assert_eq!(verdict, Verdict::Retry { after: None }, "dates are not heeded");
    }

    #[test]
    fn a_refusal_that_may_be_for_one_of_many_is_final_only_for_one() {
        for status in [400, 413] {
            let mut sent = 100;
            let mut refusals = 0;
            loop {
                let (verdict, _) = judge(&answered(status, None), TelemetryProtocol::Json, sent);
                let Verdict::Divide { together } = verdict else {
                    assert!(matches!(verdict, Verdict::Final { .. }), "{verdict:?}");
                    break;
                };
                refusals += 1;
                sent = together;
            }
            assert_eq!((sent, refusals), (1, 7));
        }
        let (verdict, _) = judge(&answered(401, None), TelemetryProtocol::Json, 100);
        assert!(matches!(verdict, Verdict::Final { .. }), "that is for the request");
    }

    #[test]
    fn a_collector_that_claims_nonsense_changes_nothing() {
        for (claimed, sent, expected) in [
            (-1_i64, 2, Verdict::Acknowledged),
            (0, 2, Verdict::Acknowledged),
            (
                1,
                2,
                Verdict::Partly { rejected: 1, cause: "the collector rejected 1 of 2 records: ".to_owned() },
            ),
            (9, 2, Verdict::Final { reason: "the collector rejected 2 of 2 records: ".to_owned() }),
        ] {
            let body = format!(r#"{{"partialSuccess":{{"rejectedLogRecords":"{claimed}"}}}}"#);
            let (verdict, _) = accepted(body.as_bytes(), TelemetryProtocol::Json, sent);
            assert_eq!(verdict, expected, "{claimed}");
        }
    }

    #[test]
    fn what_is_worse_has_the_greater_number_and_what_is_unknown_has_none() {
        let words = ["unknown", "informational", "low", "medium", "high", "critical"];
        assert_eq!(words.map(severity_number), [0, 9, 13, 14, 17, 18]);
    }

    #[test]
    fn what_a_collector_says_is_kept_short_and_harmless() {
        let long = format!(r#"{{"message":"\u001b[31m{}"}}"#, "a".repeat(5_000));
        let Ok(mut reply) = answered(400, None) else { return };
        reply.body = long.into();
        let (_, remark) = judge(&Ok(reply), TelemetryProtocol::Json, 1);
        let remark = remark.unwrap();
        assert!(remark.starts_with("the collector answered 400: \\u{1b}[31maaa"), "{remark}");
        assert!(remark.len() <= 1_024);
    }
}

//! The envelope's fields, and what becomes of findings that are too large.

use common::event::{EventKind, EventSource, SourceGroup};
use proptest::prelude::*;

use super::*;

fn event(kind: EventKind, object: Value) -> Event {
    Event {
        id: EventId::of_cause(&[b"test"]),
        kind,
        organization: OrganizationId::from_bytes([7; 16]),
        source: Some(EventSource { group: SourceGroup::Repositories, id: None }),
        created_at: Timestamp::from_millis(1_783_500_000_123),
        object,
        incident: None,
    }
}

fn finding(diff: &str) -> Event {
    let object = json!({
        "object": "finding", "id": "f1",
        "remediation": { "files": [], "patch": { "format": "unified_diff", "diff": diff, "truncated": false } },
        "finding_detail_url": "https://example.com/api/v1/findings/f1",
    });
    event(EventKind::FindingCreated, object)
}

fn read(payload: &Bytes) -> Value {
    serde_json::from_slice(payload).unwrap()
}

#[test]
fn an_envelope_has_the_fields_of_the_specification() {
    let event = event(EventKind::ReportStarted, json!({ "object": "report" }));
    let expected = json!({
        "id": event.id.to_string(),
        "type": "report.started",
        "api_version": "2026-07-08",
        "created_at": "2026-07-08T08:40:00.123Z",
        "organization_id": "07070707-0707-0707-0707-070707070707",
        "data": { "object": { "object": "report" } },
    });
    assert_eq!(read(&payload(&event).unwrap()), expected);
}

#[test]
fn a_finding_that_fits_is_sent_whole_and_leads_nowhere() {
    let object = &read(&payload(&finding("-a\n+b\n")).unwrap())["data"]["object"];
    assert_eq!(object["remediation"]["patch"]["diff"], "-a\n+b\n");
    assert_eq!(object["remediation"]["patch"]["truncated"], false);
    assert_eq!(object.get("finding_detail_url"), None);
}

#[test]
fn what_has_no_patch_to_shorten_is_refused() {
    let text = "x".repeat(MAX_PAYLOAD_BYTES);
    for kind in [EventKind::ReportStarted, EventKind::FindingCreated] {
        let event = event(kind, json!({ "object": "finding", "title": text }));
        assert!(matches!(payload(&event), Err(EnvelopeError::TooLarge { .. })));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_finding_that_is_too_large_loses_the_end_of_its_patch(
        line in "[ -~é\u{1}\t\"\\\\]{0,200}",
        size in MAX_PAYLOAD_BYTES..2 * MAX_PAYLOAD_BYTES,
    ) {
        let line = format!("+{line}\n");
        let diff = line.repeat(size / line.len() + 1);
        let sent = payload(&finding(&diff)).unwrap();
        prop_assert!(sent.len() <= MAX_PAYLOAD_BYTES);
        let object = &read(&sent)["data"]["object"];
        let patch = &object["remediation"]["patch"];
        let kept = patch["diff"].as_str().unwrap();
        prop_assert!(diff.starts_with(kept) && (kept.is_empty() || kept.ends_with('\n')));
        prop_assert!(sent.len() + 8 * line.len() + 8 > MAX_PAYLOAD_BYTES, "{} bytes are too few", sent.len());
        prop_assert_eq!(&patch["truncated"], &json!(true));
        prop_assert!(object["finding_detail_url"].is_string());
    }
}

//! Ids of events, and the sizes of rows and payloads.

use common::ids::{OrganizationId, RecordId};
use common::row;
use common::timestamp::Timestamp;
use engine::{Evidence, Limits};

use super::*;
use crate::tests::finding;

/// The largest detail that [`engine::Limits`] allow, of characters with four bytes.
fn largest() -> FindingDetail {
    let text = |characters: usize| "😀".repeat(characters);
    let location = Location {
        path: text(Limits::NAME),
        region: Some(Region { start_line: 1, end_line: 2, start_column: Some(3), end_column: Some(4) }),
        snippet: text(Limits::SNIPPET),
        message: text(Limits::SNIPPET),
    };
    FindingDetail {
        check_version: text(Limits::NAME),
        locations: vec![location.clone(); Limits::LOCATIONS],
        further_locations: u64::MAX,
        trace: vec![location; Limits::LOCATIONS],
        evidence: vec![
            Evidence { label: text(Limits::NAME), text: text(Limits::EVIDENCE_TEXT) };
            Limits::EVIDENCE
        ],
        remedy: text(Limits::EVIDENCE_TEXT),
        references: vec![text(Limits::NAME); Limits::REFERENCES],
    }
}

#[test]
fn the_largest_finding_fits_into_its_rows_and_its_payload() {
    let mut finding = finding(OrganizationId::from_bytes([1; 16]), RecordId::from_bytes([2; 16]));
    let text = |characters: usize| "😀".repeat(characters);
    finding.title = text(Limits::TITLE);
    finding.description = text(Limits::DESCRIPTION);
    finding.check = text(Limits::NAME);
    finding.label = text(Limits::NAME);
    finding.advisory_url = Some(text(Limits::NAME));
    finding.triage.assignee = Some(text(crate::review::MAX_ASSIGNEE));
    let detail = largest();
    let bytes = row::encode(&finding).unwrap().len();
    assert!(bytes <= records::MAX_HEAD_BYTES, "{bytes}");
    let bytes = row::encode(&detail).unwrap().len();
    assert!(bytes <= records::MAX_DETAIL_BYTES, "{bytes}");
    let at = Timestamp::from_millis(0);
    let made = event(EventKind::FindingAccepted, &finding, (&detail, None), "http://x/api/v1", at).unwrap();
    let bytes = made.object.to_string().len();
    assert!(bytes + 1_024 <= 256 * 1_024, "{bytes}");
}

#[test]
fn an_event_is_named_after_finding_kind_and_version() {
    let mut finding = finding(OrganizationId::from_bytes([1; 16]), RecordId::from_bytes([2; 16]));
    let at = Timestamp::from_millis(0);
    let id = |finding: &Finding, kind| {
        event(kind, finding, (&FindingDetail::default(), None), "http://x/api/v1", at).unwrap().id
    };
    let first = id(&finding, EventKind::FindingAccepted);
    assert_eq!(first, id(&finding, EventKind::FindingAccepted));
    assert_ne!(first, id(&finding, EventKind::FindingCreated));
    finding.version += 1;
    assert_ne!(first, id(&finding, EventKind::FindingAccepted));
}

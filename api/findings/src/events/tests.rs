//! The size limit of payloads.

use common::ids::{OrganizationId, RecordId};
use common::timestamp::Timestamp;

use super::*;
use crate::detail::Verification;
use crate::tests::finding;

fn result(diff: &str) -> TriageResult {
    TriageResult {
        verification: Some(Verification::Confirmed),
        summary: "Confirmed.".to_owned(),
        recommendation: "Apply the patch.".to_owned(),
        evidence: String::new(),
        patch: Some(Patch { diff: diff.to_owned(), truncated: false }),
        files: vec!["src/a.php".to_owned()],
        error: None,
        completed_at: Timestamp::from_millis(0),
    }
}

fn patch_of(diff: &str) -> (usize, serde_json::Value) {
    let finding = finding(OrganizationId::from_bytes([1; 16]), RecordId::from_bytes([2; 16]));
    let (detail, result) = (FindingDetail::default(), result(diff));
    let at = Timestamp::from_millis(0);
    let made =
        event(EventKind::FindingTriageCompleted, &finding, (&detail, Some(&result)), "http://x/api/v1", at);
    let object = made.unwrap().object;
    (object.to_string().len(), object["remediation"]["patch"].clone())
}

#[test]
fn a_diff_within_the_limit_is_whole() {
    let (_, patch) = patch_of("--- a\n+++ b\n");
    assert_eq!(
        patch,
        serde_json::json!({"format": "unified_diff", "diff": "--- a\n+++ b\n", "truncated": false})
    );
}

#[test]
fn a_larger_diff_is_cut_at_a_character_and_marked() {
    for character in ["x", "\u{1}", "ä", "\"", "😀"] {
        let (bytes, patch) = patch_of(&character.repeat(300_000));
        assert!(bytes <= MAX_OBJECT_BYTES, "{bytes}");
        assert_eq!(patch["truncated"], true);
        assert!(bytes > MAX_OBJECT_BYTES - 4_096, "most of it is kept: {bytes}");
    }
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

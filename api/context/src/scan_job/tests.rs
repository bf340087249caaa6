//! Scans that end without a result.

use super::*;
use crate::artifact::Floor;
use crate::score::score;

#[test]
fn a_scan_that_failed_in_every_attempt_is_not_pending_and_names_the_reason_of_each_check() {
    for (origin, target) in [
        (Origin::Package, "npm:left-pad@1.3.0"),
        (Origin::Skill, "acme/kit/pdf"),
        (Origin::Mcp, "acme/tool"),
        (Origin::WebPage, "example.org"),
    ] {
        let content = PublicContent::parse(origin, target).unwrap();
        let assessment = failed(&content, "the scan failed in every attempt");
        let artifact = Artifact::new(content.subject(), OrganizationId::NONE, Timestamp(0), &assessment);
        assert!(!artifact.is_pending && !artifact.checks.is_empty(), "{target}");
        assert_eq!((artifact.score, artifact.floor), (0, Some(Floor::Dangerous)), "{target}");
        let says =
            |check: &crate::CheckRecord| check.reason.as_deref() == Some("the scan failed in every attempt");
        assert!(artifact.checks.iter().all(says), "{target}");
        assert_eq!(score(origin, &assessment).coverage.skipped.len(), 1);
        // The result is tried again soon, and not kept like one of a scan.
        assert!(artifact.expires_at < Timestamp(0).plus(Duration::from_secs(3_600)), "{target}");
    }
}

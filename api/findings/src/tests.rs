//! Findings for tests, and histories of runs, reviews and deletions over a ledger that loses answers.

mod histories;
mod lists;
mod million;

use common::ids::{ApplicationId, OrganizationId, RecordId};
use common::timestamp::Timestamp;
use engine::{Level, Observation};
use records::Actor;
use uuid::Uuid;

use crate::finding::{Finding, FindingKind, FindingSource};
use crate::identity::Identity;
use crate::merge::{Known, Run, merge};
use crate::target::Target;

/// An application of the organization.
pub(crate) fn application(number: u8) -> Target {
    Target::Application { id: ApplicationId::from_bytes([number; 16]) }
}

/// An observation at a path.
pub(crate) fn observation(path: &str, risk: Level) -> Observation {
    Observation {
        check: "web.xss".to_owned(),
        check_version: "1".to_owned(),
        identity: vec![path.to_owned()],
        title: format!("Cross-site scripting in {path}"),
        description: String::new(),
        severity: (risk != Level::Informational).then_some(risk),
        risk,
        cwes: vec![79],
        cvss_vector: String::new(),
        advisory_url: None,
        locations: Vec::new(),
        further_locations: 0,
        trace: Vec::new(),
        evidence: Vec::new(),
        remedy: String::new(),
        references: Vec::new(),
    }
}

/// A run over a target.
pub(crate) fn run(organization: OrganizationId, target: Target, number: u128, at: i64) -> Run {
    Run {
        id: Uuid::from_u128(number),
        organization,
        target,
        kind: FindingKind::WebAppRedTeam,
        source: FindingSource::Report,
        report: None,
        label: "Scan".to_owned(),
        actor: Actor::system("Web engine"),
        at: Timestamp::from_millis(at),
        announced: true,
    }
}

/// A new finding with an id.
pub(crate) fn finding(organization: OrganizationId, id: RecordId) -> Finding {
    let run = run(organization, application(1), 1, 0);
    let observation = observation("/a", Level::High);
    let identity = Identity::of(organization, &run.target, &observation);
    let known = Known::default();
    let merged = merge(&run, (id.shard(), identity), &observation, known, 5).unwrap();
    Finding { id, ..merged.change.unwrap().finding }
}

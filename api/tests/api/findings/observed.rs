//! Observations as an engine makes them, and the runs that record them.

use common::ids::ApplicationId;
use engine::{Evidence, Level, Location, Observation, Region};
use findings::{FindingKind, FindingSource, Recorded, Run, Target};
use records::Actor;
use uuid::Uuid;

use crate::harness::{Tenant, World};

/// The application that most tests are about.
pub(crate) fn application(number: u8) -> Target {
    Target::Application { id: ApplicationId::from_bytes([number; 16]) }
}

/// A repository.
pub(crate) fn repository(id: &str, full_name: &str) -> Target {
    Target::Repository { id: id.to_owned(), full_name: full_name.to_owned() }
}

/// An observation of a check at a path.
pub(crate) fn observation(path: &str, risk: Level) -> Observation {
    Observation {
        check: "web.xss.reflected".to_owned(),
        check_version: "1".to_owned(),
        identity: vec![path.to_owned()],
        title: format!("Reflected cross-site scripting in {path}"),
        description: "A parameter is written to the page without encoding.".to_owned(),
        severity: Some(risk),
        risk,
        cwes: vec![79, 116],
        cvss_vector: "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N".to_owned(),
        advisory_url: None,
        locations: vec![Location {
            path: path.to_owned(),
            region: Some(Region { start_line: 12, end_line: 12, start_column: Some(5), end_column: None }),
            snippet: "echo $_GET['q'];".to_owned(),
            message: "The parameter `q` is echoed.".to_owned(),
        }],
        further_locations: 0,
        trace: Vec::new(),
        evidence: vec![Evidence { label: "request".to_owned(), text: format!("GET {path}?q=<svg>") }],
        remedy: "Encode the parameter for HTML.".to_owned(),
        references: vec!["https://cwe.mitre.org/data/definitions/79.html".to_owned()],
    }
}

/// A run over a target.
pub(crate) fn run(world: &World, tenant: &Tenant, target: Target, number: u128) -> Run {
    Run {
        id: Uuid::from_u128(number),
        organization: tenant.organization,
        target,
        kind: FindingKind::WebAppRedTeam,
        source: FindingSource::Report,
        report: None,
        label: "Nightly scan".to_owned(),
        actor: Actor::system("Web engine"),
        at: world.kit.clock.now(),
        announced: true,
    }
}

/// Records observations in a worker process, and waits until the lists of the API show them.
pub(crate) async fn record(world: &World, run: &Run, observations: Vec<Observation>) -> Vec<Recorded> {
    let recorded = world.findings().record(run, observations).await.unwrap();
    world.one_poll_later().await;
    recorded
}

/// Records one observation of each path, of application 1; the ids of the findings.
pub(crate) async fn seed(world: &World, tenant: &Tenant, paths: &[(&str, Level)]) -> Vec<String> {
    let run = run(world, tenant, application(1), 1);
    let observations = paths.iter().map(|(path, risk)| observation(path, *risk)).collect();
    let recorded = record(world, &run, observations).await;
    recorded.iter().map(|recorded| recorded.finding.to_string()).collect()
}

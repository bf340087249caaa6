//! SARIF of other tools: any bytes are an error or a log within its bounds, and the same twice. Each result has an outcome; no two
//! observations have one identity; no path leaves the root.

#![no_main]

use std::collections::BTreeSet;

use engine::sarif::{Log, ResultOutcome, Root, read};
use engine::{Limits, Location, Observation};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let root = Root::parse("/src").expect("an absolute path");
    for root in [None, Some(&root)] {
        let log = read(input, root);
        assert_eq!(log, read(input, root), "the log changed");
        if let Ok(log) = log {
            check(&log);
        }
    }
});

fn check(log: &Log) {
    let mut named = BTreeSet::new();
    let mut identities = BTreeSet::new();
    for outcome in &log.results {
        match outcome {
            ResultOutcome::Observation(place) => {
                named.insert(*place);
            }
            ResultOutcome::Rejected(rejection) => assert!(length(&rejection.found) <= 200),
        }
    }
    assert!(
        named.into_iter().eq(0..log.observations.len()),
        "observations without a result, or none for a result"
    );
    for observed in &log.observations {
        check_observation(&observed.observation);
        let observation = &observed.observation;
        assert!(identities.insert((&observation.check, &observation.identity)), "two of one identity");
    }
}

fn check_observation(one: &Observation) {
    assert!(!one.check.is_empty() && length(&one.check) <= Limits::NAME);
    assert!(!one.title.contains('\n') && length(&one.title) <= Limits::TITLE);
    assert!(length(&one.description) <= Limits::DESCRIPTION && length(&one.remedy) <= Limits::EVIDENCE_TEXT);
    assert!((1..=Limits::IDENTITY).contains(&one.identity.len()));
    assert!(one.identity.iter().all(|part| length(part) <= Limits::NAME));
    assert!(one.cwes.len() <= Limits::CWES && one.references.len() <= Limits::REFERENCES);
    assert!((1..=Limits::LOCATIONS).contains(&one.locations.len()) && one.trace.len() <= Limits::LOCATIONS);
    assert!(one.evidence.len() <= Limits::EVIDENCE);
    assert!(one.evidence.iter().all(|piece| length(&piece.text) <= Limits::EVIDENCE_TEXT));
    one.locations.iter().chain(&one.trace).for_each(check_location);
}

fn check_location(one: &Location) {
    assert!(!one.path.is_empty() && !one.path.contains('\n') && length(&one.path) <= Limits::NAME);
    // A path without a scheme or the letter of a drive; names of functions may have any form, but no segments.
    let is_file = !one.path.contains(':') && one.region.is_some();
    assert!(!is_file || !one.path.split('/').any(|segment| segment == ".."), "{} leaves the root", one.path);
    assert!(length(&one.snippet) <= Limits::SNIPPET && length(&one.message) <= Limits::SNIPPET);
    if let Some(region) = one.region {
        assert!(region.start_line >= 1 && region.end_line >= region.start_line);
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

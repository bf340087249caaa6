//! The expectations of a person about a log, compared with Palisade's incidents.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use super::server::{Server, wait_for};

/// An incident that a person reading the log would expect.
pub(crate) struct Expected {
    /// Action of the attacker, in a person's words.
    pub(crate) did: &'static str,
    /// Address of the attacker.
    pub(crate) address: &'static str,
    /// Beginning of the title.
    pub(crate) title: &'static str,
    /// Severity.
    pub(crate) severity: &'static str,
    /// Rules that the assessment must contain.
    pub(crate) rules: &'static [&'static str],
    /// Lines of the log that show it.
    pub(crate) events: usize,
}

/// Expectations and actual incidents.
pub(crate) struct Verdict<'e> {
    expected: &'e [Expected],
    incidents: Vec<Value>,
}

impl<'e> Verdict<'e> {
    /// Waits until the incidents contain the expected number of lines, then reads the incidents.
    pub(crate) fn await_of(server: &Server, source: &str, expected: &'e [Expected]) -> Self {
        let wanted: usize = expected.iter().map(|expected| expected.events).sum();
        let incidents = wait_for("the expected number of events is in incidents", || {
            let list = server.get(&format!("/incidents?limit=100&source_id={source}"));
            let incidents = list["data"].as_array().unwrap().clone();
            let events: u64 =
                incidents.iter().map(|incident| incident["event_count"].as_u64().unwrap()).sum();
            (events as usize >= wanted).then_some(incidents)
        });
        let detail =
            |incident: &Value| server.get(&format!("/incidents/{}", incident["id"].as_str().unwrap()));
        Self { expected, incidents: incidents.iter().map(detail).collect() }
    }

    /// One incident for each expectation, with the expected contents.
    pub(crate) fn must_hold(&self) {
        for expected in self.expected {
            let about: Vec<&Value> =
                self.incidents.iter().filter(|incident| address(incident) == expected.address).collect();
            let [incident] = about[..] else {
                panic!("{}: {} incidents, expected one:\n{self}", expected.address, about.len());
            };
            let text = |name: &str| incident[name].as_str().unwrap();
            assert!(text("title").starts_with(expected.title), "{}:\n{self}", expected.address);
            assert_eq!(text("severity"), expected.severity, "{}:\n{self}", expected.address);
            assert_eq!(incident["event_count"], expected.events, "{}:\n{self}", expected.address);
            for rule in expected.rules {
                assert!(
                    rules(incident).contains(rule),
                    "{}: {rule} is missing:\n{incident:#}",
                    expected.address
                );
            }
            let evidence = incident["evidence"].as_array().unwrap();
            assert!(!evidence.is_empty(), "{incident:#}");
            for line in evidence {
                assert!(line["message"].as_str().unwrap().contains(expected.address), "{incident:#}");
            }
        }
    }

    /// The one incident about an address.
    pub(crate) fn about(&self, wanted: &str) -> &Value {
        self.incidents.iter().find(|incident| address(incident) == wanted).unwrap()
    }

    /// No incident is about any other address.
    pub(crate) fn blames_nobody_but_expected(&self) {
        let expected: BTreeSet<&str> = self.expected.iter().map(|expected| expected.address).collect();
        let blamed: BTreeSet<&str> = self.incidents.iter().map(address).collect();
        assert_eq!(blamed, expected, "{self}");
    }
}

fn address(incident: &Value) -> &str {
    assert_eq!(incident["entity"]["kind"], "client.address", "{incident:#}");
    incident["entity"]["value"].as_str().unwrap()
}

fn rules(incident: &Value) -> Vec<&str> {
    let rules = incident["assessment"]["rules"].as_array().unwrap();
    rules.iter().map(|rule| rule["title"].as_str().unwrap()).collect()
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for expected in self.expected {
            writeln!(formatter, "  {:<10} {} ({} lines)", expected.address, expected.did, expected.events)?;
            for incident in self.incidents.iter().filter(|incident| address(incident) == expected.address) {
                write_incident(formatter, incident)?;
            }
        }
        let known =
            |incident: &&Value| self.expected.iter().all(|expected| expected.address != address(incident));
        for incident in self.incidents.iter().filter(known) {
            writeln!(formatter, "  {:<10} not expected", address(incident))?;
            write_incident(formatter, incident)?;
        }
        Ok(())
    }
}

fn write_incident(formatter: &mut fmt::Formatter<'_>, incident: &Value) -> fmt::Result {
    let text = |name: &str| incident[name].as_str().unwrap_or_default();
    let events = &incident["event_count"];
    writeln!(formatter, "    -> {:<8} {} ({events} events)", text("severity"), text("title"))?;
    writeln!(formatter, "       rules: {}", rules(incident).join("; "))?;
    writeln!(formatter, "       {}", incident["assessment"]["summary"].as_str().unwrap_or_default())
}

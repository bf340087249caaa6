//! Escalation of incidents: the event that tells of a change, made in one way for whoever makes the change, and what
//! is asked of the directory for it. The event is written by the commit that makes the change; who it is sent to, and
//! how, lies elsewhere.

mod incident;

use std::sync::Arc;

use common::event::{Event, EventId, EventKind, EventSource, SourceGroup};
use common::ids::{OrganizationId, SourceId};
use common::incident::{Assessment, IncidentHead};
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use directory::{Directory, DirectoryError, EscalationTrigger, MonitoringPolicies};

use self::incident::EscalatedIncident;

/// The path of `{base_url}` below the site (specification, Versioning).
const API_PATH: &str = "/api/v1";
/// The path of pages for people below the site.
const CONSOLE_PATH: &str = "/console";

/// A change of an incident that is to be escalated.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The incident as the change left it.
    pub incident: &'a IncidentHead,
    /// Its assessment then.
    pub assessment: &'a Assessment,
    /// Name of its source; `None` once that is deleted.
    pub source_name: Option<&'a str>,
    /// Cause of the change.
    pub cause: Cause,
    /// When.
    pub at: Timestamp,
}

/// Cause of a change of an incident. Each changes it once, however often it is carried out, so that events are named by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The analyzer made this revision.
    Revision(u32),
    /// A person made this version of its triage.
    Review(u64),
}

/// Outcome of a change that a policy escalates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is escalated.
    Escalated,
    /// Too many of the kind are escalated already.
    Capped,
}

/// Makes the events of incidents.
pub struct Escalation {
    directory: Arc<Directory>,
    pepper: Pepper,
    base_url: String,
}

impl Escalation {
    /// `base_url` is where clients reach the API, without a trailing slash: events link to it. The pepper keys the
    /// ids of events, so it must be the same in all processes of a deployment.
    #[must_use]
    pub fn new(directory: Arc<Directory>, pepper: Pepper, base_url: impl Into<String>) -> Self {
        metrics::describe_counter!(
            "palisade_incident_escalations_total",
            "Escalated changes of incidents, by outcome; capped if the limit was reached."
        );
        for trigger in EscalationTrigger::ALL {
            for outcome in [Outcome::Escalated, Outcome::Capped] {
                counter(trigger, outcome).increment(0);
            }
        }
        Self { directory, pepper, base_url: base_url.into() }
    }

    /// Counts a change that a policy escalates.
    pub fn count(&self, trigger: EscalationTrigger, outcome: Outcome) {
        counter(trigger, outcome).increment(1);
    }

    /// The policies that decide whether a change is escalated. To be asked after what led to the change was accepted:
    /// every policy that was acknowledged before is among them then.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when they cannot be read.
    pub async fn policies(&self, organization: OrganizationId) -> Result<MonitoringPolicies, DirectoryError> {
        self.directory.all_monitoring_policies(organization).await
    }

    /// Current name of a source; `None` once it is deleted.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when its row cannot be read.
    pub async fn source_name(
        &self,
        organization: OrganizationId,
        source: SourceId,
    ) -> Result<Option<String>, DirectoryError> {
        Ok(self.directory.sources().get(organization, source).await?.map(|source| source.name))
    }

    /// The event that tells a change: of the same change always the same.
    ///
    /// # Errors
    /// When the incident cannot be written as JSON.
    pub fn event(&self, change: &Change<'_>) -> Result<Event, serde_json::Error> {
        let incident = change.incident;
        let site = self.base_url.strip_suffix(API_PATH).unwrap_or(&self.base_url);
        let object = EscalatedIncident::new(
            change,
            format!("{site}{CONSOLE_PATH}/incidents/{}", incident.id),
            format!("{}/incidents/{}", self.base_url, incident.id),
        );
        Ok(Event {
            id: self.id(change),
            kind: EventKind::InfrastructureIncidentEscalated,
            organization: incident.organization,
            source: Some(EventSource {
                group: SourceGroup::Infrastructure,
                id: Some(incident.source.to_string()),
            }),
            created_at: change.at,
            object: serde_json::to_value(object)?,
            incident: Some(incident.id),
        })
    }

    /// Keyed, so that an id tells nobody whose incident it is about.
    fn id(&self, change: &Change<'_>) -> EventId {
        let (what, number) = match change.cause {
            Cause::Revision(revision) => (b"revision".as_slice(), u64::from(revision)),
            Cause::Review(triage_version) => (b"review".as_slice(), triage_version),
        };
        let incident = change.incident;
        let parts = [
            incident.organization.as_bytes().as_slice(),
            incident.id.as_bytes(),
            what,
            &number.to_be_bytes(),
        ];
        EventId::of_cause(&[&self.pepper.hash("escalation", &parts)])
    }
}

fn counter(trigger: EscalationTrigger, outcome: Outcome) -> metrics::Counter {
    let outcome = match outcome {
        Outcome::Escalated => "escalated",
        Outcome::Capped => "capped",
    };
    metrics::counter!("palisade_incident_escalations_total", "trigger" => trigger.as_str(), "outcome" => outcome)
}

impl std::fmt::Debug for Escalation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Escalation(..)")
    }
}

#[cfg(test)]
mod tests;

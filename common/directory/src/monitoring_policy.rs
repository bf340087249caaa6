//! Monitoring policies of an organization: which changes of which incidents are escalated. An organization without
//! any receives no escalations. Their content and receivers are defined elsewhere.
//!
//! Escalations are decided by policies that were read after the records concerned were accepted, and so by every policy
//! that was acknowledged before.

mod rows;

use std::collections::HashSet;
use std::hash::Hash;

use common::ids::{PolicyId, SourceId};
use common::incident::IncidentHead;
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::words;
use serde::{Deserialize, Serialize};

use crate::error::DirectoryError;
use crate::fields::{MAX_APPLICATION_GROUP, MAX_ENVIRONMENT, MAX_NAME, check_new_text};

/// Most policies of an organization.
const MAX_POLICIES: usize = 50;
/// Most sources that one policy names; for more there are application groups.
const MAX_SOURCES_NAMED: usize = 100;
/// Most application groups, and most environments, that one policy names.
const MAX_LABELS_NAMED: usize = 20;

words!(
    /// Change of an incident that a policy may escalate.
    EscalationTrigger {
        /// It opened.
        Opened = "opened",
        /// It became more severe.
        SeverityRaised = "severity_raised",
        /// A person took it up again after it was resolved.
        Reopened = "reopened",
    }
);

/// A policy under which incidents are escalated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MonitoringPolicy {
    /// Its id.
    pub id: PolicyId,
    /// Its name, 1..=100 characters.
    pub name: String,
    /// Whether it escalates anything.
    pub enabled: bool,
    /// Of incidents of these sources, 1..=100; `None` for all.
    pub source_ids: Option<Vec<SourceId>>,
    /// Of incidents of these application groups, 1..=20; `None` for all.
    pub application_groups: Option<Vec<String>>,
    /// Of incidents of these environments, 1..=20; `None` for all.
    pub environments: Option<Vec<String>>,
    /// Of incidents at least this severe; `unknown` ranks below `low`.
    pub minimum_severity: Severity,
    /// Changes that it escalates, at least one.
    pub escalate_on: Vec<EscalationTrigger>,
    /// When it was created, or enabled again: what was accepted before is not its concern.
    pub in_force_since: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl MonitoringPolicy {
    /// Whether it escalates what happened to an incident, given when that was accepted: the batch that led to it, or
    /// the request.
    #[must_use]
    pub fn escalates(
        &self,
        incident: &IncidentHead,
        trigger: EscalationTrigger,
        accepted_at: Timestamp,
    ) -> bool {
        self.enabled
            && accepted_at >= self.in_force_since
            && incident.analysis.severity >= self.minimum_severity
            && self.escalate_on.contains(&trigger)
            && names(self.source_ids.as_deref(), &incident.source)
            && names(self.application_groups.as_deref(), &incident.application_group)
            && names(self.environments.as_deref(), &incident.environment)
    }
}

/// Whether a choice names a value; no choice names all.
fn names<T: PartialEq>(chosen: Option<&[T]>, value: &T) -> bool {
    chosen.is_none_or(|chosen| chosen.contains(value))
}

/// All policies of an organization.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MonitoringPolicies {
    /// Grows with every change and never goes back; 0 where there never were any.
    pub version: u64,
    /// The policies, disabled ones included, oldest first.
    pub policies: Vec<MonitoringPolicy>,
}

impl MonitoringPolicies {
    /// Whether any of them escalates what happened to an incident, see [`MonitoringPolicy::escalates`].
    #[must_use]
    pub fn escalate(
        &self,
        incident: &IncidentHead,
        trigger: EscalationTrigger,
        accepted_at: Timestamp,
    ) -> bool {
        self.policies.iter().any(|policy| policy.escalates(incident, trigger, accepted_at))
    }
}

/// Values of a new policy; the fields as in [`MonitoringPolicy`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMonitoringPolicy {
    /// The id it is to have, drawn beforehand so that a repeat finds what was made; `None` draws one.
    pub id: Option<PolicyId>,
    /// Its name.
    pub name: String,
    /// Whether it escalates anything.
    pub enabled: bool,
    /// Sources; they must exist.
    pub source_ids: Option<Vec<SourceId>>,
    /// Application groups; they need not exist yet.
    pub application_groups: Option<Vec<String>>,
    /// Environments; they need not exist yet.
    pub environments: Option<Vec<String>>,
    /// The least severity.
    pub minimum_severity: Severity,
    /// Changes that it escalates.
    pub escalate_on: Vec<EscalationTrigger>,
}

impl NewMonitoringPolicy {
    /// An enabled policy over everything of the organization that is of severity high or worse.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            id: None,
            name: name.into(),
            enabled: true,
            source_ids: None,
            application_groups: None,
            environments: None,
            minimum_severity: Severity::High,
            escalate_on: EscalationTrigger::ALL.to_vec(),
        }
    }
}

impl MonitoringPolicy {
    pub(crate) fn new(id: PolicyId, new: NewMonitoringPolicy, now: Timestamp) -> Self {
        Self {
            id,
            name: new.name,
            enabled: new.enabled,
            source_ids: new.source_ids,
            application_groups: new.application_groups,
            environments: new.environments,
            minimum_severity: new.minimum_severity,
            escalate_on: new.escalate_on,
            in_force_since: now,
            created_at: now,
            updated_at: now,
        }
    }
}

/// Refuses a policy that is not allowed, naming the first field that is not; `before` is the one that it replaces.
fn check(policy: &MonitoringPolicy, before: Option<&MonitoringPolicy>) -> Result<(), DirectoryError> {
    check_new_text("name", &policy.name, before.map(|before| before.name.as_str()), MAX_NAME)?;
    check_choice("source_ids", policy.source_ids.as_deref(), MAX_SOURCES_NAMED)?;
    check_choice("application_groups", policy.application_groups.as_deref(), MAX_LABELS_NAMED)?;
    check_choice("environments", policy.environments.as_deref(), MAX_LABELS_NAMED)?;
    check_choice("escalate_on", Some(&policy.escalate_on), EscalationTrigger::ALL.len())?;
    let groups = (&policy.application_groups, before.and_then(|before| before.application_groups.as_deref()));
    check_labels("application_groups", groups, MAX_APPLICATION_GROUP)?;
    let environments = (&policy.environments, before.and_then(|before| before.environments.as_deref()));
    check_labels("environments", environments, MAX_ENVIRONMENT)
}

fn check_labels(
    field: &'static str,
    (labels, before): (&Option<Vec<String>>, Option<&[String]>),
    max: usize,
) -> Result<(), DirectoryError> {
    for label in labels.iter().flatten() {
        let stored = before.and_then(|before| before.iter().find(|stored| *stored == label));
        check_new_text(field, label, stored.map(String::as_str), max)?;
    }
    Ok(())
}

/// Refuses a choice of nothing, which is easily taken for one of everything, too long a one, and repetitions.
fn check_choice<T: Eq + Hash>(
    field: &'static str,
    chosen: Option<&[T]>,
    most: usize,
) -> Result<(), DirectoryError> {
    let Some(chosen) = chosen else { return Ok(()) };
    let length = chosen.len();
    if length == 0 || length > most {
        return Err(DirectoryError::invalid(field, format!("expected 1 to {most} items, found {length}")));
    }
    if chosen.iter().collect::<HashSet<_>>().len() < length {
        return Err(DirectoryError::invalid(field, "expected distinct items, found a duplicate"));
    }
    Ok(())
}

//! Step 4, escalate: decides whether the latest revision of an incident is escalated, by the monitoring policies of its
//! organization and within the limit of the fan-in guard. The event is written by the commit that writes the revision.

use common::ids::IncidentId;
use common::incident::{Analysis, IncidentHead, Revision};
use common::timestamp::Timestamp;

use crate::attach::Incidents;
use crate::attach::revise::{OPENED, SEVERITY_RAISED};
use crate::fan_in::FanInGuard;

/// The change of an incident that a policy may escalate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// It was opened.
    Opened,
    /// It became more severe.
    SeverityRaised,
}

/// Decision about a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// No policy escalates it.
    NotEscalated,
    /// A policy would escalate it, but too many incidents are escalated already.
    Capped(Trigger),
    /// It is escalated.
    Escalated(Trigger),
}

/// Content of an escalation event that is not part of its revision.
#[derive(Clone, Debug)]
pub(crate) struct PendingEscalation {
    /// The incident's analysis as the revision left it; there may be more revisions in the same commit.
    pub(crate) analysis: Analysis,
    /// The name of the source.
    pub(crate) source_name: Option<String>,
}

/// A revision that is escalated.
#[derive(Clone, Debug)]
pub struct Escalated<'i> {
    /// The incident as the revision left it.
    pub incident: IncidentHead,
    /// The revision.
    pub revision: &'i Revision,
    /// The name of the source; `None` once it is deleted.
    pub source_name: Option<&'i str>,
}

impl Incidents {
    /// The head of an incident whose latest revision is undecided.
    #[must_use]
    pub fn undecided(&self, incident: IncidentId) -> Option<&IncidentHead> {
        let tracked = self.tracked(incident)?;
        tracked.undecided().map(|_| &tracked.head)
    }

    /// Decides about the latest revision of an incident; `wants` returns whether a policy escalates the change. If it is
    /// escalated, [`Self::name_source`] completes the event.
    pub fn escalate(
        &mut self,
        fan_in: &mut FanInGuard,
        incident: IncidentId,
        log_time: Timestamp,
        policies_version: u64,
        wants: impl FnOnce(&IncidentHead, Trigger) -> bool,
    ) -> Decision {
        let Some(tracked) = self.tracked(incident) else { return Decision::NotEscalated };
        let Some(revision) = tracked.undecided() else { return Decision::NotEscalated };
        let head = &tracked.head;
        let decision = match trigger(revision).filter(|trigger| wants(head, *trigger)) {
            None => Decision::NotEscalated,
            Some(trigger) if fan_in.may_escalate(head, log_time) => Decision::Escalated(trigger),
            Some(trigger) => Decision::Capped(trigger),
        };
        let pending = matches!(decision, Decision::Escalated(_))
            .then(|| PendingEscalation { analysis: head.analysis.clone(), source_name: None });
        self.change(incident, |tracked| tracked.decide(policies_version, pending));
        decision
    }

    /// Names the source in the event of the latest revision of an incident.
    pub fn name_source(&mut self, incident: IncidentId, source_name: Option<String>) {
        self.change(incident, |tracked| tracked.name_source(source_name));
    }
}

fn trigger(revision: &Revision) -> Option<Trigger> {
    revision.reasons.iter().find_map(|reason| match reason.as_str() {
        OPENED => Some(Trigger::Opened),
        SEVERITY_RAISED => Some(Trigger::SeverityRaised),
        _ => None,
    })
}

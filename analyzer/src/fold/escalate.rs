//! Whether a revision is told to the outside: by the policies that are there when it is made, and no more of them
//! than a person can hear. What is told is written by the commit that writes the revision, unless a person has
//! resolved the incident by then.

use std::sync::Arc;

use bytes::Bytes;
use common::event::{Event, outbox_key};
use common::ids::{IncidentId, OrganizationId};
use common::incident::{Analysis, Revision};
use common::row::{self, BodyError};
use common::timestamp::Timestamp;
use directory::{DirectoryError, EscalationTrigger, MonitoringPolicies};
use escalation::Outcome;
use ledger::{Kind, Op, Seq};

use super::incidents::{FoldError, MANY_ENTITIES, Reader};
use super::revise::{OPENED, SEVERITY_RAISED};
use crate::state::State;

/// Content of an escalation event that is not part of its revision.
#[derive(Clone, Debug)]
pub(crate) struct PendingEscalation {
    /// The incident's analysis as the revision left it; there may be more revisions in the same commit.
    pub analysis: Analysis,
    /// What the source was called.
    pub source_name: Option<String>,
}

/// Policies as they were read for the batch that is being folded. It lay in the log by then, so they hold all that
/// was acknowledged before the batch was accepted.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    held: Option<(OrganizationId, Arc<MonitoringPolicies>)>,
}

impl Policies {
    /// What follows may have been accepted later than the policies were read.
    pub(crate) fn forget(&mut self) {
        self.held = None;
    }

    async fn of(
        &mut self,
        reader: Reader<'_>,
        organization: OrganizationId,
    ) -> Result<Arc<MonitoringPolicies>, FoldError> {
        if let Some((_, policies)) = self.held.as_ref().filter(|(held, _)| *held == organization) {
            return Ok(Arc::clone(policies));
        }
        let read = readable(organization, reader.escalation.policies(organization).await)?;
        let policies = Arc::new(read);
        self.held = Some((organization, Arc::clone(&policies)));
        Ok(policies)
    }
}

/// Decides about the latest revision of an incident, if nobody has. `accepted_at` is when the batch was accepted that
/// led to it.
pub(crate) async fn judge(
    state: &mut State,
    reader: Reader<'_>,
    incident: IncidentId,
    accepted_at: Timestamp,
) -> Result<(), FoldError> {
    let Some((head, revision)) = state.incidents.unjudged(incident) else { return Ok(()) };
    let (organization, source) = (head.organization, head.source);
    let policies = state.policies.of(reader, organization).await?;
    let trigger = trigger(revision).filter(|trigger| policies.escalate(head, *trigger, accepted_at));
    let mut told = None;
    if let Some(trigger) = trigger {
        let log_time = state.progress.received_through;
        // The one that stands for the others must be heard of.
        let heard = head.entity.kind == MANY_ENTITIES
            || state.storms.may_escalate(source, &head.family, head.analysis.severity, log_time);
        reader.escalation.count(trigger, if heard { Outcome::Escalated } else { Outcome::Capped });
        if heard {
            let analysis = head.analysis.clone();
            let name = readable(organization, reader.escalation.source_name(organization, source).await)?;
            told = Some(PendingEscalation { analysis, source_name: name });
        }
    }
    state.incidents.judged(incident, policies.version, told);
    Ok(())
}

/// Appends events to the outbox in the commit that is tried at `seq`.
pub(crate) fn write(events: &[Event], seq: Seq, ops: &mut Vec<Op>) -> Result<(), BodyError> {
    // Far fewer than a commit has rows.
    for (index, event) in (0_u16..).zip(events) {
        let key = Bytes::from(outbox_key(seq.0 + 1, index));
        ops.push(Op::Put { kind: Kind::Outbox, key, body: row::encode(event)?.into() });
    }
    Ok(())
}

fn trigger(revision: &Revision) -> Option<EscalationTrigger> {
    revision.reasons.iter().find_map(|reason| match reason.as_str() {
        OPENED => Some(EscalationTrigger::Opened),
        SEVERITY_RAISED => Some(EscalationTrigger::SeverityRaised),
        _ => None,
    })
}

/// What is wrong with one organization's rows stops nobody else's analysis: it goes on without them.
fn readable<T: Default>(
    organization: OrganizationId,
    read: Result<T, DirectoryError>,
) -> Result<T, FoldError> {
    match read {
        Err(DirectoryError::Corrupt(error)) => {
            tracing::error!(%organization, %error, "monitoring policies cannot be read: incidents are not escalated");
            Ok(T::default())
        }
        read => Ok(read?),
    }
}

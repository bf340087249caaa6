//! Escalation of reviews: a reopened incident is escalated where a policy says so. The event
//! is written by the commit that stores the review.

use common::event::Event;
use common::incident::{IncidentHead, Review};
use common::triage::TriageStatus;
use directory::EscalationTrigger;
use escalation::{Cause, Change, Escalation};

use super::read::Reader;
use super::review::ReviewError;

/// The event about a review; `None` where the review causes none, or no policy asks for it.
pub(super) async fn event(
    reader: Reader<'_>,
    escalation: &Escalation,
    head: &IncidentHead,
    review: &Review,
) -> Result<Option<Event>, ReviewError> {
    if review.from_status != TriageStatus::Resolved || review.to_status == TriageStatus::Resolved {
        return Ok(None);
    }
    let policies = escalation.policies(head.organization).await?;
    if !policies.escalate(head, EscalationTrigger::Reopened, review.created_at) {
        return Ok(None);
    }
    let detail = reader.detail(head.id).await?;
    let source_name = escalation.source_name(head.organization, head.source).await?;
    let change = Change {
        incident: head,
        assessment: &detail.assessment,
        source_name: source_name.as_deref(),
        cause: Cause::Review(review.triage_version),
        at: review.created_at,
    };
    Ok(Some(escalation.event(&change)?))
}

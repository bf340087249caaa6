//! Runs the four steps of crate `incidents` on a matched record, or on a window that ends, and reads the rows that a step
//! needs from the ledger. Deterministic: the same log from the same state gives the same state, however it was split
//! into commits.

mod lookup;

use common::batch::BatchHeaders;
use common::ids::IncidentId;
use common::timestamp::Timestamp;
use directory::EscalationTrigger;
use escalation::Outcome;
use incidents::accumulate::correlate::GroupKey;
use incidents::attach::Missing;
use incidents::classify::classify;
use incidents::escalate::{Decision, Trigger};
use incidents::finding::{Findings, RecordContext, RulePolicy};
use incidents::fold_state::FoldState;
use incidents::matched::Matched;

pub(crate) use self::lookup::{FoldError, Lookup, Policies};
use crate::catalogue::Catalogue;
use crate::state::State;

/// Folds one matched record into the state; returns its most significant outcome as metrics name it.
pub(crate) async fn record(
    state: &mut State,
    catalogue: &Catalogue,
    lookup: Lookup<'_>,
    context: &RecordContext<'_>,
    matched: &Matched,
) -> Result<&'static str, FoldError> {
    let plan = catalogue.plan(context.headers.organization);
    let FoldState { fan_in, accumulated, .. } = &mut state.fold;
    let classified = classify(fan_in, plan, context, matched);
    let findings = accumulated.record(fan_in, plan, context, matched, classified);
    let outcome = if !findings.new.is_empty() {
        "qualified"
    } else if matched.partial || !matched.inconclusive.is_empty() {
        "inconclusive"
    } else {
        "routine"
    };
    attach_and_escalate(state, catalogue, lookup, context, findings).await?;
    Ok(outcome)
}

/// Closes a window whose end the log's time has passed, as the last thing before the batch that moved the time, and folds
/// its findings. They belong to its own source: `headers` are those of
/// [`Correlations::headers`](incidents::accumulate::correlate::Correlations::headers).
pub(crate) async fn window(
    state: &mut State,
    catalogue: &Catalogue,
    lookup: Lookup<'_>,
    key: GroupKey,
    headers: &BatchHeaders,
) -> Result<(), FoldError> {
    let context = RecordContext {
        headers,
        position: state.progress.position,
        log_time: state.progress.received_through,
    };
    let findings = state.fold.accumulated.close_window(catalogue.plan(headers.organization), &context, key);
    attach_and_escalate(state, catalogue, lookup, &context, findings).await
}

/// Steps 3 and 4 for each finding in turn.
async fn attach_and_escalate(
    state: &mut State,
    catalogue: &Catalogue,
    lookup: Lookup<'_>,
    context: &RecordContext<'_>,
    findings: Findings,
) -> Result<(), FoldError> {
    let headers = context.headers;
    let rule_policy = RulePolicy {
        rules_version: catalogue.plan(headers.organization).version(),
        milder: catalogue.is_milder(&headers.environment),
    };
    for superseded in &findings.superseded {
        let supersede =
            |fold: &mut FoldState| fold.incidents.supersede(context, superseded, rule_policy.rules_version);
        if let Some(incident) = with_rows(state, lookup, supersede).await? {
            escalate(state, lookup, incident, context.received_at()).await?;
        }
    }
    for mut finding in findings.new {
        let attached = with_rows(state, lookup, |FoldState { incidents, fan_in, .. }| {
            incidents.attach(fan_in, context, &mut finding, rule_policy)
        })
        .await?;
        escalate(state, lookup, attached.incident, context.received_at()).await?;
        if let Some(head) = state.fold.incidents.head(attached.incident).filter(|_| attached.is_new) {
            metrics::counter!("palisade_incidents_created_total", "severity" => head.analysis.severity.as_str())
                .increment(1);
        }
    }
    Ok(())
}

/// Takes a step, and again once the rows that it misses are read.
pub(crate) async fn with_rows<T>(
    state: &mut State,
    lookup: Lookup<'_>,
    mut step: impl FnMut(&mut FoldState) -> Result<T, Missing>,
) -> Result<T, FoldError> {
    loop {
        match step(&mut state.fold) {
            Ok(done) => return Ok(done),
            Err(missing) => lookup.restore(&mut state.fold.incidents, missing).await?,
        }
    }
}

/// Step 4: decides whether the latest revision of an incident is escalated, if that is undecided. `accepted_at` is when
/// the batch was accepted that led to it.
pub(crate) async fn escalate(
    state: &mut State,
    lookup: Lookup<'_>,
    incident: IncidentId,
    accepted_at: Timestamp,
) -> Result<(), FoldError> {
    let Some(head) = state.fold.incidents.undecided(incident) else { return Ok(()) };
    let (organization, source) = (head.organization, head.source);
    let policies = state.policies.of(lookup, organization).await?;
    let log_time = state.progress.received_through;
    let FoldState { incidents, fan_in, .. } = &mut state.fold;
    let decision = incidents.escalate(fan_in, incident, log_time, policies.version, |head, trigger| {
        policies.escalate(head, name_of(trigger), accepted_at)
    });
    match decision {
        Decision::NotEscalated => {}
        Decision::Capped(trigger) => lookup.escalation.count(name_of(trigger), Outcome::Capped),
        Decision::Escalated(trigger) => {
            lookup.escalation.count(name_of(trigger), Outcome::Escalated);
            let name = lookup.source_name(organization, source).await?;
            state.fold.incidents.name_source(incident, name);
        }
    }
    Ok(())
}

/// The trigger as policies name it.
fn name_of(trigger: Trigger) -> EscalationTrigger {
    match trigger {
        Trigger::Opened => EscalationTrigger::Opened,
        Trigger::SeverityRaised => EscalationTrigger::SeverityRaised,
    }
}

//! The fold: state and the next record to the next state, in log order. Deterministic: the same log
//! from the same state gives the same state, however it was split into commits.

pub(crate) mod assess;
pub(crate) mod closing;
pub(crate) mod coarsen;
pub(crate) mod correlate;
pub(crate) mod deliveries;
pub(crate) mod escalate;
pub(crate) mod evidence;
pub(crate) mod facts;
pub(crate) mod finding;
pub(crate) mod widespread;
pub(crate) mod incidents;
pub(crate) mod members;
pub(crate) mod revise;
pub(crate) mod risk;
pub(crate) mod rows;
pub(crate) mod shares;
mod signs;
mod state_table;
pub(crate) mod steps;
pub(crate) mod storm;
pub(crate) mod tally;
pub(crate) mod tracked;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::incident::{Entity, Qualification};
use common::timestamp::Timestamp;

use self::correlate::Counted;
use self::finding::{Finding, Member, RecordContext, RulePolicy, Superseded};
use self::incidents::{FoldError, Joined, Reader};
use self::tally::Came;
use crate::catalogue::Catalogue;
use crate::detect::Matched;
use crate::plan::{Plan, Subject};
use crate::qualify::{self, Verdict};
use crate::state::State;

/// What became of a record that rules matched: the best of its findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RecordVerdict {
    /// Rules matched, and nothing follows from it for now.
    #[default]
    Routine,
    /// It could be read only in part.
    Inconclusive,
    /// It is a member of an incident.
    Qualified,
}

/// Folds one matched record into the state.
pub(crate) async fn record(
    state: &mut State,
    catalogue: &Catalogue,
    reader: Reader<'_>,
    context: &RecordContext<'_>,
    matched: &Matched,
) -> Result<RecordVerdict, FoldError> {
    let plan = catalogue.plan(context.headers.organization);
    let is_inconclusive = matched.partial || !matched.inconclusive.is_empty();
    let mut verdict = if is_inconclusive { RecordVerdict::Inconclusive } else { RecordVerdict::Routine };
    let time = matched.note.event_time;
    for suppressed in &matched.suppressed {
        let filter = plan.filter(suppressed.filter).map(|filter| filter.id.as_str());
        for id in filter.into_iter().chain([plan.rule(suppressed.rule).id()]) {
            state.tallies.count(context, id, time, Came::Suppressed);
        }
    }
    for rule in &matched.inconclusive {
        state.tallies.count(context, plan.rule(*rule).id(), time, Came::Inconclusive);
    }
    for rule in &matched.silent {
        state.tallies.count(context, plan.rule(*rule).id(), time, Came::Routine);
    }
    let (mut findings, mut superseded, mut about_entities) = (Vec::new(), Vec::new(), Vec::new());
    // Matches of widespread rules add no risk, so they are separated before risk is added up.
    for (rule, entity) in &matched.findings {
        let subject = &plan.rule(*rule).subject;
        let (judged, own) = (qualify::single(subject, matched.partial), member(matched, subject));
        let Some(widespread) = widespread(state, plan, context, judged, entity, &own) else {
            about_entities.push((judged, entity, own));
            continue;
        };
        state.tallies.count(context, &subject.matched.id, time, came(judged, &widespread.findings));
        superseded.extend(widespread.superseded);
        findings.extend(widespread.findings);
    }
    findings.extend(signs::follow_all(state, plan, context, time, about_entities));
    let mut counted = state.correlations.count(plan, context, matched);
    counted.without_group_value += matched.ungrouped;
    counted.without_value += matched.without_value;
    findings.extend(crossings(state, plan, context, time, counted));
    if !findings.is_empty() {
        verdict = RecordVerdict::Qualified;
    }
    for findings in &superseded {
        let changed = state.incidents.supersede(reader, context, findings, plan.version()).await?;
        if let Some(incident) = changed {
            escalate::judge(state, reader, incident, context.received_at()).await?;
        }
    }
    join(state, catalogue, reader, context, findings).await?;
    Ok(verdict)
}

/// What counting came to at a time, as findings.
fn crossings(
    state: &mut State,
    plan: &Plan,
    context: &RecordContext<'_>,
    time: Timestamp,
    counted: Counted,
) -> Vec<Finding> {
    count_metrics(&counted);
    let mut findings = Vec::new();
    for crossing in counted.crossings {
        let correlation = plan.correlation(crossing.correlation);
        let subject = &correlation.subject;
        let judged = qualify::crossing(subject);
        let entity = correlation.entity(&crossing.group);
        let found = signs::follow(state, plan, context, judged, entity, crossing.members);
        state.tallies.count(context, &subject.matched.id, time, came(judged, &found));
        findings.extend(found);
    }
    findings
}

/// Adds each finding to its open incident, or opens one.
async fn join(
    state: &mut State,
    catalogue: &Catalogue,
    reader: Reader<'_>,
    context: &RecordContext<'_>,
    findings: Vec<Finding>,
) -> Result<(), FoldError> {
    let rule_policy = RulePolicy {
        rules_version: catalogue.plan(context.headers.organization).version(),
        milder: catalogue.is_milder(&context.headers.environment),
    };
    for finding in findings {
        let joined = state.incidents.join(reader, &mut state.storms, context, finding, rule_policy).await?;
        let (Joined::Opened(incident) | Joined::Grew(incident)) = joined;
        escalate::judge(state, reader, incident, context.received_at()).await?;
        if let Joined::Opened(incident) = joined
            && let Some(head) = state.incidents.head(incident)
        {
            metrics::counter!("palisade_incidents_created_total", "severity" => head.analysis.severity.as_str())
                .increment(1);
        }
    }
    Ok(())
}

/// Consequences of a match of a widespread rule.
#[derive(Default)]
struct Widespread {
    findings: Vec<Finding>,
    superseded: Vec<Superseded>,
}

/// Follows a match of a widespread rule: a significant one joins the incident about the rule, and incidents about entities
/// are superseded. `None` if the rule is not widespread, so that the match is assessed for its entity.
fn widespread(
    state: &mut State,
    plan: &Plan,
    context: &RecordContext<'_>,
    judged: Verdict,
    entity: &Entity,
    member: &Member,
) -> Option<Widespread> {
    let subject = &member.subject;
    if !qualify::may_be_widespread(subject, judged) {
        return None;
    }
    let sighted = state.widespread.sight(context, entity, member);
    if !sighted.is_widespread {
        return None;
    }
    let mut widespread = Widespread::default();
    let mut by_entity: BTreeMap<Entity, Vec<Member>> = BTreeMap::new();
    for (entity, member) in sighted.members {
        by_entity.entry(entity).or_default().push(member);
    }
    let rule = &subject.matched.id;
    let is_earlier = |other: &Member| other.record != member.record;
    for (entity, _) in by_entity.iter().filter(|(_, members)| members.iter().any(is_earlier)) {
        let mut supersede = |family: &str, entity: &Entity, no_longer_adds_up| {
            let (family, entity, rule) = (family.to_owned(), entity.clone(), rule.clone());
            widespread.superseded.push(Superseded { family, entity, rule, no_longer_adds_up });
        };
        let covers = |time| state.widespread.covers(context, subject, time);
        let (counted_for, families) = state.risks.withdraw(plan, context, entity, rule, covers);
        for family in &families {
            supersede(family, &counted_for, true);
        }
        if !families.contains(&subject.family) {
            supersede(&subject.family, entity, false);
        }
        if !families.contains(&subject.risk_family) && subject.risk_family != subject.family {
            supersede(&subject.risk_family, &counted_for, false);
        }
    }
    if qualify::opens_incident_if_widespread(judged) {
        let about_rule = |(entity, members)| Finding {
            family: rule.clone(),
            entity,
            qualification: Qualification::ManyEntities,
            members,
        };
        widespread.findings = by_entity.into_iter().map(about_rule).collect();
    }
    Some(widespread)
}

/// What became of a finding, for its rule's tally.
fn came(verdict: Verdict, found: &[Finding]) -> Came {
    match verdict {
        _ if !found.is_empty() => Came::Qualified,
        Verdict::Inconclusive => Came::Inconclusive,
        _ => Came::Routine,
    }
}

fn member(matched: &Matched, subject: &Arc<Subject>) -> Member {
    Member {
        record: matched.record,
        event_time: matched.note.event_time,
        note: Some(Arc::clone(&matched.note)),
        subject: Arc::clone(subject),
    }
}

fn count_metrics(counted: &Counted) {
    let not_counted = [
        ("late", counted.late),
        ("coarsened", counted.coarsened),
        ("crowded_out", u32::try_from(counted.crowded_out).unwrap_or(u32::MAX)),
        ("without_group_value", counted.without_group_value),
        ("without_value", counted.without_value),
    ];
    for (reason, count) in not_counted {
        if count > 0 {
            metrics::counter!("palisade_analysis_window_events_total", "reason" => reason)
                .increment(u64::from(count));
        }
    }
}

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
pub(crate) mod incidents;
pub(crate) mod members;
pub(crate) mod revise;
pub(crate) mod risk;
pub(crate) mod rows;
pub(crate) mod storm;
pub(crate) mod tally;
pub(crate) mod tracked;

use std::sync::Arc;

use common::incident::{Entity, Qualification};
use common::timestamp::Timestamp;

use self::correlate::Counted;
use self::finding::{Finding, Member, Place, Terms};
use self::incidents::{FoldError, Joined, Reader};
use self::risk::Sign;
use self::tally::Came;
use crate::catalogue::Catalogue;
use crate::detect::Matched;
use crate::plan::{Plan, Subject};
use crate::qualify::{self, Verdict};
use crate::state::State;

/// The family of incidents that weak signs of one entity add up to.
const RISK_FAMILY: &str = "entity_risk";

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
    place: &Place<'_>,
    matched: &Matched,
) -> Result<RecordVerdict, FoldError> {
    let plan = catalogue.plan(place.headers.organization);
    let mut verdict = if matched.partial { RecordVerdict::Inconclusive } else { RecordVerdict::Routine };
    let time = matched.note.event_time;
    for suppressed in &matched.suppressed {
        let filter = &plan.rules.filters()[suppressed.filter].info.id;
        for id in [plan.rule(suppressed.rule).id(), filter] {
            state.tallies.count(place, id, time, Came::Suppressed);
        }
    }
    for rule in &matched.silent {
        state.tallies.count(place, plan.rule(*rule).id(), time, Came::Routine);
    }
    let mut findings = Vec::new();
    for (rule, entity) in &matched.findings {
        let subject = &plan.rule(*rule).subject;
        let judged = qualify::single(subject, matched.partial);
        let members = vec![member(matched, subject)];
        let found = finding(state, plan, place, judged, subject, entity.clone(), members);
        state.tallies.count(place, &subject.matched.id, time, came(judged, found.as_ref()));
        findings.extend(found);
    }
    let mut counted = state.correlations.count(plan, place, matched.record, &matched.note, &matched.counts);
    counted.without_group_value += matched.ungrouped;
    counted.without_value += matched.without_value;
    findings.extend(crossings(state, plan, place, time, counted));
    if !findings.is_empty() {
        verdict = RecordVerdict::Qualified;
    }
    join(state, catalogue, reader, place, findings).await?;
    Ok(verdict)
}

/// What counting came to at a time, as findings.
fn crossings(
    state: &mut State,
    plan: &Plan,
    place: &Place<'_>,
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
        let found = finding(state, plan, place, judged, subject, entity, crossing.members);
        state.tallies.count(place, &subject.matched.id, time, came(judged, found.as_ref()));
        findings.extend(found);
    }
    findings
}

/// Puts findings where they belong.
async fn join(
    state: &mut State,
    catalogue: &Catalogue,
    reader: Reader<'_>,
    place: &Place<'_>,
    findings: Vec<Finding>,
) -> Result<(), FoldError> {
    let terms = Terms {
        rules_version: catalogue.plan(place.headers.organization).rules.version(),
        milder: catalogue.is_milder(&place.headers.environment),
    };
    for finding in findings {
        let joined = state.incidents.join(reader, &mut state.storms, place, finding, terms).await?;
        let (Joined::Opened(incident) | Joined::Grew(incident)) = joined;
        escalate::judge(state, reader, incident, place.received_at()).await?;
        if let Joined::Opened(incident) = joined
            && let Some(head) = state.incidents.head(incident)
        {
            metrics::counter!("incidents_created_total", "severity" => head.analysis.severity.as_str())
                .increment(1);
        }
    }
    Ok(())
}

/// Follows a verdict: a finding that joins an incident, or a sign that may complete an entity's risk.
fn finding(
    state: &mut State,
    plan: &Plan,
    place: &Place<'_>,
    verdict: Verdict,
    subject: &Arc<Subject>,
    entity: Entity,
    members: Vec<Member>,
) -> Option<Finding> {
    match verdict {
        Verdict::Routine | Verdict::Inconclusive => None,
        Verdict::Qualified(qualification) => {
            Some(Finding { family: subject.family.clone(), entity, qualification, members })
        }
        Verdict::Risk(_) => {
            let mut qualified: Option<Finding> = None;
            for member in members {
                let Some((entity, grown)) =
                    state.risks.add(plan, place, Sign { entity: entity.clone(), member })
                else {
                    continue;
                };
                qualified
                    .get_or_insert_with(|| Finding {
                        family: RISK_FAMILY.to_owned(),
                        entity,
                        qualification: Qualification::EntityRisk,
                        members: Vec::new(),
                    })
                    .members
                    .extend(grown);
            }
            qualified
        }
    }
}

/// What became of a finding, for its rule's tally.
fn came(verdict: Verdict, found: Option<&Finding>) -> Came {
    match (verdict, found) {
        (_, Some(_)) => Came::Qualified,
        (Verdict::Inconclusive, None) => Came::Inconclusive,
        (_, None) => Came::Routine,
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
            metrics::counter!("analysis_window_events_total", "reason" => reason).increment(u64::from(count));
        }
    }
}

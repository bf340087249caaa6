//! Follows verdicts about entities: findings that join incidents, and weak signs that may complete the risk of an entity.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::incident::{Entity, Qualification};
use common::timestamp::Timestamp;

use super::came;
use super::finding::{Finding, Member, RecordContext};
use super::tally::Came;
use crate::identity::RecordId;
use crate::plan::Plan;
use crate::qualify::Verdict;
use crate::state::State;

/// Follows what the rules of one record say of entities. Weak signs of an entity are added up together.
pub(super) fn follow_all(
    state: &mut State,
    plan: &Plan,
    context: &RecordContext<'_>,
    time: Timestamp,
    judged: Vec<(Verdict, &Entity, Member)>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut signs: BTreeMap<Entity, Vec<Member>> = BTreeMap::new();
    for (verdict, entity, own) in judged {
        if let Verdict::Risk(_) = verdict {
            signs.entry(entity.clone()).or_default().push(own);
            continue;
        }
        let subject = Arc::clone(&own.subject);
        let found = follow(state, plan, context, verdict, entity.clone(), vec![own]);
        state.tallies.count(context, &subject.matched.id, time, came(verdict, &found));
        findings.extend(found);
    }
    for (entity, signs) in signs {
        let own: Vec<_> = signs.iter().map(|sign| (sign.record, Arc::clone(&sign.subject))).collect();
        let found = add_up(state, plan, context, &entity, signs);
        for (record, subject) in own {
            let rule = &subject.matched.id;
            let is_own = |member: &Member| member.record == record && member.subject.matched.id == *rule;
            let qualified = found.iter().flat_map(|finding| &finding.members).any(is_own);
            let came = if qualified { Came::Qualified } else { Came::Routine };
            state.tallies.count(context, rule, time, came);
        }
        findings.extend(found);
    }
    findings
}

/// Follows a verdict about the members of a finding. Those of a correlation may be many, and are added up one by one.
pub(super) fn follow(
    state: &mut State,
    plan: &Plan,
    context: &RecordContext<'_>,
    verdict: Verdict,
    entity: Entity,
    members: Vec<Member>,
) -> Vec<Finding> {
    match verdict {
        Verdict::Routine | Verdict::Inconclusive => Vec::new(),
        Verdict::Qualified(qualification) => {
            let family = members.first().map(|member| member.subject.family.clone());
            let finding = |family| Finding { family, entity, qualification, members };
            family.map(finding).into_iter().collect()
        }
        Verdict::Risk(_) => {
            let signs = members.into_iter();
            merged(signs.flat_map(|sign| add_up(state, plan, context, &entity, vec![sign])))
        }
    }
}

/// Adds weak signs to the risk of an entity. What they add up to belongs to the incidents that their logs are about.
fn add_up(
    state: &mut State,
    plan: &Plan,
    context: &RecordContext<'_>,
    entity: &Entity,
    signs: Vec<Member>,
) -> Vec<Finding> {
    let own: BTreeSet<RecordId> = signs.iter().map(|sign| sign.record).collect();
    let Some((entity, grown)) = state.risks.add(plan, context, entity, signs) else { return Vec::new() };
    let finding = |member: Member| Finding {
        family: member.subject.risk_family.clone(),
        entity: entity.clone(),
        qualification: Qualification::EntityRisk,
        members: vec![member],
    };
    // A correlation is counted once for all records that crossed its threshold.
    let is_earlier = |member: &&Member| !own.contains(&member.record) && !member.subject.matched.correlation;
    for member in grown.iter().filter(is_earlier) {
        state.tallies.qualify_later(context, &member.subject.matched.id);
    }
    merged(grown.into_iter().map(finding))
}

/// One finding for each incident.
fn merged(findings: impl Iterator<Item = Finding>) -> Vec<Finding> {
    let mut merged: BTreeMap<(String, Entity), Finding> = BTreeMap::new();
    for finding in findings {
        let key = (finding.family.clone(), finding.entity.clone());
        match merged.get_mut(&key) {
            Some(known) => known.members.extend(finding.members),
            None => {
                merged.insert(key, finding);
            }
        }
    }
    merged.into_values().collect()
}

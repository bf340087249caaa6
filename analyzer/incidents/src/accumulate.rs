//! Step 2, accumulate: counts a classified record in the windows of correlations, the risk of entities and the tallies
//! of rules, and returns the findings that follow.

pub(crate) mod coarsen;
pub mod correlate;
pub(crate) mod risk;
pub(crate) mod shares;
pub(crate) mod tally;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::incident::{Entity, Qualification};
use common::timestamp::Timestamp;

use self::correlate::{Correlations, Counted, GroupKey};
use self::risk::Risks;
use self::tally::{Outcome, Tallies};
use crate::classify::{self, Classified, Verdict, Widespread};
use crate::fan_in::FanInGuard;
use crate::finding::{Finding, Findings, Member, RecordContext, Superseded};
use crate::identity::RecordId;
use crate::matched::Matched;
use crate::plan::Plan;

/// Everything that is counted from record to record.
#[derive(Debug)]
pub struct Accumulated {
    /// Windows of correlations.
    pub correlations: Correlations,
    pub(crate) risks: Risks,
    pub(crate) tallies: Tallies,
}

impl Accumulated {
    /// Counts a record.
    pub fn record(
        &mut self,
        fan_in: &FanInGuard,
        plan: &Plan,
        context: &RecordContext<'_>,
        matched: &Matched,
        classified: Classified<'_>,
    ) -> Findings {
        let time = matched.note.event_time;
        let mut findings = Findings::default();
        for (id, outcome) in classified.counted {
            self.tallies.count(context, id, time, outcome);
        }
        // Matches of widespread rules add no risk, so their part in it is withdrawn before risk is added up.
        for widespread in classified.widespread {
            self.withdraw_risk(fan_in, plan, context, &widespread, &mut findings.superseded);
            let found = about_rule(widespread.verdict, &widespread.member, widespread.joined);
            let outcome = outcome(widespread.verdict, &found);
            self.tallies.count(context, &widespread.member.subject.matched.id, time, outcome);
            findings.new.extend(found);
        }
        findings.new.extend(self.about_entities(plan, context, time, classified.about_entities));
        let counted = self.correlations.count(plan, context, matched);
        findings.new.extend(self.crossings(plan, context, time, counted));
        findings
    }

    /// Closes a window that is due, and returns the findings.
    pub fn close_window(&mut self, plan: &Plan, context: &RecordContext<'_>, key: GroupKey) -> Findings {
        let counted = self.correlations.close(plan, context, key);
        let new = self.crossings(plan, context, context.log_time, counted);
        Findings { new, superseded: Vec::new() }
    }

    /// The findings of correlations that counting brought to their thresholds at a time.
    fn crossings(
        &mut self,
        plan: &Plan,
        context: &RecordContext<'_>,
        time: Timestamp,
        counted: Counted,
    ) -> Vec<Finding> {
        counted.report();
        let mut findings = Vec::new();
        for crossing in counted.crossings {
            let correlation = plan.correlation(crossing.correlation);
            let subject = &correlation.subject;
            let verdict = classify::crossing(subject);
            let entity = correlation.entity(&crossing.group);
            let found = match verdict {
                // Members of a correlation may be many; their risk is added up one by one.
                Verdict::Risk(_) => {
                    let signs = crossing.members.into_iter();
                    merged(signs.flat_map(|sign| self.add_risk(plan, context, &entity, vec![sign])))
                }
                _ => qualified(verdict, entity, crossing.members).into_iter().collect(),
            };
            self.tallies.count(context, &subject.matched.id, time, outcome(verdict, &found));
            findings.extend(found);
        }
        findings
    }

    /// The findings of matches about entities. Weak signs of one entity are added up together.
    fn about_entities(
        &mut self,
        plan: &Plan,
        context: &RecordContext<'_>,
        time: Timestamp,
        matches: Vec<(Verdict, &Entity, Member)>,
    ) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut signs: BTreeMap<Entity, Vec<Member>> = BTreeMap::new();
        for (verdict, entity, member) in matches {
            if let Verdict::Risk(_) = verdict {
                signs.entry(entity.clone()).or_default().push(member);
                continue;
            }
            let subject = Arc::clone(&member.subject);
            let found = qualified(verdict, entity.clone(), vec![member]);
            self.tallies.count(context, &subject.matched.id, time, outcome(verdict, found.as_slice()));
            findings.extend(found);
        }
        for (entity, signs) in signs {
            let own: Vec<_> = signs.iter().map(|sign| (sign.record, Arc::clone(&sign.subject))).collect();
            let found = self.add_risk(plan, context, &entity, signs);
            for (record, subject) in own {
                let rule = &subject.matched.id;
                let is_own = |member: &Member| member.record == record && member.subject.matched.id == *rule;
                let is_qualified = found.iter().flat_map(|finding| &finding.members).any(is_own);
                let outcome = if is_qualified { Outcome::Qualified } else { Outcome::Routine };
                self.tallies.count(context, rule, time, outcome);
            }
            findings.extend(found);
        }
        findings
    }

    /// Adds weak signs to the risk of an entity. Findings by risk belong to the family of incidents of their log.
    fn add_risk(
        &mut self,
        plan: &Plan,
        context: &RecordContext<'_>,
        entity: &Entity,
        signs: Vec<Member>,
    ) -> Vec<Finding> {
        let own: BTreeSet<RecordId> = signs.iter().map(|sign| sign.record).collect();
        let Some((entity, grown)) = self.risks.add(plan, context, entity, signs) else { return Vec::new() };
        let finding = |member: Member| Finding {
            family: member.subject.risk_family.clone(),
            entity: entity.clone(),
            qualification: Qualification::EntityRisk,
            members: vec![member],
        };
        // A correlation is counted once for all records that crossed its threshold.
        let is_earlier =
            |member: &&Member| !own.contains(&member.record) && !member.subject.matched.correlation;
        for member in grown.iter().filter(is_earlier) {
            self.tallies.qualify_later(context, &member.subject.matched.id);
        }
        merged(grown.into_iter().map(finding))
    }

    /// Withdraws the earlier matches of a rule that is now widespread from the risk of their entities, and names the
    /// findings that the incident about the rule supersedes.
    fn withdraw_risk(
        &mut self,
        fan_in: &FanInGuard,
        plan: &Plan,
        context: &RecordContext<'_>,
        widespread: &Widespread,
        superseded: &mut Vec<Superseded>,
    ) {
        let subject = &widespread.member.subject;
        let rule = &subject.matched.id;
        let earlier =
            widespread.joined.iter().filter(|(_, member)| member.record != widespread.member.record);
        let entities: BTreeSet<&Entity> = earlier.map(|(entity, _)| entity).collect();
        let is_widespread = fan_in.widespread_times(context, subject);
        for entity in entities {
            let mut supersede = |family: &str, entity: &Entity, no_longer_adds_up| {
                let (family, entity, rule) = (family.to_owned(), entity.clone(), rule.clone());
                superseded.push(Superseded { family, entity, rule, no_longer_adds_up });
            };
            let (counted_for, families) = self.risks.withdraw(plan, context, entity, rule, &is_widespread);
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
    }
}

/// The findings about a widespread rule, one for each entity: only if each match alone would have qualified. A weak sign
/// of every entity is not significant.
fn about_rule(verdict: Verdict, member: &Member, joined: Vec<(Entity, Member)>) -> Vec<Finding> {
    if !matches!(verdict, Verdict::Qualified(_)) {
        return Vec::new();
    }
    let mut by_entity: BTreeMap<Entity, Vec<Member>> = BTreeMap::new();
    for (entity, member) in joined {
        by_entity.entry(entity).or_default().push(member);
    }
    let family = &member.subject.matched.id;
    let finding = |(entity, members)| Finding {
        family: family.clone(),
        entity,
        qualification: Qualification::ManyEntities,
        members,
    };
    by_entity.into_iter().map(finding).collect()
}

fn qualified(verdict: Verdict, entity: Entity, members: Vec<Member>) -> Option<Finding> {
    let Verdict::Qualified(qualification) = verdict else { return None };
    let family = members.first()?.subject.family.clone();
    Some(Finding { family, entity, qualification, members })
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

/// The outcome of a match, for its rule's tally.
fn outcome(verdict: Verdict, found: &[Finding]) -> Outcome {
    match verdict {
        _ if !found.is_empty() => Outcome::Qualified,
        Verdict::Inconclusive => Outcome::Inconclusive,
        _ => Outcome::Routine,
    }
}

//! Step 1, classify: decides for each rule that a record matched whether the match qualifies, adds risk or leads to
//! nothing, and separates the matches of widespread rules (incident model, Qualification).

use std::sync::Arc;

use common::incident::{Entity, Qualification};
use common::severity::Severity;

use crate::accumulate::tally::Outcome;
use crate::fan_in::FanInGuard;
use crate::finding::{Member, RecordContext};
use crate::matched::Matched;
use crate::plan::{Plan, Subject};

/// Result of judging one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is only counted.
    Routine,
    /// It is undecided; it is only counted.
    Inconclusive,
    /// It does not suffice by itself: it adds these points to the risk of its entity.
    Risk(u32),
    /// It is part of an incident.
    Qualified(Qualification),
}

/// Judges a match of one record. A record that could be read only in part qualifies for nothing.
#[must_use]
pub fn single(subject: &Subject, partial: bool) -> Verdict {
    if partial {
        return Verdict::Inconclusive;
    }
    match subject.level {
        Some(Severity::High | Severity::Critical) => Verdict::Qualified(Qualification::RuleLevel),
        _ if subject.risk > 0 => Verdict::Risk(subject.risk),
        _ => Verdict::Routine,
    }
}

/// Judges a correlation that reached its threshold. One without a level qualifies, since a person set its threshold on
/// purpose; the incident's severity is then unknown.
#[must_use]
pub fn crossing(subject: &Subject) -> Verdict {
    match subject.level {
        None | Some(Severity::Medium | Severity::High | Severity::Critical) => {
            Verdict::Qualified(Qualification::Threshold)
        }
        Some(_) if subject.risk > 0 => Verdict::Risk(subject.risk),
        Some(_) => Verdict::Routine,
    }
}

/// The matches of one record by their consequences.
#[derive(Debug, Default)]
pub struct Classified<'m> {
    /// Rules and filters whose match has no consequence but a count.
    pub(crate) counted: Vec<(&'m str, Outcome)>,
    /// Matches that are assessed for their entity.
    pub(crate) about_entities: Vec<(Verdict, &'m Entity, Member)>,
    /// Matches of widespread rules.
    pub(crate) widespread: Vec<Widespread>,
}

/// A match of a widespread rule.
#[derive(Debug)]
pub(crate) struct Widespread {
    pub(crate) verdict: Verdict,
    pub(crate) member: Member,
    /// Matches that it made part of the widespread rule, earlier ones included, each with its entity.
    pub(crate) joined: Vec<(Entity, Member)>,
}

/// Classifies the matches of a record.
pub fn classify<'m>(
    fan_in: &mut FanInGuard,
    plan: &'m Plan,
    context: &RecordContext<'_>,
    matched: &'m Matched,
) -> Classified<'m> {
    let mut classified = Classified { counted: without_consequence(plan, matched), ..Classified::default() };
    for (rule, entity) in &matched.findings {
        let subject = &plan.rule(*rule).subject;
        let verdict = single(subject, matched.partial);
        let member = Member {
            record: matched.record,
            event_time: matched.note.event_time,
            note: Some(Arc::clone(&matched.note)),
            subject: Arc::clone(subject),
        };
        let joined = match may_be_widespread(subject, verdict) {
            true => fan_in.joined(context, entity, &member),
            false => None,
        };
        match joined {
            Some(joined) => classified.widespread.push(Widespread { verdict, member, joined }),
            None => classified.about_entities.push((verdict, entity, member)),
        }
    }
    classified
}

fn without_consequence<'m>(plan: &'m Plan, matched: &'m Matched) -> Vec<(&'m str, Outcome)> {
    let mut counted = Vec::new();
    for suppressed in &matched.suppressed {
        let filter = plan.filter(suppressed.filter).map(|filter| filter.id.as_str());
        let ids = filter.into_iter().chain([plan.rule(suppressed.rule).id()]);
        counted.extend(ids.map(|id| (id, Outcome::Suppressed)));
    }
    counted.extend(matched.inconclusive.iter().map(|rule| (plan.rule(*rule).id(), Outcome::Inconclusive)));
    counted.extend(matched.silent.iter().map(|rule| (plan.rule(*rule).id(), Outcome::Routine)));
    counted
}

/// Whether the rule of a match can be widespread: only if its matches add risk or qualify. Critical matches are always
/// assessed for their entity.
fn may_be_widespread(subject: &Subject, verdict: Verdict) -> bool {
    let has_consequence = matches!(verdict, Verdict::Risk(_) | Verdict::Qualified(_));
    has_consequence && subject.level != Some(Severity::Critical)
}

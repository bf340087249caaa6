//! Assessment of an incident from its members: severity, confidence and next steps. A pure function of the members. Title and
//! summary are in `story`.

mod story;

use std::collections::{BTreeMap, BTreeSet};

use common::incident::{Analysis, Assessment, Confidence, Entity, MatchedRule, Qualification};
use common::severity::Severity;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use crate::plan::Subject;

/// A rule that contributed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Contributor {
    matched: MatchedRule,
    /// Hash of the rule's content: with another content it is another rule.
    content_hash: String,
    tactics: Vec<String>,
    techniques: Vec<String>,
    raises_severity: bool,
    next_steps: Vec<String>,
    /// Whether it contributed by the risk of the entity only.
    weak: bool,
    /// Whether it is widespread: its findings are part of the incident about the rule.
    widespread: bool,
    /// Whether the rule is no longer in force: it is shown, and counts for nothing.
    withdrawn: bool,
}

/// All inputs of an assessment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Knowledge {
    /// Rules that contributed, by id; few of them, so that each is kept separately.
    pub contributors: BTreeMap<String, Box<Contributor>>,
    /// Ways in which findings qualified.
    pub qualifications: BTreeSet<Qualification>,
    /// Facts about the parties.
    pub facts: Facts,
    /// Whether severities are one step milder in its environment.
    pub milder: bool,
    /// The worst severity it ever had.
    peak: Severity,
}

impl Knowledge {
    /// Adds a rule through which a member joined, and by which way that qualified.
    pub(crate) fn contribute(&mut self, subject: &Subject, way: Qualification) {
        let weak = way == Qualification::EntityRisk;
        if let Some(known) = self.contributors.get_mut(&subject.matched.id)
            && known.content_hash == subject.content_hash
        {
            known.withdrawn = false;
            known.widespread = false;
            known.weak &= weak;
            return;
        }
        let contributor = Contributor {
            matched: subject.matched.clone(),
            content_hash: subject.content_hash.clone(),
            tactics: subject.tactics.clone(),
            techniques: subject.techniques.clone(),
            raises_severity: subject.raises_severity,
            next_steps: subject.next_steps.clone(),
            weak,
            widespread: false,
            withdrawn: false,
        };
        self.contributors.insert(subject.matched.id.clone(), Box::new(contributor));
    }

    /// Ids of the rules that are still there.
    pub(crate) fn standing(&self) -> impl Iterator<Item = &str> {
        self.rules().map(|rule| rule.matched.id.as_str())
    }

    /// Excludes a widespread rule from the assessment, and the risk if it no longer adds up
    /// without the rule. Returns whether the assessment changed.
    pub(crate) fn supersede(&mut self, rule: &str, no_longer_adds_up: bool) -> bool {
        let mut changed = false;
        if let Some(known) = self.contributors.get_mut(rule) {
            changed |= !std::mem::replace(&mut known.widespread, true);
        }
        changed | (no_longer_adds_up && self.qualifications.remove(&Qualification::EntityRisk))
    }

    /// Whether only widespread rules are left of the findings that made it an incident.
    pub(crate) fn is_superseded(&self) -> bool {
        let adds_up = self.qualifications.contains(&Qualification::EntityRisk);
        let is_left = self.rules().any(|rule| adds_up || !rule.weak);
        self.contributors.values().any(|rule| rule.widespread) && !is_left
    }

    /// Marks the rules that are no longer in force, and takes the mark from those that are again, with the
    /// same content; `in_force` gives the content's hash. Tells whether anything changed.
    pub(crate) fn compare<'s>(&mut self, in_force: impl Fn(&str) -> Option<&'s str>) -> bool {
        let mut changed = false;
        for (id, rule) in &mut self.contributors {
            let is_changed = rule.is_changed(in_force(id));
            rule.withdrawn ^= is_changed;
            changed |= is_changed;
        }
        changed
    }

    /// Whether [`Self::compare`] would change anything.
    pub(crate) fn differs<'s>(&self, in_force: impl Fn(&str) -> Option<&'s str>) -> bool {
        self.contributors.iter().any(|(id, rule)| rule.is_changed(in_force(id)))
    }

    /// Keeps the worst severity there was, for when it is lowered.
    pub(crate) fn remember_peak(&mut self) {
        self.peak = self.peak.max(self.severity());
    }

    /// The level of the worst rule, one step worse when a second tactic or a success joins in, and one step
    /// milder where the operator configures it for an environment. Risk has counted weak signs together already: they are
    /// no worse than the worst of them, and make nothing else worse.
    pub(crate) fn severity(&self) -> Severity {
        let worst = self.worst_level().filter(|_| !self.qualifications.is_empty()).unwrap_or(Severity::Low);
        let severity = match self.qualified_by() {
            Qualification::EntityRisk => worst.max(Severity::Low),
            _ => worst.max(self.raised_level().unwrap_or(worst)),
        };
        if self.milder { severity.lowered() } else { severity }
    }

    /// One step above the worst of the rules that qualified by themselves, where a second tactic or a success
    /// joins in among them.
    fn raised_level(&self) -> Option<Severity> {
        let strong = || self.rules().filter(|rule| !rule.weak);
        let main_tactics: BTreeSet<_> = strong().filter_map(|rule| rule.tactics.first()).collect();
        let is_raised = main_tactics.len() > 1 || strong().any(|rule| rule.raises_severity);
        let worst = strong().map(|rule| rule.matched.severity).max()?;
        is_raised.then(|| worst.raised())
    }

    /// Tactics of all rules, sorted.
    pub(crate) fn tactics(&self) -> Vec<String> {
        sorted(self.rules().flat_map(|rule| &rule.tactics))
    }

    /// The rules that still count.
    fn rules(&self) -> impl Iterator<Item = &Contributor> {
        self.contributors.values().map(Box::as_ref).filter(|rule| rule.stands())
    }

    /// `None` when no rule counts any more.
    fn worst_level(&self) -> Option<Severity> {
        self.rules().map(|rule| rule.matched.severity).max()
    }

    /// The whole assessment.
    pub(crate) fn assessment(&self, entity: &Entity, analysis: &Analysis) -> Assessment {
        let rules: Vec<MatchedRule> = self.by_weight().into_iter().map(|rule| rule.matched.clone()).collect();
        Assessment {
            severity: self.severity(),
            confidence: self.confidence(),
            summary: self.summary(entity, analysis),
            qualified_by: self.qualified_by(),
            rules,
            tactics: self.tactics(),
            techniques: sorted(self.rules().flat_map(|rule| &rule.techniques)),
            withdrawn_rules: self.withdrawn().map(|rule| rule.matched.clone()).collect(),
            peak_severity: self.severity().max(self.peak),
            facts: self.facts.shown(),
            next_steps: self.next_steps(),
        }
    }

    /// Bytes of its rules, about.
    pub(crate) fn cost(&self) -> usize {
        let texts = |texts: &[String]| texts.iter().map(|text| text.len() + 8).sum::<usize>();
        let rule = |rule: &Contributor| {
            let named = rule.matched.id.len() + rule.matched.title.len();
            256 + 2 * named + texts(&rule.tactics) + texts(&rule.techniques) + texts(&rule.next_steps)
        };
        1_024 + self.contributors.values().map(|known| rule(known)).sum::<usize>()
    }

    fn withdrawn(&self) -> impl Iterator<Item = &Contributor> {
        self.contributors.values().map(Box::as_ref).filter(|rule| !rule.stands())
    }

    /// Worst first, correlations before single rules, then by id.
    fn by_weight(&self) -> Vec<&Contributor> {
        let mut rules: Vec<&Contributor> = self.rules().collect();
        rules.sort_by(|a, b| {
            let weight = |rule: &Contributor| {
                let Contributor { matched, weak, raises_severity, .. } = rule;
                (matched.severity, !weak, *raises_severity, matched.correlation)
            };
            weight(b).cmp(&weight(a)).then_with(|| a.matched.id.cmp(&b.matched.id))
        });
        rules
    }

    /// The strongest of the ways in which it qualified.
    fn qualified_by(&self) -> Qualification {
        self.qualifications
            .iter()
            .max_by_key(|way| strength(**way))
            .copied()
            .unwrap_or(Qualification::EntityRisk)
    }

    fn confidence(&self) -> Confidence {
        if self.agreeing() > 1 || self.rules().any(|rule| rule.raises_severity) {
            return Confidence::High;
        }
        let weak = self.worst_level().is_none() || self.qualified_by() == Qualification::EntityRisk;
        if weak { Confidence::Low } else { Confidence::Medium }
    }

    /// Rules that would be worth a look each.
    fn agreeing(&self) -> usize {
        self.rules().filter(|rule| rule.matched.severity >= Severity::Medium).count()
    }

    fn next_steps(&self) -> Vec<String> {
        let mut steps: Vec<String> = Vec::new();
        for step in self.by_weight().into_iter().flat_map(|rule| &rule.next_steps) {
            if !steps.contains(step) {
                steps.push(step.clone());
            }
        }
        steps.truncate(8);
        steps
    }
}

impl Contributor {
    /// Whether it still counts.
    fn stands(&self) -> bool {
        !self.withdrawn && !self.widespread
    }

    /// Whether it is marked otherwise than the rule in force would have it.
    fn is_changed(&self, in_force: Option<&str>) -> bool {
        match in_force {
            None => !self.withdrawn,
            Some(hash) => self.withdrawn && hash == self.content_hash,
        }
    }
}

fn strength(way: Qualification) -> u8 {
    match way {
        Qualification::EntityRisk => 0,
        Qualification::RuleLevel => 1,
        Qualification::Threshold => 2,
        Qualification::ManyEntities => 3,
    }
}

fn sorted<'a>(words: impl Iterator<Item = &'a String>) -> Vec<String> {
    words.collect::<BTreeSet<_>>().into_iter().cloned().collect()
}

//! What an incident's members say together: severity, confidence, title, the story and what to check
//! next. A pure function of what is known, in plain words, the same every time.

use std::collections::{BTreeMap, BTreeSet};

use common::incident::{Assessment, Confidence, Entity, MatchedRule, Qualification};
use common::severity::Severity;
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use crate::plan::Subject;

/// What is known of one rule that contributed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Contributor {
    matched: MatchedRule,
    tactics: Vec<String>,
    techniques: Vec<String>,
    raises_severity: bool,
    next_steps: Vec<String>,
}

/// Everything an assessment is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Knowledge {
    /// Rules that contributed, by id.
    pub contributors: BTreeMap<String, Contributor>,
    /// Ways in which findings qualified.
    pub qualifications: BTreeSet<Qualification>,
    /// What is known about the parties.
    pub facts: Facts,
}

/// The bounds of what happened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Member records.
    pub event_count: u64,
    /// The first one's event time.
    pub first: Timestamp,
    /// The last one's event time.
    pub last: Timestamp,
}

/// A field that names parties, and how a sentence calls its values.
const PARTIES: [(&str, &str); 6] = [
    ("client.address", "Addresses"),
    ("user.name", "User names"),
    ("host.name", "Hosts"),
    ("url.path", "Paths"),
    ("process.command_line", "Commands"),
    ("event.outcome", "Outcomes"),
];

impl Knowledge {
    /// Adds a rule through which a member joined.
    pub(crate) fn contribute(&mut self, subject: &Subject) {
        if self.contributors.contains_key(&subject.matched.id) {
            return;
        }
        let contributor = Contributor {
            matched: subject.matched.clone(),
            tactics: subject.tactics.clone(),
            techniques: subject.techniques.clone(),
            raises_severity: subject.raises_severity,
            next_steps: subject.next_steps.clone(),
        };
        self.contributors.insert(subject.matched.id.clone(), contributor);
    }

    /// The level of the worst rule, one step worse when a second tactic or a success joins in.
    pub(crate) fn severity(&self) -> Severity {
        let worst = self.contributors.values().map(|rule| rule.matched.severity).max();
        let worst = worst.unwrap_or(Severity::Unknown);
        let worst =
            if self.qualified_by() == Qualification::EntityRisk { worst.max(Severity::Low) } else { worst };
        let main_tactics: BTreeSet<_> =
            self.contributors.values().filter_map(|rule| rule.tactics.first()).collect();
        let raised = main_tactics.len() > 1 || self.contributors.values().any(|rule| rule.raises_severity);
        if raised { worst.raised() } else { worst }
    }

    /// Tactics of all rules, sorted.
    pub(crate) fn tactics(&self) -> Vec<String> {
        sorted(self.contributors.values().flat_map(|rule| &rule.tactics))
    }

    /// What the incident is called: after its worst rule, correlations first.
    pub(crate) fn title(&self, entity: &Entity) -> String {
        let Some(leading) = self.leading() else { return format!("Activity of {}", entity.value) };
        let title = &leading.matched.title;
        if self.qualified_by() == Qualification::ManyEntities {
            return format!("{title}: many entities");
        }
        format!("{title} {}", about(entity))
    }

    /// The whole assessment.
    pub(crate) fn assessment(&self, entity: &Entity, extent: Extent) -> Assessment {
        let rules: Vec<MatchedRule> = self.by_weight().into_iter().map(|rule| rule.matched.clone()).collect();
        Assessment {
            severity: self.severity(),
            confidence: self.confidence(),
            summary: self.summary(entity, extent),
            qualified_by: self.qualified_by(),
            rules,
            tactics: self.tactics(),
            techniques: sorted(self.contributors.values().flat_map(|rule| &rule.techniques)),
            facts: self.facts.shown(),
            next_steps: self.next_steps(),
        }
    }

    /// About how many bytes what it says of rules takes.
    pub(crate) fn cost(&self) -> usize {
        let texts = |texts: &[String]| texts.iter().map(|text| text.len() + 8).sum::<usize>();
        let rule = |rule: &Contributor| {
            let named = rule.matched.id.len() + rule.matched.title.len();
            256 + 2 * named + texts(&rule.tactics) + texts(&rule.techniques) + texts(&rule.next_steps)
        };
        1_024 + self.contributors.values().map(rule).sum::<usize>()
    }

    fn leading(&self) -> Option<&Contributor> {
        self.by_weight().into_iter().next()
    }

    /// Worst first, correlations before single rules, then by id.
    fn by_weight(&self) -> Vec<&Contributor> {
        let mut rules: Vec<&Contributor> = self.contributors.values().collect();
        rules.sort_by(|a, b| {
            let weight =
                |rule: &Contributor| (rule.matched.severity, rule.raises_severity, rule.matched.correlation);
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
        let agreeing =
            self.contributors.values().filter(|rule| rule.matched.severity >= Severity::Medium).count();
        let success = self.contributors.values().any(|rule| rule.raises_severity);
        if agreeing > 1 || success {
            return Confidence::High;
        }
        if self.qualified_by() == Qualification::EntityRisk { Confidence::Low } else { Confidence::Medium }
    }

    fn summary(&self, entity: &Entity, extent: Extent) -> String {
        let Extent { event_count, first, last } = extent;
        let events = if event_count == 1 { "1 event".to_owned() } else { format!("{event_count} events") };
        let when = if first == last { format!("at {first}") } else { format!("between {first} and {last}") };
        let names: Vec<String> =
            self.by_weight().iter().take(5).map(|rule| rule.matched.title.clone()).collect();
        let mut sentences = vec![format!("{events} {} {when}: {}.", about(entity), names.join("; "))];
        for (field, word) in PARTIES {
            if field != entity.kind
                && let Some(sentence) = self.party(field, word)
            {
                sentences.push(sentence);
            }
        }
        sentences.push(self.reason());
        sentences.join(" ")
    }

    fn party(&self, field: &str, word: &str) -> Option<String> {
        let (top, distinct) = self.facts.of(field, 3);
        if top.is_empty() {
            return None;
        }
        let mut named: Vec<String> =
            top.iter().map(|fact| format!("{} ({})", fact.value, fact.count)).collect();
        if distinct > named.len() {
            named.push(format!("{} more", distinct - named.len()));
        }
        Some(format!("{word}: {}.", named.join(", ")))
    }

    fn reason(&self) -> String {
        let severity =
            self.contributors.values().map(|rule| rule.matched.severity).max().unwrap_or(Severity::Unknown);
        match self.qualified_by() {
            Qualification::RuleLevel => format!("It qualified because a rule of level {} matched.", severity.as_str()),
            Qualification::Threshold => {
                format!("It qualified because a threshold of level {} was crossed.", severity.as_str())
            }
            Qualification::EntityRisk => {
                "It qualified because several weak signs of the same entity add up.".to_owned()
            }
            Qualification::ManyEntities => {
                "It stands for many entities at once, because each alone would have made one incident too many.".to_owned()
            }
        }
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

/// An entity as a sentence mentions it.
fn about(entity: &Entity) -> String {
    let Entity { kind, value } = entity;
    match kind.split('+').next().unwrap_or_default() {
        "client.address" | "source.address" => format!("from {value}"),
        "user.name" => format!("by {value}"),
        "host.name" => format!("on {value}"),
        _ => format!("of {kind} {value}"),
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

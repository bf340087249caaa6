//! What follows from a match: who it is about, which family it belongs to, how it qualifies, what
//! counts it. Worked out once per rule set, so that nothing of it is looked up per record.

pub(crate) mod chain;
mod defaults;
mod subject;

use std::collections::HashMap;
use std::sync::Arc;

use common::incident::Entity;
use sigma::event::Event;
use sigma::window::WindowSpec;
use sigma::{Constants, Correlation, Reference, Rule, RuleInfo, RuleSet};

use self::chain::Outer;
pub(crate) use self::subject::Subject;
use crate::identity::grouped;
use crate::note::text;

/// The word for an entity that a record does not have: never a wildcard.
const NO_ENTITY: &str = "none";

/// A rule set, and what follows from each of its rules.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The rules.
    pub rules: Arc<RuleSet>,
    by_rule: Vec<RulePlan>,
    by_correlation: Vec<CorrelationPlan>,
    subjects: HashMap<String, Arc<Subject>>,
    /// Rules of one record by id.
    indexes: HashMap<String, usize>,
}

/// What follows from a rule's match.
#[derive(Debug)]
pub(crate) struct RulePlan {
    /// What the rule says about itself.
    pub subject: Arc<Subject>,
    /// Whether a match is a finding of its own, not only counted by correlations.
    pub alone: bool,
    /// Correlations that count it: which, and through which of their references.
    pub counted_by: Vec<(usize, u16)>,
    /// Sets of fields that name the entity: the first of which a record has anything.
    entity_fields: Vec<Vec<String>>,
}

/// What follows from a correlation's crossing.
#[derive(Debug)]
pub(crate) struct CorrelationPlan {
    /// What the correlation says about itself.
    pub subject: Arc<Subject>,
    /// Whether a crossing is a finding of its own.
    pub alone: bool,
    /// What a window counts.
    pub spec: WindowSpec,
    /// Correlations that count its points.
    pub counted_by: Vec<Outer>,
    /// Fields that are carried of the events it counts, for those.
    pub carried_fields: Vec<String>,
    entity_kind: String,
    /// Which of the group's values make the entity.
    entity_values: Vec<usize>,
}

impl Plan {
    /// Works out what follows from each rule.
    pub(crate) fn new(rules: Arc<RuleSet>) -> Self {
        let mut by_rule: Vec<RulePlan> = rules
            .rules()
            .iter()
            .enumerate()
            .map(|(index, rule)| RulePlan::of(rule, !rules.referenced_only(index)))
            .collect();
        for (counting, correlation) in rules.correlations().iter().enumerate() {
            for (step, reference) in correlation.references.iter().enumerate() {
                if let Reference::Rule(rule) = reference {
                    let step = u16::try_from(step).unwrap_or(u16::MAX);
                    by_rule[*rule].counted_by.push((counting, step));
                }
            }
        }
        let by_correlation = correlation_plans(&rules, &by_rule);
        let subjects = by_correlation.iter().map(|plan| &plan.subject);
        let subjects = subjects.chain(by_rule.iter().map(|plan| &plan.subject));
        let subjects = subjects.map(|subject| (subject.matched.id.clone(), Arc::clone(subject))).collect();
        let indexes = by_rule.iter().enumerate().map(|(index, plan)| (plan.id().to_owned(), index)).collect();
        Self { rules, by_rule, by_correlation, subjects, indexes }
    }

    /// What follows from a rule's match.
    pub(crate) fn rule(&self, rule: usize) -> &RulePlan {
        &self.by_rule[rule]
    }

    /// What follows from a correlation's crossing.
    pub(crate) fn correlation(&self, correlation: usize) -> &CorrelationPlan {
        &self.by_correlation[correlation]
    }

    /// The correlation with an id, provided its content is still the same.
    pub(crate) fn find_correlation(&self, id: &str, content_hash: &str) -> Option<usize> {
        self.by_correlation
            .iter()
            .position(|plan| plan.subject.matched.id == id && plan.subject.content_hash == content_hash)
    }

    /// The filter that takes away every match of a rule by events with these constants, if that is certain.
    pub(crate) fn filters_all(&self, rule: &str, constants: &Constants) -> Option<&RuleInfo> {
        let filter = self.rules.filters_all(*self.indexes.get(rule)?, constants)?;
        self.rules.filters().get(filter).map(|filter| &filter.info)
    }

    /// Whether any filter applies to a rule.
    pub(crate) fn has_filters_of(&self, rule: &str) -> bool {
        self.indexes.get(rule).is_some_and(|index| self.rules.has_filters(*index))
    }

    /// Whether there is any filter.
    pub(crate) fn has_filters(&self) -> bool {
        !self.rules.filters().is_empty()
    }

    /// The rule or correlation with an id.
    pub(crate) fn find_subject(&self, id: &str) -> Option<&Arc<Subject>> {
        self.subjects.get(id)
    }
}

impl RulePlan {
    fn of(rule: &Rule, alone: bool) -> Self {
        let defaults = defaults::of(&rule.log_source);
        let owned = |fields: &&[&str]| fields.iter().map(|field| (*field).to_owned()).collect();
        let entity_fields = entity_fields(&rule.info).map(|fields| vec![fields]);
        Self {
            subject: Arc::new(Subject::of_rule(&rule.info, defaults)),
            alone,
            counted_by: Vec::new(),
            entity_fields: entity_fields.unwrap_or_else(|| defaults.entity.iter().map(owned).collect()),
        }
    }

    /// Its id.
    pub(crate) fn id(&self) -> &str {
        &self.subject.matched.id
    }

    /// Who a match of the rule is about.
    pub(crate) fn entity(&self, event: &Event<'_>) -> Entity {
        let value = |field: &String| event.field(field).and_then(text);
        let has_any = |fields: &&Vec<String>| fields.iter().any(|field| value(field).is_some());
        let mut sets = self.entity_fields.iter();
        let fields = sets.clone().find(has_any).or_else(|| sets.next()).map_or(&[][..], Vec::as_slice);
        let values: Vec<_> =
            fields.iter().map(|field| value(field).unwrap_or_else(|| NO_ENTITY.into())).collect();
        Entity { kind: fields.join("+"), value: entity_value(&values.join(" ")) }
    }
}

impl CorrelationPlan {
    fn of(
        rules: &RuleSet,
        (index, correlation): (usize, &Correlation),
        counted_by: Vec<Outer>,
        carried_fields: Vec<String>,
        risk_family: String,
    ) -> Self {
        let names: Vec<&str> = correlation.group_by.iter().map(|field| field.name.as_str()).collect();
        let wanted = entity_fields(&correlation.info);
        let entity_values: Vec<usize> = match &wanted {
            Some(fields) => {
                fields.iter().filter_map(|field| names.iter().position(|name| name == field)).collect()
            }
            None => (0..names.len()).collect(),
        };
        Self {
            subject: Arc::new(Subject::of_correlation(&correlation.info, risk_family)),
            alone: !rules.is_referenced(Reference::Correlation(index)),
            spec: correlation.window_spec(),
            counted_by,
            carried_fields,
            entity_kind: entity_values.iter().map(|index| names[*index]).collect::<Vec<_>>().join("+"),
            entity_values,
        }
    }

    /// Its id.
    pub(crate) fn id(&self) -> &str {
        &self.subject.matched.id
    }

    /// Who a crossing in a group is about.
    pub(crate) fn entity(&self, group: &[String]) -> Entity {
        let values: Vec<&str> =
            self.entity_values.iter().filter_map(|index| group.get(*index)).map(String::as_str).collect();
        if values.is_empty() {
            return Entity { kind: NO_ENTITY.to_owned(), value: NO_ENTITY.to_owned() };
        }
        Entity { kind: self.entity_kind.clone(), value: entity_value(&values.join(" ")) }
    }
}

fn correlation_plans(rules: &RuleSet, by_rule: &[RulePlan]) -> Vec<CorrelationPlan> {
    let outers = chain::outers(rules);
    let carried_fields = chain::carried_fields(rules, &outers);
    let chained = outers.into_iter().zip(carried_fields);
    let mut plans: Vec<CorrelationPlan> = Vec::new();
    for (correlation, (counted_by, fields)) in rules.correlations().iter().enumerate().zip(chained) {
        // An outer correlation stands behind those it refers to.
        let subject = correlation.1.references.first().and_then(|reference| match reference {
            Reference::Rule(rule) => by_rule.get(*rule).map(|plan| &plan.subject),
            Reference::Correlation(inner) => plans.get(*inner).map(|plan| &plan.subject),
        });
        let risk_family = subject.map(|subject| subject.risk_family.clone()).unwrap_or_default();
        plans.push(CorrelationPlan::of(rules, correlation, counted_by, fields, risk_family));
    }
    plans
}

/// An entity's value as it is shown and told apart: bounded, without control characters.
fn entity_value(joined: &str) -> String {
    grouped(joined.chars().map(|character| if character.is_control() { ' ' } else { character }).collect())
}

fn entity_fields(info: &RuleInfo) -> Option<Vec<String>> {
    strings(info, "incident_entity").filter(|fields| !fields.is_empty())
}

/// A custom attribute that is a text or a list of texts.
fn strings(info: &RuleInfo, attribute: &str) -> Option<Vec<String>> {
    match info.custom.get(attribute)? {
        serde_json::Value::String(one) => Some(vec![one.clone()]),
        serde_json::Value::Array(many) => {
            Some(many.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect())
        }
        _ => None,
    }
}

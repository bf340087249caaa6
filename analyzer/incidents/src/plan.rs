//! Consequences of a match: its entity, its family, its qualification, and the correlations that count it. Prepared once per
//! rule set, so that nothing of it is looked up per record.

pub mod chain;
mod beside;
mod defaults;
mod subject;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use common::incident::Entity;
use sigma::event::Event;
use sigma::window::WindowSpec;
use sigma::{Correlation, Reference, Rule, RuleInfo, RuleSet, Spender};

use self::beside::Own;
use self::chain::{Chained, Correlations, Outer};
pub use self::subject::Subject;
use crate::identity::{grouped, hex};
use crate::note::text;

/// The word for an entity that a record does not have: never a wildcard.
const NO_ENTITY: &str = "none";

/// A rule set, and the consequences of each of its rules; for an organization with rules of its own, the differences
/// from the plan of the shared rules. Indexes count through both, those of the shared rules first.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The shared rules.
    rules: Arc<RuleSet>,
    version: String,
    /// Of the organization's own where there are any, else of the shared rules.
    by_rule: Vec<RulePlan>,
    by_correlation: Vec<Arc<CorrelationPlan>>,
    subjects: HashMap<String, Arc<Subject>>,
    /// Of the shared rules; those of an organization are in its own part.
    filters: Vec<FilterName>,
    own: Option<Own>,
}

/// Name and content of a filter.
#[derive(Clone, Debug)]
pub struct FilterName {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Hash of its content, in hexadecimal.
    content_hash: String,
}

/// Consequences of a rule's match.
#[derive(Clone, Debug)]
pub struct RulePlan {
    /// Attributes of the rule.
    pub subject: Arc<Subject>,
    /// Whether a match is a finding of its own, not only counted by correlations.
    pub alone: bool,
    /// Correlations that count it: which, and through which of their references.
    pub counted_by: Vec<(usize, u16)>,
    /// Sets of fields that name the entity: the first of which a record has anything.
    entity_fields: Vec<Vec<String>>,
}

/// Consequences of a correlation that reaches its threshold.
#[derive(Clone, Debug)]
pub struct CorrelationPlan {
    /// Attributes of the correlation.
    pub subject: Arc<Subject>,
    /// Whether a crossing is a finding of its own.
    pub alone: bool,
    /// Condition and timespan of its windows.
    pub spec: WindowSpec,
    /// Correlations that count its points.
    pub counted_by: Vec<Outer>,
    /// Fields that are carried of the events it counts, for those.
    pub carried_fields: Vec<String>,
    entity_kind: String,
    /// Indexes of the group's values that make the entity.
    entity_values: Vec<usize>,
}

impl Plan {
    /// The plan of the shared rules.
    pub fn new(rules: Arc<RuleSet>) -> Self {
        let mut by_rule: Vec<RulePlan> = rules
            .rules()
            .iter()
            .enumerate()
            .map(|(index, rule)| RulePlan::of(rule, !rules.referenced_only(index)))
            .collect();
        let all = Correlations { shared: &[], own: rules.correlations() };
        for (rule, counting) in counting(all) {
            by_rule[rule].counted_by.push(counting);
        }
        let subject_of = |rule: usize| by_rule.get(rule).map(|plan| &plan.subject);
        let mut chained = chain::chained(all, |_| (&[], &[]));
        let by_correlation = correlation_plans(
            all,
            &mut chained,
            subject_of,
            |_| None,
            |reference| !rules.is_referenced(reference),
        );
        let version = rules.version().to_owned();
        let filters = rules.filters().iter().map(|filter| FilterName::of(&filter.info)).collect();
        Self { version, filters, ..Self::of_tables(rules, by_rule, by_correlation) }
    }

    /// A plan of the tables of rules and correlations, without version, filters and own rules.
    fn of_tables(
        rules: Arc<RuleSet>,
        by_rule: Vec<RulePlan>,
        by_correlation: Vec<Arc<CorrelationPlan>>,
    ) -> Self {
        let subjects = by_correlation.iter().map(|plan| &plan.subject);
        let subjects = subjects.chain(by_rule.iter().map(|plan| &plan.subject));
        let subjects = subjects.map(|subject| (subject.matched.id.clone(), Arc::clone(subject))).collect();
        let version = String::new();
        let filters = Vec::new();
        Self { rules, version, by_rule, by_correlation, subjects, filters, own: None }
    }

    /// The shared rules.
    pub fn rules(&self) -> &Arc<RuleSet> {
        &self.rules
    }

    /// As [`RuleSet::version`].
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The plan of a rule.
    pub fn rule(&self, rule: usize) -> &RulePlan {
        match &self.own {
            None => &self.by_rule[rule],
            Some(own) => match rule.checked_sub(self.rules.rules().len()) {
                Some(rule) => &self.by_rule[rule],
                None => own.changed_rules.get(&rule).unwrap_or_else(|| own.shared_rules.rule(rule)),
            },
        }
    }

    /// The plan of a correlation.
    pub fn correlation(&self, correlation: usize) -> &Arc<CorrelationPlan> {
        match &self.own {
            None => &self.by_correlation[correlation],
            Some(own) => match correlation.checked_sub(self.rules.correlations().len()) {
                Some(correlation) => &self.by_correlation[correlation],
                None => {
                    let changed = own.changed_correlations.get(&correlation);
                    changed.unwrap_or_else(|| own.shared_rules.correlation(correlation))
                }
            },
        }
    }

    /// The correlations themselves.
    pub fn correlations(&self) -> Correlations<'_> {
        let own = self.own.as_ref().map_or(&[][..], |own| own.correlations.as_slice());
        Correlations { shared: self.rules.correlations(), own }
    }

    /// The correlation with an id, provided its content is still the same.
    pub(crate) fn find_correlation(&self, id: &str, content_hash: &str) -> Option<usize> {
        let is_it = |plan: &Arc<CorrelationPlan>| {
            plan.subject.matched.id == id && plan.subject.content_hash == content_hash
        };
        let found = self.by_correlation.iter().position(is_it);
        match &self.own {
            None => found,
            Some(own) => found
                .map(|index| self.rules.correlations().len() + index)
                .or_else(|| own.shared_rules.find_correlation(id, content_hash)),
        }
    }

    /// The id and title of a filter.
    pub fn filter(&self, filter: usize) -> Option<&FilterName> {
        match (&self.own, filter.checked_sub(self.rules.filters().len())) {
            (Some(own), Some(filter)) => own.filters.get(filter),
            (Some(own), None) => own.shared_rules.filter(filter),
            (None, _) => self.filters.get(filter),
        }
    }

    /// Number of rules and filters.
    pub fn rules_and_filters(&self) -> (usize, usize) {
        let own = self.own.as_ref().map_or((0, 0), |own| (self.by_rule.len(), own.filters.len()));
        (self.rules.rules().len() + own.0, self.rules.filters().len() + own.1)
    }

    /// Whether steps are counted: those of an organization's own rules and filters are.
    pub fn is_metered(&self) -> bool {
        self.own.is_some()
    }

    /// Id and content hash of a rule or filter whose steps were counted.
    pub fn document(&self, spender: Spender) -> Option<(&str, &str)> {
        match spender {
            Spender::Rule(rule) => {
                let subject = &self.rule(rule).subject;
                Some((&subject.matched.id, &subject.content_hash))
            }
            Spender::Filter(filter) => self.filter(filter).map(|name| (&*name.id, &*name.content_hash)),
        }
    }

    /// The organization's own rule or filter with an id, provided its content is still the same.
    pub fn spender(&self, id: &str, content_hash: &str) -> Option<Spender> {
        let spender = self.own_document(id)?;
        self.document(spender).filter(|(_, hash)| *hash == content_hash).map(|_| spender)
    }

    /// Hash of the content of the organization's own rule or filter with an id, in hexadecimal.
    pub fn content_hash_of(&self, id: &str) -> Option<&str> {
        self.document(self.own_document(id)?).map(|(_, hash)| hash)
    }

    fn own_document(&self, id: &str) -> Option<Spender> {
        let own = self.own.as_ref()?;
        if let Some(rule) = self.by_rule.iter().position(|plan| plan.id() == id) {
            return Some(Spender::Rule(self.rules.rules().len() + rule));
        }
        let filter = own.filters.iter().position(|name| name.id == id)?;
        Some(Spender::Filter(self.rules.filters().len() + filter))
    }

    /// The rule or correlation with an id.
    pub(crate) fn find_subject(&self, id: &str) -> Option<&Arc<Subject>> {
        self.subjects.get(id).or_else(|| self.own.as_ref()?.shared_rules.find_subject(id))
    }
}

impl FilterName {
    fn of(info: &RuleInfo) -> Self {
        Self { id: info.id.clone(), title: info.title.clone(), content_hash: hex(&info.content_hash) }
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
    pub fn id(&self) -> &str {
        &self.subject.matched.id
    }

    /// The entity of a match of the rule.
    pub fn entity(&self, event: &Event<'_>) -> Entity {
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
    fn of(correlation: &Correlation, chained: Chained, risk_family: String, alone: bool) -> Self {
        let Chained { counted_by, carried_fields } = chained;
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
            alone,
            spec: correlation.window_spec(),
            counted_by,
            carried_fields,
            entity_kind: entity_values.iter().map(|index| names[*index]).collect::<Vec<_>>().join("+"),
            entity_values,
        }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.subject.matched.id
    }

    /// The entity of a crossing in a group.
    pub fn entity(&self, group: &[String]) -> Entity {
        let values: Vec<&str> =
            self.entity_values.iter().filter_map(|index| group.get(*index)).map(String::as_str).collect();
        if values.is_empty() {
            return Entity { kind: NO_ENTITY.to_owned(), value: NO_ENTITY.to_owned() };
        }
        Entity { kind: self.entity_kind.clone(), value: entity_value(&values.join(" ")) }
    }
}

/// Correlations of a layer that count each rule, and the references through which they do.
fn counting(all: Correlations<'_>) -> Vec<(usize, (usize, u16))> {
    let mut counting = Vec::new();
    for (index, correlation) in all.own() {
        for (step, reference) in correlation.references.iter().enumerate() {
            if let Reference::Rule(rule) = reference {
                counting.push((*rule, (index, u16::try_from(step).unwrap_or(u16::MAX))));
            }
        }
    }
    counting
}

/// Plans of a layer's correlations. The functions return the attributes of rules and of correlations of the shared set,
/// and whether the matches of a reference are findings of their own.
fn correlation_plans<'p>(
    all: Correlations<'_>,
    chained: &mut BTreeMap<usize, Chained>,
    of_rule: impl Fn(usize) -> Option<&'p Arc<Subject>>,
    of_shared: impl Fn(usize) -> Option<&'p Arc<Subject>>,
    is_alone: impl Fn(Reference) -> bool,
) -> Vec<Arc<CorrelationPlan>> {
    let mut plans: Vec<Arc<CorrelationPlan>> = Vec::new();
    for (index, correlation) in all.own() {
        // An outer correlation comes after those it refers to.
        let subject = correlation.references.first().and_then(|reference| match *reference {
            Reference::Rule(rule) => of_rule(rule),
            Reference::Correlation(inner) => match inner.checked_sub(all.shared.len()) {
                Some(inner) => plans.get(inner).map(|plan| &plan.subject),
                None => of_shared(inner),
            },
        });
        let risk_family = subject.map(|subject| subject.risk_family.clone()).unwrap_or_default();
        let chained = chained.remove(&index).unwrap_or_default();
        let alone = is_alone(Reference::Correlation(index));
        plans.push(Arc::new(CorrelationPlan::of(correlation, chained, risk_family, alone)));
    }
    plans
}

/// An entity's value as it is shown and distinguished: bounded, without control characters.
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

//! Consequences of the rules of an organization's own layer, and changed consequences of shared rules because of them.
//! The plan of the shared rules is held once; only differences are kept for each organization.

use std::collections::HashMap;
use std::sync::Arc;

use sigma::{Correlation, Layer, Reference};

use super::chain::{self, Correlations};
use super::{CorrelationPlan, FilterName, Plan, RulePlan, correlation_plans, counting};

/// The part of an organization's plan beside the shared rules.
#[derive(Clone, Debug)]
pub(super) struct Own {
    pub(super) shared_rules: Arc<Plan>,
    pub(super) correlations: Vec<Correlation>,
    pub(super) filters: Vec<FilterName>,
    /// The shared rules that own correlations count or silence.
    pub(super) changed_rules: HashMap<usize, RulePlan>,
    /// The shared correlations that own ones count or silence, directly or not.
    pub(super) changed_correlations: HashMap<usize, Arc<CorrelationPlan>>,
}

impl Plan {
    /// The same while the organization's own rules cannot be loaded. Their windows and incidents continue, because indexes and
    /// contents are the same; but matches of shared rules that own correlations silence are findings, because the own rules
    /// that would find them instead match nothing meanwhile.
    pub fn withheld(&self) -> Self {
        let mut withheld = self.clone();
        if let Some(own) = &mut withheld.own {
            for (index, rule) in &mut own.changed_rules {
                rule.alone = own.shared_rules.rule(*index).alone;
            }
            for (index, correlation) in &mut own.changed_correlations {
                Arc::make_mut(correlation).alone = own.shared_rules.correlation(*index).alone;
            }
        }
        withheld
    }

    /// The plan of rules beside the shared rules, which `layer` was compiled beside.
    pub fn beside(shared_rules: &Arc<Self>, layer: &Layer) -> Self {
        let rules = Arc::clone(&shared_rules.rules);
        let first_rule = rules.rules().len();
        let own_rules = (first_rule..).zip(layer.rules());
        let mut by_rule: Vec<RulePlan> = own_rules
            .map(|(index, rule)| RulePlan::of(rule, !layer.is_referenced(Reference::Rule(index))))
            .collect();
        let mut changed_rules: HashMap<usize, RulePlan> = HashMap::new();
        let all = Correlations { shared: rules.correlations(), own: layer.correlations() };
        for (rule, counting) in counting(all) {
            let plan = match rule.checked_sub(first_rule) {
                Some(own) => &mut by_rule[own],
                None => changed_rules.entry(rule).or_insert_with(|| {
                    let alone = !layer.is_referenced(Reference::Rule(rule));
                    RulePlan { alone, ..shared_rules.rule(rule).clone() }
                }),
            };
            plan.counted_by.push(counting);
        }
        let mut chained = chain::chained(all, |correlation| {
            let plan = shared_rules.correlation(correlation);
            (&plan.counted_by, &plan.carried_fields)
        });
        let by_correlation = correlation_plans(
            all,
            &mut chained,
            |rule| match rule.checked_sub(first_rule) {
                Some(own) => by_rule.get(own).map(|plan| &plan.subject),
                None => Some(&shared_rules.rule(rule).subject),
            },
            |correlation| Some(&shared_rules.correlation(correlation).subject),
            |reference| !layer.is_referenced(reference),
        );
        // Those of the layer were taken out.
        let changed_correlations = chained.into_iter().map(|(index, chained)| {
            let plan = CorrelationPlan {
                alone: !layer.is_referenced(Reference::Correlation(index)),
                counted_by: chained.counted_by,
                carried_fields: chained.carried_fields,
                ..shared_rules.correlation(index).as_ref().clone()
            };
            (index, Arc::new(plan))
        });
        let own = Own {
            shared_rules: Arc::clone(shared_rules),
            changed_rules,
            changed_correlations: changed_correlations.collect(),
            correlations: layer.correlations().to_vec(),
            filters: layer.filters().iter().map(|filter| FilterName::of(&filter.info)).collect(),
        };
        let version = layer.version().to_owned();
        Self { version, own: Some(own), ..Self::of_tables(rules, by_rule, by_correlation) }
    }
}

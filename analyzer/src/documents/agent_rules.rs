//! Rules of the operator and of an organization for the actions of AI agents (`product: ai_agent`): stored and compiled like
//! rules for logs, and served to the clients that match them.

use std::collections::HashSet;
use std::sync::Arc;

use agent_rules::{AgentRule, AttributeFault, MAX_OPERATOR_BYTES, MAX_OWN_BYTES, built_in, is_for_agents};
use directory::DocumentRefusal;
use sigma::document::RuleDocument;
use sigma::{Cause, Document, Refusal};

use super::proposal::{Proposal, line_of};
use super::{Documents, Own, references, stated_names};

/// Reason why a document about rules for agents is refused: no record of logs matches them.
const WITHOUT_EFFECT: &str = "actions of agents are neither suppressed nor counted by correlations; disable the rule, or \
    resolve its finding, which ends alerts of it";

/// Rules of the operator for agents.
pub type AgentRules = Arc<Vec<Arc<AgentRule>>>;

impl Documents {
    /// With rules of the operator for agents, which are among the shared rules.
    #[must_use]
    pub fn with_agent_rules(self, agent_rules: AgentRules) -> Self {
        Self { agent_rules, ..self }
    }

    /// The rules of the operator for agents.
    #[must_use]
    pub fn agent_rules(&self) -> &AgentRules {
        &self.agent_rules
    }
}

/// The rules for agents among documents of the operator, at most 64 KiB, and refusals of documents that clients could not use.
#[must_use]
pub fn rules_for_agents(documents: &[Document]) -> (Vec<Arc<AgentRule>>, Vec<Refusal>) {
    let names = names_for_agents(documents.iter());
    let (mut rules, mut refusals, mut bytes) = (Vec::new(), Vec::new(), 0);
    for document in documents {
        match rule_for_agents(document, &names) {
            Ok(None) => {}
            Ok(Some(rule)) if bytes + rule.yaml.len() <= MAX_OPERATOR_BYTES => {
                bytes += rule.yaml.len();
                rules.push(Arc::new(rule));
            }
            Ok(Some(_)) => {
                let limit = Cause::TooLarge { what: "bytes of rules for agents", limit: MAX_OPERATOR_BYTES };
                refusals.push(refusal(document, "", limit));
            }
            Err(AttributeFault { key, cause }) => {
                refusals.push(refusal(document, key, Cause::Attribute(cause.into())));
            }
        }
    }
    (rules, refusals)
}

fn rule_for_agents(
    document: &Document,
    names: &HashSet<String>,
) -> Result<Option<AgentRule>, AttributeFault> {
    match document {
        Document::Rule(rule) => AgentRule::read(rule),
        other => without_effect(other, names).map_or(Ok(None), Err),
    }
}

/// Fault of a filter or correlation that is about rules for agents.
fn without_effect(document: &Document, names: &HashSet<String>) -> Option<AttributeFault> {
    let fault = |key, cause| Some(AttributeFault { key, cause });
    if let Some(name) = references(document).iter().find(|name| names.contains(&name.to_lowercase())) {
        return fault("rules", format!("`{name}` is a rule for agents; {WITHOUT_EFFECT}"));
    }
    match document {
        Document::Filter(filter) if is_for_agents(&filter.log_source) => {
            fault("logsource", WITHOUT_EFFECT.to_owned())
        }
        _ => None,
    }
}

fn refusal(document: &Document, field: &str, cause: Cause) -> Refusal {
    let (origin, rule) = (document.origin().clone(), Some(document.info().id.as_str().into()));
    Refusal { origin, rule, field: field.into(), cause }
}

/// Ids and names of rules for agents, in lower case.
fn names_for_agents<'d>(documents: impl Iterator<Item = &'d Document>) -> HashSet<String> {
    documents.filter(|document| for_agents(document).is_some()).flat_map(stated_names).collect()
}

impl Proposal<'_> {
    /// Refuses a filter or correlation about rules for agents, of the organization, the operator or built-in.
    pub(super) fn check_effect(&self, documents: &Documents, own: &[Own]) -> Result<(), DocumentRefusal> {
        if self.documents.iter().all(|document| matches!(document, Document::Rule(_))) {
            return Ok(());
        }
        let mut names = names_for_agents(own.iter().flat_map(|own| &own.documents));
        names.extend(documents.agent_rules.iter().map(|rule| rule.id.to_lowercase()));
        let built_in = built_in().map_err(|error| self.fault(error.to_string()))?;
        names.extend(built_in.into_iter().map(|rule| rule.id.to_lowercase()));
        for document in &self.documents {
            if let Some(fault) = without_effect(document, &names) {
                return Err(self.fault_on(line_of(self.yaml, document, fault.key), fault.to_string()));
            }
        }
        Ok(())
    }

    /// Refuses rules for agents that clients could not use.
    pub(super) fn check_agent_rules(&self, own: &[Own]) -> Result<(), DocumentRefusal> {
        let Some(document) = self.documents.iter().find(|document| for_agents(document).is_some()) else {
            return Ok(());
        };
        let [Document::Rule(rule)] = self.documents.as_slice() else {
            let cause =
                "logsource: a rule for agents is one document; correlations do not count actions of agents";
            return Err(self.fault_on(line_of(self.yaml, document, "logsource"), cause));
        };
        if let Err(fault) = AgentRule::read(rule) {
            return Err(self.fault_on(line_of(self.yaml, document, fault.key), fault.to_string()));
        }
        let built_in = built_in().map_err(|error| self.fault(error.to_string()))?;
        if built_in.iter().any(|known| known.id.eq_ignore_ascii_case(&rule.info.id)) {
            let cause = format!("id: `{}` is already used by a built-in rule for agents", rule.info.id);
            return Err(self.fault_on(line_of(self.yaml, document, "id"), cause));
        }
        let others = own.iter().flat_map(|own| &own.documents).filter_map(for_agents);
        let bytes = rule.text().len() + others.map(|rule| rule.text().len()).sum::<usize>();
        if bytes > MAX_OWN_BYTES {
            let cause = format!(
                "the rules for agents of the organization may have {MAX_OWN_BYTES} bytes together, and would have {bytes}"
            );
            return Err(self.fault(cause));
        }
        Ok(())
    }
}

fn for_agents(document: &Document) -> Option<&RuleDocument> {
    match document {
        Document::Rule(rule) => Some(&**rule).filter(|rule| is_for_agents(&rule.log_source)),
        Document::Correlation(_) | Document::Filter(_) => None,
    }
}

//! Rules of an organization for the actions of AI agents (`product: ai_agent`): stored and compiled like rules for logs, and
//! served to the clients that match them.

use agent_rules::{AgentRule, MAX_OWN_BYTES, built_in, is_for_agents};
use directory::DocumentRefusal;
use sigma::Document;
use sigma::document::RuleDocument;

use super::Own;
use super::proposal::{Proposal, line_of};

impl Proposal<'_> {
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

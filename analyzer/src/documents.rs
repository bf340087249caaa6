//! An organization's own documents beside the shared rules: compiled for the analysis, and checked before one is added. The
//! directory stores them.

mod agent_rules;
mod coverage;
mod proposal;
mod trial;

use std::sync::Arc;

use ::agent_rules::is_for_agents;
use common::ids::DetectionRuleId;
use common::incident::Evidence;
use common::timestamp::Timestamp;
use directory::{
    Asked, Dependent, Described, DocumentCheck, DocumentRefusal, OwnDetection, Suppression, TrialMatch,
};
use sigma::document::FilterTarget;
use sigma::{Author, Cause, Document, Layer, Limits, Placeholders, Refusal, RuleLogSource, RuleSet};

pub use self::agent_rules::{AgentRules, rules_for_agents};
use self::coverage::Coverage;
use self::proposal::Proposal;
use crate::pack;

/// Bytes that the compiled rules and suppressions of an organization may take, about: some thousand of ordinary size,
/// while a thousand organizations with a few each fit into a small machine.
pub const MOST_COMPILED_BYTES: usize = 16 << 20;

/// Reason why a filter is refused that holds without any of its fields.
const MATCH_WITHOUT_FIELDS: &str = "condition: it holds for a record that has none of the filter's fields, so that it \
    would take away the findings of every record without them; name what a record must have to be left out (for \
    example `condition: selection`), or set allow_match_without_fields to true where this is meant";

/// The shared rules, and the options of compiling documents beside them.
#[derive(Debug)]
pub struct Documents {
    shared_rules: Arc<RuleSet>,
    /// Values of placeholders.
    placeholders: Placeholders,
    agent_rules: AgentRules,
}

/// One rule or suppression of an organization, read.
struct Own {
    dependent: Dependent,
    in_force: bool,
    documents: Vec<Document>,
    /// Documents of it that cannot even be read.
    unread: Vec<Refusal>,
}

impl Documents {
    /// Beside the shared rules, which were compiled with the same placeholders.
    #[must_use]
    pub fn new(shared_rules: Arc<RuleSet>, placeholders: Placeholders) -> Self {
        Self { shared_rules, placeholders, agent_rules: AgentRules::default() }
    }

    /// The shared rules.
    #[must_use]
    pub fn shared_rules(&self) -> &Arc<RuleSet> {
        &self.shared_rules
    }

    /// The documents of an organization in force at `now`, compiled beside the shared rules; and those that cannot be used any
    /// more, for example because the shared rules changed.
    #[must_use]
    pub fn compile(&self, own: &OwnDetection, now: Timestamp) -> (Layer, Vec<Refusal>) {
        let all = read_all(own, None, |suppression| suppression.is_in_force(now));
        let (layer, mut refusals) = self.beside(in_force(&all), Limits::of_bytes(MOST_COMPILED_BYTES));
        refusals.extend(all.into_iter().filter(|own| own.in_force).flat_map(|own| own.unread));
        (layer, refusals)
    }

    fn beside(&self, documents: Vec<Document>, limits: Limits<'_>) -> (Layer, Vec<Refusal>) {
        pack::compile_beside(Arc::clone(&self.shared_rules), documents, &self.placeholders, limits)
    }

    /// Documents of an organization, compiled as long as the check may take.
    fn checked(
        &self,
        asked: Asked<'_>,
        documents: Vec<Document>,
    ) -> Result<(Layer, Vec<Refusal>), DocumentRefusal> {
        let limits = Limits { compiled_bytes: MOST_COMPILED_BYTES, give_up: asked.give_up };
        let (layer, refusals) = self.beside(documents, limits);
        let given_up = refusals.iter().any(|refusal| refusal.cause == Cause::GivenUp);
        if given_up { Err(DocumentRefusal::GivenUp) } else { Ok((layer, refusals)) }
    }

    /// A proposal compiled beside the organization's documents, in place of those with its ids: it may be among them.
    fn in_place(&self, asked: Asked<'_>, proposal: &Proposal<'_>) -> Result<Layer, DocumentRefusal> {
        let mut others = read_all(asked.own, None, |_| true);
        others.retain(|own| !own.documents.iter().any(|document| proposal.has_id(&document.info().id)));
        let (layer, refusals) = self.checked(asked, proposal.beside(in_force(&others)))?;
        proposal.check(&refusals)?;
        Ok(layer)
    }

    /// Others of the organization that cannot be used after a change, and could before, each with why.
    fn broken<'r>(
        &self,
        asked: Asked<'_>,
        others: &[Own],
        after: &'r [Refusal],
    ) -> Result<Vec<(Dependent, &'r Cause)>, DocumentRefusal> {
        let broken: Vec<_> =
            others.iter().filter_map(|other| Some((other, other.refused_by(after)?))).collect();
        if broken.is_empty() {
            return Ok(Vec::new());
        }
        let (_, before) = self.checked(asked, in_force(&read_all(asked.own, None, |_| true)))?;
        let broken = broken.into_iter().filter(|(other, _)| other.refused_by(&before).is_none());
        Ok(broken.map(|(other, cause)| (other.dependent.clone(), cause)).collect())
    }

    /// Whether the shared rules or these of the organization hold one for logs that a filter is for.
    fn has_rule_for(&self, log_source: &RuleLogSource, own: &[Own]) -> bool {
        let own = own.iter().filter(|own| own.in_force).flat_map(|own| &own.documents);
        let own = own.filter_map(|document| match document {
            Document::Rule(rule) => Some(&rule.log_source),
            Document::Correlation(_) | Document::Filter(_) => None,
        });
        let shared_rules = self.shared_rules.rules().iter().map(|rule| &rule.log_source);
        let mut all = shared_rules.chain(own).filter(|of_rule| !is_for_agents(of_rule));
        all.any(|of_rule| log_source.covers(of_rule))
    }
}

impl DocumentCheck for Documents {
    fn rule(
        &self,
        asked: Asked<'_>,
        replaced: Option<DetectionRuleId>,
        yaml: &str,
        enabled: bool,
    ) -> Result<Described, DocumentRefusal> {
        let proposal = Proposal::read(yaml)?;
        let described = proposal.as_rule()?;
        let others = read_all(asked.own, replaced, |_| true);
        proposal.check_names(&self.shared_rules, &others)?;
        proposal.check_agent_rules(&others)?;
        proposal.check_effect(self, &others)?;
        let (_, with_it) = self.checked(asked, proposal.beside(in_force(&others)))?;
        proposal.check(&with_it)?;
        let after = if enabled { with_it } else { self.checked(asked, in_force(&others))?.1 };
        let broken = self.broken(asked, &others, &after)?;
        // It came in before correlations and suppressions, for which it leaves no room.
        if let Some((_, cause)) = broken.iter().find(|(_, cause)| is_about_room(cause)) {
            return Err(proposal.fault(cause.to_string()));
        }
        needed(broken)?;
        Ok(described)
    }

    fn suppression(
        &self,
        asked: Asked<'_>,
        yaml: &str,
        allow_match_without_fields: bool,
    ) -> Result<Described, DocumentRefusal> {
        let proposal = Proposal::read(yaml)?;
        let (described, filter) = proposal.as_suppression()?;
        let others = read_all(asked.own, None, |_| true);
        proposal.check_names(&self.shared_rules, &others)?;
        proposal.check_effect(self, &others)?;
        if filter.target == FilterTarget::Any && !self.has_rule_for(&filter.log_source, &others) {
            return Err(proposal.fault("logsource: no rule in force is for this log source"));
        }
        let (layer, with_it) = self.checked(asked, proposal.beside(in_force(&others)))?;
        proposal.check(&with_it)?;
        if !allow_match_without_fields && layer.filter_holds_without_fields(&filter.info.id) {
            return Err(proposal.fault_in_filter(MATCH_WITHOUT_FIELDS));
        }
        Ok(described)
    }

    fn trial(
        &self,
        asked: Asked<'_>,
        yaml: &str,
        payloads: &[Vec<u8>],
        now: Timestamp,
    ) -> Result<Vec<Vec<TrialMatch>>, DocumentRefusal> {
        trial::run(self, asked, yaml, payloads, now)
    }

    fn covered(
        &self,
        asked: Asked<'_>,
        yaml: &str,
        incidents: &[Vec<Evidence>],
    ) -> Result<Vec<bool>, DocumentRefusal> {
        let proposal = Proposal::read(yaml)?;
        let (_, filter) = proposal.as_suppression()?;
        let layer = self.in_place(asked, &proposal)?;
        let coverage = Coverage::of(&layer, &filter.info.id);
        Ok(incidents.iter().map(|evidence| coverage.is_whole(evidence)).collect())
    }

    fn removal(&self, asked: Asked<'_>, rule: DetectionRuleId) -> Result<(), DocumentRefusal> {
        let others = read_all(asked.own, Some(rule), |_| true);
        let (_, after) = self.checked(asked, in_force(&others))?;
        needed(self.broken(asked, &others, &after)?)
    }
}

/// Refuses a change that removes a document to which others refer.
fn needed(broken: Vec<(Dependent, &Cause)>) -> Result<(), DocumentRefusal> {
    let dependents: Vec<Dependent> = broken.into_iter().map(|(dependent, _)| dependent).collect();
    if dependents.is_empty() { Ok(()) } else { Err(DocumentRefusal::Needed(dependents)) }
}

fn is_about_room(cause: &Cause) -> bool {
    matches!(cause, Cause::CompiledBytes { .. })
}

/// An organization's documents, except those of one rule; unreadable ones are left out. `is_live` returns whether the end of a
/// suppression is still in the future.
fn read_all(
    own: &OwnDetection,
    without: Option<DetectionRuleId>,
    is_live: impl Fn(&Suppression) -> bool,
) -> Vec<Own> {
    let rules = own.rules.iter().filter(|rule| Some(rule.id) != without);
    let rules = rules.map(|rule| {
        let dependent = dependent("detection_rule", &rule.id, &rule.title);
        Own::read(dependent, &rule.yaml, rule.enabled, rule.revision)
    });
    let suppressions = own.suppressions.iter().map(|suppression| {
        let dependent = dependent("suppression", &suppression.id, &suppression.title);
        // Another one with the same filter is not suspended because this one is.
        let revision = suppression.created_at.0.unsigned_abs();
        Own::read(dependent, &suppression.yaml, is_live(suppression), revision)
    });
    rules.chain(suppressions).collect()
}

fn dependent(object: &'static str, id: &impl ToString, title: &str) -> Dependent {
    Dependent { object, id: id.to_string(), title: title.to_owned() }
}

impl Own {
    fn read(dependent: Dependent, yaml: &str, in_force: bool, revision: u64) -> Self {
        let file = format!("{} {}", dependent.object, dependent.id);
        let (mut documents, mut unread) = (Vec::new(), Vec::new());
        for read in sigma::parse(&file, yaml) {
            match read {
                Ok(document) => {
                    documents.push(document.written_by(Author::Organization).in_revision(revision))
                }
                Err(refusal) => unread.push(refusal),
            }
        }
        Self { dependent, in_force, documents, unread }
    }

    /// Reason why one of its documents was refused, if one was.
    fn refused_by<'r>(&self, refusals: &'r [Refusal]) -> Option<&'r Cause> {
        let of_this = |refusal: &&Refusal| {
            self.documents.iter().any(|document| document.origin().file == refusal.origin.file)
        };
        refusals.iter().find(of_this).map(|refusal| &refusal.cause)
    }
}

fn in_force(own: &[Own]) -> Vec<Document> {
    own.iter().filter(|own| own.in_force).flat_map(|own| own.documents.iter().cloned()).collect()
}

/// The id and name of a document, in lower case, as the compiler compares them.
fn stated_names(document: &Document) -> impl Iterator<Item = String> {
    let info = document.info();
    [Some(&info.id), info.name.as_ref()].into_iter().flatten().map(|text| text.to_lowercase())
}

/// The ids and names that a document refers to.
fn references(document: &Document) -> &[String] {
    match document {
        Document::Rule(_) => &[],
        Document::Correlation(correlation) => &correlation.rules,
        Document::Filter(filter) => match &filter.target {
            FilterTarget::Any => &[],
            FilterTarget::Rules(rules) => rules,
        },
    }
}

#[cfg(test)]
mod tests;

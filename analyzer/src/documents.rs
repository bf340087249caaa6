//! Rules as documents: those everybody has, and beside them an organization's own, compiled together; and
//! whether a document can be added to them. Where an organization's own are kept is the directory's.

mod proposal;

use std::collections::{BTreeSet, HashMap, HashSet};

use common::ids::DetectionRuleId;
use common::timestamp::Timestamp;
use directory::{Dependent, Described, DocumentCheck, DocumentRefusal, OwnDetection, Suppression};
use sigma::document::FilterTarget;
use sigma::{Author, Cause, Document, Placeholders, Refusal, RuleLogSource, RuleSet};

use self::proposal::Proposal;
use crate::pack;

/// The rules everybody has, as documents, and what their placeholders stand for.
#[derive(Debug)]
pub struct Documents {
    everybodys: Vec<Document>,
    /// Ids and names of everybody's documents in lower case, and which has them.
    names: HashMap<String, usize>,
    placeholders: Placeholders,
}

/// One rule or suppression of an organization, read.
struct Own {
    dependent: Dependent,
    in_force: bool,
    documents: Vec<Document>,
}

impl Documents {
    /// Over the rules everybody has; those that cannot be compiled are not to be among them.
    #[must_use]
    pub fn new(everybodys: Vec<Document>, placeholders: Placeholders) -> Self {
        let mut names = HashMap::new();
        for (index, document) in everybodys.iter().enumerate() {
            for text in stated_names(document) {
                names.entry(text).or_insert(index);
            }
        }
        Self { everybodys, names, placeholders }
    }

    /// Everybody's rules and what of an organization's own is in force at `now`, compiled together; and
    /// what of its own cannot be used any more, for example because everybody's rules changed.
    #[must_use]
    pub fn compile(&self, own: &OwnDetection, now: Timestamp) -> (RuleSet, Vec<Refusal>) {
        let mut refusals = Vec::new();
        let mut documents = self.everybodys.clone();
        let live = read_all(own, None, |suppression| suppression.is_in_force(now));
        for document in live.into_iter().filter(|own| own.in_force).flat_map(|own| own.documents) {
            // Said here, because the compiler would let the file that comes first by name have it.
            let name = stated_names(&document).find(|text| self.names.contains_key(text));
            match name {
                Some(name) => refusals.push(taken(&document, &name)),
                None => documents.push(document),
            }
        }
        let (rules, refused) = pack::compile(documents, &self.placeholders);
        refusals.extend(refused);
        (rules, refusals)
    }

    /// What is refused of documents of an organization. Of everybody's only those are compiled with them
    /// that they need: the others cannot change the outcome, as names are compared before.
    fn refusals(&self, documents: Vec<Document>) -> Vec<Refusal> {
        let mut all: Vec<Document> =
            self.needed_by(&documents).into_iter().map(|index| self.everybodys[index].clone()).collect();
        all.extend(documents);
        pack::compile(all, &self.placeholders).1
    }

    /// Everybody's documents that these refer to, directly or through others.
    fn needed_by(&self, documents: &[Document]) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        let mut waiting: Vec<&str> = documents.iter().flat_map(references).map(String::as_str).collect();
        while let Some(text) = waiting.pop() {
            let Some(&index) = self.names.get(&text.to_lowercase()) else { continue };
            if needed.insert(index) {
                waiting.extend(references(&self.everybodys[index]).iter().map(String::as_str));
            }
        }
        for document in documents {
            if let Document::Filter(filter) = document
                && filter.target == FilterTarget::Any
            {
                needed.extend(self.one_of_each_log_source(&filter.log_source));
            }
        }
        needed
    }

    /// A filter is compiled anew for each log source it is for.
    fn one_of_each_log_source(&self, log_source: &RuleLogSource) -> Vec<usize> {
        let mut seen = HashSet::new();
        let rules = self.everybodys.iter().enumerate().filter_map(|(index, document)| match document {
            Document::Rule(rule) if log_source.covers(&rule.log_source) => Some((index, &rule.log_source)),
            _ => None,
        });
        rules.filter(|(_, log_source)| seen.insert(*log_source)).map(|(index, _)| index).collect()
    }

    /// Refuses a change after which others of the organization cannot be used that could before.
    fn check_others(
        &self,
        own: &OwnDetection,
        others: &[Own],
        after: &[Refusal],
    ) -> Result<(), DocumentRefusal> {
        let is_refused = |refusals: &[Refusal], other: &Own| {
            other
                .documents
                .iter()
                .any(|document| refusals.iter().any(|refusal| refusal.origin.file == document.origin().file))
        };
        let broken: Vec<&Own> = others.iter().filter(|other| is_refused(after, other)).collect();
        if broken.is_empty() {
            return Ok(());
        }
        let before = self.refusals(in_force(&read_all(own, None, |_| true)));
        let broken = broken.into_iter().filter(|other| !is_refused(&before, other));
        let dependents: Vec<Dependent> = broken.map(|other| other.dependent.clone()).collect();
        if dependents.is_empty() { Ok(()) } else { Err(DocumentRefusal::Needed(dependents)) }
    }

    /// Whether everybody's rules or these of the organization hold one that a filter is for.
    fn has_rule_for(&self, log_source: &RuleLogSource, own: &[Own]) -> bool {
        let own = own.iter().filter(|own| own.in_force).flat_map(|own| &own.documents);
        self.everybodys.iter().chain(own).any(|document| match document {
            Document::Rule(rule) => log_source.covers(&rule.log_source),
            Document::Correlation(_) | Document::Filter(_) => false,
        })
    }
}

impl DocumentCheck for Documents {
    fn rule(
        &self,
        own: &OwnDetection,
        replaced: Option<DetectionRuleId>,
        yaml: &str,
        enabled: bool,
    ) -> Result<Described, DocumentRefusal> {
        let proposal = Proposal::read(yaml)?;
        let described = proposal.as_rule()?;
        let others = read_all(own, replaced, |_| true);
        proposal.check_names(&self.names, &others)?;
        let with_it = self.refusals(proposal.beside(in_force(&others)));
        proposal.check(&with_it)?;
        let after = if enabled { with_it } else { self.refusals(in_force(&others)) };
        self.check_others(own, &others, &after)?;
        Ok(described)
    }

    fn suppression(&self, own: &OwnDetection, yaml: &str) -> Result<Described, DocumentRefusal> {
        let proposal = Proposal::read(yaml)?;
        let (described, filter) = proposal.as_suppression()?;
        let others = read_all(own, None, |_| true);
        proposal.check_names(&self.names, &others)?;
        if filter.target == FilterTarget::Any && !self.has_rule_for(&filter.log_source, &others) {
            return Err(proposal.fault("logsource: no rule in force is for this log source"));
        }
        let with_it = self.refusals(proposal.beside(in_force(&others)));
        proposal.check(&with_it)?;
        Ok(described)
    }

    fn removal(&self, own: &OwnDetection, rule: DetectionRuleId) -> Result<(), DocumentRefusal> {
        let others = read_all(own, Some(rule), |_| true);
        let after = self.refusals(in_force(&others));
        self.check_others(own, &others, &after)
    }
}

/// An organization's documents, but for one rule's; what cannot be read is left out. `is_live` says of the
/// end of a suppression whether it still lies ahead.
fn read_all(
    own: &OwnDetection,
    without: Option<DetectionRuleId>,
    is_live: impl Fn(&Suppression) -> bool,
) -> Vec<Own> {
    let rules = own.rules.iter().filter(|rule| Some(rule.id) != without);
    let rules = rules
        .map(|rule| Own::read("detection_rule", rule.id.to_string(), &rule.title, &rule.yaml, rule.enabled));
    let suppressions = own.suppressions.iter().map(|suppression| {
        let (id, live) = (suppression.id.to_string(), is_live(suppression));
        Own::read("suppression", id, &suppression.title, &suppression.yaml, live)
    });
    rules.chain(suppressions).collect()
}

impl Own {
    fn read(object: &'static str, id: String, title: &str, yaml: &str, in_force: bool) -> Self {
        let read = sigma::parse(&format!("{object} {id}"), yaml).into_iter().flatten();
        let documents = read.map(|document| document.written_by(Author::Organization)).collect();
        Self { dependent: Dependent { object, id, title: title.to_owned() }, in_force, documents }
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

fn taken(document: &Document, name: &str) -> Refusal {
    Refusal {
        origin: document.origin().clone(),
        rule: Some(document.info().id.as_str().into()),
        field: "".into(),
        cause: Cause::Duplicate { what: name.into(), by: "a rule everybody has".into() },
    }
}

#[cfg(test)]
mod tests;

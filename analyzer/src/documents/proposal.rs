//! YAML that is to become a rule or a suppression: its requirements by itself, and its description. Compiling it with others
//! decides whether it can be used beside them.

use std::collections::{HashMap, HashSet};

use directory::{Described, DocumentFault, DocumentRefusal, direction_fault, title_fault};
use sigma::document::FilterDocument;
use sigma::{Author, Document, Refusal, RuleSet};

use super::{Own, references, stated_names};

/// Name of the YAML for the compiler. No other file has this name.
const FILE: &str = "yaml";
/// Most faults reported at once: enough to mend, short enough to read.
const MAX_FAULTS: usize = 20;
/// Most documents of one rule: the findings of each of them are looked up.
const MAX_DOCUMENTS: usize = 20;

/// The documents of a YAML text, at least one.
pub(super) struct Proposal<'y> {
    pub(super) yaml: &'y str,
    pub(super) documents: Vec<Document>,
}

impl<'y> Proposal<'y> {
    /// Reads the text; all of it must be understood.
    pub(super) fn read(yaml: &'y str) -> Result<Self, DocumentRefusal> {
        let (mut documents, mut faults) = (Vec::new(), Vec::new());
        for read in sigma::parse(FILE, yaml) {
            match read {
                Ok(document) => documents.push(document.written_by(Author::Organization)),
                Err(refusal) => faults.push(fault(&refusal)),
            }
        }
        refuse(faults)?;
        let proposal = Self { yaml, documents };
        if proposal.documents.is_empty() {
            return Err(proposal.fault("expected a Sigma document, found none"));
        }
        let count = proposal.documents.len();
        if count > MAX_DOCUMENTS {
            let cause = format!("expected at most {MAX_DOCUMENTS} Sigma documents, found {count}");
            return Err(proposal.fault(cause));
        }
        for document in &proposal.documents {
            if !document.info().states_id {
                let cause = "id: expected one, found none; without, every change of the text would make another \
                             rule of it, and what it has found would be taken back";
                return Err(proposal.fault_on(line_of(yaml, document, "title"), cause));
            }
            if let Some((key, cause)) = text_fault(document) {
                return Err(proposal.fault_on(line_of(yaml, document, key), format!("{key}: {cause}")));
            }
        }
        Ok(proposal)
    }

    /// One rule or correlation, or a correlation with all that it alone needs.
    pub(super) fn as_rule(&self) -> Result<Described, DocumentRefusal> {
        for document in &self.documents {
            if let Document::Filter(_) = document {
                let cause = "a filter is created as a suppression, with a reason";
                return Err(self.fault_on(line_of(self.yaml, document, "filter"), cause));
            }
        }
        let main = match self.documents.as_slice() {
            [only] => Some(only),
            several => several.iter().find(|document| self.reach_of(document).len() == several.len()),
        };
        let main = main.ok_or_else(|| {
            self.fault(
                "several documents are one rule only where one of them is a correlation that refers to all \
                 the others; expected one detection rule for each",
            )
        })?;
        Ok(self.described(main))
    }

    /// One filter.
    pub(super) fn as_suppression(&self) -> Result<(Described, &FilterDocument), DocumentRefusal> {
        match self.documents.as_slice() {
            [document @ Document::Filter(filter)] => Ok((self.described(document), filter)),
            [_] => Err(self.fault("expected a Sigma filter, found a rule or correlation")),
            several => {
                let cause = format!("expected one Sigma filter, found {} documents", several.len());
                Err(self.fault(cause))
            }
        }
    }

    /// Refuses ids and names that others have, the disabled ones included.
    pub(super) fn check_names(&self, shared_rules: &RuleSet, own: &[Own]) -> Result<(), DocumentRefusal> {
        let mut others: HashMap<String, &Own> = HashMap::new();
        for own in own {
            others.extend(own.documents.iter().flat_map(stated_names).map(|name| (name, own)));
        }
        let mut faults = Vec::new();
        for document in &self.documents {
            for name in stated_names(document) {
                let owner = match others.get(&name) {
                    Some(Own { dependent, .. }) => format!("{} {}", dependent.object, dependent.id),
                    None if shared_rules.has_name(&name) => "a shared rule".to_owned(),
                    None => continue,
                };
                let key = if document.info().id.to_lowercase() == name { "id" } else { "name" };
                let line = line_of(self.yaml, document, key);
                faults.push(DocumentFault {
                    line,
                    cause: format!("{key}: `{name}` is already used by {owner}"),
                });
            }
        }
        refuse(faults)
    }

    /// Refuses it when any of its documents was refused.
    pub(super) fn check(&self, refusals: &[Refusal]) -> Result<(), DocumentRefusal> {
        refuse(refusals.iter().filter(|refusal| &*refusal.origin.file == FILE).map(fault).collect())
    }

    /// The refusal for a fault in its filter.
    pub(super) fn fault_in_filter(&self, cause: impl Into<String>) -> DocumentRefusal {
        let filter = self.documents.first();
        self.fault_on(filter.and_then(|document| line_of(self.yaml, document, "filter")), cause)
    }

    /// Whether one of its documents has the id.
    pub(super) fn has_id(&self, id: &str) -> bool {
        self.documents.iter().any(|document| document.info().id == id)
    }

    /// Its documents together with others.
    pub(super) fn beside(&self, mut others: Vec<Document>) -> Vec<Document> {
        others.extend(self.documents.iter().cloned());
        others
    }

    /// The refusal for a fault of the whole.
    pub(super) fn fault(&self, cause: impl Into<String>) -> DocumentRefusal {
        self.fault_on(self.documents.first().map(|document| document.origin().line), cause)
    }

    pub(super) fn fault_on(&self, line: Option<u32>, cause: impl Into<String>) -> DocumentRefusal {
        DocumentRefusal::Faulty(vec![DocumentFault { line, cause: cause.into() }])
    }

    fn described(&self, main: &Document) -> Described {
        Described {
            title: main.info().title.clone(),
            sigma_ids: self.documents.iter().map(|document| document.info().id.clone()).collect(),
        }
    }

    /// The documents one refers to, itself included, directly or through others.
    fn reach_of(&self, document: &Document) -> HashSet<usize> {
        let position = |name: &str| {
            let name = name.to_lowercase();
            self.documents.iter().position(|other| stated_names(other).any(|own| own == name))
        };
        let mut reached = HashSet::new();
        let mut waiting: Vec<usize> = position(&document.info().id).into_iter().collect();
        while let Some(index) = waiting.pop() {
            if reached.insert(index) {
                waiting.extend(references(&self.documents[index]).iter().filter_map(|name| position(name)));
            }
        }
        reached
    }
}

/// Fault of the texts by which people recognise a document, and the key of the first at fault.
fn text_fault(document: &Document) -> Option<(&'static str, String)> {
    let info = document.info();
    let fault = |key, text: Option<&String>| Some((key, direction_fault(text?)?));
    title_fault(&info.title)
        .map(|cause| ("title", cause))
        .or_else(|| fault("id", Some(&info.id)))
        .or_else(|| fault("name", info.name.as_ref()))
}

fn refuse(mut faults: Vec<DocumentFault>) -> Result<(), DocumentRefusal> {
    faults.truncate(MAX_FAULTS);
    if faults.is_empty() { Ok(()) } else { Err(DocumentRefusal::Faulty(faults)) }
}

fn fault(refusal: &Refusal) -> DocumentFault {
    let Refusal { origin, field, cause, .. } = refusal;
    let cause = if field.is_empty() { cause.to_string() } else { format!("{field}: {cause}") };
    DocumentFault { line: Some(origin.line), cause }
}

/// The line of a key at the beginning of a line of the document, else the document's own.
pub(super) fn line_of(yaml: &str, document: &Document, key: &str) -> Option<u32> {
    let first = document.origin().line;
    let numbered = yaml.lines().zip(1_u32..).skip_while(|(_, number)| *number < first);
    let is_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let mut within = numbered.take_while(|(line, number)| *number == first || !line.starts_with("---"));
    let found = within.find(|(line, _)| is_key(line)).map(|(_, number)| number);
    Some(found.unwrap_or(first))
}

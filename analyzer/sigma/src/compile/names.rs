//! The ids and names of all documents, in one namespace, and the documents that references resolve to.

use std::collections::HashMap;

use crate::correlation::Reference;
use crate::document::Document;
use crate::refusal::{Cause, Fault};
use crate::rule::RuleInfo;
use crate::rule_set::RuleSet;

/// Ids and names in lower case (ids are UUIDs, whose case means nothing).
pub(super) struct Names<'s> {
    /// Those of the set that documents are compiled beside.
    shared: Option<&'s SharedNames>,
    claims: HashMap<String, Claim>,
}

/// Ids and names of a compiled set in lower case, each with its document; none for a filter, which nothing refers to.
pub(crate) type SharedNames = HashMap<String, Option<Reference>>;

struct Claim {
    /// File and position of the owner, in words.
    owner: Box<str>,
    /// The compiled document, once there is one.
    reference: Option<Reference>,
}

impl<'s> Names<'s> {
    /// Of documents that are compiled beside a set, if there is one.
    pub(super) fn beside(shared: Option<&'s SharedNames>) -> Self {
        Self { shared, claims: HashMap::new() }
    }

    /// Takes the document's id and name, both or none.
    pub(super) fn claim(&mut self, document: &Document) -> Result<(), Fault> {
        for (field, text) in stated(document.info()) {
            if self.shared.is_some_and(|shared| shared.contains_key(&text.to_lowercase())) {
                let cause = Cause::Duplicate { what: text.into(), by: "a shared rule".into() };
                return Err(Fault::from(cause).within(field));
            }
            if let Some(claim) = self.claims.get(&text.to_lowercase()) {
                let cause = Cause::Duplicate { what: text.into(), by: claim.owner.clone() };
                return Err(Fault::from(cause).within(field));
            }
        }
        let origin = document.origin();
        for (_, text) in stated(document.info()) {
            let owner = format!("{}:{}", origin.file, origin.line).into();
            self.claims.insert(text.to_lowercase(), Claim { owner, reference: None });
        }
        Ok(())
    }

    /// Records the compiled form of the owner of an id and name.
    pub(super) fn place(&mut self, info: &RuleInfo, reference: Reference) {
        for (_, text) in stated(info) {
            if let Some(claim) = self.claims.get_mut(&text.to_lowercase()) {
                claim.reference = Some(reference);
            }
        }
    }

    /// The document with an id or name.
    pub(super) fn resolve(&self, text: &str) -> Option<Reference> {
        let text = text.to_lowercase();
        match self.claims.get(&text) {
            Some(claim) => claim.reference,
            None => self.shared?.get(&text).copied().flatten(),
        }
    }

    pub(super) fn resolved(&self, text: &str) -> Result<Reference, Fault> {
        self.resolve(text).ok_or_else(|| Cause::UnknownReference(text.into()).into())
    }
}

/// The ids and names of a compiled set.
pub(super) fn of_set(set: &RuleSet) -> SharedNames {
    let rules = set.rules.iter().map(|rule| &rule.info).zip((0..).map(|index| Some(Reference::Rule(index))));
    let correlations = set.correlations.iter().map(|correlation| &correlation.info);
    let correlations = correlations.zip((0..).map(|index| Some(Reference::Correlation(index))));
    let filters = set.filters.iter().map(|filter| (&filter.info, None));
    let named = |(info, reference)| stated(info).map(move |(_, text)| (text.to_lowercase(), reference));
    rules.chain(correlations).chain(filters).flat_map(named).collect()
}

fn stated(info: &RuleInfo) -> impl Iterator<Item = (&'static str, &str)> {
    let name = info.name.as_deref().map(|name| ("name", name));
    [("id", info.id.as_str())].into_iter().chain(name)
}

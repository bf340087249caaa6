//! The ids and names of all documents, in one space: what a reference may say, and what it leads to.

use std::collections::HashMap;

use crate::correlation::Reference;
use crate::document::Document;
use crate::refusal::{Cause, Fault};
use crate::rule::RuleInfo;

/// Ids and names in lower case (ids are UUIDs, whose case means nothing).
#[derive(Default)]
pub(super) struct Names {
    claims: HashMap<String, Claim>,
}

struct Claim {
    /// Where the owner was read, in words.
    owner: Box<str>,
    /// What it is, once it is compiled.
    reference: Option<Reference>,
}

impl Names {
    /// Takes the document's id and name, both or none.
    pub(super) fn claim(&mut self, document: &Document) -> Result<(), Fault> {
        for (field, text) in stated(document.info()) {
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

    /// Notes what the owner of an id and name was compiled to.
    pub(super) fn place(&mut self, info: &RuleInfo, reference: Reference) {
        for (_, text) in stated(info) {
            if let Some(claim) = self.claims.get_mut(&text.to_lowercase()) {
                claim.reference = Some(reference);
            }
        }
    }

    /// What an id or name leads to.
    pub(super) fn resolve(&self, text: &str) -> Option<Reference> {
        self.claims.get(&text.to_lowercase())?.reference
    }

    pub(super) fn resolved(&self, text: &str) -> Result<Reference, Fault> {
        self.resolve(text).ok_or_else(|| Cause::UnknownReference(text.into()).into())
    }
}

fn stated(info: &RuleInfo) -> impl Iterator<Item = (&'static str, &str)> {
    let name = info.name.as_deref().map(|name| ("name", name));
    [("id", info.id.as_str())].into_iter().chain(name)
}

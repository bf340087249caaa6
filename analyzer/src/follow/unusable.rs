//! Rules and suppressions of organizations that are in force and cannot be used: logged, counted, and noted where the API
//! reads it. They could be used when they were added; the shared rules or limits have changed since.

use std::collections::BTreeMap;

use common::ids::OrganizationId;
use directory::{ALL_DOCUMENTS, Directory};
use sigma::Refusal;

use crate::failing::Cause;

/// Unusable documents of each organization.
#[derive(Debug, Default)]
pub(super) struct Unusable {
    documents: BTreeMap<OrganizationId, usize>,
    /// Reasons by the ids of rules and suppressions, which are not noted yet.
    unnoted: BTreeMap<OrganizationId, BTreeMap<String, String>>,
}

impl Unusable {
    /// Before anything was found.
    pub(super) fn new() -> Self {
        let unusable = Self::default();
        unusable.measure();
        unusable
    }

    /// Takes the refusals of an organization's documents, all of which were compiled.
    pub(super) fn found(&mut self, organization: OrganizationId, refusals: &[Refusal]) {
        let mut reasons: BTreeMap<String, String> = BTreeMap::new();
        for refusal in refusals {
            tracing::warn!(%organization, %refusal, "a rule or suppression of an organization has become invalid");
            let Some((_, id)) = refusal.origin.file.split_once(' ') else { continue };
            reasons.entry(id.to_owned()).or_insert_with(|| reason(refusal));
        }
        self.documents.insert(organization, reasons.len());
        self.unnoted.insert(organization, reasons);
        self.measure();
    }

    /// None of an organization's documents can be read.
    pub(super) fn unreadable(&mut self, organization: OrganizationId, cause: Cause) {
        let reasons = BTreeMap::from([(ALL_DOCUMENTS.to_owned(), cause.reason())]);
        self.unnoted.insert(organization, reasons);
    }

    fn measure(&self) {
        metrics::gauge!("palisade_own_rules_unusable").set(self.documents.values().sum::<usize>() as f64);
    }

    /// Stores them. A failed write is repeated with the next look.
    pub(super) async fn note(&mut self, directory: &Directory) {
        for (organization, reasons) in std::mem::take(&mut self.unnoted) {
            if let Err(error) = directory.note_unusable_documents(organization, &reasons).await {
                tracing::debug!(%organization, %error, "unusable rules could not be recorded yet");
                self.unnoted.insert(organization, reasons);
            }
        }
    }
}

fn reason(refusal: &Refusal) -> String {
    let place = if refusal.field.is_empty() { String::new() } else { format!("{}: ", refusal.field) };
    format!("It has become invalid: {place}{}", refusal.cause)
}

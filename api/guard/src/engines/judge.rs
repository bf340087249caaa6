//! Judgement of texts by guard, with masked excerpts.

use guard::{Classification, GuardError, Input, Verdict};
use rest::error::ApiError;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Engines, MAX_INPUT_BYTES};
use crate::envelope::Envelope;
use crate::errors;
use crate::inputs::Text;

/// Classification of the input.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = GuardContent)]
pub(crate) struct Content {
    /// `block` or `pass`.
    #[schema(example = "block")]
    pub(crate) classification: &'static str,
    /// Types of the attack; empty for `pass`.
    pub(crate) violation_types: Vec<&'static str>,
    /// Weaknesses of the CWE list; empty for `pass`.
    cwe_codes: Vec<&'static str>,
}

impl Engines {
    /// Judges the texts of a request. The duration is linear in their size.
    pub(crate) fn judge(
        &self,
        id: Uuid,
        texts: &[Text],
        system_prompt: &str,
    ) -> Result<Envelope<Content>, ApiError> {
        let verdict = self.verdict(texts, system_prompt).map_err(errors::of_guard)?;
        let read = texts.iter().map(|one| one.text.as_str()).chain([system_prompt]);
        let content = content(&verdict);
        self.envelope((id, self.guard.name()), (content, verdict.reasoning), read)
    }

    fn verdict(&self, texts: &[Text], system_prompt: &str) -> Result<Verdict, GuardError> {
        let inputs: Vec<Input<'_>> =
            texts.iter().map(|one| Input { name: &one.name, text: &one.text, hidden: &one.hidden }).collect();
        let redact = |excerpt: &str| self.redactor.redact(excerpt);
        self.guard.judge(&inputs, system_prompt, MAX_INPUT_BYTES, &redact)
    }
}

fn content(verdict: &Verdict) -> Content {
    let classification = match verdict.classification {
        Classification::Pass => "pass",
        Classification::Block => "block",
    };
    Content {
        classification,
        violation_types: verdict.violations.iter().map(|violation| violation.name()).collect(),
        cwe_codes: verdict.cwe_codes.clone(),
    }
}

//! Judgement of texts: the engine of guard, the tokens that it read and wrote, and masked excerpts. Needs no server.

use std::sync::Arc;

use guard::{Classification, Guard, GuardError, Input, Verdict};
use redact::Redactor;
use rest::error::ApiError;
use rest::reply;
use serde::Serialize;
use tokens::Tokenizer;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::envelope::{Envelope, Usage};
use crate::inputs::Text;
use crate::{StartError, errors, models};

/// Bytes of all texts of a request: the text, the system prompt, and the text of two PDFs.
const MAX_INPUT_BYTES: usize = 10 * 1024 * 1024;

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

/// The engine with its model, and the vocabulary of token counts.
pub(crate) struct Judge {
    guard: Guard<'static>,
    tokenizer: Tokenizer,
    redactor: Arc<Redactor>,
}

impl Judge {
    pub(crate) fn load(redactor: Arc<Redactor>) -> Result<Self, StartError> {
        Ok(Self { guard: Guard::load(models::GUARD)?, tokenizer: Tokenizer::load()?, redactor })
    }

    /// Judges the texts of a request. Runs as long as the texts are large, 1 MiB in about a quarter of a second.
    pub(crate) fn judge(
        &self,
        id: Uuid,
        texts: &[Text],
        system_prompt: &str,
    ) -> Result<Envelope<Content>, ApiError> {
        let verdict = self.verdict(texts, system_prompt).map_err(errors::of_guard)?;
        let read = texts.iter().map(|one| one.text.as_str()).chain([system_prompt]);
        let prompt_tokens = read.map(|text| self.tokenizer.count(text)).sum();
        let content = content(&verdict);
        let completion_tokens =
            self.tokenizer.count(&reply::text(&content)?) + self.tokenizer.count(&verdict.reasoning);
        let usage = Usage::new(prompt_tokens, completion_tokens);
        Ok(Envelope::new(id, self.guard.name(), (content, verdict.reasoning), usage))
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

//! The engines with their models, and the vocabulary of token counts. Need no server.

mod conceal;
mod judge;
mod paper;
mod restore;
mod verify;

pub(crate) use conceal::{Output, Redaction, Wish};
pub(crate) use judge::Content;
pub(crate) use verify::Claims;

use std::sync::Arc;

use ::conceal::Concealer;
use ::verify::Verify;
use documents::PdfWriter;
use guard::Guard;
use redact::Redactor;
use rest::error::ApiError;
use rest::reply;
use serde::Serialize;
use tokens::Tokenizer;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::StartError;
use crate::envelope::{Envelope, Usage};

/// Bytes of all texts of a request: the text, the system prompt, and the text of two PDFs.
const MAX_INPUT_BYTES: usize = 10 * 1024 * 1024;

/// Model files that are embedded.
pub(crate) mod models {
    /// Weights of guard.
    pub(crate) const GUARD: &[u8] = include_bytes!("../../../models/guard.plm");
    /// Weights of the search for names.
    pub(crate) const NAMES: &[u8] = include_bytes!("../../../models/names.plm");
    /// Weights of verify.
    pub(crate) const VERIFY: &[u8] = include_bytes!("../../../models/verify.plm");
}

/// The engines.
pub(crate) struct Engines {
    guard: Guard<'static>,
    concealer: Concealer<'static>,
    verify: Verify<'static>,
    tokenizer: Tokenizer,
    pdf_writer: PdfWriter,
    /// Masks secrets in excerpts.
    redactor: Arc<Redactor>,
}

impl Engines {
    /// Loads the built-in models.
    pub(crate) fn load(redactor: Arc<Redactor>) -> Result<Self, StartError> {
        Ok(Self {
            guard: Guard::load(models::GUARD)?,
            concealer: Concealer::load(models::NAMES)?,
            verify: Verify::load(models::VERIFY)?,
            tokenizer: Tokenizer::load()?,
            pdf_writer: PdfWriter::load()?,
            redactor,
        })
    }

    /// Names and versions of the built-in models.
    pub(crate) fn models(&self) -> [&str; 3] {
        [self.guard.name(), self.concealer.name(), self.verify.name()]
    }

    /// The reply of a model, with the tokens of the texts that it read.
    fn envelope<'t, C: Serialize + ToSchema>(
        &self,
        (id, model): (Uuid, &str),
        (content, reasoning): (C, String),
        read: impl Iterator<Item = &'t str>,
    ) -> Result<Envelope<C>, ApiError> {
        let prompt_tokens = read.map(|text| self.tokenizer.count(text)).sum();
        let written = self.tokenizer.count(&reply::text(&content)?) + self.tokenizer.count(&reasoning);
        Ok(Envelope::new(id, model, (content, reasoning), Usage::new(prompt_tokens, written)))
    }
}

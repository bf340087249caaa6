//! The engine: everything that the checks of content need, without a server. Deterministic: equal content gives equal bytes.

use std::sync::Arc;

use ::text::LexiconError;
use guard::{Guard, GuardError};
use lookalikes::{Brands, ListError, Names};
use payload::{PayloadError, Payloads};
use pretext::{PretextError, Pretexts};
use redact::Redactor;
use thiserror::Error;
use versions::Ecosystem;

use crate::lists::{Listing, Lists, Named};
use crate::repository::directives::Directives;

/// The model of pretexts, which no other part of the product uses.
static PRETEXTS: &[u8] = include_bytes!("../../../models/pretext.plm");

/// The model of payloads, which the sandbox loads too.
static PAYLOADS: &[u8] = include_bytes!("../../../models/payload.plm");

/// Longest excerpt in characters.
const EXCERPT: usize = 160;

/// Reason why the engine cannot start.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The model of guard is damaged.
    #[error("the model of guard cannot be used")]
    Guard(#[from] GuardError),
    /// The model of pretexts is damaged.
    #[error("the model of pretexts cannot be used")]
    Pretexts(#[from] PretextError),
    /// The model of payloads is damaged.
    #[error("the model of payloads cannot be used")]
    Payloads(#[from] PayloadError),
    /// A file of phrases that the build contains is not one.
    #[error("the phrases of the checks of text cannot be used")]
    Lexicon(#[from] LexiconError),
    /// The operator lists too many well-known names.
    #[error("the lists of well-known packages cannot be used")]
    Names(#[from] ListError),
}

/// The checks of content.
pub struct Engine {
    pub(crate) guard: Guard<'static>,
    pub(crate) pretexts: Pretexts<'static>,
    pub(crate) brands: Brands,
    pub(crate) lists: Lists,
    pub(crate) directives: Directives,
    /// Well-known packages, those of the operator's lists among them.
    pub(crate) names: Names,
    redactor: Arc<Redactor>,
}

/// The recognition of payloads.
///
/// # Errors
/// [`PayloadError`], which [`Engine::load`] reports first.
pub(crate) fn payloads() -> Result<Payloads<'static>, PayloadError> {
    Payloads::load(PAYLOADS)
}

impl Engine {
    /// Prepares the checks with a model of guard. `redactor` masks secrets in excerpts.
    ///
    /// # Errors
    /// [`EngineError`].
    pub fn load(model: &'static [u8], redactor: Arc<Redactor>, brands: Brands) -> Result<Self, EngineError> {
        let guard = Guard::load(model)?;
        payloads()?;
        Ok(Self {
            guard,
            pretexts: Pretexts::load(PRETEXTS)?,
            brands,
            lists: Lists::default(),
            directives: Directives::new()?,
            names: Names::built_in(),
            redactor,
        })
    }

    /// The same checks with lists of the operator.
    ///
    /// # Errors
    /// [`EngineError::Names`].
    pub fn with_lists(mut self, lists: Lists) -> Result<Self, EngineError> {
        for ecosystem in Ecosystem::ALL {
            self.names.add(ecosystem, lists.names(Named::Package(ecosystem), Listing::Known))?;
        }
        self.brands.add(lists.names(Named::Domain, Listing::Known));
        Ok(Self { lists, ..self })
    }

    /// A part of the content for a reader: masked, without control characters, at most 160 characters.
    pub(crate) fn excerpt(&self, text: &str) -> String {
        // Masked before it is cut, so that no part of a secret is left; a bounded part of a long text.
        let part: String = text.chars().take(EXCERPT * 4).collect();
        let masked = self.redactor.redact(&part);
        let words: Vec<&str> = masked
            .split(|char: char| char.is_whitespace() || char.is_control())
            .filter(|word| !word.is_empty())
            .collect();
        let line = words.join(" ");
        let mut shown: String = line.chars().take(EXCERPT).collect();
        if shown.len() < line.len() {
            shown = shown.chars().take(EXCERPT - 1).chain(['…']).collect();
        }
        shown
    }
}

#[cfg(test)]
pub(crate) mod tests;

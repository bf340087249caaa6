//! The analysis without a server, for the command line. Nothing is sent anywhere, stored or logged.

use std::sync::Arc;

use documents::{Format, recognize};
use redact::Redactor;
use rest::error::ApiError;
use rest::reply;
use sandbox::Sandbox;
use thiserror::Error;
use uuid::Uuid;

use crate::engines::{Engines, Output, Redaction, Wish};
use crate::inputs::{self, Text};
use crate::intake::{MAX_PDF_BYTES, MAX_TEXT_BYTES, Named, Statement};
use crate::redact::Reply;
use crate::{SANDBOX, StartError};

/// Reason why an input is not judged.
#[derive(Debug, Error)]
pub enum OfflineError {
    /// The input is empty.
    #[error("expected a text or a PDF, found an empty input")]
    Empty,
    /// The input is neither a PDF nor a text.
    #[error("expected a PDF or text in UTF-8, found other bytes at offset {0}")]
    Encoding(usize),
    /// The input is too large.
    #[error("expected at most {most} bytes, found {found}")]
    TooLarge {
        /// The limit in bytes.
        most: usize,
        /// Size of the input.
        found: usize,
    },
    /// The analysis refuses the input.
    #[error(transparent)]
    Refused(#[from] ApiError),
}

/// Most bytes of an input: those of the largest PDF.
pub const MAX_OFFLINE_BYTES: usize = MAX_PDF_BYTES;

/// Choices of a redaction.
#[derive(Clone, Debug, Default)]
pub struct Redact {
    /// Types that are removed in place of the default ones.
    pub entities: Option<Vec<String>>,
    /// Whether invented values take the place of placeholders.
    pub rewrite: bool,
    /// Whether a PDF is written.
    pub pdf: bool,
}

/// A redaction.
#[derive(Clone, Debug)]
pub struct Redacted {
    /// The body of the response of `POST /api/redact`, without the PDF if it was chosen.
    pub body: String,
    /// The PDF, if it was chosen.
    pub pdf: Option<Vec<u8>>,
}

/// The engines with their models.
pub struct Offline {
    engines: Engines,
    sandbox: Sandbox,
}

impl Offline {
    /// Loads the built-in models.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn load(redactor: Arc<Redactor>) -> Result<Self, StartError> {
        Ok(Self { engines: Engines::load(redactor)?, sandbox: Sandbox::new(SANDBOX) })
    }

    /// Judges a text or a PDF; the result is the body of the response of `POST /api/guard`.
    ///
    /// # Errors
    /// [`OfflineError`].
    pub async fn guard(&self, id: Uuid, input: Vec<u8>, system_prompt: &str) -> Result<String, OfflineError> {
        let texts = self.texts(input).await?;
        Ok(reply::text(&self.engines.judge(id, &texts, system_prompt)?)?)
    }

    /// Redacts a text or a PDF.
    ///
    /// # Errors
    /// [`OfflineError`].
    pub async fn redact(&self, id: Uuid, input: Vec<u8>, redact: Redact) -> Result<Redacted, OfflineError> {
        let texts = self.texts(input).await?;
        let Redact { entities, rewrite, pdf } = redact;
        let output = if pdf { Output::Pdf } else { Output::Json };
        let Redaction { envelope, pdf, .. } =
            self.engines.conceal(id, &texts, &Wish { entities, rewrite, output })?;
        if output == Output::Pdf {
            return Ok(Redacted { body: reply::text(&envelope)?, pdf });
        }
        Ok(Redacted { body: reply::text(&Reply::new(envelope, pdf))?, pdf: None })
    }

    /// Checks the claims of a text against sources, each with its name; the result is the body of the response of
    /// `POST /api/verify`.
    ///
    /// # Errors
    /// [`OfflineError`].
    pub fn verify(
        &self,
        id: Uuid,
        input: Vec<u8>,
        sources: Vec<(String, Vec<u8>)>,
    ) -> Result<String, OfflineError> {
        let named = |(name, content)| Ok(Named { content: utf8(content)?, name, url: None });
        let sources = sources.into_iter().map(named).collect::<Result<_, OfflineError>>()?;
        let text = utf8(input)?;
        if text.trim().is_empty() {
            return Err(OfflineError::Empty);
        }
        Ok(reply::text(&self.engines.verify(id, &Statement { text, sources })?)?)
    }

    /// Names and versions of the built-in models.
    #[must_use]
    pub fn models(&self) -> [&str; 3] {
        self.engines.models()
    }

    async fn texts(&self, input: Vec<u8>) -> Result<Vec<Text>, OfflineError> {
        if recognize(&input) == Some(Format::Pdf) {
            check_size(input.len(), MAX_PDF_BYTES)?;
            return Ok(inputs::pages(&self.sandbox, input).await?);
        }
        check_size(input.len(), MAX_TEXT_BYTES)?;
        let text = utf8(input)?;
        if text.trim().is_empty() {
            return Err(OfflineError::Empty);
        }
        Ok(vec![Text::of_request(text)])
    }
}

fn utf8(input: Vec<u8>) -> Result<String, OfflineError> {
    String::from_utf8(input).map_err(|error| OfflineError::Encoding(error.utf8_error().valid_up_to()))
}

fn check_size(found: usize, most: usize) -> Result<(), OfflineError> {
    if found > most { Err(OfflineError::TooLarge { most, found }) } else { Ok(()) }
}

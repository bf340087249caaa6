//! Redaction of texts: placeholders or surrogates for personal data and secrets.

use ::conceal::{Choice, Form};
use rest::error::ApiError;
use uuid::Uuid;

use super::{Engines, MAX_INPUT_BYTES};
use crate::envelope::Envelope;
use crate::errors;
use crate::inputs::Text;

/// Choices of a request.
pub(crate) struct Wish {
    /// Kinds that are removed, in place of the default ones.
    pub(crate) entities: Option<Vec<String>>,
    /// Whether surrogates take the place of placeholders.
    pub(crate) rewrite: bool,
}

/// Replaced values by type.
pub(crate) type Counts = Vec<(String, usize)>;

impl Engines {
    /// Redacts the texts of a request, and returns them as one text with the counts of replaced values by type. The duration is
    /// linear in their size.
    pub(crate) fn conceal(
        &self,
        id: Uuid,
        texts: &[Text],
        wish: &Wish,
    ) -> Result<(Envelope<String>, Counts), ApiError> {
        let choice = wish.entities.as_deref().map_or_else(Choice::default, Choice::of);
        let form = if wish.rewrite { Form::Surrogates } else { Form::Placeholders };
        let parts: Vec<&str> = texts.iter().map(|one| one.text.as_str()).collect();
        let concealed =
            self.concealer.conceal(&parts, &choice, form, MAX_INPUT_BYTES).map_err(errors::of_conceal)?;
        let content = (concealed.parts.join("\n"), concealed.reasoning);
        let envelope = self.envelope((id, self.concealer.name()), content, parts.into_iter())?;
        Ok((envelope, concealed.counts))
    }
}

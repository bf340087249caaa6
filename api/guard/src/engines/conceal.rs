//! Redaction of texts: placeholders or surrogates for personal data and secrets.

use std::borrow::Cow;

use ::conceal::{Choice, Concealed, Form};
use documents::{WriteError, without_invisible};
use rest::error::ApiError;
use uuid::Uuid;

use super::paper::{self, Paper, Part};
use super::restore::restored;
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
    pub(crate) output: Output,
}

impl Wish {
    /// Bytes of the phrases.
    pub(crate) fn bytes(&self) -> usize {
        self.entities.iter().flatten().map(String::len).sum()
    }
}

/// Format of the reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Output {
    /// JSON, with a PDF for a document.
    #[default]
    Json,
    /// A PDF.
    Pdf,
}

/// Replaced values by type.
pub(crate) type Counts = Vec<(String, usize)>;

/// A redaction.
pub(crate) struct Redaction {
    pub(crate) envelope: Envelope<String>,
    pub(crate) counts: Counts,
    /// The text as PDF, if the request asks for it or has a document.
    pub(crate) pdf: Option<Vec<u8>>,
}

impl Engines {
    /// Redacts the texts of a request. The duration is linear in their size.
    pub(crate) fn conceal(&self, id: Uuid, texts: &[Text], wish: &Wish) -> Result<Redaction, ApiError> {
        let choice = wish.entities.as_deref().map_or_else(Choice::default, Choice::of);
        let form = if wish.rewrite { Form::Surrogates } else { Form::Placeholders };
        let (kinds, given): (Vec<Part>, Vec<&str>) = paper::parts(texts).into_iter().unzip();
        let is_written = wish.output == Output::Pdf || kinds.contains(&Part::Page);
        // A value that a soft hyphen divides is whole in the PDF, so that it must be found.
        let clean = |text| if is_written { without_invisible(text) } else { Cow::Borrowed(text) };
        let searched: Vec<Cow<'_, str>> = given.iter().copied().map(clean).collect();
        let searched: Vec<&str> = searched.iter().map(AsRef::as_ref).collect();
        let mut concealed =
            self.concealer.conceal(&searched, &choice, form, MAX_INPUT_BYTES).map_err(errors::of_conceal)?;
        let redacted = std::mem::take(&mut concealed.parts);
        let mut parts: Vec<(Part, String)> = kinds.into_iter().zip(redacted).collect();
        let (pdf, about) = self.pdf(&parts, wish.output)?;
        restore(&mut parts, &given, &searched, &concealed);
        let content = (paper::joined(&parts), concealed.reasoning + &about);
        let read = texts.iter().map(|one| one.text.as_str());
        let envelope = self.envelope((id, self.concealer.name()), content, read)?;
        Ok(Redaction { envelope, counts: concealed.counts, pdf })
    }

    /// The parts as PDF, and sentences about it. A text that cannot be written is an error for a request for PDF only.
    fn pdf(&self, parts: &[(Part, String)], output: Output) -> Result<(Option<Vec<u8>>, String), ApiError> {
        let has_document = parts.iter().any(|(part, _)| *part == Part::Page);
        if output == Output::Json && !has_document {
            return Ok((None, String::new()));
        }
        let paper = Paper::of(parts);
        let about = if has_document { format!(" {}", paper.sentences()) } else { String::new() };
        match (self.pdf_writer.write(&paper.pages), output) {
            (Ok(pdf), _) => Ok((Some(pdf), about)),
            (Err(error @ (WriteError::UnsupportedScript | WriteError::TooLong)), Output::Json) => {
                Ok((None, format!(" No PDF is part of the reply: {error}.")))
            }
            (Err(error), _) => Err(errors::of_writing(error)),
        }
    }
}

/// Puts the invisible characters back into the texts of the request, which are no pages of a PDF: apart from values they stay as given.
fn restore(parts: &mut [(Part, String)], given: &[&str], searched: &[&str], concealed: &Concealed) {
    let texts = given.iter().zip(searched).zip(parts).enumerate();
    for (index, ((given, searched), (kind, redacted))) in texts {
        if *kind == Part::Text && given.len() > searched.len() {
            let values = concealed.values.iter().zip(&concealed.replacements);
            let values = values.filter(|(value, _)| value.part == index);
            let values = values.map(|(value, replacement)| (&value.range, replacement));
            *redacted = restored(given, searched, redacted, values);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use redact::{Policy, Redactor};

    use super::*;
    use crate::inputs::Origin;

    fn page(text: &str) -> Text {
        Text { name: "page 1".to_owned(), text: text.to_owned(), hidden: Vec::new(), origin: Origin::Page }
    }

    #[test]
    fn a_page_that_cannot_be_written_is_redacted_in_json_and_refused_as_pdf() {
        let engines = Engines::load(Arc::new(Redactor::new(&Policy::default()).unwrap())).unwrap();
        let texts = [page("東京都 ana@mail.example")];
        let wish = |output| Wish { entities: None, rewrite: false, output };
        let redaction = engines.conceal(Uuid::nil(), &texts, &wish(Output::Json)).unwrap();
        assert!(redaction.pdf.is_none());
        let body = rest::reply::text(&redaction.envelope).unwrap();
        assert!(body.contains("東京都 <EMAIL_REDACTED>"), "{body}");
        assert!(
            body.contains("No PDF is part of the reply: the text has a character of an unsupported script."),
            "{body}"
        );
        let refused = engines.conceal(Uuid::nil(), &texts, &wish(Output::Pdf));
        let Err(ApiError::Invalid(message)) = refused else { panic!("written") };
        assert_eq!(message, "file cannot be written as PDF: unsupported script");
    }

    #[test]
    fn a_value_that_invisible_characters_divide_is_not_whole_in_the_pdf() {
        let engines = Engines::load(Arc::new(Redactor::new(&Policy::default()).unwrap())).unwrap();
        let texts = [page("SSN 536-90\u{ad}-43\u{200b}99, ana\u{0}@mail.example")];
        let wish = Wish { entities: None, rewrite: false, output: Output::Json };
        let redaction = engines.conceal(Uuid::nil(), &texts, &wish).unwrap();
        assert_eq!(redaction.envelope.content(), "SSN <SSN_REDACTED>, <EMAIL_REDACTED>");
    }

    /// Texts whose joiners and selectors belong to the spelling: Persian, Hindi, Sinhala, Malayalam, Bengali, emoji of several
    /// characters, a flag of tag characters, marks of direction.
    const JOINED: [&str; 9] = [
        "می\u{200c}خواهم کتاب\u{200c}ها را بخرم",
        "क्\u{200d}ष और र्\u{200d}य",
        "ශ්\u{200d}රී ලංකා",
        "അവന്\u{200d} വന്നു",
        "র\u{200d}্যাব",
        "family 👩\u{200d}👩\u{200d}👧\u{200d}👦 and ❤\u{fe0f}\u{200d}🔥",
        "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} won",
        "\u{200f}שלום\u{200e} 1",
        "co\u{ad}operate \u{feff}",
    ];

    #[test]
    fn a_text_beside_a_document_keeps_its_invisible_characters() {
        let engines = Engines::load(Arc::new(Redactor::new(&Policy::default()).unwrap())).unwrap();
        for text in JOINED {
            let given = format!("{text}; ana@mail.example, SSN 536-90\u{ad}-4399. {text}");
            for rewrite in [false, true] {
                let texts = [Text::of_request(given.clone()), page("to bob@mail.example\n")];
                let wish = Wish { entities: None, rewrite, output: Output::Json };
                let redaction = engines.conceal(Uuid::nil(), &texts, &wish).unwrap();
                let content = redaction.envelope.content();
                assert!(content.starts_with(&format!("{text}; ")), "{content:?}");
                assert!(content.contains(&format!(". {text}\n")), "{content:?}");
                for value in ["ana@", "bob@", "4399"] {
                    assert!(!content.contains(value), "{value}: {content:?}");
                }
            }
        }
    }

    #[test]
    fn a_text_that_is_written_as_pdf_keeps_its_invisible_characters_in_the_content_only() {
        let engines = Engines::load(Arc::new(Redactor::new(&Policy::default()).unwrap())).unwrap();
        let texts = [Text::of_request("co\u{ad}operate, SSN 536-90\u{ad}-4399".to_owned())];
        let wish = Wish { entities: None, rewrite: false, output: Output::Pdf };
        let redaction = engines.conceal(Uuid::nil(), &texts, &wish).unwrap();
        assert_eq!(redaction.envelope.content(), "co\u{ad}operate, SSN <SSN_REDACTED>");
        let clean = [Text::of_request("cooperate, SSN 536-90-4399".to_owned())];
        assert_eq!(redaction.pdf, engines.conceal(Uuid::nil(), &clean, &wish).unwrap().pdf);
    }
}

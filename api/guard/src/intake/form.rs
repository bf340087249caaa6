//! A form body (RFC 7578), with parts of the names of JSON properties. Other parts are ignored.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use multer::{Field, Multipart};
use rest::error::ApiError;

use super::{Analysis, Properties, choices, pdf};
use crate::errors;

/// Most parts of a form: those that are known, and some that are not.
const MAX_PARTS: usize = 32;

/// The boundary of a form; `None` for another media type.
pub(super) fn boundary(headers: &HeaderMap) -> Option<String> {
    multer::parse_boundary(headers.get(CONTENT_TYPE)?.to_str().ok()?).ok()
}

/// Reads the parts of a body. An empty part is one that was not filled in.
pub(super) async fn read(raw: Bytes, boundary: &str, analysis: Analysis) -> Result<Properties, ApiError> {
    let mut form = Multipart::new(stream::iter([Ok::<_, Infallible>(raw)]), boundary);
    let mut properties = Properties::default();
    let (mut rewrite, mut output) = (None, None);
    for _ in 0..MAX_PARTS {
        let Some(part) = form.next_field().await.map_err(errors::malformed_form)? else {
            properties.rewrite = rewrite.unwrap_or_default();
            properties.output = output.unwrap_or_default();
            return Ok(properties);
        };
        let name = part.name().unwrap_or_default().to_owned();
        match (name.as_str(), analysis) {
            ("text", _) => fill(&mut properties.text, &name, text(part, errors::invalid_text).await?)?,
            ("file", _) => fill(&mut properties.file, &name, file(part).await?)?,
            ("url", _) => fill(&mut properties.url, &name, string(part, &name).await?)?,
            ("system_prompt", Analysis::Guard) => {
                fill(&mut properties.system_prompt, &name, string(part, &name).await?)?
            }
            ("entities", Analysis::Redact) => {
                let json = text(part, errors::invalid_entities).await?;
                let entities = json.map(|json| choices::entities_of_json(&json)).transpose()?;
                fill(&mut properties.entities, &name, entities)?;
            }
            ("rewrite", Analysis::Redact) => {
                let word = text(part, || errors::not_a_boolean(&name)).await?;
                fill(&mut rewrite, &name, word.map(|word| choices::boolean(&name, &word)).transpose()?)?;
            }
            ("format", Analysis::Redact) => {
                let word = text(part, errors::unknown_format).await?;
                fill(&mut output, &name, word.map(|word| choices::format(&word)).transpose()?)?;
            }
            _ => {}
        }
    }
    Err(errors::malformed_form(format_args!("expected at most {MAX_PARTS} parts, found more")))
}

/// Reads and checks a body of redact as the endpoint does, for fuzzing: its inputs and its phrases, or the message of the refusal.
#[cfg(feature = "unserved")]
pub(crate) fn read_whole(raw: Bytes, boundary: &str) -> Result<crate::FormParts, String> {
    use futures_util::FutureExt;

    // The body is complete, so that no part waits for more.
    let read = read(raw, boundary, Analysis::Redact).now_or_never();
    let properties = read.ok_or("the reader waits for a complete body")?;
    let properties = properties.and_then(Properties::checked).map_err(|error| error.to_string())?;
    let Properties { text, file, url, entities, .. } = properties;
    Ok(crate::FormParts { text, file, url, entities })
}

fn fill<T>(property: &mut Option<T>, name: &str, value: Option<T>) -> Result<(), ApiError> {
    if property.is_some() && value.is_some() {
        return Err(errors::malformed_form(format_args!("expected one part {name}, found more")));
    }
    if value.is_some() {
        *property = value;
    }
    Ok(())
}

async fn string(part: Field<'_>, name: &str) -> Result<Option<String>, ApiError> {
    text(part, || errors::not_a_string(name)).await
}

async fn text(part: Field<'_>, refusal: impl Fn() -> ApiError) -> Result<Option<String>, ApiError> {
    let bytes = part.bytes().await.map_err(errors::malformed_form)?;
    let text = String::from_utf8(bytes.into()).map_err(|_| refusal())?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

async fn file(part: Field<'_>) -> Result<Option<Vec<u8>>, ApiError> {
    let bytes = part.bytes().await.map_err(errors::malformed_form)?;
    if bytes.is_empty() { Ok(None) } else { pdf::checked(bytes.into()).map(Some) }
}

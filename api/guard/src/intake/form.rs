//! A form body (RFC 7578): the parts `text`, `file`, `url` and `system_prompt`. Others are ignored.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use multer::{Field, Multipart};
use rest::error::ApiError;

use super::{Properties, pdf};
use crate::errors;

/// Most parts of a form: those that are known, and some that are not.
const MAX_PARTS: usize = 32;

/// The boundary of a form; `None` for another media type.
pub(super) fn boundary(headers: &HeaderMap) -> Option<String> {
    multer::parse_boundary(headers.get(CONTENT_TYPE)?.to_str().ok()?).ok()
}

/// Reads the parts of a body. An empty part is one that was not filled in.
pub(super) async fn read(raw: Bytes, boundary: &str) -> Result<Properties, ApiError> {
    let mut form = Multipart::new(stream::iter([Ok::<_, Infallible>(raw)]), boundary);
    let mut properties = Properties::default();
    for _ in 0..MAX_PARTS {
        let Some(part) = form.next_field().await.map_err(errors::malformed_form)? else {
            return Ok(properties);
        };
        let name = part.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "text" => fill(&mut properties.text, &name, text(part, errors::invalid_text).await?)?,
            "file" => fill(&mut properties.file, &name, file(part).await?)?,
            "url" => fill(&mut properties.url, &name, string(part, &name).await?)?,
            "system_prompt" => fill(&mut properties.system_prompt, &name, string(part, &name).await?)?,
            _ => {}
        }
    }
    Err(errors::malformed_form(format_args!("expected at most {MAX_PARTS} parts, found more")))
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

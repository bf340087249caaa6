//! A JSON body of verify: a text and its sources. Unknown properties are ignored, as in `json.rs`.

use rest::body;
use rest::error::ApiError;
use serde::Deserialize;
use verify::{MAX_BYTES, MAX_SOURCES};

use super::MAX_URL_BYTES;
use super::shape::{Shape, Source, string};
use crate::errors;

/// Largest body: the text and the sources, with escapes that double them at most.
pub(crate) const MAX_SOURCES_BODY: usize = 8 * 1024 * 1024;

/// Longest name of a source: replies repeat it for each claim.
const MAX_NAME_BYTES: usize = 256;

/// A text with the sources of its claims.
#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) text: String,
    pub(crate) sources: Vec<Named>,
}

/// A source with its name.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) content: String,
    pub(crate) name: String,
    pub(crate) url: Option<String>,
}

impl Statement {
    /// Bytes of all texts together.
    pub(crate) fn bytes(&self) -> usize {
        self.sources.iter().map(|source| source.content.len()).fold(self.text.len(), usize::saturating_add)
    }

    /// Memory of the texts, with the names and URLs of the sources.
    pub(crate) fn kept(&self) -> usize {
        let of = |source: &Named| {
            let url = source.url.as_ref().map_or(0, String::capacity);
            size_of::<Named>() + source.content.capacity() + source.name.capacity() + url
        };
        self.sources.iter().map(of).fold(self.text.capacity(), usize::saturating_add)
    }
}

#[derive(Deserialize)]
struct Object {
    text: Option<Shape>,
    sources: Option<Shape>,
}

/// Reads the text and the sources of a body.
pub(super) fn read(raw: &[u8]) -> Result<Statement, ApiError> {
    let Object { text, sources } = body::parse(raw)?;
    let text = string(text, errors::text_required)?.filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(errors::text_required)?;
    let Some(Shape::List(sources)) = sources else { return Err(errors::sources_required()) };
    if sources.is_empty() {
        return Err(errors::sources_required());
    }
    if sources.len() > MAX_SOURCES {
        return Err(errors::too_many_sources());
    }
    let sources = sources.into_iter().zip(1..).map(source).collect::<Result<_, _>>()?;
    let statement = Statement { text, sources };
    if statement.bytes() > MAX_BYTES {
        return Err(ApiError::BodyTooLarge { most: MAX_BYTES });
    }
    Ok(statement)
}

fn source((source, number): (Shape, usize)) -> Result<Named, ApiError> {
    let Shape::Source(source) = source else { return Err(errors::content_required()) };
    let Source { content, name, url } = *source;
    let content = string(content, errors::content_required)?;
    let content = content.ok_or_else(errors::content_required)?;
    let name = short(name, "name", MAX_NAME_BYTES)?;
    let url = short(url, "url", MAX_URL_BYTES)?;
    Ok(Named { content, name: name.unwrap_or_else(|| format!("Source {number}")), url })
}

fn short(value: Option<Shape>, property: &str, most: usize) -> Result<Option<String>, ApiError> {
    let value = string(value, || errors::not_a_string(property))?;
    if value.as_ref().is_some_and(|value| value.len() > most) {
        return Err(errors::too_long(property, most));
    }
    Ok(value)
}

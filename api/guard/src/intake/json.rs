//! A JSON body. Unknown properties are ignored: clients of this family send those of newer versions.

use rest::body;
use rest::error::ApiError;
use serde::Deserialize;

use super::shape::{Shape, string};
use super::{Analysis, Properties, choices, pdf};
use crate::errors;

/// The body as it came; types are checked property by property, since each has its own message.
#[derive(Deserialize)]
struct Object {
    text: Option<Shape>,
    file: Option<Shape>,
    url: Option<Shape>,
    system_prompt: Option<Shape>,
    entities: Option<Shape>,
    rewrite: Option<Shape>,
    format: Option<Shape>,
}

/// Reads the properties of a body.
pub(super) fn read(raw: &[u8], analysis: Analysis) -> Result<Properties, ApiError> {
    let Object { text, file, url, system_prompt, entities, rewrite, format } = body::parse(raw)?;
    let text = string(text, errors::invalid_text)?;
    let file = string(file, errors::not_a_pdf)?;
    let mut properties = Properties {
        text,
        file: file.map(|uri| pdf::from_data_uri(&uri)).transpose()?,
        url: string(url, || errors::not_a_string("url"))?,
        ..Properties::default()
    };
    match analysis {
        Analysis::Guard => {
            properties.system_prompt = string(system_prompt, || errors::not_a_string("system_prompt"))?;
        }
        Analysis::Redact => {
            properties.entities =
                entities.filter(|value| !matches!(value, Shape::Null)).map(choices::entities).transpose()?;
            properties.rewrite = match rewrite {
                None | Some(Shape::Null) => false,
                Some(Shape::Bool(rewrite)) => rewrite,
                Some(_) => return Err(errors::not_a_boolean("rewrite")),
            };
            if let Some(format) = string(format, errors::unknown_format)? {
                properties.output = choices::format(&format)?;
            }
        }
    }
    Ok(properties)
}

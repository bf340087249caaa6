//! Texts to judge: the text of a request, and the pages of its PDF.

use std::ops::Range;

use common::ids::OrganizationId;
use rest::error::ApiError;

use crate::intake::Properties;
use crate::{App, errors, fetch};

/// A text with its name in the reasons.
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Parts of it, in bytes, that a reader of the page does not see.
    pub(crate) hidden: Vec<Range<usize>>,
}

/// The texts of a request.
pub(crate) async fn of(
    app: &App,
    organization: OrganizationId,
    properties: &mut Properties,
) -> Result<Vec<Text>, ApiError> {
    let mut texts = Vec::new();
    if let Some(text) = properties.text.take().filter(|text| !text.trim().is_empty()) {
        texts.push(Text { name: "text".to_owned(), text, hidden: Vec::new() });
    }
    let fetched = match properties.url.take() {
        Some(url) => Some(fetch::pdf(&app.outbound, organization, &url).await?),
        None => None,
    };
    for pdf in [properties.file.take(), fetched].into_iter().flatten() {
        texts.extend(pages(app, pdf).await?);
    }
    Ok(texts)
}

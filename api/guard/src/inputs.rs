//! Texts to judge: the text of a request, and the pages of its PDF.

use std::ops::Range;

use common::ids::OrganizationId;
use documents::{Attached, AttachedKind, Page};
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

/// The pages of a PDF, and the texts outside of its pages.
async fn pages(app: &App, pdf: Vec<u8>) -> Result<Vec<Text>, ApiError> {
    let document = documents::read(&app.sandbox, &pdf).await.map_err(errors::of_document)?;
    let pages = document.pages.iter().zip(1..).map(|(page, number)| page_text(page, number));
    let attached = document.attached.iter().map(attached_text);
    Ok(pages.chain(attached).filter(|text| !text.text.is_empty()).collect())
}

fn page_text(page: &Page, number: usize) -> Text {
    let mut one = Text { name: format!("page {number}"), text: String::new(), hidden: Vec::new() };
    for line in &page.lines {
        let start = one.text.len();
        one.text.push_str(&line.text);
        if line.hiding.is_some() {
            one.hidden.push(start..one.text.len());
        }
        one.text.push('\n');
    }
    one
}

fn attached_text(attached: &Attached) -> Text {
    let kind = match attached.kind {
        AttachedKind::Annotation => "annotation",
        AttachedKind::Alternative => "alternative text",
        AttachedKind::Outline => "outline",
        AttachedKind::Metadata => "metadata",
        AttachedKind::Attachment => "attachment",
        AttachedKind::Script => "script",
    };
    // Nobody sees it without opening it; the reason names its place, and its text is judged like any other.
    Text { name: kind.to_owned(), text: attached.text.clone(), hidden: Vec::new() }
}

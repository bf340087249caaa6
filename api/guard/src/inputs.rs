//! A request to its texts: the text of the request, and the pages of its PDF.

use std::ops::Range;

use axum::extract::Request;
use common::ids::OrganizationId;
use documents::{Attached, AttachedKind, Page};
use rest::error::ApiError;
use sandbox::Sandbox;

use crate::engines::Wish;
use crate::intake::{self, Analysis, Intake, Properties};
use crate::{App, errors, fetch};

/// A text with its name in the reasons.
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Parts of it, in bytes, that a reader of the page does not see.
    pub(crate) hidden: Vec<Range<usize>>,
}

/// A request as it is analysed.
pub(crate) struct Inputs {
    pub(crate) texts: Vec<Text>,
    /// Empty without one.
    pub(crate) system_prompt: String,
    pub(crate) wish: Wish,
}

/// Reads a request. The memory of its body is free afterwards, since requests that hold it and wait for that of the analysis would
/// wait for each other.
pub(crate) async fn of(
    app: &App,
    organization: OrganizationId,
    request: Request,
    analysis: Analysis,
) -> Result<Inputs, ApiError> {
    let Intake { properties, held: _held } = intake::read(&app.room, organization, request, analysis).await?;
    let Properties { text, file, url, system_prompt, entities, rewrite } = properties;
    let mut texts = Vec::new();
    if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
        texts.push(Text { name: "text".to_owned(), text, hidden: Vec::new() });
    }
    let fetched = match url {
        Some(url) => Some(fetch::pdf(&app.outbound, organization, &url).await?),
        None => None,
    };
    for pdf in [file, fetched].into_iter().flatten() {
        let _turn = app.room.document(organization).await?;
        texts.extend(pages(&app.sandbox, pdf).await?);
    }
    Ok(Inputs { texts, system_prompt: system_prompt.unwrap_or_default(), wish: Wish { entities, rewrite } })
}

/// Bytes of texts together.
pub(crate) fn bytes(texts: &[Text]) -> usize {
    texts.iter().map(|one| one.text.len()).sum()
}

/// The pages of a PDF, and the texts outside of its pages.
pub(crate) async fn pages(sandbox: &Sandbox, pdf: Vec<u8>) -> Result<Vec<Text>, ApiError> {
    let document = documents::read(sandbox, &pdf).await.map_err(errors::of_document)?;
    let pages = document.pages.iter().zip(1..).map(|(page, number)| page_text(page, number));
    let attached = document.attached.into_iter().map(attached_text);
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

fn attached_text(attached: Attached) -> Text {
    let kind = match attached.kind {
        AttachedKind::Annotation => "annotation",
        AttachedKind::Alternative => "alternative text",
        AttachedKind::Outline => "outline",
        AttachedKind::Metadata => "metadata",
        AttachedKind::Attachment => "attachment",
        AttachedKind::Script => "script",
    };
    // Not hidden: a reader opens it on purpose. The reason names its place, and its text is judged like any other.
    Text { name: kind.to_owned(), text: attached.text, hidden: Vec::new() }
}

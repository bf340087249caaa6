//! A request to its texts: the text of the request, and the pages of its PDF.

use std::ops::Range;

use axum::extract::Request;
use common::ids::OrganizationId;
use documents::{Page, Run, TextKind};
use rest::error::ApiError;
use sandbox::Sandbox;

use crate::engines::{Output, Wish};
use crate::intake::{self, Analysis, Intake, Properties};
use crate::{App, errors, fetch};

/// A text with its name in the reasons.
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Parts of it, in bytes, that a reader of the page does not see.
    pub(crate) hidden: Vec<Range<usize>>,
    pub(crate) origin: Origin,
}

/// Place of a text in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The text of the request.
    Text,
    /// A page of a document.
    Page,
    /// A document, outside of its pages.
    Attached,
}

impl Text {
    /// The text of a request.
    pub(crate) fn of_request(text: String) -> Self {
        Self { name: "text".to_owned(), text, hidden: Vec::new(), origin: Origin::Text }
    }
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
    let Properties { text, file, url, system_prompt, entities, rewrite, output } = properties;
    let mut texts = Vec::new();
    if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
        texts.push(Text::of_request(text));
    }
    let fetched = match url {
        Some(url) => Some(fetch::pdf(&app.outbound, organization, &url).await?),
        None => None,
    };
    for pdf in [file, fetched].into_iter().flatten() {
        let _turn = app.room.document(organization).await?;
        texts.extend(pages(&app.sandbox, pdf).await?);
    }
    let wish = Wish { entities, rewrite, output };
    Ok(Inputs { texts, system_prompt: system_prompt.unwrap_or_default(), wish })
}

/// Bytes of texts together.
pub(crate) fn bytes(texts: &[Text]) -> usize {
    texts.iter().map(|one| one.text.len()).sum()
}

/// Memory of texts together, with their names and the places of their hidden parts: a document may have many short texts.
pub(crate) fn kept(texts: &[Text]) -> usize {
    let of = |one: &Text| {
        let places = one.hidden.capacity() * size_of::<Range<usize>>();
        size_of::<Text>() + one.name.capacity() + one.text.capacity() + places
    };
    texts.iter().map(of).sum()
}

/// Pages of the PDF of a reply, as far as they do not depend on the length of the texts: a form feed begins one too. 0 without a PDF.
pub(crate) fn written_pages(texts: &[Text], output: Output) -> usize {
    if output == Output::Json && texts.iter().all(|one| one.origin == Origin::Text) {
        return 0;
    }
    let further = texts.iter().flat_map(|one| one.text.bytes()).filter(|byte| *byte == b'\x0c').count();
    texts.len() + further
}

/// The pages of a PDF, empty ones included, and the texts outside of its pages.
pub(crate) async fn pages(sandbox: &Sandbox, pdf: Vec<u8>) -> Result<Vec<Text>, ApiError> {
    let document = documents::read(sandbox, &pdf).await.map_err(errors::of_document)?;
    let pages = document.pages.iter().zip(1..).map(|(page, number)| page_text(page, number));
    let attached = document.runs.into_iter().map(attached_text);
    Ok(pages.chain(attached.filter(|text| !text.text.is_empty())).collect())
}

fn page_text(page: &Page, number: usize) -> Text {
    let name = format!("page {number}");
    let mut one = Text { name, text: String::new(), hidden: Vec::new(), origin: Origin::Page };
    for line in &page.lines {
        let start = one.text.len();
        one.text.push_str(&line.text);
        if line.hiding.is_some() {
            hide(&mut one.hidden, start..one.text.len());
        }
        one.text.push('\n');
    }
    one
}

/// Adds a hidden line. Lines that follow each other are one part, so that a page of short lines has few parts.
fn hide(hidden: &mut Vec<Range<usize>>, line: Range<usize>) {
    match hidden.last_mut() {
        Some(before) if before.end + '\n'.len_utf8() == line.start => before.end = line.end,
        _ => hidden.push(line),
    }
}

fn attached_text(attached: Run) -> Text {
    let kind = match attached.kind {
        TextKind::Content => "content",
        TextKind::Annotation => "annotation",
        TextKind::Alternative => "alternative text",
        TextKind::Outline => "outline",
        TextKind::Metadata => "metadata",
        TextKind::Attachment => "attachment",
        TextKind::Comment => "comment",
        TextKind::Script => "script",
        TextKind::Data => "data",
    };
    // Not hidden: a reader opens it on purpose. The reason names its place, and its text is judged like any other.
    Text { name: kind.to_owned(), text: attached.text, hidden: Vec::new(), origin: Origin::Attached }
}

#[cfg(test)]
mod tests {
    use documents::{Hiding, Place, Position};

    use super::*;

    fn line(text: &str, hiding: Option<Hiding>) -> Run {
        let position = Position::Page { place: Place::default(), size: 12.0 };
        Run { text: text.to_owned(), kind: TextKind::Content, position, hiding }
    }

    #[test]
    fn hidden_lines_of_a_page_are_one_part() {
        let hidden = [Hiding::Tiny, Hiding::Covered].map(|hiding| line("no", Some(hiding)));
        let lines = [&[line("yes", None)], &hidden[..], &[line("more", None)], &hidden[..1]].concat();
        let text = page_text(&Page { lines, ..Page::default() }, 1);
        assert_eq!(text.text, "yes\nno\nno\nmore\nno\n");
        let parts: Vec<&str> = text.hidden.iter().map(|part| &text.text[part.clone()]).collect();
        assert_eq!(parts, ["no\nno", "no"]);
    }

    #[test]
    fn names_and_places_of_hidden_parts_are_part_of_the_memory_of_texts() {
        let text = || Text::of_request("a".repeat(100));
        let (one, two) = (kept(&[text()]), kept(&[text(), text()]));
        assert!(one >= 100 + "text".len(), "{one}");
        assert_eq!(two, 2 * one);
        let hidden = (0..50).map(|place| 2 * place..2 * place + 1).collect();
        let with_places = kept(&[Text { hidden, ..text() }]);
        assert!(with_places >= one + 50 * size_of::<Range<usize>>(), "{with_places}, without {one}");
    }
}

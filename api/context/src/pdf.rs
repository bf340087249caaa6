//! PDFs to passages. They are parsed in the sandbox only.

use documents::{Page, Run, TextKind};
use sandbox::Sandbox;

use crate::score::Skipped;
use crate::text::Passage;

/// Texts of a document, and its parts that were not read.
#[derive(Clone, Debug, Default)]
pub struct DocumentText {
    /// Texts.
    pub passages: Vec<Passage>,
    /// Parts that were not read.
    pub skipped: Vec<Skipped>,
}

/// Reads a PDF: its pages with hidden parts, and the texts outside of its pages.
pub(crate) async fn read(sandbox: &Sandbox, name: &str, bytes: &[u8]) -> DocumentText {
    let document = match documents::read(sandbox, bytes).await {
        Ok(document) => document,
        Err(error) => {
            let skipped = Skipped { what: name.to_owned(), reason: error.to_string() };
            return DocumentText { passages: Vec::new(), skipped: vec![skipped] };
        }
    };
    let unread =
        |reason| Skipped { what: format!("a part of {name}"), reason: format!("{reason:?}").to_lowercase() };
    let skipped = document.unread.iter().map(unread).collect();
    let pages = document.pages.iter().zip(1..).map(|(page, number)| page_text(name, page, number));
    let attached = document.runs.into_iter().map(|run| attached_text(name, run));
    let passages = pages.chain(attached).filter(|passage| !passage.text.trim().is_empty()).collect();
    DocumentText { passages, skipped }
}

fn page_text(name: &str, page: &Page, number: usize) -> Passage {
    let mut passage = Passage::visible(format!("page {number} of {name}"), "");
    for line in &page.lines {
        let start = passage.text.len();
        passage.text.push_str(&line.text);
        if line.hiding.is_some() {
            match passage.hidden.last_mut() {
                Some(before) if before.end + 1 == start => before.end = passage.text.len(),
                _ => passage.hidden.push(start..passage.text.len()),
            }
        }
        passage.text.push('\n');
    }
    passage
}

fn attached_text(name: &str, run: Run) -> Passage {
    let kind = match run.kind {
        TextKind::Content => "content",
        TextKind::Annotation => "an annotation",
        TextKind::Alternative => "an alternative text",
        TextKind::Outline => "the outline",
        TextKind::Metadata => "the metadata",
        TextKind::Attachment => "the description of an attachment",
        TextKind::Comment => "a comment",
        TextKind::Script => "a script",
        TextKind::Data => "data",
    };
    Passage { is_aside: true, ..Passage::visible(format!("{kind} of {name}"), run.text) }
}

//! PDFs to passages. They are parsed in the sandbox only.

use documents::{Attached, AttachedKind, Page, ReadError};
use sandbox::Sandbox;

use crate::score::Skipped;
use crate::text::Passage;

/// Reads a PDF: its pages with hidden parts, and the texts outside of its pages.
///
/// # Errors
/// The part as unread, with the reason.
pub(crate) async fn read(sandbox: &Sandbox, name: &str, bytes: &[u8]) -> Result<Vec<Passage>, Skipped> {
    let document = documents::read(sandbox, bytes).await.map_err(|error| unread(name, &error))?;
    let pages = document.pages.iter().zip(1..).map(|(page, number)| page_text(name, page, number));
    let attached = document.attached.into_iter().map(|attached| attached_text(name, attached));
    Ok(pages.chain(attached).filter(|passage| !passage.text.trim().is_empty()).collect())
}

fn unread(name: &str, error: &ReadError) -> Skipped {
    Skipped { what: name.to_owned(), reason: error.to_string() }
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

fn attached_text(name: &str, attached: Attached) -> Passage {
    let kind = match attached.kind {
        AttachedKind::Annotation => "an annotation",
        AttachedKind::Alternative => "an alternative text",
        AttachedKind::Outline => "the outline",
        AttachedKind::Metadata => "the metadata",
        AttachedKind::Attachment => "the description of an attachment",
        AttachedKind::Script => "a script",
    };
    Passage { is_aside: true, ..Passage::visible(format!("{kind} of {name}"), attached.text) }
}

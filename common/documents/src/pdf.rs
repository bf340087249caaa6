//! PDF to text: `open -> draw (glyphs on a canvas) -> judge (hidden or not) -> lines -> reading order -> attached text`.
//! Only for use inside the sandbox: the parser below is bounded by the limits of the process, not by itself.

mod actions;
mod attached;
mod canvas;
mod draw;
mod glyphs;
mod layers;
mod lines;
mod order;
mod strings;

use hayro_interpret::InterpreterCache;
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use self::layers::Layers;
use crate::document::{Document, Hiding, MOST_PAGES, MOST_TEXT_BYTES, Page, TextKind, Unread};
use crate::error::DocumentError;
use crate::recognize::{Format, recognize};

/// What may still be read of a document.
#[derive(Debug)]
pub(crate) struct Room {
    /// Bytes of text.
    left: usize,
    /// Cells of canvases.
    cells: usize,
}

impl Room {
    /// Takes `bytes`.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), DocumentError> {
        self.left = self.left.checked_sub(bytes).ok_or(DocumentError::TooMuchText)?;
        Ok(())
    }
}

/// Reads a PDF.
///
/// # Errors
///
/// Every [`DocumentError`] but `Unreadable` and `NoText`.
pub(crate) fn parse(content: &[u8]) -> Result<Document, DocumentError> {
    if recognize(content) != Some(Format::Pdf) {
        return Err(DocumentError::Format);
    }
    let pdf = Pdf::new(content.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(
            DecryptionError::PasswordProtected | DecryptionError::UnsupportedAlgorithm,
        ) => DocumentError::Encrypted,
        LoadPdfError::Decryption(_) | LoadPdfError::Invalid => DocumentError::Broken,
    })?;
    if pdf.pages().len() > MOST_PAGES {
        return Err(DocumentError::TooManyPages);
    }
    if pdf.pages().is_empty() {
        return Err(DocumentError::Broken);
    }
    let mut room = Room { left: MOST_TEXT_BYTES, cells: canvas::MOST_CELLS };
    let mut document = Document::default();
    draw_pages(&pdf, &mut document, &mut room)?;
    match layers::layers(&pdf, content) {
        Layers::Shown => {}
        Layers::Hidden(whole) => add_hidden_layers(&whole, &mut document, &mut room)?,
        Layers::Unreadable => document.mark_unread(Unread::Layer),
    }
    attached::collect(&pdf, &mut document, &mut room)?;
    Ok(document)
}

fn draw_pages(pdf: &Pdf, document: &mut Document, room: &mut Room) -> Result<(), DocumentError> {
    let cache = InterpreterCache::new();
    for page in pdf.pages().iter() {
        let drawn = draw::draw(page, &cache, room.cells);
        room.cells = drawn.cells;
        room.take(drawn.bytes)?;
        let (width, height) = page.render_dimensions();
        document.pages.push(Page { width, height, lines: lines::lines(drawn.glyphs) });
        if !drawn.alternatives.is_empty() {
            let page = u32::try_from(document.pages.len() - 1).ok();
            attached::add(document, room, TextKind::Alternative, page, drawn.alternatives.join("\n"))?;
        }
    }
    Ok(())
}

/// Lines that appear only when every layer is shown.
fn add_hidden_layers(pdf: &Pdf, document: &mut Document, room: &mut Room) -> Result<(), DocumentError> {
    let mut all = Document::default();
    draw_pages(pdf, &mut all, room)?;
    for (page, whole) in document.pages.iter_mut().zip(all.pages) {
        let known: std::collections::HashSet<String> =
            page.lines.iter().map(|line| line.text.clone()).collect();
        let hidden = whole.lines.into_iter().filter(|line| !known.contains(&line.text));
        page.lines.extend(hidden.map(|mut line| {
            line.hiding = Some(line.hiding.unwrap_or(Hiding::Layer));
            line
        }));
    }
    Ok(())
}

//! PDFs written for tests.

use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};

/// Size of every page.
pub(crate) const PAGE: Rect = Rect { x1: 0.0, y1: 0.0, x2: 600.0, y2: 800.0 };
pub(crate) const CATALOG: Ref = Ref::new(1);
pub(crate) const PAGES: Ref = Ref::new(2);
pub(crate) const FONT: Ref = Ref::new(3);
pub(crate) const FAINT: Ref = Ref::new(4);
/// The layer `Layer`, for documents that have it.
pub(crate) const LAYER: Ref = Ref::new(5);
/// The first number that is free.
pub(crate) const FREE: i32 = 10;

/// A document of pages with Helvetica as `F`, and a graphics state of 5 % opacity as `Faint`.
pub(crate) fn document(pages: &[Content], change: impl FnOnce(&mut Pdf)) -> Vec<u8> {
    let mut pdf = Pdf::new();
    let ids: Vec<(Ref, Ref)> = (0..pages.len() as i32)
        .map(|index| (Ref::new(1000 + 2 * index), Ref::new(1001 + 2 * index)))
        .collect();
    pdf.pages(PAGES).kids(ids.iter().map(|(page, _)| *page)).count(pages.len() as i32);
    pdf.type1_font(FONT).base_font(Name(b"Helvetica"));
    pdf.ext_graphics(FAINT).non_stroking_alpha(0.05);
    for ((page, content), drawn) in ids.iter().zip(pages) {
        let mut page = pdf.page(*page);
        page.parent(PAGES).media_box(PAGE).contents(*content);
        let mut resources = page.resources();
        resources.fonts().pair(Name(b"F"), FONT);
        resources.ext_g_states().pair(Name(b"Faint"), FAINT);
        resources.insert(Name(b"Properties")).dict().pair(Name(b"Layer"), LAYER);
        resources.finish();
        page.finish();
        pdf.stream(*content, drawn.as_bytes());
    }
    change(&mut pdf);
    pdf.finish()
}

/// A document with a catalog and nothing beside its pages.
pub(crate) fn plain(pages: &[Content]) -> Vec<u8> {
    document(pages, |pdf| {
        pdf.catalog(CATALOG).pages(PAGES);
    })
}

/// A text at a place, y pointing up as in PDF.
pub(crate) fn text(content: &mut Content, x: f32, y: f32, size: f32, text: &str) {
    content.begin_text().set_font(Name(b"F"), size).next_line(x, y).show(Str(text.as_bytes())).end_text();
}

/// A page with a visible sentence, and what `draw` adds.
pub(crate) fn page(draw: impl FnOnce(&mut Content)) -> Content {
    let mut content = Content::new();
    text(&mut content, 50.0, 700.0, 12.0, "A visible sentence.");
    draw(&mut content);
    content
}

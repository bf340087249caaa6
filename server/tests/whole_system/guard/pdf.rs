//! PDFs for each technique that hides text from a reader, and PDFs that cannot be read.

use pdf_writer::types::{AnnotationType, TextRenderingMode};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use crate::written::{CATALOG, FREE, PAGES, document, page as with_sentence, plain, text};

/// A page of visible text.
pub(crate) fn page(line: &str) -> Vec<u8> {
    plain(&[with_sentence(|content| text(content, 50.0, 500.0, 12.0, line))])
}

/// A document for each technique that hides a text: name and file.
pub(crate) fn hiding(line: &str) -> Vec<(&'static str, Vec<u8>)> {
    let drawn = |draw: &dyn Fn(&mut Content)| plain(&[with_sentence(draw)]);
    vec![
        ("render mode 3", drawn(&|content| render_mode(content, line))),
        (
            "white",
            drawn(&|content| {
                content.set_fill_gray(1.0);
                text(content, 50.0, 500.0, 12.0, line);
            }),
        ),
        ("tiny", drawn(&|content| text(content, 50.0, 500.0, 1.0, line))),
        ("off the page", drawn(&|content| text(content, 50.0, -50.0, 12.0, line))),
        (
            "covered",
            drawn(&|content| {
                text(content, 50.0, 500.0, 12.0, line);
                content.set_fill_gray(1.0).rect(40.0, 490.0, 520.0, 30.0).fill_nonzero();
            }),
        ),
        ("annotation", annotation(line)),
        ("metadata", beside(|pdf| pdf.document_info(Ref::new(FREE)).subject(TextStr(line)).finish())),
        ("attachment", attachment(line)),
    ]
}

fn render_mode(content: &mut Content, line: &str) {
    content.begin_text().set_font(Name(b"F"), 12.0).set_text_rendering_mode(TextRenderingMode::Invisible);
    content.next_line(50.0, 500.0).show(Str(line.as_bytes())).end_text();
}

/// A document with a visible sentence, and objects beside its page.
fn beside(change: impl FnOnce(&mut Pdf)) -> Vec<u8> {
    document(&[with_sentence(|_| ())], |pdf| {
        change(pdf);
        pdf.catalog(CATALOG).pages(PAGES);
    })
}

fn annotation(line: &str) -> Vec<u8> {
    let note = Ref::new(FREE);
    let mut file = beside(|pdf| {
        let mut annotation = pdf.annotation(note);
        annotation
            .subtype(AnnotationType::Text)
            .rect(Rect::new(0.0, 0.0, 10.0, 10.0))
            .contents(TextStr(line));
    });
    // Into the dictionary of the page, whose writer has ended.
    let parent = b"/Parent 2 0 R";
    let at = file.windows(parent.len()).position(|window| window == parent).unwrap();
    file.splice(at..at, format!("/Annots[{} 0 R]", note.get()).bytes());
    file
}

fn attachment(line: &str) -> Vec<u8> {
    let (file, stream) = (Ref::new(FREE), Ref::new(FREE + 1));
    document(&[with_sentence(|_| ())], |pdf| {
        pdf.embedded_file(stream, b"the content of an attachment is not read");
        let mut spec = pdf.file_spec(file);
        spec.path(Str(b"notes.txt")).unic_file(TextStr("notes.txt")).description(TextStr(line));
        spec.insert(Name(b"EF")).dict().pair(Name(b"F"), stream);
        spec.finish();
        let mut catalog = pdf.catalog(CATALOG);
        catalog.pages(PAGES);
        catalog.names().embedded_files().names().insert(Str(b"notes.txt"), file);
    })
}

/// Documents that cannot be read: name and file.
pub(crate) fn unreadable() -> Vec<(&'static str, Vec<u8>)> {
    let real = concat!(env!("CARGO_MANIFEST_DIR"), "/../common/documents/tests/real");
    let encrypted = |name: &str| std::fs::read(format!("{real}/qpdf-password-{name}.pdf")).unwrap();
    let whole = page("A sentence of a broken document.");
    vec![
        ("encrypted with AES-256", encrypted("aes256")),
        ("encrypted with RC4", encrypted("rc4")),
        ("truncated", whole[..60].to_vec()),
        ("only a header", b"%PDF-1.7\n%%EOF".to_vec()),
        ("no text", plain(&[Content::new()])),
    ]
}

//! Documents without readable text, each with its own error.

use documents::DocumentError;
use pdf_writer::{Content, TextStr};

use crate::written::{CATALOG, FREE, PAGES, document, page, plain, text};
use crate::{Test, read};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("other_formats_are_refused_by_content", formats),
        ("a_header_after_other_lines_is_accepted", late_header),
        ("broken_files_are_refused", broken),
        ("documents_without_text_are_refused", no_text),
        ("too_many_pages_are_refused", too_many_pages),
        ("too_much_text_is_refused", too_much_text),
    ]
}

fn formats() {
    for content in [&b""[..], b"plain text", b"PK\x03\x04", b"%!PS-Adobe-3.0", b"%PDF"] {
        assert_eq!(read(content), Err(DocumentError::Format));
    }
    let far = [vec![b' '; 2000], plain(&[page(|_| ())])].concat();
    assert_eq!(read(&far), Err(DocumentError::Format));
}

fn late_header() {
    let late = [b"some line before\r\n".to_vec(), plain(&[page(|_| ())])].concat();
    assert_eq!(read(&late).unwrap().visible_text(), "A visible sentence.\n");
}

fn broken() {
    for content in [&b"%PDF-1.7\n"[..], b"%PDF-1.7\n%%EOF", b"%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\n"]
    {
        assert_eq!(read(content), Err(DocumentError::Broken), "{}", String::from_utf8_lossy(content));
    }
    let whole = plain(&[page(|_| ())]);
    assert_eq!(read(&whole[..40]), Err(DocumentError::Broken));
}

fn no_text() {
    let mut shapes = Content::new();
    shapes.rect(10.0, 10.0, 100.0, 100.0).fill_nonzero();
    assert_eq!(read(&plain(&[shapes])), Err(DocumentError::NoText));
    let mut signs = Content::new();
    text(&mut signs, 50.0, 500.0, 12.0, "... --- ...");
    assert_eq!(read(&plain(&[signs])), Err(DocumentError::NoText));
    let titled = document(&[Content::new()], |pdf| {
        pdf.document_info(pdf_writer::Ref::new(FREE)).title(TextStr("Only a title"));
        pdf.catalog(CATALOG).pages(PAGES);
    });
    assert_eq!(read(&titled), Err(DocumentError::NoText));
}

fn too_many_pages() {
    let pages: Vec<Content> = (0..2_001).map(|_| page(|_| ())).collect();
    assert_eq!(read(&plain(&pages)), Err(DocumentError::TooManyPages));
    assert_eq!(read(&plain(&pages[..2_000])).unwrap().pages.len(), 2_000);
}

fn too_much_text() {
    let noted = |length: usize| {
        document(&[page(|_| ())], |pdf| {
            pdf.document_info(pdf_writer::Ref::new(FREE)).title(TextStr(&"t".repeat(length)));
            pdf.catalog(CATALOG).pages(PAGES);
        })
    };
    assert_eq!(read(&noted(4 << 20)), Err(DocumentError::TooMuchText));
    assert_eq!(read(&noted(4_000_000)).unwrap().runs[0].text.len(), 4_000_000);
    // On pages: within the limit of processor time or not, which depends on the machine and the build.
    let crowded = |_| {
        let mut content = Content::new();
        for row in 0..500 {
            text(&mut content, 0.0, row as f32, 3.0, &"text of many letters ".repeat(40));
        }
        content
    };
    let pages: Vec<Content> = (0..12).map(crowded).collect();
    let expected = [DocumentError::TooMuchText, DocumentError::Unreadable];
    assert!(read(&plain(&pages)).is_err_and(|error| expected.contains(&error)));
}

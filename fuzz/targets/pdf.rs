#![no_main]
//! PDFs: a document within the documented bounds or an error, and the same one each time.

use documents::{DocumentError, MOST_PAGES, MOST_TEXT_BYTES, parse_document};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| {
    let read = parse_document(content);
    let Ok(document) = &read else {
        // Only the sandbox says so.
        assert_ne!(read, Err(DocumentError::Unreadable));
        return;
    };
    assert!(document.pages.len() <= MOST_PAGES);
    let lines = || document.pages.iter().flat_map(|page| &page.lines);
    assert!(lines().map(|line| line.text.len()).sum::<usize>() <= MOST_TEXT_BYTES);
    for line in lines() {
        assert!(!line.text.is_empty());
        let (place, size) = line.area().unwrap();
        assert!([place.x, place.y, place.width, place.height, size].into_iter().all(f32::is_finite));
    }
    assert!(document.active.iter().all(|active| active.detail.len() <= documents::MOST_DETAIL_BYTES));
    // What the parent receives.
    let sent = serde_json::to_vec(&read).unwrap();
    assert_eq!(serde_json::from_slice::<Result<documents::Document, DocumentError>>(&sent).unwrap(), read);
    assert_eq!(parse_document(content), read);
});

//! Office documents and archives of other programs (`real/generate-formats`), read in the sandbox.

use documents::{ArchiveError, DocumentError, Format, Hiding, ListError, Listing, Skipped, Unpacked};

use crate::{Test, inspect, read, sandboxed};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("office_documents_are_read_in_the_sandbox", office),
        ("archives_are_listed_in_the_sandbox", archives),
        ("files_with_text_in_archives_are_unpacked_in_the_sandbox", contents),
        ("archives_beyond_the_bounds_are_refused_in_the_sandbox", bombs),
        ("other_formats_are_refused", others),
    ]
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/real/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn unpack(content: &[u8]) -> Result<Unpacked, ListError> {
    sandboxed(|sandbox| async move { documents::unpack(&sandbox, content).await })
}

fn list(content: &[u8]) -> Result<Listing, ListError> {
    Ok(unpack(content)?.listing)
}

fn office() {
    for (name, text) in [
        ("python-docx.docx", "Revenue grew by four percent in the third quarter."),
        ("openpyxl.xlsx", "Keyboard"),
        ("python-pptx.pptx", "Kick-off meeting"),
    ] {
        let document = read(&file(name)).unwrap();
        assert!(document.runs.iter().any(|run| run.text == text && run.is_visible()), "{name}: {document:?}");
        assert!(document.runs.iter().any(|run| run.hiding == Some(Hiding::BackgroundColour)), "{name}");
    }
}

fn archives() {
    let listing = list(&file("nested.zip")).unwrap();
    let link = listing.entries.iter().find(|entry| entry.path == "inner.zip!/package/link").unwrap();
    assert_eq!(link.skipped, Some(Skipped::Link));
    let script = list(&file("gnu-tar.tar.gz")).unwrap();
    let script = script.entries.iter().find(|entry| entry.path == "package/run.sh").unwrap();
    assert_eq!((script.formats.as_slice(), script.is_executable), (&[Format::Script][..], true));
}

fn contents() {
    for (name, path, start) in
        [("nested.zip", "inner.zip!/package/README.md", ""), ("gnu-tar.tar.gz", "package/run.sh", "#!")]
    {
        let unpacked = unpack(&file(name)).unwrap();
        let texts: Vec<(&str, &[u8])> = unpacked
            .contents
            .iter()
            .map(|(entry, content)| {
                (unpacked.listing.entries[*entry as usize].path.as_str(), content.as_slice())
            })
            .collect();
        let found = texts.iter().find(|(found, _)| *found == path);
        let (_, content) = found.unwrap_or_else(|| panic!("{name}: {texts:?}"));
        assert!(content.starts_with(start.as_bytes()) && !content.is_empty(), "{name}: {content:?}");
        assert_eq!(unpacked.left_out, 0, "{name}");
    }
}

fn bombs() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![0; 1 << 20];
    for _ in 0..64 {
        encoder.write_all(&zeros).unwrap();
    }
    let listing = list(&encoder.finish().unwrap()).unwrap();
    assert_eq!(listing.failure, Some(ArchiveError::Ratio));
    let large = vec![0; (64 << 20) + 1];
    assert!(matches!(list(&large), Err(ListError::Archive(ArchiveError::TooLarge))));
}

fn others() {
    assert_eq!(inspect(b"<html>"), Err(DocumentError::Format));
    assert_eq!(inspect(&file("info-zip.zip")), Err(DocumentError::Format));
    assert!(matches!(list(b"text"), Err(ListError::Archive(ArchiveError::Format))));
    assert!(matches!(list(&file("python-docx.docx")), Ok(listing) if listing.entries.len() == 20));
}

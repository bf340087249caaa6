//! Office Open XML (docx, xlsx, pptx) to text with position and visibility, and content that acts: macros, templates and objects from
//! elsewhere, dynamic data exchange, embedded files. Only for use inside the sandbox.

mod collect;
mod relations;
mod sheet;
mod slides;
mod word;
mod xml;

use std::collections::BTreeMap;

use self::collect::Collector;
use crate::archive::{Archive, ArchiveError, Bounds, Skipped};
use crate::document::{ActiveKind, Document, TextKind, Unread};
use crate::error::DocumentError;
use crate::recognize::Format;

/// Bytes of a part that is read. Larger ones are pictures and data.
const MOST_PART_BYTES: usize = 32 << 20;

/// Parts with text or relations, by path.
type Parts = BTreeMap<String, Vec<u8>>;

/// Reads a document.
///
/// # Errors
///
/// `Broken`, `Encrypted`, `TooMuchText`, `Format` of [`DocumentError`].
pub(crate) fn parse(content: &[u8], format: Format) -> Result<Document, DocumentError> {
    let mut collector = Collector::default();
    let parts = open(content, &mut collector)?;
    relations::read(&parts, &mut collector);
    metadata(&parts, &mut collector);
    match format {
        Format::Word => word::read(&parts, &mut collector),
        Format::Sheet => sheet::read(&parts, &mut collector),
        Format::Slides => slides::read(&parts, &mut collector),
        _ => return Err(DocumentError::Format),
    }
    collector.finish()
}

/// Opens the archive: XML parts are kept, others are noted for their effect.
fn open(content: &[u8], collector: &mut Collector) -> Result<Parts, DocumentError> {
    let of_archive = |error| match error {
        ArchiveError::Format => DocumentError::Format,
        ArchiveError::Damaged => DocumentError::Broken,
        _ => DocumentError::TooMuchText,
    };
    let mut archive = Archive::open(content, Bounds::default()).map_err(of_archive)?;
    if archive.is_ambiguous() {
        collector.document.mark_unread(Unread::Damaged);
    }
    let mut parts = Parts::new();
    for entry in archive.entries().map_err(of_archive)? {
        let entry = entry.map_err(of_archive)?;
        let path = entry.path;
        note(&path, collector);
        let is_read = path.ends_with(".xml") || path.ends_with(".rels");
        match entry.content {
            Ok(content) if is_read && content.len() <= MOST_PART_BYTES => {
                parts.insert(path, content);
            }
            Ok(_) if is_read => collector.document.mark_unread(Unread::Bytes),
            Ok(_) => {}
            Err(Skipped::Encrypted) => return Err(DocumentError::Encrypted),
            Err(_) if is_read => collector.document.mark_unread(Unread::Damaged),
            Err(_) => {}
        }
    }
    Ok(parts)
}

/// Notes a part that acts by itself.
fn note(path: &str, collector: &mut Collector) {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    if name == "vbaproject.bin" || lower.contains("/macrosheets/") || lower.contains("/dialogsheets/") {
        collector.active(ActiveKind::Macro, path);
    } else if lower.contains("/embeddings/") || lower.contains("/activex/") && name.ends_with(".bin") {
        collector.active(ActiveKind::EmbeddedObject, path);
    } else if lower.contains("/customui") && name.ends_with(".xml") {
        collector.active(ActiveKind::OpenAction, path);
    }
}

/// Title, author, comments and the like.
fn metadata(parts: &Parts, collector: &mut Collector) {
    for path in ["docProps/core.xml", "docProps/app.xml", "docProps/custom.xml"] {
        let Some(content) = parts.get(path) else { continue };
        collector.begin_part(path);
        let mut text = String::new();
        let is_whole = xml::walk(content, &mut |event| match event {
            xml::Event::Text(piece, _) => text.push_str(&piece),
            xml::Event::Open { .. } | xml::Event::Close(_) => text.push('\n'),
        });
        collector.damage_unless(is_whole);
        for line in text.lines() {
            // Dates and counters say nothing.
            if line.chars().any(char::is_alphabetic) {
                collector.alone(line.trim(), TextKind::Metadata, None, 0);
            }
        }
    }
}

/// Parts whose path has the form of a list (`slide3.xml`), in the order of their numbers.
fn numbered<'p>(parts: &'p Parts, prefix: &str) -> Vec<(&'p str, &'p [u8])> {
    let mut found: Vec<(u32, &str, &[u8])> = parts
        .iter()
        .filter_map(|(path, content)| {
            let number = path.strip_prefix(prefix)?.strip_suffix(".xml")?;
            let number = if number.is_empty() { 0 } else { number.parse().ok()? };
            Some((number, path.as_str(), content.as_slice()))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, path, content)| (path, content)).collect()
}

#[cfg(test)]
mod tests;

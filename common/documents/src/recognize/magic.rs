//! First bytes of formats.

use super::Format;

/// Offset, bytes, format. The first match counts.
const MAGIC: &[(usize, &[u8], Format)] = &[
    (0, b"\x7fELF", Format::Elf),
    (0, b"\xfe\xed\xfa\xce", Format::MachO),
    (0, b"\xfe\xed\xfa\xcf", Format::MachO),
    (0, b"\xce\xfa\xed\xfe", Format::MachO),
    (0, b"\xcf\xfa\xed\xfe", Format::MachO),
    (0, b"\0asm", Format::Bytecode),
    (0, b"dex\n", Format::Bytecode),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Format::CompoundFile),
    (0, b"{\\rt", Format::Rtf),
    (0, b"\x1f\x8b", Format::Gzip),
    (0, b"7z\xbc\xaf\x27\x1c", Format::OtherArchive),
    (0, b"Rar!\x1a\x07", Format::OtherArchive),
    (0, b"\xfd7zXZ\0", Format::OtherArchive),
    (0, b"\x28\xb5\x2f\xfd", Format::OtherArchive),
    (0, b"\x04\x22\x4d\x18", Format::OtherArchive),
    (0, b"BZh", Format::OtherArchive),
    (0, b"MSCF", Format::OtherArchive),
    (0, b"!<arch>\n", Format::OtherArchive),
    (0, b"070701", Format::OtherArchive),
    (0, b"\x60\xea", Format::OtherArchive),
    (2, b"-lh", Format::OtherArchive),
    (7, b"**ACE**", Format::OtherArchive),
    (257, b"ustar", Format::Tar),
    (0x8001, b"CD001", Format::DiskImage),
    (0, b"vhdxfile", Format::DiskImage),
    (0, b"conectix", Format::DiskImage),
    (0, b"\x4c\0\0\0\x01\x14\x02\0", Format::Shortcut),
    (0, b"\x89PNG\r\n\x1a\n", Format::Image),
    (0, b"\xff\xd8\xff", Format::Image),
    (0, b"GIF8", Format::Image),
    (0, b"BM", Format::Image),
    (0, b"II*\0", Format::Image),
    (0, b"MM\0*", Format::Image),
    (0, b"\0\0\x01\0", Format::Image),
    (8, b"WEBP", Format::Image),
    (8, b"AVI ", Format::Media),
    (8, b"WAVE", Format::Media),
    (4, b"ftyp", Format::Media),
    (0, b"OggS", Format::Media),
    (0, b"ID3", Format::Media),
    (0, b"fLaC", Format::Media),
    (0, b"\x1a\x45\xdf\xa3", Format::Media),
    (0, b"wOFF", Format::Font),
    (0, b"wOF2", Format::Font),
    (0, b"OTTO", Format::Font),
    (0, b"\0\x01\0\0\0", Format::Font),
];

/// Bytes in which the start of a text is judged.
const TEXT_WITHIN: usize = 4096;

pub(super) fn by_magic(content: &[u8]) -> Option<Format> {
    if content.starts_with(b"MZ") && is_executable(content) {
        return Some(Format::PortableExecutable);
    }
    if content.starts_with(b"\xca\xfe\xba\xbe") {
        // A class file has its version here, a file for several processors their number, which is small.
        let number = content
            .get(4..8)
            .map_or(0, |bytes| bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)));
        return Some(if number < 40 { Format::MachO } else { Format::Bytecode });
    }
    if content.starts_with(b"PK\x03\x04") || content.starts_with(b"PK\x05\x06") {
        return Some(of_zip(content));
    }
    // Bytecode of Python: the number of its version, carriage return, line feed, and flags that are small.
    if content.get(2..4) == Some(b"\r\n")
        && content.get(5..8) == Some(b"\0\0\0")
        && content.get(1).is_some_and(|high| *high == 0x0d || *high == 0x0e)
    {
        return Some(Format::Bytecode);
    }
    let matches =
        |(at, bytes, _): &&(usize, &[u8], Format)| content.get(*at..at + bytes.len()) == Some(bytes);
    // Two letters alone are also a word; the sizes of a bitmap are not.
    let is_word = |format: Format| {
        format == Format::Image && content.starts_with(b"BM") && content.get(6..10) != Some(&[0; 4])
    };
    MAGIC.iter().find(matches).map(|(_, _, format)| *format).filter(|format| !is_word(*format))
}

/// An executable of Windows or DOS, whose header has the place of the newer one; two letters alone are also a word.
fn is_executable(content: &[u8]) -> bool {
    let place = content.get(0x3c..0x40).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    let Some(place) = place else { return content.iter().take(64).any(|byte| *byte == 0) };
    let header = usize::try_from(u32::from_le_bytes(place)).unwrap_or(usize::MAX);
    let new = content.get(header..).unwrap_or_default();
    new.starts_with(b"PE\0\0") || new.starts_with(b"NE") || content.iter().take(64).any(|byte| *byte == 0)
}

/// Documents that are ZIP archives name themselves by their first entries; a reader of the whole archive decides again.
fn of_zip(content: &[u8]) -> Format {
    // The type of an OpenDocument is its first entry, uncompressed.
    let start = content.get(..200).unwrap_or(content);
    if memchr::memmem::find(start, b"mimetypeapplication/vnd.oasis.opendocument").is_some() {
        return Format::OpenDocument;
    }
    // Names of all entries stand uncompressed in the directory at the end, which large archives have within this size.
    let end = content.get(content.len().saturating_sub(1 << 20)..).unwrap_or(content);
    let has = |name: &[u8]| memchr::memmem::find(end, name).is_some();
    if has(b"[Content_Types].xml") {
        for (name, format) in [
            (&b"word/document"[..], Format::Word),
            (b"xl/workbook", Format::Sheet),
            (b"ppt/presentation", Format::Slides),
        ] {
            if has(name) {
                return format;
            }
        }
    }
    if has(b"META-INF/MANIFEST.MF") || has(b"AndroidManifest.xml") {
        Format::JavaArchive
    } else {
        Format::Zip
    }
}

/// Whether an archive ends here: its last record, with or without a comment.
pub(super) fn has_zip_end(content: &[u8]) -> bool {
    const RECORD: usize = 22;
    let end = content.get(content.len().saturating_sub(RECORD + 0xffff)..).unwrap_or(content);
    let mut places = memchr::memmem::rfind_iter(end, b"PK\x05\x06");
    places.any(|at| {
        let record = end.get(at..).unwrap_or_default();
        let comment =
            record.get(20..22).and_then(|bytes| <[u8; 2]>::try_from(bytes).ok()).map(u16::from_le_bytes);
        // At least one entry.
        comment == u16::try_from(record.len().wrapping_sub(RECORD)).ok()
            && record.get(10..12) != Some(&[0, 0])
    })
}

pub(super) const fn is_zip_family(format: Format) -> bool {
    matches!(
        format,
        Format::Zip
            | Format::Word
            | Format::Sheet
            | Format::Slides
            | Format::OpenDocument
            | Format::JavaArchive
    )
}

/// Text and its kinds, or other bytes.
pub(super) fn of_text(content: &[u8]) -> Format {
    let start = content.get(..TEXT_WITHIN).unwrap_or(content);
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let is_wide = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    if !is_wide && start.iter().any(|byte| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f)) {
        return Format::Binary;
    }
    if start.starts_with(b"#!") {
        return Format::Script;
    }
    let narrow: Vec<u8> = start.iter().copied().filter(|byte| !is_wide || *byte != 0).collect();
    let text = narrow.trim_ascii_start().to_ascii_lowercase();
    let has = |word: &[u8]| memchr::memmem::find(&text, word).is_some();
    if text.starts_with(b"<?xml") || text.starts_with(b"<svg") {
        return if has(b"<svg") {
            Format::Svg
        } else if has(b"<html") {
            Format::Html
        } else {
            Format::Xml
        };
    }
    if has(b"<html") || has(b"<script") || starts_as_page(&text) {
        return Format::Html;
    }
    if is_mail(&text) { Format::Mail } else { Format::Text }
}

/// Whether a text begins with a tag of a page, as browsers guess (MIME Sniffing standard) and with the tags of mails.
fn starts_as_page(text: &[u8]) -> bool {
    const TAGS: [&str; 27] = [
        "!doctype", "html", "head", "body", "script", "iframe", "h1", "h2", "div", "font", "table", "a",
        "style", "title", "b", "br", "p", "meta", "form", "img", "center", "span", "svg", "link", "base",
        "section", "main",
    ];
    let Some(rest) = text.strip_prefix(b"<") else { return false };
    let name: Vec<u8> = rest
        .iter()
        .copied()
        .take(10)
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'!')
        .collect();
    let ends =
        rest.get(name.len()).is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
    text.starts_with(b"<!--") || (ends && TAGS.iter().any(|tag| tag.as_bytes() == name))
}

/// Lines of a header, with one that every message has.
fn is_mail(text: &[u8]) -> bool {
    let mut has_sender = false;
    for line in text.split(|byte| *byte == b'\n').take(60) {
        if line.is_empty() || line == b"\r" {
            return has_sender;
        }
        let is_continued = matches!(line.first(), Some(b' ' | b'\t'));
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let is_name = name.len() < line.len() && name.iter().all(|byte| byte.is_ascii_graphic());
        if !is_continued && !is_name {
            return false;
        }
        has_sender |= [&b"from"[..], b"received", b"return-path", b"delivered-to"].contains(&name);
    }
    has_sender
}

//! The format of a document, by its content. Names and declared types are claims of the sender.

use serde::{Deserialize, Serialize};

mod claim;
mod magic;

pub use claim::{Claim, claim, group_of_name, has_deceptive_name, shown_name};

/// Format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Portable Document Format.
    Pdf,
    /// Office Open XML text (docx, docm, dotx).
    Word,
    /// Office Open XML workbook (xlsx, xlsm).
    Sheet,
    /// Office Open XML presentation (pptx, pptm).
    Slides,
    /// OpenDocument of any kind.
    OpenDocument,
    /// Compound file: Office documents before 2007, encrypted Office Open XML, messages and installers of Windows.
    CompoundFile,
    /// Rich Text Format.
    Rtf,
    /// HTML.
    Html,
    /// SVG, which may contain scripts.
    Svg,
    /// Other XML.
    Xml,
    /// A message (RFC 5322).
    Mail,
    /// Text without a further format.
    Text,
    /// ZIP archive that is none of the above.
    Zip,
    /// Java archive or Android application.
    JavaArchive,
    /// Compressed with gzip; the content is often a tar archive.
    Gzip,
    /// Tar archive, also that of a gem.
    Tar,
    /// Archive or compressed data of another kind (7z, rar, xz, bzip2, zstd, cab, ar, cpio, lzh, arj, ace).
    OtherArchive,
    /// Image of a disk (ISO 9660, VHD, VHDX, DMG), which systems open as a folder.
    DiskImage,
    /// Executable of Linux.
    Elf,
    /// Executable of Windows.
    PortableExecutable,
    /// Executable of macOS.
    MachO,
    /// Compiled code of a virtual machine: Java class, WebAssembly, Python bytecode, Dalvik.
    Bytecode,
    /// Script with an interpreter in its first line.
    Script,
    /// Shortcut of Windows, which starts a program.
    Shortcut,
    /// Raster image.
    Image,
    /// Sound or video.
    Media,
    /// Font.
    Font,
    /// Bytes that are none of the above.
    Binary,
}

/// Group of formats by their effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormatGroup {
    /// Runs when it is opened.
    Executable,
    /// Contains other files.
    Archive,
    /// Text with form.
    Document,
    /// A page with scripts that a browser runs.
    Page,
    /// Picture, sound, video, font.
    Media,
    /// Plain text, XML, mail.
    Text,
    /// Unknown.
    Binary,
}

impl Format {
    /// Group of the format.
    #[must_use]
    pub const fn group(self) -> FormatGroup {
        match self {
            Self::Elf
            | Self::PortableExecutable
            | Self::MachO
            | Self::Bytecode
            | Self::Script
            | Self::Shortcut
            | Self::JavaArchive => FormatGroup::Executable,
            Self::Zip | Self::Gzip | Self::Tar | Self::OtherArchive | Self::DiskImage => FormatGroup::Archive,
            Self::Pdf
            | Self::Word
            | Self::Sheet
            | Self::Slides
            | Self::OpenDocument
            | Self::CompoundFile
            | Self::Rtf => FormatGroup::Document,
            Self::Html | Self::Svg => FormatGroup::Page,
            Self::Image | Self::Media | Self::Font => FormatGroup::Media,
            Self::Xml | Self::Mail | Self::Text => FormatGroup::Text,
            Self::Binary => FormatGroup::Binary,
        }
    }
}

/// Bytes in which a PDF's header may begin: some servers and mail programs put lines before it, and viewers accept
/// that.
const HEADER_WITHIN: usize = 1024;

/// The format. `None` for an empty content.
///
/// A content that is a PDF to viewers is one even if it begins as something else; [`formats`] names all that apply.
#[must_use]
pub fn recognize(content: &[u8]) -> Option<Format> {
    if content.is_empty() {
        return None;
    }
    if is_pdf(content) {
        return Some(Format::Pdf);
    }
    Some(by_start(content))
}

/// Every format that a program may take the content for: more than one is a polyglot, which hides one of them.
#[must_use]
pub fn formats(content: &[u8]) -> Vec<Format> {
    let mut found: Vec<Format> = recognize(content).into_iter().collect();
    let start = by_start(content);
    let is_known = !matches!(start.group(), FormatGroup::Text | FormatGroup::Binary);
    if !content.is_empty() && !found.contains(&start) && is_known {
        found.push(start);
    }
    // A ZIP archive is read from its end, so any content may precede it.
    let is_zip = found.iter().any(|format| magic::is_zip_family(*format));
    if !is_zip && magic::has_zip_end(content) {
        found.push(Format::Zip);
    }
    found
}

fn is_pdf(content: &[u8]) -> bool {
    const HEADER: &[u8] = b"%PDF-";
    let start = content.get(..HEADER_WITHIN + HEADER.len()).unwrap_or(content);
    memchr::memmem::find(start, HEADER).is_some()
}

fn by_start(content: &[u8]) -> Format {
    magic::by_magic(content).unwrap_or_else(|| magic::of_text(content))
}

#[cfg(test)]
mod tests;

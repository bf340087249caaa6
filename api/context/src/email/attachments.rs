//! Attachments by name and first bytes. They are not executed, and only text and PDF are read.

use super::parse::Attachment;
use crate::check::{Check, Spec};
use crate::weights::email as weights;

const PROGRAMS: [&str; 24] = [
    "exe", "scr", "com", "pif", "bat", "cmd", "ps1", "vbs", "vbe", "js", "jse", "wsf", "wsh", "hta", "msi",
    "msix", "lnk", "cpl", "jar", "apk", "dmg", "appimage", "reg", "url",
];
const MACROS: [&str; 8] = ["docm", "dotm", "xlsm", "xltm", "xlam", "pptm", "ppam", "xlsb"];
const ARCHIVES: [&str; 16] = [
    "zip", "rar", "7z", "gz", "tgz", "tar", "bz2", "xz", "cab", "iso", "img", "vhd", "vhdx", "ace", "arj",
    "lzh",
];
const PAGES: [&str; 6] = ["html", "htm", "shtml", "xhtml", "mht", "svg"];

/// First bytes of programs.
pub(crate) const PROGRAM_HEADS: [&[u8]; 5] =
    [b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"L\0\0\0\x01\x14\x02\0"];
/// First bytes of archives that are no Office documents.
pub(crate) const ARCHIVE_HEADS: [&[u8]; 5] =
    [b"Rar!", b"7z\xbc\xaf\x27\x1c", b"\x1f\x8b", b"BZh", b"\xfd7zXZ"];
/// Names inside of documents with macros.
const MACRO_MARKS: [&[u8]; 3] = [b"vbaProject.bin", b"_VBA_PROJECT", b"_\0V\0B\0A\0_\0P\0R\0O\0J\0E\0C\0T\0"];

/// The checks of attachments, each once.
pub(super) fn checks(attachments: &[Attachment]) -> [Check; 4] {
    let of = |spec: &'static Spec, says: &str, is: fn(&Attachment) -> bool| {
        let found = attachments.iter().zip(1..).find(|(attachment, _)| is(attachment));
        match found {
            Some((_, number)) => spec.failed(format!("{says} is attachment {number}")),
            None => spec.passed(),
        }
    };
    [
        of(&weights::EXECUTABLE, "a program", is_program),
        of(&weights::MACRO, "a document with macros", has_macros),
        of(&weights::HTML, "a web page", is_page),
        of(&weights::ARCHIVE, "an archive", is_archive),
    ]
}

fn extension(attachment: &Attachment) -> &str {
    attachment.name.trim_end_matches(['.', ' ']).rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn is_program(attachment: &Attachment) -> bool {
    PROGRAMS.contains(&extension(attachment))
        || PROGRAM_HEADS.iter().any(|head| attachment.head.starts_with(head))
}

fn has_macros(attachment: &Attachment) -> bool {
    MACROS.contains(&extension(attachment))
        || MACRO_MARKS.iter().any(|mark| attachment.head.windows(mark.len()).any(|window| window == *mark))
}

fn is_page(attachment: &Attachment) -> bool {
    PAGES.contains(&extension(attachment))
        || matches!(attachment.content_type.as_str(), "text/html" | "image/svg+xml")
}

fn is_archive(attachment: &Attachment) -> bool {
    ARCHIVES.contains(&extension(attachment))
        || ARCHIVE_HEADS.iter().any(|head| attachment.head.starts_with(head))
}

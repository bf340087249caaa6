//! Formats that a name or a declared type claims, and whether the content agrees.

use serde::{Deserialize, Serialize};

use super::{Format, FormatGroup};

/// Relation of a content to the claim of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// The claim says nothing about the format, or is unknown.
    None,
    /// The content is as claimed, or of the same group.
    Met,
    /// The content is something else of no more effect than the claim.
    Other,
    /// The claim is harmless, and the content is executable, a page or an archive.
    Disguised,
}

/// Groups by the ending of a name.
const ENDINGS: &[(FormatGroup, &str)] = &[
    (
        FormatGroup::Executable,
        "exe dll scr com pif cpl sys msi msp elf so dylib app jar class wasm bat cmd ps1 psm1 vbs vbe js jse wsf wsh hta lnk sh bash \
         py pyc pl rb reg scf url inf apk deb rpm appimage gadget msc chm jnlp",
    ),
    (
        FormatGroup::Archive,
        "zip gz tgz tar 7z rar xz bz2 zst cab iso img vhd vhdx dmg ace arj lzh gem whl nupkg z",
    ),
    (
        FormatGroup::Document,
        "pdf doc docx docm dot dotx dotm xls xlsx xlsm xlsb xlam ppt pptx pptm ppsx rtf odt ods odp one pub msg",
    ),
    (FormatGroup::Page, "html htm xhtml shtml mht mhtml svg"),
    (
        FormatGroup::Media,
        "png jpg jpeg gif bmp webp tif tiff ico heic avif mp3 mp4 wav ogg avi mov mkv webm flac ttf otf woff woff2",
    ),
    (FormatGroup::Text, "txt md csv tsv json yaml yml xml log ini toml rst ics vcf eml"),
];

/// Group of a file by the last ending of its name. Characters that are not shown, and dots and spaces at the end, are ignored, as
/// some systems do.
#[must_use]
pub fn group_of_name(name: &str) -> Option<FormatGroup> {
    let plain = shown_name(name).to_ascii_lowercase();
    let (_, ending) = plain.rsplit_once('.')?;
    let has =
        |(_, endings): &&(FormatGroup, &str)| endings.split_ascii_whitespace().any(|known| known == ending);
    ENDINGS.iter().find(has).map(|(group, _)| *group)
}

/// A name without characters that are not shown, and without dots and spaces at its end.
#[must_use]
pub fn shown_name(name: &str) -> String {
    let shown: String = name.chars().filter(|sign| !sign.is_control() && !is_invisible(*sign)).collect();
    shown.trim_end_matches(['.', ' ']).to_owned()
}

/// Whether a name contains characters that change how it looks: bidirectional controls, invisible ones.
#[must_use]
pub fn has_deceptive_name(name: &str) -> bool {
    name.chars().any(|sign| sign.is_control() || is_invisible(sign))
}

/// Characters that change how a name looks without being seen (bidirectional controls, joiners, marks).
const fn is_invisible(sign: char) -> bool {
    matches!(sign, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn group_of_type(declared: &str) -> Option<FormatGroup> {
    let declared = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (kind, subtype) = declared.split_once('/')?;
    let has = |words: &[&str]| words.iter().any(|word| subtype.contains(word));
    Some(match kind {
        "text" if has(&["html"]) => FormatGroup::Page,
        "text" if has(&["javascript", "x-sh", "x-python"]) => FormatGroup::Executable,
        "text" | "message" => FormatGroup::Text,
        "image" if has(&["svg"]) => FormatGroup::Page,
        "image" | "audio" | "video" | "font" => FormatGroup::Media,
        "application"
            if has(&[
                "executable",
                "msdownload",
                "dosexec",
                "x-sh",
                "javascript",
                "java-archive",
                "mach",
                "x-elf",
            ]) =>
        {
            FormatGroup::Executable
        }
        "application"
            if has(&["pdf", "word", "excel", "powerpoint", "officedocument", "opendocument", "rtf"]) =>
        {
            FormatGroup::Document
        }
        "application" if has(&["zip", "gzip", "tar", "7z", "rar", "compressed", "cab"]) => {
            FormatGroup::Archive
        }
        "application" if has(&["xhtml"]) => FormatGroup::Page,
        "application" if has(&["json", "xml", "yaml"]) => FormatGroup::Text,
        _ => return None,
    })
}

/// Compares a content with its name and its declared type.
#[must_use]
pub fn claim(format: Format, name: Option<&str>, declared: Option<&str>) -> Claim {
    let claims = [name.and_then(group_of_name), declared.and_then(group_of_type)];
    let own = format.group();
    // A script is text to everything that does not execute it.
    let is_text =
        |group| group == FormatGroup::Text && matches!(format, Format::Html | Format::Script | Format::Mail);
    let agrees = |group: FormatGroup| {
        group == own
            || (own == FormatGroup::Text
                && matches!(group, FormatGroup::Executable | FormatGroup::Page | FormatGroup::Text))
            || (group == FormatGroup::Executable && format == Format::Zip)
    };
    let mut result = Claim::None;
    for group in claims.into_iter().flatten() {
        let one = if agrees(group) {
            Claim::Met
        } else if matches!(own, FormatGroup::Executable | FormatGroup::Page | FormatGroup::Archive)
            && !matches!(group, FormatGroup::Executable | FormatGroup::Archive)
            && !is_text(group)
        {
            Claim::Disguised
        } else {
            Claim::Other
        };
        result = result.max(one);
    }
    result
}

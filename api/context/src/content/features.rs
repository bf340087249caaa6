//! Names, types and formats of files to features.

use documents::{
    ActiveKind, Claim, Document, Format, FormatGroup, Listed, Listing, Skipped, group_of_name, shown_name,
};

use super::{Feature, Found};
use crate::artifact::Severity::{self, High, Low, Medium};

/// Endings of names of files that systems execute when they are opened.
const PROGRAMS: [&str; 24] = [
    "exe",
    "scr",
    "com",
    "pif",
    "cpl",
    "msi",
    "msix",
    "msp",
    "jar",
    "apk",
    "dmg",
    "appimage",
    "lnk",
    "reg",
    "url",
    "hta",
    "scf",
    "chm",
    "jnlp",
    "gadget",
    "settingcontent-ms",
    "appref-ms",
    "xll",
    "one",
];
/// Endings of scripts that systems execute when they are opened. Archives of source code have some too.
const SCRIPTS: [&str; 10] = ["bat", "cmd", "ps1", "vbs", "vbe", "js", "jse", "wsf", "wsh", "sct"];
const MACROS: [&str; 8] = ["docm", "dotm", "xlsm", "xltm", "xlam", "pptm", "ppam", "xlsb"];
const ARCHIVES: [&str; 16] = [
    "zip", "rar", "7z", "gz", "tgz", "tar", "bz2", "xz", "cab", "iso", "img", "vhd", "vhdx", "ace", "arj",
    "lzh",
];
const PAGES: [&str; 6] = ["html", "htm", "shtml", "xhtml", "mht", "svg"];
/// Files of an archive up to which a script in it is the purpose of the archive.
const FEW_FILES: usize = 3;
/// Names of streams of macros in compound files, in UTF-16.
const MACRO_MARKS: [&[u8]; 2] =
    [b"_\0V\0B\0A\0_\0P\0R\0O\0J\0E\0C\0T\0", b"\x4d\0\x61\0\x63\0\x72\0\x6f\0\x73\0"];

fn ending(name: &str) -> String {
    shown_name(name).rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase())
}

/// Whether a name is that of a program, whatever the bytes are.
pub(crate) fn is_program_name(name: &str) -> bool {
    let ending = ending(name);
    PROGRAMS.contains(&ending.as_str()) || SCRIPTS.contains(&ending.as_str())
}

/// Whether a name has the ending of a document, text, picture or archive before that of a program, as in `invoice.pdf.exe`: systems that do
/// not show the last ending show a harmless name.
fn has_second_ending(name: &str) -> bool {
    let shown = shown_name(name);
    let Some((front, _)) = shown.rsplit_once('.').filter(|_| is_program_name(name)) else { return false };
    let ending = ending(front);
    // `app.json.js` and `page.html.js` are names of source code.
    let is_harmless = matches!(
        group_of_name(front),
        Some(FormatGroup::Document | FormatGroup::Media | FormatGroup::Archive)
    );
    is_harmless || matches!(ending.as_str(), "txt" | "csv" | "eml")
}

/// Claims of a file that are known beside its bytes.
pub(super) struct Claims<'f> {
    pub(super) place: &'f str,
    pub(super) names: &'f [String],
    pub(super) claim: Claim,
    pub(super) has_deceptive_name: bool,
}

/// Features of a file by its claims and formats.
pub(super) fn of_file(claims: &Claims<'_>, formats: &[Format], bytes: &[u8], found: &mut Vec<Found>) {
    let place = claims.place;
    let endings: Vec<String> = claims.names.iter().map(|name| ending(name)).collect();
    let ends = |known: &[&str]| endings.iter().any(|ending| known.contains(&ending.as_str()));
    let is = |group: FormatGroup| formats.iter().any(|format| format.group() == group);
    let mut add = |feature, severity, says: String| found.push(Found { feature, severity, says });
    let is_program = formats.iter().any(|format| is_program(*format));
    if is_program || claims.names.iter().any(|name| is_program_name(name)) {
        add(Feature::Program, High, format!("{place} is a program"));
    }
    let has_macros = || MACRO_MARKS.iter().any(|mark| memchr::memmem::find(bytes, mark).is_some());
    if ends(&MACROS) || formats.contains(&Format::CompoundFile) && has_macros() {
        add(Feature::Active, Medium, format!("{place} is a document with macros"));
    }
    if is(FormatGroup::Page) || ends(&PAGES) {
        add(Feature::Page, Medium, format!("{place} is a web page"));
    }
    if is(FormatGroup::Archive) || ends(&ARCHIVES) {
        add(Feature::Archive, Low, format!("{place} is an archive"));
    }
    let has_second_ending = claims.names.iter().any(|name| has_second_ending(name));
    disguise(place, (claims.claim, claims.has_deceptive_name, has_second_ending, formats), found);
}

/// Formats of programs. A script with an interpreter in its first line is text to everything that does not execute it.
pub(super) fn is_program(format: Format) -> bool {
    matches!(
        format,
        Format::Elf | Format::PortableExecutable | Format::MachO | Format::Shortcut | Format::JavaArchive
    )
}

fn disguise(
    place: &str,
    (claim, is_deceptive, has_second_ending, formats): (Claim, bool, bool, &[Format]),
    found: &mut Vec<Found>,
) {
    let mut add = |severity, says: String| found.push(Found { feature: Feature::Disguise, severity, says });
    if is_deceptive {
        add(High, format!("the name of {place} has characters that change how it looks"));
    }
    if has_second_ending {
        add(High, format!("the name of {place} has the ending of a program behind a harmless one"));
    }
    if claim == Claim::Disguised {
        let severity = if formats.iter().any(|format| is_program(*format)) { High } else { Medium };
        add(severity, format!("{place} is of another kind than its name or type states"));
    }
    if claim == Claim::Other {
        add(Low, format!("{place} is of another format than its name or type states"));
    }
    if formats.len() > 1 {
        add(Medium, format!("{place} is of several formats at once"));
    }
}

/// Features of an archive by its files. Files are named by their number.
pub(super) fn of_archive(place: &str, listing: &Listing, found: &mut Vec<Found>) {
    let files = listing.entries.len();
    for (file, number) in listing.entries.iter().zip(1..) {
        of_entry(&format!("file {number} of {place}"), file, files, found);
    }
    let is_encrypted = listing.entries.iter().any(|file| file.skipped == Some(Skipped::Encrypted));
    let mut add = |severity, says: String| found.push(Found { feature: Feature::Archive, severity, says });
    if is_encrypted {
        add(Medium, format!("{place} is an archive with encrypted files"));
    }
    if listing.is_ambiguous {
        add(Medium, format!("{place} is an archive in which programs find different files"));
    }
}

fn of_entry(place: &str, file: &Listed, files: usize, found: &mut Vec<Found>) {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let (ending, has_second_ending) = (ending(name), has_second_ending(name));
    // Archives of source code have scripts; one with a second ending is none of these.
    let is_script = SCRIPTS.contains(&ending.as_str()) && (files <= FEW_FILES || has_second_ending);
    if file.formats.iter().any(|format| is_program(*format))
        || PROGRAMS.contains(&ending.as_str())
        || is_script
    {
        found.push(Found {
            feature: Feature::Program,
            severity: High,
            says: format!("{place} is a program"),
        });
    }
    if MACROS.contains(&ending.as_str()) {
        let says = format!("{place} is a document with macros");
        found.push(Found { feature: Feature::Active, severity: Medium, says });
    }
    if files <= FEW_FILES && PAGES.contains(&ending.as_str()) {
        found.push(Found {
            feature: Feature::Page,
            severity: Medium,
            says: format!("{place} is a web page"),
        });
    }
    disguise(place, (file.claim, file.has_deceptive_name, has_second_ending, &file.formats), found);
}

/// Features of a document by its active content: the most severe one of each kind.
pub(super) fn of_document(place: &str, document: &Document, found: &mut Vec<Found>) {
    let mut kinds: Vec<ActiveKind> = document.active.iter().map(|active| active.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let Some((severity, what)) = activity(kind) else { continue };
        found.push(Found { feature: Feature::Active, severity, says: format!("{place} {what}") });
    }
}

fn activity(kind: ActiveKind) -> Option<(Severity, &'static str)> {
    Some(match kind {
        ActiveKind::Launch => (High, "starts a program"),
        ActiveKind::Dde => (High, "starts a program by data exchange (DDE)"),
        ActiveKind::Macro => (Medium, "has macros"),
        ActiveKind::JavaScript => (Medium, "has a script"),
        ActiveKind::ExternalTemplate => (Medium, "loads a template from elsewhere"),
        ActiveKind::SubmitForm => (Medium, "sends a form to an address"),
        ActiveKind::OpenAction => (Low, "acts when it is opened"),
        ActiveKind::EmbeddedFile => (Low, "has an embedded file"),
        ActiveKind::EmbeddedObject => (Low, "has an embedded object"),
        ActiveKind::Link | ActiveKind::ExternalContent => return None,
    })
}

//! Files by format. PDFs, Office documents and archives are parsed in the sandbox; texts and pages are kept for a thread of analysis.

use documents::{Claim, Format, Listing, Mail, Unpacked};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sandbox::Sandbox;

use super::features::{self, Claims};
use super::{Opened, Unread};
use crate::score::Skipped;

/// Documents and archives of a content that are parsed, each in a process of its own.
const MOST_PARSED: usize = 24;
/// Words of a name from which on it can be a sentence.
const LEAST_WORDS: usize = 4;
/// Files within files that are opened: an archive in a mail in an archive.
const DEEPEST: usize = 3;

/// A file with the claims of its sender.
#[derive(Debug)]
pub(crate) struct File {
    /// Place, as part of a sentence: "attachment 2".
    pub(crate) place: String,
    pub(crate) names: Vec<String>,
    pub(crate) claim: Claim,
    pub(crate) has_deceptive_name: bool,
    /// Format that it was read as already, as a part of a mail.
    pub(crate) read_as: Option<Format>,
    /// Declared character set.
    pub(crate) charset: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

/// Bounds of the files of one content.
struct Room {
    parsed: usize,
    /// Bytes of text.
    text: usize,
}

/// Opens files. `text` is the number of bytes of texts and pages that are read at most; the rest is named as unread.
pub(crate) async fn open(sandbox: &Sandbox, files: Vec<File>, text: usize) -> Opened {
    let mut opened = Opened::default();
    let mut room = Room { parsed: MOST_PARSED, text };
    for file in files {
        add(&mut opened, sandbox, file, &mut room, 0).await;
    }
    opened
}

impl Opened {
    fn skip(&mut self, what: &str, reason: impl Into<String>) {
        self.skipped.push(Skipped { what: what.to_owned(), reason: reason.into() });
    }

    /// Keeps names of files that can be sentences, as names of attachments are read.
    fn keep_names(&mut self, place: &str, listing: &Listing, room: &mut Room) {
        let mut names = Vec::new();
        for file in &listing.entries {
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            let words = name.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
            if words.count() < LEAST_WORDS {
                continue;
            }
            if name.len() > room.text {
                self.skip(&format!("names of files of {place}"), "the files have more text than is read");
                break;
            }
            room.text -= name.len();
            names.push(name.to_owned());
        }
        if !names.is_empty() {
            self.names.push((format!("the names of the files of {place}"), names));
        }
    }

    fn keep(&mut self, text: Unread, room: &mut Room) {
        if text.bytes.len() > room.text {
            return self.skip(&text.place, "the files have more text than is read");
        }
        room.text -= text.bytes.len();
        self.texts.push(text);
    }
}

fn add<'o>(
    opened: &'o mut Opened,
    sandbox: &'o Sandbox,
    file: File,
    room: &'o mut Room,
    depth: usize,
) -> BoxFuture<'o, ()> {
    async move {
        let File { place, names, claim, has_deceptive_name, read_as, charset, bytes } = file;
        let formats = documents::formats(&bytes);
        let claims = Claims { place: &place, names: &names, claim, has_deceptive_name };
        features::of_file(&claims, &formats, &bytes, &mut opened.found);
        let mut bytes = bytes;
        let last = formats.len().saturating_sub(1);
        for (number, format) in formats.into_iter().enumerate() {
            match format {
                _ if depth > DEEPEST => opened.skip(&place, "it is in too many files within files"),
                Format::Pdf | Format::Word | Format::Sheet | Format::Slides => {
                    document(opened, sandbox, (&place, &bytes), room).await;
                }
                Format::Zip | Format::Gzip | Format::Tar | Format::JavaArchive | Format::OpenDocument => {
                    archive(opened, sandbox, (&place, &bytes), room, depth).await;
                }
                Format::Mail => {
                    attached(opened, sandbox, (&place, &bytes), room, depth).await;
                    let bytes = taken(&mut bytes, number == last);
                    opened
                        .keep(Unread { place: place.clone(), format, charset: charset.clone(), bytes }, room);
                }
                Format::Html | Format::Svg | Format::Xml | Format::Text | Format::Script => {
                    let is_page = |format| matches!(format, Format::Html | Format::Svg);
                    if read_as.is_none_or(|read| is_page(read) != is_page(format)) {
                        let bytes = taken(&mut bytes, number == last);
                        let (place, charset) = (place.clone(), charset.clone());
                        opened.keep(Unread { place, format, charset, bytes }, room);
                    }
                }
                Format::Image => opened.images += 1,
                Format::Media | Format::Font => {}
                other => opened.skip(&place, reason(other)),
            }
        }
    }
    .boxed()
}

/// Bytes for a format of a file. Most files have one, so that their bytes are in memory once.
fn taken(bytes: &mut Vec<u8>, is_last: bool) -> Vec<u8> {
    if is_last { std::mem::take(bytes) } else { bytes.clone() }
}

async fn document(opened: &mut Opened, sandbox: &Sandbox, (place, bytes): (&str, &[u8]), room: &mut Room) {
    if room.parsed == 0 {
        return opened.skip(place, "there are more documents than are read");
    }
    room.parsed -= 1;
    match documents::inspect(sandbox, bytes).await {
        Ok(document) => opened.documents.push((place.to_owned(), document)),
        Err(error) => opened.skip(place, error.to_string()),
    }
}

async fn archive(
    opened: &mut Opened,
    sandbox: &Sandbox,
    (place, bytes): (&str, &[u8]),
    room: &mut Room,
    depth: usize,
) {
    if room.parsed == 0 {
        return opened.skip(place, "there are more archives than are read");
    }
    room.parsed -= 1;
    let Unpacked { listing, contents, left_out } = match documents::unpack(sandbox, bytes).await {
        Ok(unpacked) => unpacked,
        Err(error) => return opened.skip(place, error.to_string()),
    };
    features::of_archive(place, &listing, &mut opened.found);
    opened.keep_names(place, &listing, room);
    let of = |index: usize| format!("file {} of {place}", index + 1);
    for (file, index) in listing.entries.iter().zip(0..) {
        if let Some(reason) = file.skipped {
            opened.skip(&of(index), format!("it {reason}"));
        }
    }
    if let Some(failure) = listing.failure {
        opened.skip(&format!("the rest of {place}"), format!("the archive {failure}"));
    }
    if left_out > 0 {
        opened.skip(&format!("{left_out} files of {place}"), "the archive has more text than is read");
    }
    for (index, bytes) in contents {
        // Its features are part of those of the archive.
        let file = File {
            place: of(index as usize),
            names: Vec::new(),
            claim: Claim::None,
            has_deceptive_name: false,
            read_as: None,
            charset: None,
            bytes,
        };
        let found = opened.found.len();
        add(opened, sandbox, file, room, depth + 1).await;
        let kept = opened.found.split_off(found);
        opened.found.extend(kept.into_iter().filter(|found| found.feature != super::Feature::Page));
    }
}

/// Opens the attachments of a mail that is a file itself.
async fn attached(
    opened: &mut Opened,
    sandbox: &Sandbox,
    (place, bytes): (&str, &[u8]),
    room: &mut Room,
    depth: usize,
) {
    let read = Mail::contents(bytes).and_then(|contents| Ok((contents, Mail::read(bytes)?)));
    let (contents, mail) = match read {
        Ok(read) => read,
        Err(error) => {
            return opened.skip(&format!("the attachments of {place}"), format!("the mail {error}"));
        }
    };
    for file in of_mail(&mail, contents, &format!(" of {place}")) {
        add(opened, sandbox, file, room, depth + 1).await;
    }
}

/// The attachments of a mail and of the mails within it.
pub(crate) fn of_mail(mail: &Mail, contents: Vec<Vec<u8>>, place: &str) -> Vec<File> {
    let files = mail.files().into_iter().zip(contents).zip(1..).filter(|((file, _), _)| !is_signature(file));
    let file = |((file, bytes), number): ((&documents::Attachment, Vec<u8>), usize)| File {
        place: format!("attachment {number}{place}"),
        names: file.name.iter().chain(&file.other_name).cloned().collect(),
        claim: file.claim,
        has_deceptive_name: file.has_deceptive_name,
        // Parts of these types are texts of the mail, and read as such.
        read_as: match file.declared.as_str() {
            "text/html" => Some(Format::Html),
            declared if declared.starts_with("text/") => Some(Format::Text),
            _ => None,
        },
        // The reader of mails has decoded their character set.
        charset: file.declared.starts_with("text/").then(|| "utf-8".to_owned()),
        bytes,
    };
    files.map(file).collect()
}

/// Signatures over the whole mail (RFC 1847) in DER have no text, and every signed mail has one. Those in letters are read as text, since
/// any text can state to be one.
fn is_signature(file: &documents::Attachment) -> bool {
    const MOST_BYTES: u64 = 64 * 1024;
    let is_declared = ["pgp-signature", "pkcs7-signature"].iter().any(|kind| file.declared.ends_with(kind));
    is_declared && file.size <= MOST_BYTES && file.format == Some(Format::Binary)
}

fn reason(format: Format) -> &'static str {
    match format {
        Format::CompoundFile => "documents of Office before 2007, and encrypted ones, are not read",
        Format::Rtf => "documents in RTF are not read",
        Format::OtherArchive => "archives of its format are not read",
        Format::DiskImage => "images of disks are not read",
        Format::Elf | Format::PortableExecutable | Format::MachO | Format::Bytecode | Format::Shortcut => {
            "programs are not read"
        }
        _ => "files of its format are not read",
    }
}

//! Content of any format to texts with their visibility, links, and features of files. Mails, files and pages share it.
//!
//! - `open.rs`: files by format. PDFs, Office documents and archives are parsed in the sandbox.
//! - `features.rs`: names, types and formats of files to features.
//! - `document.rs`: a document to passages; `page.rs`: a page in HTML to passages, links, forms and scripts.
//! - `script.rs`: scripts that unpack themselves.

mod document;
mod features;
mod open;
mod page;
mod script;

pub(crate) use document::of_runs;
pub(crate) use open::{File, of_mail, open};
pub(crate) use page::Page;

use documents::{Document, Format, Html, Mail};

use crate::artifact::Severity;
use crate::check::{Check, Spec, Threat};
use crate::links::{Link, find};
use crate::score::Skipped;
use crate::text::Passage;

/// Text that is analysed at once: its analysis takes 64 times its memory.
const PASSAGE: usize = 1024 * 1024;

/// A feature of a file that matters beside its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Feature {
    /// A program, or a file that starts one.
    Program,
    /// Macros, actions and scripts of a document.
    Active,
    /// A web page.
    Page,
    /// A page that asks for credentials.
    Form,
    /// A script that unpacks itself.
    Packed,
    /// An archive.
    Archive,
    /// A name or type of another kind than the bytes.
    Disguise,
}

/// A feature that was found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) feature: Feature,
    pub(crate) severity: Severity,
    /// Statement with the place, without a name that the sender chose.
    pub(crate) says: String,
}

/// A text or page that is still to be read, on a thread for analysis.
#[derive(Debug)]
struct Unread {
    place: String,
    format: Format,
    bytes: Vec<u8>,
}

/// Files that were opened: documents were parsed in the sandbox, texts and pages are read by [`Opened::read`].
#[derive(Debug, Default)]
pub struct Opened {
    documents: Vec<(String, Document)>,
    texts: Vec<Unread>,
    found: Vec<Found>,
    skipped: Vec<Skipped>,
    images: usize,
}

/// Everything that checks need of a content.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub(crate) passages: Vec<Passage>,
    pub(crate) links: Vec<Link>,
    pub(crate) found: Vec<Found>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) images: usize,
}

impl Opened {
    /// Reads texts and pages. Pure, and linear in their length.
    pub(crate) fn read(self) -> Content {
        let Self { documents, texts, found, skipped, images } = self;
        let mut content = Content { found, skipped, images, ..Content::default() };
        for (place, document) in documents {
            content.add_document(&place, document);
        }
        for Unread { place, format, bytes } in texts {
            match format {
                Format::Html | Format::Svg => content.add_page(&place, &Html::read(&bytes, None), None),
                Format::Mail => match Mail::read(&bytes) {
                    Ok(mail) => content.add_mail(&place, &mail),
                    Err(_) => content.add_text(&place, &String::from_utf8_lossy(&bytes)),
                },
                _ => content.add_text(&place, &String::from_utf8_lossy(&bytes)),
            }
        }
        content
    }
}

impl Content {
    /// Adds everything of another content.
    pub(crate) fn append(&mut self, other: Self) {
        let Self { passages, links, found, skipped, images } = other;
        self.passages.extend(passages);
        self.links.extend(links);
        self.found.extend(found);
        self.skipped.extend(skipped);
        self.images += images;
    }

    /// Adds a passage that is seen, with its links.
    fn add_passage(&mut self, passage: Passage) {
        if !passage.text.trim().is_empty() {
            self.links.extend(find(&passage));
            self.passages.push(passage);
        }
    }

    /// Adds a text, in parts of a bounded length.
    pub(crate) fn add_text(&mut self, place: &str, text: &str) {
        pieces(place, text).into_iter().for_each(|piece| self.add_passage(piece));
    }

    fn add_document(&mut self, place: &str, document: Document) {
        self.skipped.extend(document.unread.iter().map(|reason| unread(place, *reason)));
        features::of_document(place, &document, &mut self.found);
        let targets = document.active.iter().filter(|active| active.kind == documents::ActiveKind::Link);
        let link = |active: &documents::Active| Link {
            shown: None,
            target: active.detail.clone(),
            place: format!("in {place}"),
        };
        self.links.extend(targets.map(link));
        for passage in document::passages(place, document) {
            self.add_passage(passage);
        }
    }

    /// Adds the subject and body parts of a mail and of the mails within it. Their attachments are files of their own.
    pub(crate) fn add_mail(&mut self, place: &str, mail: &Mail) {
        let of = |part: &str| if place.is_empty() { part.to_owned() } else { format!("{part} of {place}") };
        if let Some(subject) = mail.headers.subject.as_deref().filter(|subject| !subject.trim().is_empty()) {
            self.passages.push(Passage::visible(of(SUBJECT), subject));
        }
        for part in &mail.parts {
            let name = of(&format!("part {}", part.number));
            match &part.body {
                documents::Body::Text(document) => {
                    let (passage, _) = of_runs(&name, &document.runs);
                    self.add_passage(passage);
                }
                documents::Body::Html(page) => self.add_page(&name, page, None),
            }
        }
        let names: Vec<&str> = mail
            .attachments
            .iter()
            .flat_map(|file| [file.name.as_deref(), file.other_name.as_deref()])
            .flatten()
            .collect();
        if !names.is_empty() {
            let passage = Passage::visible(of("the names of the attachments"), names.join("\n"));
            self.passages.push(Passage { is_aside: true, ..passage });
        }
        self.skipped.extend(mail.unread.iter().map(|reason| unread(&of("the mail"), *reason)));
        for (inner, number) in mail.messages.iter().zip(1..) {
            self.add_mail(&of(&format!("attached mail {number}")), inner);
        }
    }

    /// The check of features: failed with each that was found.
    pub(crate) fn check(&self, spec: &'static Spec, features: &[Feature]) -> Check {
        let found: Vec<&Found> =
            self.found.iter().filter(|found| features.contains(&found.feature)).collect();
        let Some(worst) = found.iter().max_by_key(|found| found.severity) else { return spec.passed() };
        let threat = |found: &&Found| {
            let (kind, _) = spec.threat?;
            Some(Threat { kind, severity: found.severity, detail: found.says.clone(), excerpt: None })
        };
        spec.failed_with(found.iter().filter_map(threat).collect(), worst.says.clone())
    }

    /// Whether nothing of it has a letter or digit.
    pub(crate) fn is_empty(&self) -> bool {
        self.passages.iter().all(|passage| !passage.text.chars().any(char::is_alphanumeric))
    }
}

/// Name of the subject of a mail as a passage.
pub(crate) const SUBJECT: &str = "the subject";

fn unread(place: &str, reason: documents::Unread) -> Skipped {
    let reason = match reason {
        documents::Unread::Layer => "a hidden layer cannot be read",
        documents::Unread::Bytes => "it has more text than is read",
        documents::Unread::Structure => "it has more parts, or deeper ones, than are read",
        documents::Unread::Styles => "it has more style rules than are applied",
        documents::Unread::Encrypted => "it is encrypted",
        documents::Unread::Damaged => "it is damaged",
    };
    Skipped { what: format!("a part of {place}"), reason: reason.to_owned() }
}

/// A text in parts of a bounded length, which end with lines where there are any.
fn pieces(place: &str, text: &str) -> Vec<Passage> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.floor_char_boundary(PASSAGE);
        let front = rest.get(..end).unwrap_or(rest);
        let line = front.rfind('\n').filter(|_| end < rest.len()).map_or(end, |line| line + 1);
        let (piece, after) = rest.split_at(line);
        let name = if line == text.len() {
            place.to_owned()
        } else {
            format!("section {} of {place}", pieces.len() + 1)
        };
        pieces.push(Passage::visible(name, piece));
        rest = after;
    }
    pieces
}

#[cfg(test)]
mod tests;

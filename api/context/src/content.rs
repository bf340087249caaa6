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
pub(crate) use features::is_program_name;
pub(crate) use open::{File, of_mail, open};
pub(crate) use page::Page;

use documents::{Document, Format, Html, Mail, decode_text};
use url::Url;

use crate::artifact::Severity;
use crate::check::{Check, Spec, Threat};
use crate::links::{Link, find};
use crate::score::Skipped;
use crate::text::Passage;

/// Bytes of text that are analysed at once: the analysis takes 64 times their memory.
pub(crate) const PASSAGE: usize = 1024 * 1024;
/// Bytes at the end of a part that the next part repeats, so that an order across the boundary is whole in one of them.
const OVERLAP: usize = 2 * 1024;

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
    /// Declared character set.
    charset: Option<String>,
    bytes: Vec<u8>,
}

/// Files that were opened: documents were parsed in the sandbox, texts and pages are read by [`Opened::read`].
#[derive(Debug, Default)]
pub struct Opened {
    documents: Vec<(String, Document)>,
    texts: Vec<Unread>,
    /// Names of files that can be sentences, by place.
    names: Vec<(String, Vec<String>)>,
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
        let Self { documents, texts, names, found, skipped, images } = self;
        let mut content = Content { found, skipped, images, ..Content::default() };
        for (place, document) in documents {
            content.add_document(&place, document);
        }
        for (place, names) in names {
            content.add_names(place, names.iter().map(String::as_str));
        }
        for Unread { place, format, charset, bytes } in texts {
            let charset = charset.as_deref();
            let mail = if format == Format::Mail { Mail::read(&bytes).ok() } else { None };
            match (format, mail) {
                (Format::Html | Format::Svg, _) => {
                    content.add_page(&place, &Html::read(&bytes, charset), None);
                }
                (_, Some(mail)) => content.add_mail(&place, &mail),
                _ => {
                    let text = decode_text(&bytes, charset).into_owned();
                    // Before the text is cut into passages, which takes a copy of it.
                    drop(bytes);
                    content.add_text(&place, text);
                }
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
            self.passages.extend(pieces(passage));
        }
    }

    /// Adds a text with its links.
    pub(crate) fn add_text(&mut self, place: &str, text: impl Into<String>) {
        self.add_passage(Passage::visible(place, text));
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
            self.add_text(&of(SUBJECT), subject);
        }
        let headers = &mail.headers;
        let mailboxes = [&headers.from, &headers.sender, &headers.reply_to, &headers.recipients];
        self.add_names(
            of("the names of the senders and recipients"),
            mailboxes.into_iter().flatten().filter_map(|mailbox| mailbox.name.as_deref()),
        );
        for part in &mail.parts {
            let name = of(&format!("part {}", part.number));
            match &part.body {
                documents::Body::Text(document) => {
                    let (passage, _) = of_runs(&name, &document.runs);
                    self.add_passage(passage);
                }
                documents::Body::Html(page) => {
                    self.add_page(&name, page, None);
                    self.links.extend(page::written_links(&name, page));
                }
            }
        }
        let names =
            mail.attachments.iter().flat_map(|file| [file.name.as_deref(), file.other_name.as_deref()]);
        self.add_names(of("the names of the attachments"), names.flatten());
        self.skipped.extend(mail.unread.iter().map(|reason| unread(&of("the mail"), *reason)));
        for (inner, number) in mail.messages.iter().zip(1..) {
            self.add_mail(&of(&format!("attached mail {number}")), inner);
        }
    }

    /// Adds names beside the content.
    fn add_names<'n>(&mut self, place: String, names: impl Iterator<Item = &'n str>) {
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            let passage = Passage { is_aside: true, ..Passage::visible(place, names.join("\n")) };
            self.passages.extend(pieces(passage));
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

    /// The first text that a reader sees.
    pub(crate) fn opening(&self) -> &str {
        let first = self.passages.iter().find(|passage| !passage.is_aside && passage.name != SUBJECT);
        first.map_or("", |passage| passage.text.as_str())
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

/// Last part of the path of a URL, decoded (RFC 3986 section 2.1), where it looks like the name of a file. The host of a URL within the
/// path is none: `https://archive.example/2020/https://example.com`.
pub(crate) fn file_name(url: &Url) -> Option<String> {
    let mut parts = url.path_segments()?.rev();
    let (name, before) = (parts.next()?, parts.next());
    // A name in a query component: there a plus sign stands for a space, and an ampersand ends it.
    let query = format!("={}", name.replace('+', "%2B").replace('&', "%26"));
    let (_, name) = url::form_urlencoded::parse(query.as_bytes()).next()?;
    (name.contains('.') && before != Some("")).then(|| name.into_owned())
}

/// A passage in parts of a bounded length, which overlap, and end with lines where there are any.
fn pieces(passage: Passage) -> Vec<Passage> {
    if passage.text.len() <= PASSAGE {
        return vec![passage];
    }
    let Passage { name, text, hidden, is_aside, is_test, threat } = passage;
    let (mut pieces, mut start) = (Vec::new(), 0);
    while start < text.len() {
        let most = text.floor_char_boundary(start + PASSAGE);
        let front = text.get(start..most).unwrap_or_default();
        let line = front.rfind('\n').filter(|line| most < text.len() && *line >= PASSAGE / 2);
        let end = line.map_or(most, |line| start + line + 1);
        let within = hidden.iter().filter(|part| part.start < end && part.end > start);
        pieces.push(Passage {
            name: format!("section {} of {name}", pieces.len() + 1),
            text: text.get(start..end).unwrap_or_default().to_owned(),
            hidden: within.map(|part| part.start.max(start) - start..part.end.min(end) - start).collect(),
            is_aside,
            is_test,
            threat,
        });
        start = if end == text.len() { end } else { text.floor_char_boundary(end - OVERLAP) };
    }
    pieces
}

#[cfg(test)]
mod tests;

//! Origin `file`: text or a PDF behind a URL. Neither its bytes nor its URL are kept.

mod fetch;

use common::hexadecimal;
use sandbox::Sandbox;
use sha2::{Digest, Sha256};

pub(crate) use fetch::{Download, fetch};

use crate::artifact::Origin;
use crate::check::Check;
use crate::email::attachments::{ARCHIVE_HEADS, PROGRAM_HEADS};
use crate::email::html;
use crate::engine::Engine;
use crate::links::{self, Link, find, registrable};
use crate::pdf;
use crate::record::Subject;
use crate::score::{Assessment, Skipped};
use crate::text::{self, Passage};
use crate::weights::file as weights;

/// Largest file.
pub(crate) const MOST_FILE_BYTES: usize = 25 * 1024 * 1024;
/// Text that is analysed at once: its analysis takes 64 times its memory.
const PASSAGE: usize = 1024 * 1024;
/// Label for people: nothing of the file.
const NAME: &str = "file";

/// Identifier and label of a file: SHA-256 of its bytes, or of its URL where it could not be downloaded.
pub(crate) fn subject(hashed: &[u8]) -> Subject {
    let identifier = hexadecimal::print(&Sha256::digest(hashed));
    Subject { origin: Origin::File, identifier, name: NAME.to_owned(), url: None }
}

/// Text of a file.
pub(crate) struct Content {
    pub(crate) passages: Vec<Passage>,
    pub(crate) links: Vec<Link>,
    pub(crate) skipped: Vec<Skipped>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pdf,
    Page,
    Text,
    Program,
    Archive,
    Other,
}

fn kind(download: &Download) -> Kind {
    let bytes = download.bytes.as_ref();
    if documents::recognize(bytes) == Some(documents::Format::Pdf) {
        return Kind::Pdf;
    }
    if PROGRAM_HEADS.iter().any(|head| bytes.starts_with(head)) {
        return Kind::Program;
    }
    if bytes.starts_with(b"PK\x03\x04") || ARCHIVE_HEADS.iter().any(|head| bytes.starts_with(head)) {
        return Kind::Archive;
    }
    if str::from_utf8(bytes).is_err() || bytes.contains(&0) {
        return Kind::Other;
    }
    let start: String =
        String::from_utf8_lossy(bytes.get(..bytes.len().min(512)).unwrap_or_default()).to_ascii_lowercase();
    let is_page = download.content_type.contains("html")
        || start.trim_start().starts_with("<!doctype html")
        || start.contains("<html");
    if is_page { Kind::Page } else { Kind::Text }
}

/// Reads the text of a file. A PDF is parsed in the sandbox.
pub(crate) async fn read(sandbox: &Sandbox, download: &Download) -> Content {
    let kind = kind(download);
    let mut content = Content { passages: Vec::new(), links: Vec::new(), skipped: Vec::new(), kind };
    match kind {
        Kind::Pdf => {
            let read = pdf::read(sandbox, "the file", &download.bytes).await;
            content.passages = read.passages;
            content.skipped.extend(read.skipped);
        }
        Kind::Page => {
            let body = html::read("the page", &String::from_utf8_lossy(&download.bytes));
            content.passages.push(body.passage);
            content.links = body.links;
        }
        Kind::Text => content.passages = pieces(&String::from_utf8_lossy(&download.bytes)),
        Kind::Program | Kind::Archive | Kind::Other => {
            let reason = "expected text in UTF-8 or a PDF, found another format".to_owned();
            content.skipped.push(Skipped { what: "the file".to_owned(), reason });
        }
    }
    if kind != Kind::Page {
        content.links = content.passages.iter().flat_map(find).collect();
    }
    content
}

/// A text in parts of a bounded length, which end with lines where there are any.
fn pieces(text: &str) -> Vec<Passage> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end =
            (0..=rest.len().min(PASSAGE)).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
        let front = rest.get(..end).unwrap_or(rest);
        let line = front.rfind('\n').filter(|_| end < rest.len()).map_or(end, |line| line + 1);
        let (piece, after) = rest.split_at(line);
        let name = if line == text.len() {
            "the file".to_owned()
        } else {
            format!("part {} of the file", pieces.len() + 1)
        };
        pieces.push(Passage::visible(name, piece));
        rest = after;
    }
    pieces
}

impl Engine {
    /// Checks a file. Time is linear in its length.
    pub(crate) fn file(&self, download: &Download, content: Content) -> Assessment {
        let Content { passages, links: found, mut skipped, kind } = content;
        let own = registrable(&download.host);
        let links = links::checks(self, &found, None);
        let mut checks = vec![
            if download.is_secure {
                weights::HOST.passed()
            } else {
                weights::HOST.failed("the host has no TLS")
            },
            match own.as_deref().and_then(|own| self.brands.lookalike(own)) {
                Some(found) => {
                    weights::LOOKALIKE.failed(format!("the domain resembles {}: {}", found.brand, found.how))
                }
                None => weights::LOOKALIKE.passed(),
            },
            if download.leaves_domain() {
                weights::REDIRECTS.failed("a redirect leads to another domain")
            } else {
                weights::REDIRECTS.passed()
            },
            type_check(download, kind),
            if kind == Kind::Program {
                weights::PROGRAM.failed("the file is a program")
            } else {
                weights::PROGRAM.passed()
            },
            active_check(&passages),
        ];
        let is_unreadable = passages.iter().all(|passage| passage.text.trim().is_empty());
        checks.extend(text::checks(self, &passages, &links.evidence));
        checks.extend(links.checks);
        skipped.extend(links.skipped);
        Assessment { checks, skipped, is_unreadable, is_pending: false }
    }
}

/// The result of a file that could not be downloaded: nothing is known of it.
pub(crate) fn unreachable(reason: &str) -> Assessment {
    let checks = vec![weights::HOST.not_possible(reason)];
    let skipped = vec![Skipped { what: "the file".to_owned(), reason: reason.to_owned() }];
    Assessment { checks, skipped, is_unreadable: true, is_pending: false }
}

fn type_check(download: &Download, kind: Kind) -> Check {
    let is = |part: &str| download.content_type.contains(part);
    let said = if is("pdf") {
        Some(Kind::Pdf)
    } else if is("html") {
        Some(Kind::Page)
    } else if is("text/") || is("json") || is("xml") {
        Some(Kind::Text)
    } else {
        None
    };
    let fits = match said {
        None => true,
        // Only conventions distinguish pages from other texts.
        Some(Kind::Page | Kind::Text) => matches!(kind, Kind::Page | Kind::Text),
        Some(said) => said == kind,
    };
    if fits {
        return weights::TYPE.passed();
    }
    weights::TYPE.failed("the content is of another type than its Content-Type")
}

fn active_check(passages: &[Passage]) -> Check {
    match passages.iter().find(|passage| passage.name.starts_with("a script of")) {
        Some(_) => weights::ACTIVE.failed("the document contains a script"),
        None => weights::ACTIVE.passed(),
    }
}

#[cfg(test)]
mod tests;

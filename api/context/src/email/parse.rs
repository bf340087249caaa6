//! A mail to its parts (RFC 5322, RFC 2045). Parts inside each other are read to a bounded depth.

use std::net::IpAddr;

use mail_parser::{
    Address, HeaderValue, Host, Message, MessageParser, MessagePart, MimeHeaders, PartType, Received,
};

use super::html;
use crate::links::{Link, find};
use crate::score::Skipped;
use crate::text::Passage;

/// Name of the subject as a passage.
pub(super) const SUBJECT: &str = "the subject";
/// Mails inside each other that are read.
const MOST_DEPTH: usize = 4;
/// Parts of a mail that are read, over all depths.
const MOST_PARTS: usize = 500;
/// Bytes of an attachment by which its type is recognised, and in which macros are searched.
const HEAD: usize = 64 * 1024;

/// A mailbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox {
    /// Display name; empty without one.
    pub name: String,
    /// Address.
    pub address: String,
}

impl Mailbox {
    /// Domain of the address.
    #[must_use]
    pub fn domain(&self) -> Option<&str> {
        self.address.rsplit_once('@').map(|(_, domain)| domain)
    }
}

/// An attachment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// File name in lower case; empty without one.
    pub name: String,
    /// Content type in lower case.
    pub content_type: String,
    /// Its beginning.
    pub head: Vec<u8>,
    /// The whole, of a PDF only, which is read in the sandbox.
    pub document: Option<Vec<u8>>,
}

impl Attachment {
    /// Whether it may contain text that was not read.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        let is_media = ["image/", "audio/", "video/", "font/", "text/"]
            .iter()
            .any(|kind| self.content_type.starts_with(kind));
        let is_signature = ["pgp-signature", "pkcs7-signature", "x-pkcs7-signature"]
            .iter()
            .any(|kind| self.content_type.ends_with(kind));
        !is_media && !is_signature && self.document.is_none()
    }
}

/// Delivery of the mail from one host to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hop {
    pub(super) by: Option<String>,
    pub(super) helo: Option<String>,
    pub(super) address: Option<IpAddr>,
}

/// A mail.
#[derive(Clone, Debug, Default)]
pub struct Mail {
    /// Mailboxes of From.
    pub from: Vec<Mailbox>,
    /// Number of From headers.
    pub(super) from_headers: usize,
    pub(super) reply_to: Vec<Mailbox>,
    pub(super) return_path: Option<String>,
    pub(super) hops: Vec<Hop>,
    /// Subject and bodies.
    pub passages: Vec<Passage>,
    /// Links of all bodies.
    pub links: Vec<Link>,
    /// Attachments.
    pub attachments: Vec<Attachment>,
    /// Images, attached or linked.
    pub images: usize,
    /// Parts that were not read.
    pub skipped: Vec<Skipped>,
    parts: usize,
}

impl Mail {
    /// Reads a mail; none where it has no header.
    #[must_use]
    pub fn parse(raw: &[u8]) -> Option<Self> {
        let message = MessageParser::default().parse(raw)?;
        let mut mail = Self {
            from: message.from().map(mailboxes).unwrap_or_default(),
            from_headers: message.header_values(mail_parser::HeaderName::From).count(),
            reply_to: message.reply_to().map(mailboxes).unwrap_or_default(),
            return_path: message.return_address().map(str::to_owned),
            hops: message.header_values(mail_parser::HeaderName::Received).filter_map(hop).collect(),
            ..Self::default()
        };
        if let Some(subject) = message.subject() {
            mail.passages.push(Passage::visible(SUBJECT, subject));
        }
        mail.read(&message, 0);
        Some(mail)
    }

    fn read(&mut self, message: &Message<'_>, depth: usize) {
        for part in &message.parts {
            self.parts += 1;
            if self.parts > MOST_PARTS {
                let reason = format!("the mail has more than {MOST_PARTS} parts");
                self.skipped.push(Skipped { what: "further parts".to_owned(), reason });
                return;
            }
            self.part(part, depth);
        }
    }

    fn part(&mut self, part: &MessagePart<'_>, depth: usize) {
        let number = self.parts;
        let attached = part.attachment_name().is_some();
        let name = |kind: &str| {
            if attached { format!("attached {kind} {number}") } else { format!("{kind} part {number}") }
        };
        match &part.body {
            PartType::Text(text) => {
                let passage = Passage::visible(name("text"), text.as_ref());
                self.links.extend(find(&passage));
                self.passages.push(passage);
                if attached {
                    self.attach(part, text.as_bytes());
                }
            }
            PartType::Html(html) => {
                let read = html::read(&name("HTML"), html);
                self.links.extend(read.links);
                self.images += read.images;
                self.passages.push(read.passage);
                if attached {
                    self.attach(part, html.as_bytes());
                }
            }
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => self.attach(part, bytes),
            PartType::Message(inner) if depth < MOST_DEPTH => {
                if let Some(subject) = inner.subject() {
                    self.passages
                        .push(Passage::visible(format!("the subject of attached mail {number}"), subject));
                }
                self.read(inner, depth + 1);
            }
            PartType::Message(_) => {
                let reason = format!("mails inside each other are read to a depth of {MOST_DEPTH}");
                self.skipped.push(Skipped { what: format!("attached mail {number}"), reason });
            }
            PartType::Multipart(_) => {}
        }
    }

    fn attach(&mut self, part: &MessagePart<'_>, bytes: &[u8]) {
        let content_type = part.content_type().map(|one| {
            let sub = one.subtype().unwrap_or_default();
            format!("{}/{sub}", one.ctype()).to_ascii_lowercase()
        });
        let content_type = content_type.unwrap_or_default();
        if content_type.starts_with("image/") && !content_type.contains("svg") {
            self.images += 1;
        }
        let is_pdf = documents::recognize(bytes) == Some(documents::Format::Pdf);
        self.attachments.push(Attachment {
            name: part.attachment_name().unwrap_or_default().to_lowercase(),
            content_type,
            head: bytes.get(..bytes.len().min(HEAD)).unwrap_or_default().to_vec(),
            document: is_pdf.then(|| bytes.to_vec()),
        });
    }
}

fn mailboxes(addresses: &Address<'_>) -> Vec<Mailbox> {
    let mailbox = |address: &mail_parser::Addr<'_>| Mailbox {
        name: address.name().unwrap_or_default().to_owned(),
        address: address.address().unwrap_or_default().to_lowercase(),
    };
    addresses.iter().map(mailbox).collect()
}

fn hop(value: &HeaderValue<'_>) -> Option<Hop> {
    let HeaderValue::Received(received) = value else { return None };
    let Received { from, from_ip, by, .. } = received.as_ref();
    let host = |host: &Option<Host<'_>>| match host {
        Some(Host::Name(name)) => Some(name.to_lowercase()),
        Some(Host::IpAddr(_)) | None => None,
    };
    let literal = match from {
        Some(Host::IpAddr(address)) => Some(*address),
        _ => None,
    };
    Some(Hop { by: host(by), helo: host(from), address: from_ip.or(literal) })
}

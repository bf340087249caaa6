//! Mail (RFC 5322, MIME) to headers, texts with position and visibility, and attachments.
//!
//! Pure code: it may run outside of the sandbox. Content of attachments is not opened here; [`Mail::contents`] gives their bytes to a
//! reader in the sandbox.

mod header;
mod part;

use mail_parser::{Message, MessageParser, PartType};
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use self::header::{Header, Headers, Hop, Mailbox};
use crate::document::{Document, Run, Unread};
use crate::html::Html;
use crate::recognize::{Claim, Format};

/// Bytes of a mail at most.
pub const MOST_MAIL_BYTES: usize = 1 << 20;
/// Body parts of a mail that are read, of all nested messages together.
const MOST_PARTS: usize = 200;
/// Messages within messages that are read.
const DEEPEST: usize = 4;
/// Declarations of nested messages in the source at most. The parser nests as deep as they do.
const MOST_NESTED: usize = 200;

/// Reason why a mail was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailError {
    /// More than [`MOST_MAIL_BYTES`].
    #[error("is larger than {MOST_MAIL_BYTES} bytes")]
    TooLarge,
    /// It has no header fields.
    #[error("is not a mail")]
    Format,
    /// It has more messages within messages than are read.
    #[error("has too many nested messages")]
    TooNested,
}

/// A mail.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mail {
    /// Header fields.
    pub headers: Headers,
    /// Body parts with text, in order.
    pub parts: Vec<Part>,
    /// Attached files.
    pub attachments: Vec<Attachment>,
    /// Attached messages.
    pub messages: Vec<Mail>,
    /// Parts that were not read.
    pub unread: Vec<Unread>,
}

/// A body part with text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Its number in the message, from 0 in the order of the source, as in [`Attachment::part`].
    pub number: u32,
    /// Declared type in lower case; `text/plain` if there is none.
    pub declared: String,
    /// Whether its transfer encoding or character set is broken.
    pub is_damaged: bool,
    /// Whether it is an attached file rather than the text of the mail.
    pub is_attached: bool,
    /// Content.
    pub body: Body,
}

/// Content of a body part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// Text, one run for each paragraph.
    Text(Document),
    /// A page.
    Html(Box<Html>),
}

impl Default for Body {
    fn default() -> Self {
        Self::Text(Document::default())
    }
}

impl Body {
    /// Its text.
    #[must_use]
    pub const fn document(&self) -> &Document {
        match self {
            Self::Text(document) => document,
            Self::Html(page) => &page.document,
        }
    }
}

/// An attached file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Number of its part.
    pub part: u32,
    /// Name of the content disposition, decoded, at most 255 bytes.
    pub name: Option<String>,
    /// Name of the content type if it is another one. Programs differ in which one they use.
    pub other_name: Option<String>,
    /// Whether a name contains characters that change how it looks: bidirectional controls, invisible ones.
    pub has_deceptive_name: bool,
    /// Declared type in lower case.
    pub declared: String,
    /// Format by its content; `None` if it is empty.
    pub format: Option<Format>,
    /// Relation of content, name and declared type.
    pub claim: Claim,
    /// Bytes.
    pub size: u64,
    /// Whether it is a part of the page, for example a picture.
    pub is_inline: bool,
    /// Whether its transfer encoding is broken, so that programs differ in its content.
    pub is_damaged: bool,
}

impl Mail {
    /// Reads a mail.
    ///
    /// # Errors
    ///
    /// Every [`MailError`].
    pub fn read(content: &[u8]) -> Result<Self, MailError> {
        let message = parsed(content)?;
        let mut room = MOST_PARTS;
        Ok(part::read(&message, &mut room, DEEPEST))
    }

    /// Every attached file: those of the message itself, then those of the messages within it.
    #[must_use]
    pub fn files(&self) -> Vec<&Attachment> {
        let mut files = Vec::new();
        let mut waiting = vec![self];
        while let Some(mail) = waiting.pop() {
            files.extend(&mail.attachments);
            waiting.extend(mail.messages.iter().rev());
        }
        files
    }

    /// Bytes of the attached files of a mail, in the order of [`Mail::files`].
    ///
    /// # Errors
    ///
    /// Every [`MailError`].
    pub fn contents(content: &[u8]) -> Result<Vec<Vec<u8>>, MailError> {
        let message = parsed(content)?;
        let mut room = MOST_PARTS;
        Ok(part::contents(&message, &mut room, DEEPEST))
    }

    /// Every text, also of attached messages.
    #[must_use]
    pub fn runs(&self) -> Vec<&Run> {
        let mut runs = Vec::new();
        let mut waiting = vec![self];
        while let Some(mail) = waiting.pop() {
            let documents = mail.parts.iter().map(|part| part.body.document());
            runs.extend(documents.flat_map(|document| document.runs().map(|(_, run)| run)));
            waiting.extend(mail.messages.iter().rev());
        }
        runs
    }

    fn mark_unread(&mut self, reason: Unread) {
        if !self.unread.contains(&reason) {
            self.unread.push(reason);
        }
    }
}

fn parsed(content: &[u8]) -> Result<Message<'_>, MailError> {
    if content.len() > MOST_MAIL_BYTES {
        return Err(MailError::TooLarge);
    }
    if nested(content) > MOST_NESTED {
        return Err(MailError::TooNested);
    }
    MessageParser::default()
        .parse(content)
        .filter(|message| !message.parts.is_empty())
        .ok_or(MailError::Format)
}

/// Upper bound of the depth of messages within messages: each level is declared by a field, as a message or as a digest.
fn nested(content: &[u8]) -> usize {
    const FIELD: &[u8] = b"content-type";
    let mut count = 0;
    let mut is_type = false;
    let mut is_counted = false;
    for line in content.split(|byte| matches!(byte, b'\n' | b'\r')) {
        // The value may go on in lines that begin with a space.
        if !matches!(line.first(), Some(b' ' | b'\t') | None) {
            is_type = line.get(..FIELD.len()).is_some_and(|name| name.eq_ignore_ascii_case(FIELD));
            is_counted = false;
        }
        if is_type && !is_counted {
            let line = line.to_ascii_lowercase();
            let has = |word: &[u8]| memchr::memmem::find(&line, word).is_some();
            is_counted = has(b"rfc822") || has(b"global") || has(b"digest");
            count += usize::from(is_counted);
        }
    }
    count
}

/// Decoded bytes of a part that is a file.
fn bytes<'b>(body: &'b PartType<'_>) -> Option<&'b [u8]> {
    match body {
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => Some(bytes),
        PartType::Text(text) | PartType::Html(text) => Some(text.as_bytes()),
        PartType::Message(_) | PartType::Multipart(_) => None,
    }
}

#[cfg(test)]
mod tests;

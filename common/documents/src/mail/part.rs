//! Body parts of a message: texts, attachments, messages within it, and text around the parts.

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use super::header::{self, cut};
use super::{Attachment, Body, Mail, Part, bytes};
use crate::document::{Document, Hiding, MOST_TEXT_BYTES, Position, Run, TextKind, Unread};
use crate::html::Html;
use crate::recognize::{Claim, claim, has_deceptive_name, recognize};

/// Bytes of a name that are kept, as file systems do.
const MOST_NAME_BYTES: usize = 255;

/// Reads a message. `room` is the number of parts that may follow, `depth` that of messages within messages.
pub(super) fn read(message: &Message<'_>, room: &mut usize, depth: usize) -> Mail {
    let mut mail = Mail { headers: header::read(message), ..Mail::default() };
    if mail.headers.is_subject_cut {
        mail.mark_unread(Unread::Bytes);
    }
    for (number, part) in (0..).zip(&message.parts) {
        if *room == 0 {
            mail.mark_unread(Unread::Structure);
            break;
        }
        *room -= 1;
        match &part.body {
            PartType::Message(inner) if depth > 0 => mail.messages.push(read(inner, room, depth - 1)),
            PartType::Message(_) => mail.mark_unread(Unread::Structure),
            PartType::Multipart(children) => {
                around(message, part, children, number, &mut mail);
            }
            body => {
                if is_attachment(part) {
                    mail.attachments.extend(attachment(part, body, number));
                }
                text(part, body, number, &mut mail);
            }
        }
        if part.is_encoding_problem {
            mail.mark_unread(Unread::Damaged);
        }
    }
    let unread: Vec<Unread> = mail
        .parts
        .iter()
        .map(|part| &part.body.document().unread)
        .chain(mail.messages.iter().map(|inner| &inner.unread))
        .flatten()
        .copied()
        .collect();
    unread.into_iter().for_each(|reason| mail.mark_unread(reason));
    mail
}

/// Bytes of files, of the same parts as [`read`] reads and in the order of [`Mail::files`].
pub(super) fn contents(message: &Message<'_>, room: &mut usize, depth: usize) -> Vec<Vec<u8>> {
    let (mut own, mut within) = (Vec::new(), Vec::new());
    for part in &message.parts {
        if *room == 0 {
            break;
        }
        *room -= 1;
        match &part.body {
            PartType::Message(inner) if depth > 0 => within.extend(contents(inner, room, depth - 1)),
            body if is_attachment(part) => own.extend(bytes(body).map(<[u8]>::to_vec)),
            _ => {}
        }
    }
    own.extend(within);
    own
}

/// Whether a part is a file of its own: declared as such, with a name, or not text.
pub(super) fn is_attachment(part: &MessagePart<'_>) -> bool {
    match part.body {
        PartType::Binary(_) | PartType::InlineBinary(_) => true,
        PartType::Text(_) | PartType::Html(_) => {
            let is_declared =
                part.content_disposition().is_some_and(|disposition| disposition.is_attachment());
            is_declared || part.attachment_name().is_some() || !is_body_type(&declared(part))
        }
        PartType::Message(_) | PartType::Multipart(_) => false,
    }
}

fn is_body_type(declared: &str) -> bool {
    matches!(declared, "text/plain" | "text/html" | "text/enriched" | "text/markdown")
}

fn declared(part: &MessagePart<'_>) -> String {
    let Some(kind) = part.content_type() else { return "text/plain".to_owned() };
    let subtype = kind.subtype().map(|subtype| format!("/{subtype}")).unwrap_or_default();
    cut(&format!("{}{subtype}", kind.ctype()).to_ascii_lowercase())
}

fn attachment(part: &MessagePart<'_>, body: &PartType<'_>, number: u32) -> Option<Attachment> {
    let bytes = bytes(body)?;
    let disposition = part.content_disposition();
    let of_disposition = disposition.and_then(|kind| kind.attribute("filename")).map(name);
    let of_type = part.content_type().and_then(|kind| kind.attribute("name")).map(name);
    let (name, other_name) = match (of_disposition, of_type) {
        (Some(one), Some(other)) if one == other => (Some(one), None),
        (Some(one), other) => (Some(one), other),
        (None, other) => (other, None),
    };
    let names = || name.iter().chain(&other_name);
    let declared = declared(part);
    let format = recognize(bytes);
    let one = |name: Option<&str>| format.map_or(Claim::None, |format| claim(format, name, Some(&declared)));
    let claim = names().map(|name| one(Some(name))).fold(one(None), Claim::max);
    Some(Attachment {
        part: number,
        has_deceptive_name: names().any(|name| has_deceptive_name(name)),
        format,
        claim,
        size: bytes.len() as u64,
        is_inline: disposition.is_some_and(|kind| kind.is_inline()) || part.content_id().is_some(),
        is_damaged: part.is_encoding_problem,
        name,
        other_name,
        declared,
    })
}

fn name(text: &str) -> String {
    text.get(..text.floor_char_boundary(MOST_NAME_BYTES)).unwrap_or_default().to_owned()
}

/// Adds the text of a part, if it is one.
fn text(part: &MessagePart<'_>, body: &PartType<'_>, number: u32, mail: &mut Mail) {
    let is_attached = part.content_disposition().is_some_and(|disposition| disposition.is_attachment());
    let declared = declared(part);
    let body = match body {
        PartType::Html(page) => Body::Html(Box::new(Html::of_text(page, 0))),
        PartType::Text(text) => Body::Text(paragraphs(text, None)),
        _ => return,
    };
    let mut part = Part { number, declared, is_damaged: part.is_encoding_problem, is_attached, body };
    part.rename();
    mail.parts.push(part);
}

impl Part {
    /// Names the part in its document.
    fn rename(&mut self) {
        let name = format!("part {} ({})", self.number, self.declared);
        let document = match &mut self.body {
            Body::Text(document) => document,
            Body::Html(page) => &mut page.document,
        };
        document.parts = vec![name];
    }
}

/// Text to runs: one for each paragraph.
fn paragraphs(text: &str, hiding: Option<Hiding>) -> Document {
    let mut document = Document::default();
    let end = text.floor_char_boundary(MOST_TEXT_BYTES);
    if end < text.len() {
        document.mark_unread(Unread::Bytes);
    }
    let (mut offset, mut line) = (0_u32, 1_u32);
    let (mut start, mut first) = (0_u32, 1_u32);
    let mut paragraph = String::new();
    let mut end_paragraph = |paragraph: &mut String, start: u32, first: u32| {
        let kept = paragraph.trim();
        if !kept.is_empty() {
            let position = Position::Source { part: 0, offset: start, line: first };
            document.runs.push(Run { text: kept.to_owned(), kind: TextKind::Content, position, hiding });
        }
        paragraph.clear();
    };
    for piece in text.get(..end).unwrap_or_default().split_inclusive('\n') {
        if piece.trim().is_empty() {
            end_paragraph(&mut paragraph, start, first);
        } else {
            if paragraph.is_empty() {
                (start, first) = (offset, line);
            }
            paragraph.push_str(piece);
        }
        offset += piece.len() as u32;
        line += 1;
    }
    end_paragraph(&mut paragraph, start, first);
    document
}

/// Text before the first part and after the last one, which mail programs do not show.
fn around(message: &Message<'_>, part: &MessagePart<'_>, children: &[u32], number: u32, mail: &mut Mail) {
    let child = |id: Option<&u32>| id.and_then(|id| message.parts.get(*id as usize));
    let (Some(first), Some(last)) = (child(children.first()), child(children.last())) else { return };
    let between =
        |from: u32, to: u32| message.raw_message.get(from as usize..to as usize).unwrap_or_default();
    let before = between(part.offset_body, first.offset_header);
    let after = between(last.offset_end, part.offset_end);
    for bytes in [before, after] {
        let text = String::from_utf8_lossy(bytes);
        // Lines of boundaries remain at both ends; a line of several words is a text.
        let is_boundary = |line: &&str| line.starts_with("--") && line.split_whitespace().count() == 1;
        let lines: Vec<&str> = text.lines().filter(|line| !is_boundary(line)).collect();
        let text = lines.join("\n");
        if text.trim().is_empty() || is_notice(&text) {
            continue;
        }
        let body = Body::Text(paragraphs(&text, Some(Hiding::NotRendered)));
        let declared = "text/plain".to_owned();
        let mut hidden = Part { number, declared, is_damaged: false, is_attached: false, body };
        hidden.rename();
        mail.parts.push(hidden);
    }
}

/// The usual line for programs that do not know MIME.
fn is_notice(text: &str) -> bool {
    let text = text.trim();
    text.len() < 120 && text.to_ascii_lowercase().contains("multi-part message in mime format")
}

//! Labelled mails and messages. Each author is a source of its own, which the report leaves out of the training.

use std::collections::BTreeMap;

use ::pretext::{Kind, Letter, Link, Sender};
use serde::Deserialize;

use crate::TrainError;
use crate::data::digest;

/// Files with the name of their author. The letters of an author were written without knowledge of the rules.
const FILES: [(&str, &str); 5] = [
    ("corpus", include_str!("../../letters/corpus.jsonl")),
    ("desk", include_str!("../../letters/desk.jsonl")),
    ("inbox", include_str!("../../letters/inbox.jsonl")),
    ("north", include_str!("../../letters/north.jsonl")),
    ("south", include_str!("../../letters/south.jsonl")),
];

/// Source of honest texts of the guard, which are no phishing whatever they say to an assistant.
pub const HONEST: &str = "texts";

/// Texts of the guard in which honest ones are labelled.
const TEXTS: [&str; 6] = [
    include_str!("../../texts/mails.jsonl"),
    include_str!("../../texts/ordinary.jsonl"),
    include_str!("../../texts/languages.jsonl"),
    include_str!("../../texts/tool_output.jsonl"),
    include_str!("../../texts/extraction.jsonl"),
    include_str!("../../texts/techniques.jsonl"),
];

/// A labelled mail or message.
#[derive(Clone, Debug, Deserialize)]
pub struct Record {
    /// Label and medium.
    pub kind: String,
    /// From, as written in the header.
    #[serde(default)]
    pub from: String,
    /// Reply-To.
    #[serde(default)]
    pub reply_to: String,
    /// Subject.
    #[serde(default)]
    pub subject: String,
    /// Text.
    #[serde(default)]
    pub text: String,
    /// Text and target of each link; without a text for a bare URL.
    #[serde(default)]
    pub links: Vec<(String, String)>,
    /// Names of attachments.
    #[serde(default)]
    pub attachments: Vec<String>,
    /// Author.
    #[serde(skip)]
    pub source: &'static str,
}

#[derive(Deserialize)]
struct Text {
    text: String,
    label: u8,
}

impl Record {
    /// Whether it is phishing.
    #[must_use]
    pub fn is_phishing(&self) -> bool {
        self.kind.ends_with("phishing")
    }

    /// Whether it is a message of a chat or a telephone.
    #[must_use]
    pub fn is_message(&self) -> bool {
        self.kind.starts_with("message")
    }

    /// The fields beside the text.
    #[must_use]
    pub fn letter(&self) -> Letter<'_> {
        let (name, address) = mailbox(&self.from);
        let is_mail = !self.is_message();
        Letter {
            kind: if is_mail { Kind::Mail } else { Kind::Message },
            sender: is_mail.then_some(Sender { name, address }),
            is_forged: false,
            reply_to: if self.reply_to.is_empty() { Vec::new() } else { vec![mailbox(&self.reply_to).1] },
            subject: &self.subject,
            opening: &self.text,
            links: self.links.iter().map(link).collect(),
            attachments: self.attachments.iter().map(String::as_str).collect(),
        }
    }

    /// The text with those of its links that it does not contain.
    #[must_use]
    pub fn body(&self) -> String {
        let mut body = self.text.clone();
        for (shown, _) in self.links.iter().filter(|(shown, _)| !self.text.contains(shown.as_str())) {
            body.push('\n');
            body.push_str(shown);
        }
        body
    }
}

fn link((shown, target): &(String, String)) -> Link<'_> {
    Link { shown: (!shown.is_empty()).then_some(shown.as_str()), target }
}

/// Name and address of a mailbox.
fn mailbox(header: &str) -> (&str, &str) {
    let (name, address) = header.rsplit_once('<').unwrap_or(("", header));
    (name.trim().trim_matches('"'), address.trim().trim_end_matches('>'))
}

/// SHA-256 of each file of letters and texts, by name.
#[must_use]
pub fn digests() -> BTreeMap<String, String> {
    let letters = FILES.iter().map(|(source, file)| (format!("letters/{source}.jsonl"), digest(file)));
    letters.chain([(format!("{HONEST}/*.jsonl"), digest(&TEXTS.concat()))]).collect()
}

/// All letters, in the order of their files.
///
/// # Errors
/// [`TrainError::Written`] where a line is no letter.
pub fn all() -> Result<Vec<Record>, TrainError> {
    let mut letters = Vec::new();
    for (source, file) in FILES {
        for line in file.lines() {
            let record: Record = serde_json::from_str(line).map_err(TrainError::Written)?;
            letters.push(Record { source, ..record });
        }
    }
    for line in TEXTS.iter().flat_map(|file| file.lines()) {
        let Text { text, label } = serde_json::from_str(line).map_err(TrainError::Written)?;
        if label == 0 {
            letters.push(honest(text));
        }
    }
    Ok(letters)
}

/// An honest text: a mail where it begins with the header of one.
fn honest(text: String) -> Record {
    let (from, subject, text, is_mail) = match text.split_once("\n\n") {
        Some((head, body)) if head.starts_with("From: ") => {
            let field = |name: &str| {
                let line = head.lines().find_map(|line| line.strip_prefix(name));
                line.unwrap_or_default().trim().to_owned()
            };
            (field("From:"), field("Subject:"), body.to_owned(), true)
        }
        _ => (String::new(), String::new(), text, false),
    };
    Record {
        kind: if is_mail { "ordinary" } else { "message_ordinary" }.to_owned(),
        from,
        subject,
        text,
        reply_to: String::new(),
        links: Vec::new(),
        attachments: Vec::new(),
        source: HONEST,
    }
}

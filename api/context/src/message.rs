//! Origin `message`: a text of a chat or another channel, with links. Scored on behavior and content; links are not followed.

use common::hexadecimal;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::artifact::Origin;
use crate::content::Content;
use crate::engine::Engine;
use crate::links::{self, Link};
use crate::record::Subject;
use crate::score::Assessment;
use crate::text;
use pretext::{Kind, Letter};

/// Name of a message without a channel.
const UNNAMED: &str = "message";

/// A message. The order of the fields is that of the canonical JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Channel, if it is known.
    pub channel: Option<String>,
    /// Links that belong to the message beside those in its text.
    pub links: Vec<String>,
    /// Text.
    pub text: String,
}

impl Message {
    /// Its identifier: SHA-256 of the canonical JSON `{"channel","links","text"}`, with null for no channel and an empty list for
    /// no links.
    ///
    /// # Errors
    /// Never with these fields; the error is that of the library.
    pub fn subject(&self) -> Result<Subject, serde_json::Error> {
        let canonical = serde_json::to_vec(self)?;
        Ok(Subject {
            origin: Origin::Message,
            identifier: hexadecimal::print(&Sha256::digest(canonical)),
            name: self.channel.clone().unwrap_or_else(|| UNNAMED.to_owned()),
            url: None,
        })
    }
}

impl Engine {
    /// Checks a message. Time is linear in its length.
    #[must_use]
    pub fn message(&self, message: &Message) -> Assessment {
        let mut content = Content::default();
        content.add_text("the text", message.text.as_str());
        let Content { passages, links: mut found, .. } = content;
        found.extend(message.links.iter().zip(1..).map(|(target, number): (&String, usize)| Link {
            shown: None,
            target: target.clone(),
            place: format!("in link {number}"),
        }));
        let links = links::checks(self, &found);
        let letter = Letter {
            opening: &message.text,
            links: links::of_letter(&found),
            ..Letter::anonymous(Kind::Message)
        };
        let mut checks = text::checks(self, &passages, &letter);
        checks.extend(links.checks);
        Assessment { checks, skipped: links.skipped, ..Assessment::default() }
    }
}

#[cfg(test)]
mod tests;

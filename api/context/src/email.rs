//! Origin `email`: a mail as it was received (RFC 5322), with its signatures, sender, texts, links and attachments.
//!
//! - `parse.rs`: bytes → texts with visibility, links, attachments, addresses.
//! - `html.rs`: a body in HTML → text, hidden parts, links with their text.
//! - `attachments.rs`: attachments by name and first bytes.
//! - `sender.rs`: From against Reply-To, Return-Path, display name and brands.
//! - `authenticate.rs`: DKIM, DMARC, ARC, SPF; `lookup.rs`: their questions to the name servers.

pub(crate) mod attachments;
mod authenticate;
pub(crate) mod html;
mod lookup;
mod parse;
mod sender;

use common::hexadecimal;
use sandbox::Sandbox;
use sha2::{Digest, Sha256};

pub use authenticate::{Authentication, authenticate};
pub use lookup::{Names, NoNames};
pub use parse::{Attachment, Mail};

use crate::artifact::Origin;
use crate::check::Check;
use crate::engine::Engine;
use crate::links::{self, registrable};
use crate::pdf::{self, DocumentText};
use crate::record::Subject;
use crate::score::{Assessment, Skipped};
use crate::text::{self, Evidence, Passage};
use crate::weights::email as weights;

/// Largest mail (specification, Limits: Email body).
pub const MOST_MAIL_BYTES: usize = 1024 * 1024;
/// Letters of text up to which a mail with images has no text to speak of.
const FEW_LETTERS: usize = 40;
/// Label for people: nothing of the mail.
const NAME: &str = "email";

/// Identifier and label of a mail: SHA-256 of its bytes.
#[must_use]
pub(crate) fn subject(raw: &[u8]) -> Subject {
    let identifier = hexadecimal::print(&Sha256::digest(raw));
    Subject { origin: Origin::Email, identifier, name: NAME.to_owned(), url: None }
}

impl Engine {
    /// The checks of identity.
    #[must_use]
    pub fn email_identity(&self, mail: &Mail, authentication: Authentication) -> Vec<Check> {
        let mut checks = authentication.checks;
        checks.extend(sender::checks(self, mail));
        checks
    }

    /// The result before texts, links and attachments are read.
    #[must_use]
    pub fn email_preliminary(&self, mail: &Mail, authentication: Authentication) -> Assessment {
        let checks = self.email_identity(mail, authentication);
        Assessment { checks, is_pending: true, ..Assessment::default() }
    }

    /// Checks a mail, with the texts of its attached documents. Time is linear in its length.
    #[must_use]
    pub fn email(
        &self,
        mail: &Mail,
        authentication: Authentication,
        attached: Vec<DocumentText>,
    ) -> Assessment {
        let mut passages = mail.passages.clone();
        let mut skipped = mail.skipped.clone();
        for document in attached {
            passages.extend(document.passages);
            skipped.extend(document.skipped);
        }
        let is_empty = passages.iter().all(|passage| !passage.text.chars().any(char::is_alphanumeric));
        let is_unreadable = is_empty && mail.images == 0 && mail.attachments.is_empty();
        let own = mail.from.first().and_then(|from| registrable(from.domain()?));
        let links = links::checks(self, &mail.links, own.as_deref());
        let mut evidence: Vec<Evidence> = links.evidence;
        evidence.extend(sender::evidence(self, mail));
        let mut checks = self.email_identity(mail, authentication);
        checks.extend(attachments::checks(&mail.attachments));
        checks.push(image_only(mail, &passages));
        checks.extend(text::checks(self, &passages, &evidence));
        checks.extend(links.checks);
        skipped.extend(links.skipped);
        Assessment { checks, skipped, is_unreadable, is_pending: false }
    }
}

/// Reads the documents among the attachments, and names those that are not read.
pub(crate) async fn attached(sandbox: &Sandbox, mail: &Mail) -> Vec<DocumentText> {
    let mut attached = Vec::new();
    for (attachment, number) in mail.attachments.iter().zip(1..) {
        let name = format!("attachment {number}");
        match &attachment.document {
            Some(document) => attached.push(pdf::read(sandbox, &name, document).await),
            None if attachment.is_opaque() => {
                let reason = "attachments of its type are not read".to_owned();
                let skipped = vec![Skipped { what: name, reason }];
                attached.push(DocumentText { passages: Vec::new(), skipped });
            }
            None => {}
        }
    }
    attached
}

fn image_only(mail: &Mail, passages: &[Passage]) -> Check {
    let bodies = passages.iter().filter(|passage| passage.name != parse::SUBJECT);
    let letters: usize =
        bodies.map(|passage| passage.text.chars().filter(|char| char.is_alphabetic()).count()).sum();
    if mail.images > 0 && letters < FEW_LETTERS {
        return weights::IMAGE_ONLY.failed(format!("{} images with {letters} letters of text", mail.images));
    }
    weights::IMAGE_ONLY.passed()
}

#[cfg(test)]
mod tests;

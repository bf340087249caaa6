//! Origin `email`: a mail as it was received (RFC 5322), with its signatures, sender, texts, links and attachments.
//!
//! - `sender.rs`: From against Reply-To, Return-Path, display name and brands.
//! - `authenticate.rs`: DKIM, DMARC, ARC, SPF; `lookup.rs`: their questions to the name servers.

mod authenticate;
mod lookup;
mod sender;

use common::hexadecimal;
use documents::{Mail, MailError};
use sandbox::Sandbox;
use sha2::{Digest, Sha256};

pub use authenticate::{Authentication, authenticate};
pub use lookup::{Names, NoNames};

use crate::artifact::Origin;
use crate::check::{Check, Outcome};
use crate::content::{Content, Feature, Opened, SUBJECT, of_mail, open};
use crate::engine::Engine;
use crate::links;
use crate::lists::Named;
use crate::record::Subject;
use crate::score::Assessment;
use crate::text;
use crate::weights::email as weights;

/// Letters of text up to which a mail with images has no text to speak of.
const FEW_LETTERS: usize = 40;
/// Bytes of texts and pages of attachments that are read: four times the largest mail.
const MOST_TEXT: usize = 4 * documents::MOST_MAIL_BYTES;
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
        let is_dmarc = |check: &&Check| check.spec == &weights::DMARC;
        let dmarc = checks.iter().find(is_dmarc);
        let is_authentic = dmarc.is_some_and(|check| matches!(check.outcome, Outcome::Passed { .. }));
        let own = mail.headers.from.first().and_then(|from| from.address.rsplit_once('@'));
        let specs = (&weights::ALLOWED, &weights::BLOCKED);
        checks.extend(self.lists.checks((Named::Domain, own.map(|(_, host)| host)), specs, is_authentic));
        checks.extend(sender::checks(self, mail));
        checks
    }

    /// The result before texts, links and attachments are read.
    #[must_use]
    pub fn email_preliminary(&self, mail: &Mail, authentication: Authentication) -> Assessment {
        let checks = self.email_identity(mail, authentication);
        Assessment { checks, is_pending: true, ..Assessment::default() }
    }

    /// Checks a mail with its attachments, which [`attached`] has opened. Time is linear in their length.
    #[must_use]
    pub fn email(&self, mail: &Mail, authentication: Authentication, attached: Opened) -> Assessment {
        let mut content = Content::default();
        content.add_mail("", mail);
        content.append(attached.read());
        let is_unreadable = content.is_empty() && content.images == 0 && mail.files().is_empty();
        let links = links::checks(self, &content.links);
        let is_forged = authentication.checks.iter().any(|check| {
            [&weights::DKIM, &weights::DMARC].contains(&check.spec)
                && matches!(check.outcome, Outcome::Failed { .. })
        });
        let letter = sender::letter(mail, &content, is_forged);
        let mut checks = self.email_identity(mail, authentication);
        checks.extend([
            content.check(&weights::EXECUTABLE, &[Feature::Program]),
            content.check(&weights::ACTIVE, &[Feature::Active]),
            content.check(&weights::HTML, &[Feature::Page]),
            content.check(&weights::FORM, &[Feature::Form]),
            content.check(&weights::SCRIPT, &[Feature::Packed]),
            content.check(&weights::ARCHIVE, &[Feature::Archive]),
            content.check(&weights::TYPE, &[Feature::Disguise]),
            image_only(&content),
        ]);
        let of_text = text::checks(self, &content.passages, &letter);
        if !text::is_notable(&of_text)
            && let Some(lowered) = sender::lookalike_of_plain_text(self, mail)
            && let Some(check) = checks.iter_mut().find(|check| check.spec == lowered.spec)
        {
            *check = lowered;
        }
        checks.extend(of_text);
        checks.extend(links.checks);
        let mut skipped = content.skipped;
        skipped.extend(links.skipped);
        Assessment { checks, skipped, is_unreadable, ..Assessment::default() }
    }
}

/// Opens the attachments of a mail and of the mails within it. Documents and archives are parsed in the sandbox.
///
/// # Errors
/// [`MailError`], which a mail that was read does not have.
pub async fn attached(sandbox: &Sandbox, raw: &[u8], mail: &Mail) -> Result<Opened, MailError> {
    if mail.files().is_empty() {
        return Ok(Opened::default());
    }
    let files = of_mail(mail, Mail::contents(raw)?, "");
    Ok(open(sandbox, files, MOST_TEXT).await)
}

fn image_only(content: &Content) -> Check {
    let letters = |passage: &text::Passage| {
        let hidden: usize = passage.hidden.iter().map(std::ops::Range::len).sum();
        passage.text.chars().filter(|char| char.is_alphabetic()).count().saturating_sub(hidden)
    };
    let bodies = content.passages.iter().filter(|passage| passage.name != SUBJECT && !passage.is_aside);
    let letters: usize = bodies.map(letters).sum();
    let images = content.images;
    if images > 0 && letters < FEW_LETTERS {
        return weights::IMAGE_ONLY.failed(format!("{images} images with {letters} letters of text"));
    }
    weights::IMAGE_ONLY.passed()
}

#[cfg(test)]
mod tests;

//! The sender as the mail states it: From against Reply-To, Return-Path, display name and brands.

use documents::{Mail, Mailbox};
use lookalikes::Resemblance;
use pretext::{Kind, Letter, Sender};

use crate::artifact::Severity;
use crate::check::{Check, Threat};
use crate::content::Content;
use crate::engine::Engine;
use crate::links::{self, registrable};
use crate::weights::email as weights;

/// Registrable domain of a mailbox.
pub(super) fn domain(mailbox: &Mailbox) -> Option<String> {
    let (_, host) = mailbox.address.rsplit_once('@')?;
    registrable(host)
}

fn own(mail: &Mail) -> Option<String> {
    mail.headers.from.first().and_then(domain)
}

/// Whether replies go to another registrable domain than that of From.
fn replies_elsewhere(mail: &Mail) -> bool {
    let own = own(mail);
    mail.headers.reply_to.iter().filter_map(domain).any(|domain| own.as_ref() != Some(&domain))
}

/// A brand that the display name names, while the domain is none of it.
fn foreign_brand<'e>(engine: &'e Engine, mail: &Mail) -> Option<&'e str> {
    let from = mail.headers.from.first()?;
    let brand = engine.brands.named(from.name.as_deref()?)?;
    let own = domain(from)?;
    (!engine.brands.owns(brand, &own)).then_some(brand)
}

/// An address in the display name whose domain is another.
fn foreign_address(mail: &Mail) -> bool {
    let Some(from) = mail.headers.from.first() else { return false };
    let name = from.name.as_deref().unwrap_or_default();
    let shown = name.split(|char: char| char.is_whitespace() || matches!(char, '<' | '>' | '(' | ')' | '"'));
    let own = domain(from);
    shown
        .filter_map(|word| word.rsplit_once('@'))
        .filter_map(|(_, shown)| registrable(shown))
        .any(|shown| own.as_ref() != Some(&shown))
}

/// The fields of a mail that its texts are judged with.
pub(super) fn letter<'m>(mail: &'m Mail, content: &'m Content, is_forged: bool) -> Letter<'m> {
    let sender =
        |from: &'m Mailbox| Sender { name: from.name.as_deref().unwrap_or_default(), address: &from.address };
    let names = mail.attachments.iter().flat_map(|file| [file.name.as_deref(), file.other_name.as_deref()]);
    Letter {
        kind: Kind::Mail,
        sender: mail.headers.from.first().map(sender),
        is_forged,
        reply_to: mail.headers.reply_to.iter().map(|mailbox| mailbox.address.as_str()).collect(),
        subject: mail.headers.subject.as_deref().unwrap_or_default(),
        opening: content.opening(),
        links: links::of_letter(&content.links),
        attachments: names.flatten().collect(),
    }
}

/// The checks of the sender, each once.
pub(super) fn checks(engine: &Engine, mail: &Mail) -> [Check; 5] {
    let mailboxes = mail.headers.from.len();
    let is_repeated = mail.headers.repeated.iter().any(|name| name == "from");
    let from = if is_repeated {
        weights::FROM.failed("there are several From headers")
    } else if mailboxes == 1 && own(mail).is_some() {
        weights::FROM.passed()
    } else {
        weights::FROM.failed(format!("From has {mailboxes} mailboxes, or none with a domain"))
    };
    let reply_to = if replies_elsewhere(mail) {
        weights::REPLY_TO.failed("replies go to another domain than that of From")
    } else {
        weights::REPLY_TO.passed()
    };
    let bounces = mail.headers.return_path.as_deref().and_then(|path| registrable(path.rsplit_once('@')?.1));
    let return_path = if bounces.is_some_and(|domain| own(mail) != Some(domain)) {
        weights::RETURN_PATH.failed("bounces go to another domain than that of From")
    } else {
        weights::RETURN_PATH.passed()
    };
    let lookalike = own(mail).and_then(|own| engine.brands.lookalike(&own));
    let lookalike = match lookalike {
        Some(found) => links::resembles(&weights::LOOKALIKE, "the domain of From", &found),
        None => weights::LOOKALIKE.passed(),
    };
    [from, reply_to, return_path, display_name(engine, mail), lookalike]
}

/// The check of the domain of From for a mail whose texts are no pretext: services of a brand have domains with its name, so that the name
/// alone is worth a review.
pub(super) fn lookalike_of_plain_text(engine: &Engine, mail: &Mail) -> Option<Check> {
    let found = own(mail).and_then(|own| engine.brands.lookalike(&own))?;
    if found.resemblance != Resemblance::Label {
        return None;
    }
    let check = links::resembles(&weights::LOOKALIKE, "the domain of From", &found);
    let medium = |threat: &Threat| Threat { severity: Severity::Medium, ..threat.clone() };
    let threats: Vec<Threat> = check.threats().iter().map(medium).collect();
    let says = threats.first().map(|threat| threat.detail.clone()).unwrap_or_default();
    Some(weights::LOOKALIKE.failed_with(threats, says))
}

fn display_name(engine: &Engine, mail: &Mail) -> Check {
    if foreign_address(mail) {
        let says = "the display name shows an address of another domain";
        // Mailing lists and services that send for their users name both: "anna@example.org via Notes".
        let name = mail.headers.from.first().and_then(|from| from.name.as_deref()).unwrap_or_default();
        let is_on_behalf = name.split(|char: char| !char.is_alphanumeric()).any(|word| word == "via");
        return if is_on_behalf { noted(Severity::Medium, says) } else { weights::DISPLAY_NAME.failed(says) };
    }
    // The name of a brand may be part of an honest name: alone it is worth a note.
    let Some(brand) = foreign_brand(engine, mail) else { return weights::DISPLAY_NAME.passed() };
    noted(Severity::Low, &format!("the display name names {brand}, whose domains are others"))
}

/// The failure of the check of the display name with a lower severity.
fn noted(severity: Severity, says: &str) -> Check {
    let threat = |(kind, _)| Threat { kind, severity, detail: says.to_owned(), excerpt: None };
    weights::DISPLAY_NAME.failed_with(weights::DISPLAY_NAME.threat.map(threat).into_iter().collect(), says)
}

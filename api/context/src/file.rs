//! Origin `file`: a file behind a URL: text, pages, mails, PDF, Office documents, archives of these. Neither its bytes nor its URL are
//! kept.

mod fetch;

use common::hexadecimal;
use documents::{Claim, Format, FormatGroup};
use sandbox::Sandbox;
use sha2::{Digest, Sha256};

pub(crate) use fetch::{Download, fetch};

use crate::artifact::{Origin, Severity};
use crate::check::Check;
use crate::content::{self, Feature, Opened, is_program_name, open};
use crate::engine::Engine;
use crate::links::{self, registrable};
use crate::record::Subject;
use crate::score::{Assessment, Skipped};
use crate::text;
use crate::weights::{self as all, file as weights};
use pretext::{Kind, Letter};

/// Largest file.
pub(crate) const MOST_FILE_BYTES: usize = 25 * 1024 * 1024;
/// Label for people: nothing of the file.
const NAME: &str = "file";

/// Identifier and label of a file: SHA-256 of its bytes, or of its URL where it could not be downloaded.
pub(crate) fn subject(hashed: &[u8]) -> Subject {
    let identifier = hexadecimal::print(&Sha256::digest(hashed));
    Subject { origin: Origin::File, identifier, name: NAME.to_owned(), url: None }
}

/// Opens a file, whose bytes are taken out of the download, so that they are in memory once. Documents and archives are parsed in the sandbox.
pub(crate) async fn read(sandbox: &Sandbox, download: &mut Download) -> Opened {
    let bytes = Vec::from(std::mem::take(&mut download.bytes));
    let format = documents::recognize(&bytes);
    let declared = Some(download.content_type.as_str());
    let name = format.and_then(|format| name(download, format));
    let claim = format.map_or(Claim::None, |format| documents::claim(format, name, declared));
    let file = content::File {
        place: "the file".to_owned(),
        names: name.into_iter().map(str::to_owned).collect(),
        claim,
        has_deceptive_name: name.is_some_and(documents::has_deceptive_name),
        read_as: None,
        charset: documents::charset_of(&download.content_type).map(str::to_owned),
        bytes,
    };
    open(sandbox, vec![file], MOST_FILE_BYTES).await
}

/// The name of a file. The end of a URL is not one of a program where the server sends a page, document, text or picture as such:
/// `example.com` and `next.js` are titles too.
fn name(download: &Download, format: Format) -> Option<&str> {
    let name = download.name.as_deref()?;
    let is_as_declared = documents::claim(format, None, Some(download.content_type.as_str())) == Claim::Met;
    let is_title = match format.group() {
        FormatGroup::Page | FormatGroup::Document | FormatGroup::Media => true,
        // A text in a language of scripts is a program by its name.
        FormatGroup::Text => documents::shown_name(name).to_ascii_lowercase().ends_with(".com"),
        FormatGroup::Executable | FormatGroup::Archive | FormatGroup::Binary => false,
    };
    (!(is_as_declared && is_title && is_program_name(name))).then_some(name)
}

impl Engine {
    /// Checks a file. Time is linear in its length.
    pub(crate) fn file(&self, download: &Download, opened: Opened) -> Assessment {
        self.file_of(self.of_host(download), opened)
    }

    /// Checks a file of this machine: checks of the host were not possible.
    pub(crate) fn local_file(&self, opened: Opened) -> Assessment {
        let host = [&weights::HOST, &weights::LOOKALIKE, &weights::REDIRECTS];
        self.file_of(host.map(|spec| spec.not_possible("the file has no host")).to_vec(), opened)
    }

    fn file_of(&self, mut checks: Vec<Check>, opened: Opened) -> Assessment {
        let mut content = opened.read();
        // An archive is no threat in itself: encrypted files and ambiguous directories are.
        content.found.retain(|found| found.feature != Feature::Archive || found.severity > Severity::Low);
        let links = links::checks(self, &content.links);
        let letter = Letter { links: links::of_letter(&content.links), ..Letter::anonymous(Kind::Document) };
        checks.extend([
            content.check(&weights::TYPE, &[Feature::Disguise]),
            content.check(&weights::PROGRAM, &[Feature::Program]),
            content.check(&weights::ACTIVE, &[Feature::Active]),
            content.check(&weights::FORM, &[Feature::Form]),
            content.check(&weights::SCRIPT, &[Feature::Packed]),
            content.check(&weights::ARCHIVE, &[Feature::Archive]),
        ]);
        let is_unreadable = content.is_empty();
        checks.extend(text::checks(self, &content.passages, &letter));
        checks.extend(links.checks);
        let mut skipped = content.skipped;
        skipped.extend(links.skipped);
        Assessment { checks, skipped, is_unreadable, ..Assessment::default() }
    }

    /// The checks of the host.
    fn of_host(&self, download: &Download) -> Vec<Check> {
        let host = if download.is_secure {
            weights::HOST.passed()
        } else {
            weights::HOST.failed("the host has no TLS")
        };
        let lookalike = match self.brands.lookalike(&download.host) {
            Some(found) => links::resembles(&weights::LOOKALIKE, "the domain", &found),
            None => weights::LOOKALIKE.passed(),
        };
        let own = registrable(&download.host);
        let redirects = if download.hops.iter().any(|host| registrable(host) != own) {
            weights::REDIRECTS.failed("a redirect leads to another domain")
        } else {
            weights::REDIRECTS.passed()
        };
        vec![host, lookalike, redirects]
    }
}

/// The result of a file that could not be downloaded: nothing is known of it.
pub(crate) fn unreachable(reason: &str) -> Assessment {
    let specs = weights::ALL.iter().chain(&all::text::ALL).chain(&all::links::ALL);
    let checks = specs.map(|spec| spec.not_possible(reason)).collect();
    let skipped = vec![Skipped { what: "the file".to_owned(), reason: reason.to_owned() }];
    Assessment { checks, skipped, is_unreadable: true, ..Assessment::default() }
}

#[cfg(test)]
mod tests;

//! Scans without a server, for the command line: the same engine, nothing is stored.

use common::hexadecimal;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use documents::{Mail, MailError};
use sandbox::Sandbox;
use serde_json::Value;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::artifact::{Origin, Tolerance};
use crate::config::Config;
use crate::email::{Names, attached, authenticate, subject};
use crate::engine::Engine;
use crate::file::{self, Download};
use crate::message::Message;
use crate::package::{Target, assess_folder, target_of_folder};
use crate::query::ContextQuery;
use crate::record::{Artifact, Subject};
use crate::score::Assessment;
use crate::view::ArtifactView;

/// Most bytes of an input: those of the largest file.
pub const MAX_OFFLINE_BYTES: usize = 25 * 1024 * 1024;

/// Content that can be scanned without a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfflineOrigin {
    /// A message: text in UTF-8.
    Message,
    /// A mail with its headers.
    Email,
    /// A file: text, a page, a mail, a PDF, an Office document or an archive of these.
    File,
}

/// Reason why an input is not scanned.
#[derive(Debug, Error)]
pub enum OfflineError {
    /// The input is empty.
    #[error("expected content, found an empty input")]
    Empty,
    /// The input is too large.
    #[error("expected at most {MAX_OFFLINE_BYTES} bytes, found more")]
    TooLarge,
    /// The input is not text.
    #[error("expected text in UTF-8, found other bytes at offset {0}")]
    Encoding(usize),
    /// The input is no mail.
    #[error("expected a mail with a header (RFC 5322); the input {0}")]
    Mail(#[from] MailError),
    /// The result cannot be written.
    #[error("the result cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

/// Scans an unpacked package: paths below its folder, and contents. The result is the body of the response of `POST /context/package` with
/// `details=true`, as one line of JSON; `label` is the name of a package without a manifest.
///
/// # Errors
/// [`OfflineError`].
pub fn scan_package_folder(
    engine: &Engine,
    (files, label): (Vec<(String, Vec<u8>)>, String),
    choices: (Tolerance, Timestamp),
) -> Result<String, OfflineError> {
    if files.is_empty() {
        return Err(OfflineError::Empty);
    }
    let target = target_of_folder(&files);
    let subject = target.as_ref().map_or_else(
        || Subject {
            origin: Origin::Package,
            identifier: hexadecimal::print(&Sha256::digest(label.as_bytes())),
            name: label,
            url: None,
        },
        Target::subject,
    );
    printed(subject, &assess_folder(engine, target.as_ref(), files), choices)
}

/// Dependencies of a scan beside the engine.
pub struct Reading<'a> {
    /// Name servers; [`crate::NoNames`] for none.
    pub names: &'a dyn Names,
    /// Reads documents.
    pub sandbox: &'a Sandbox,
    /// Settings.
    pub config: &'a Config,
}

/// Scans an input; `name` is that of its file, if it has one. The result is the body of the response of the POST of the origin with `details=true`, as one line of JSON.
///
/// # Errors
/// [`OfflineError`].
pub async fn scan_offline(
    engine: &Engine,
    reading: &Reading<'_>,
    (origin, name, input): (OfflineOrigin, Option<String>, Vec<u8>),
    choices: (Tolerance, Timestamp),
) -> Result<String, OfflineError> {
    if input.is_empty() {
        return Err(OfflineError::Empty);
    }
    if input.len() > MAX_OFFLINE_BYTES {
        return Err(OfflineError::TooLarge);
    }
    let (subject, assessment) = match origin {
        OfflineOrigin::Message => {
            let message = Message { channel: None, links: Vec::new(), text: utf8(input)? };
            (message.subject()?, engine.message(&message))
        }
        OfflineOrigin::Email => {
            let mail = Mail::read(&input)?;
            let authentication = authenticate(&input, &mail, reading.names, reading.config).await;
            let attached = attached(reading.sandbox, &input, &mail).await?;
            (subject(&input), engine.email(&mail, authentication, attached))
        }
        OfflineOrigin::File => {
            let mut download = Download::local(name, input);
            let subject = file::subject(&download.bytes);
            let opened = file::read(reading.sandbox, &mut download).await;
            (subject, engine.local_file(opened))
        }
    };
    printed(subject, &assessment, choices)
}

/// A result as a line of JSON.
pub(crate) fn printed(
    subject: Subject,
    assessment: &Assessment,
    (tolerance, now): (Tolerance, Timestamp),
) -> Result<String, OfflineError> {
    let artifact = Artifact::new(subject, OrganizationId::NONE, now, assessment);
    let query = ContextQuery { details: true, refresh: false, tolerance, mode: None };
    let view: Value = serde_json::to_value(ArtifactView::new(artifact, query, now))?;
    Ok(view.to_string())
}

fn utf8(input: Vec<u8>) -> Result<String, OfflineError> {
    String::from_utf8(input).map_err(|error| OfflineError::Encoding(error.utf8_error().valid_up_to()))
}

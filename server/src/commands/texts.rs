//! `palisade guard`, `palisade redact`, `palisade verify` and `palisade models`: the analyses of the API on a file, without a server.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use guard_api::{MAX_OFFLINE_BYTES, Offline, Redact};
use redact::Redactor;
use thiserror::Error;
use uuid::Uuid;

use super::{print, runtime};
use crate::Failure;
use crate::cli::{Common, GuardInput, RedactInput, Serve, VerifyInput};
use crate::settings::{self, Settings};

/// Most bytes read of an input: one more than allowed, by which a larger one is recognized.
const MAX_BYTES: u64 = MAX_OFFLINE_BYTES as u64 + 1;

#[derive(Debug, Error)]
pub(super) enum InputError {
    #[error("cannot read {path}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write {path}")]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{path}: expected text in UTF-8")]
    Encoding { path: PathBuf },
}

/// Judges a file or the standard input, and prints the body of the response of `POST /api/guard`.
pub(super) fn guard(input: &GuardInput, common: &Common) -> Result<(), Failure> {
    let offline = load(common)?;
    let system_prompt = match &input.system_prompt {
        Some(path) => text(path)?,
        None => String::new(),
    };
    let content = read(input.file.as_deref())?;
    let body = runtime()?.block_on(offline.guard(Uuid::now_v7(), content, &system_prompt))?;
    print(&body)
}

/// Redacts a file or the standard input, and prints the body of the response of `POST /api/redact`. A PDF that is written to a file
/// is not part of it.
pub(super) fn redact(input: RedactInput, common: &Common) -> Result<(), Failure> {
    let offline = load(common)?;
    let content = read(input.file.as_deref())?;
    let entities = Some(input.entity).filter(|phrases| !phrases.is_empty());
    let redact = Redact { entities, rewrite: input.rewrite, pdf: input.pdf.is_some() };
    let redacted = runtime()?.block_on(offline.redact(Uuid::now_v7(), content, redact))?;
    if let (Some(path), Some(pdf)) = (input.pdf, redacted.pdf) {
        std::fs::write(&path, pdf).map_err(|source| InputError::Write { path, source })?;
    }
    print(&redacted.body)
}

/// Checks a file or the standard input against sources, and prints the body of the response of `POST /api/verify`.
pub(super) fn verify(input: &VerifyInput, common: &Common) -> Result<(), Failure> {
    let offline = load(common)?;
    let mut sources = Vec::with_capacity(input.source.len());
    for path in &input.source {
        sources.push((path.display().to_string(), read(Some(path))?));
    }
    let content = read(input.file.as_deref())?;
    print(&offline.verify(Uuid::now_v7(), content, sources)?)
}

/// Prints names and versions of the built-in models.
pub(super) fn models(common: &Common) -> Result<(), Failure> {
    print(&load(common)?.models().join("\n"))
}

fn load(common: &Common) -> Result<Offline, Failure> {
    let settings: Settings = settings::load(common, &Serve::default())?;
    Ok(Offline::load(Arc::new(Redactor::new(&settings.redaction)?))?)
}

fn text(path: &Path) -> Result<String, InputError> {
    String::from_utf8(read(Some(path))?).map_err(|_| InputError::Encoding { path: path.to_owned() })
}

/// Reads a file, or the standard input without one and for `-`.
pub(super) fn read(path: Option<&Path>) -> Result<Vec<u8>, InputError> {
    let named = path.filter(|path| *path != Path::new("-"));
    let failed = |source| InputError::Read {
        path: named.unwrap_or_else(|| Path::new("standard input")).to_owned(),
        source,
    };
    let mut content = Vec::new();
    let read = match named {
        Some(path) => File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut content)),
        None => std::io::stdin().lock().take(MAX_BYTES).read_to_end(&mut content),
    };
    read.map_err(failed)?;
    Ok(content)
}

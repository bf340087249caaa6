//! Masking of secrets in a valid batch, in place (specification, Infrastructure log ingestion).
//! `redact` defines secrets; here is only the walk to every text that may hold one.
//!
//! The payload is scanned once, as one run of bytes; the walk then visits only candidates of the scan,
//! and skips whole records without one. Bytes between the texts may cause a false candidate, which
//! costs a closer look, but hide none: every text is in the payload as it would be alone.
//!
//! The redactor judges each text alone. Context in the structure of the records is read here: the key above a value,
//! a name in the pair beside it (`listed`), the arguments of a command in an array (`arguments`), a key that is
//! ambiguous by itself (`bare`), and a private key of which each line is a record (`key_lines`). In identifiers that
//! detection groups by, only secrets with a form of their own are masked: private keys, JSON Web Tokens and tokens
//! of vendors.
//!
//! Nothing changes its length, so no length prefix and no offset moves and the payload stays the
//! protobuf that `validate` accepted. Texts and bytes are masked byte by byte. A number under a
//! sensitive key becomes zero: a double by its bytes, an integer as a varint of the same width, which
//! is longer than it need be and which every parser reads. Booleans are left: there is nothing to
//! learn from `password_changed: true` that masking would protect.

mod arguments;
mod bare;
mod key_lines;
mod listed;
mod masked_values;
mod names;
mod span;
mod treatment;
mod walk;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redact::{Candidates, Match, Redactor};

pub use self::masked_values::{FINGERPRINT_KEY_PURPOSE, FINGERPRINT_PURPOSE, MaskedValues};

use self::arguments::Arguments;
use self::names::Names;
use self::walk::Walk;

/// Result of masking a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of places that were masked.
    pub masked: u32,
}

/// Masks every secret in `payload`, a batch that `validate` has accepted.
pub fn sanitize(redactor: &Redactor, payload: &mut [u8]) -> Report {
    Workspace::default().sanitize(redactor, payload, &mut MaskedValues::ignored())
}

/// Masks batches for one redactor, in memory that is reused: the treatment of names is remembered from
/// batch to batch.
pub struct Sanitizer {
    redactor: Arc<Redactor>,
    workspaces: Mutex<Vec<Workspace>>,
}

/// Workspaces that are kept: more than there are threads that sanitize at a time on most machines. Each
/// remembers a few kilobytes of names and a 256th of the largest batch it has seen.
const MOST_WORKSPACES: usize = 16;

impl Sanitizer {
    /// Masks the findings of `redactor`.
    #[must_use]
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self { redactor, workspaces: Mutex::new(Vec::with_capacity(MOST_WORKSPACES)) }
    }

    /// As [`sanitize`]; collects the fingerprints of the masked values.
    pub fn sanitize(&self, payload: &mut [u8], values: &mut MaskedValues) -> Report {
        let mut workspace = self.workspaces().pop().unwrap_or_default();
        let report = workspace.sanitize(&self.redactor, payload, values);
        workspace.forget_excess();
        let mut workspaces = self.workspaces();
        if workspaces.len() < MOST_WORKSPACES {
            workspaces.push(workspace);
        }
        report
    }

    /// Nothing that happens while it is locked can leave it inconsistent, so poison does not matter.
    fn workspaces(&self) -> MutexGuard<'_, Vec<Workspace>> {
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Sanitizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sanitizer(..)")
    }
}

/// Memory to work in, for one redactor.
#[derive(Default)]
struct Workspace {
    candidates: Candidates,
    names: Names,
    scratch: Scratch,
}

/// Memory reused from text to text.
#[derive(Default)]
struct Scratch {
    matches: Vec<Match>,
    arguments: Arguments,
    /// A value with its context.
    named: Vec<u8>,
}

/// Capacity for matches that is kept; few texts hold more. The other buffers are bounded where they are written.
const MOST_MATCHES_KEPT: usize = 1024;

impl Workspace {
    fn sanitize(&mut self, redactor: &Redactor, payload: &mut [u8], values: &mut MaskedValues) -> Report {
        let Self { candidates, names, scratch } = self;
        redactor.candidates(payload, candidates);
        Walk::new(redactor, candidates, names, scratch, values).run(payload)
    }

    /// Frees the memory that a text with many secrets required.
    fn forget_excess(&mut self) {
        self.scratch.matches.clear();
        self.scratch.matches.shrink_to(MOST_MATCHES_KEPT);
    }
}

#[cfg(test)]
mod tests;

//! The archive of a repository → a reading, in the sandbox.

use std::collections::BTreeSet;
use std::time::Duration;

use documents::{Archive, Bounds};
use sandbox::{Limits, OutOfSteps, SandboxTask, Steps};
use serde::{Deserialize, Serialize};

use super::select::{MOST_FILE_BYTES, Selection};
use super::{Kind, Reading, SnapshotFile, read};

/// Bytes of a packed archive.
pub(crate) const MOST_PACKED: usize = 64 << 20;

/// Unpacks an archive and reads its files.
pub(crate) const SNAPSHOT: SandboxTask = SandboxTask {
    name: "context.repository",
    limits: Limits {
        memory_bytes: 1 << 30,
        cpu_seconds: 30,
        steps: u64::MAX,
        wall: Duration::from_secs(60),
        assignment_bytes: 66 << 20,
        reply_bytes: 48 << 20,
    },
    run: task,
};

/// First line of an assignment.
#[derive(Serialize, Deserialize)]
struct Order {
    kind: Kind,
    selection: Selection,
}

fn task(assignment: &[u8], _: &mut Steps) -> Result<Vec<u8>, OutOfSteps> {
    Ok(read_repository(assignment))
}

/// An assignment: the files to be read, and the archive.
pub(crate) fn assignment(
    kind: Kind,
    selection: Selection,
    archive: &[u8],
) -> Result<Vec<u8>, serde_json::Error> {
    let mut assignment = serde_json::to_vec(&Order { kind, selection })?;
    assignment.push(b'\n');
    assignment.extend_from_slice(archive);
    Ok(assignment)
}

/// Reads an assignment: a line of JSON, and the archive behind it. The reply is a [`Reading`] or a reason in JSON.
#[must_use]
pub fn read_repository(assignment: &[u8]) -> Vec<u8> {
    serde_json::to_vec(&reading(assignment)).unwrap_or_default()
}

/// Reads a reply.
///
/// # Errors
/// The reason for which nothing was read.
pub(crate) fn reply(bytes: &[u8]) -> Result<Reading, String> {
    serde_json::from_slice(bytes).unwrap_or_else(|_| Err("the archive could not be read".to_owned()))
}

fn reading(assignment: &[u8]) -> Result<Reading, String> {
    let end = assignment.iter().position(|byte| *byte == b'\n').unwrap_or(assignment.len());
    let (order, archive) = assignment.split_at(end);
    let Order { kind, mut selection } = serde_json::from_slice(order).map_err(|error| error.to_string())?;
    let wanted: BTreeSet<&str> = selection.wanted.iter().map(String::as_str).collect();
    let bounds = Bounds { packed: MOST_PACKED as u64, ..Bounds::default() };
    let failed = |error: documents::ArchiveError| format!("the archive {error}");
    let mut archive = Archive::open(archive.get(1..).unwrap_or_default(), bounds).map_err(failed)?;
    let (mut files, mut failure) = (Vec::new(), None);
    for entry in archive.entries().map_err(failed)? {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                failure = Some(failed(error));
                break;
            }
        };
        // Entries lie below one directory.
        let path = entry.path.split_once('/').map(|(_, path)| path).unwrap_or_default();
        let Ok(content) = entry.content else { continue };
        if wanted.contains(path) && content.len() as u64 <= MOST_FILE_BYTES {
            files.push(SnapshotFile { path: path.to_owned(), content });
        }
    }
    if let Some(reason) = failure {
        selection.skipped.push(crate::score::Skipped { what: "the rest of the archive".to_owned(), reason });
    }
    Ok(read(&files, selection, kind))
}

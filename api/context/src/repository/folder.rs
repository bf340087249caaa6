//! A skill or an MCP server in a folder, without a server and without a network: the same selection, reading and checks.

use common::hexadecimal;
use common::timestamp::Timestamp;
use sha2::{Digest, Sha256};

use super::{Candidate, Kind, SnapshotFile, assess, read, select};
use crate::Tolerance;
use crate::artifact::Origin;
use crate::engine::Engine;
use crate::offline::{OfflineError, printed};
use crate::record::Subject;

/// Scans files by their paths below a folder, which is called `label`. The result is the body of the response of the POST with
/// `details=true`, as one line of JSON. Nothing that needs the code host is possible.
///
/// # Errors
/// [`OfflineError`].
pub fn scan_repository_folder(
    engine: &Engine,
    origin: Origin,
    (files, label): (Vec<(String, Vec<u8>)>, String),
    choices: (Tolerance, Timestamp),
) -> Result<String, OfflineError> {
    if files.is_empty() {
        return Err(OfflineError::Empty);
    }
    let kind = if origin == Origin::Skill { Kind::Skill } else { Kind::Server };
    let identifier = hexadecimal::print(&Sha256::digest(label.as_bytes()));
    let subject = Subject { origin, identifier, name: label, url: None };
    let assessment = folder(engine, kind, files, choices.1);
    printed(subject, &assessment, choices)
}

/// Scans files.
pub(super) fn folder(
    engine: &Engine,
    kind: Kind,
    files: Vec<(String, Vec<u8>)>,
    now: Timestamp,
) -> crate::Assessment {
    let size = |content: &Vec<u8>| content.len() as u64;
    let candidates: Vec<Candidate> = files
        .iter()
        .map(|(path, content)| Candidate { path: path.clone(), size: size(content), is_elsewhere: false })
        .collect();
    let selection = select(&candidates, kind, None);
    let wanted = |(path, content): (String, Vec<u8>)| {
        selection.wanted.contains(&path).then_some(SnapshotFile { path, content })
    };
    let snapshot: Vec<SnapshotFile> = files.into_iter().filter_map(wanted).collect();
    let reading = read(&snapshot, selection, kind);
    assess(engine, (kind, None), None, Ok(&reading), now)
}

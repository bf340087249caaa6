//! Archives of packages, read in the sandbox: a line of JSON and the bytes of the archive in, its contents or the reason in JSON out.

use std::time::Duration;

use sandbox::{Limits, OutOfSteps, SandboxTask, Steps};
use serde::{Deserialize, Serialize};
use versions::Ecosystem;

use super::collect::Collected;
use super::contents::Contents;
use crate::scanner::Scanner;

/// Reads an archive and its code: at most 256 MiB unpacked, of which 96 MiB are held, and the analysis of 16 MiB of code.
pub(crate) const ARCHIVE: SandboxTask = SandboxTask {
    name: "context.package",
    limits: Limits {
        memory_bytes: 3 << 30,
        cpu_seconds: 25,
        steps: u64::MAX,
        wall: Duration::from_secs(60),
        assignment_bytes: 65 << 20,
        reply_bytes: 16 << 20,
    },
    run: task,
};

/// Parts of the contents that are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Depth {
    /// Everything.
    Whole,
    /// Scripts of the installation, for the comparison with another release.
    Hooks,
}

/// The first line of an assignment.
#[derive(Serialize, Deserialize)]
struct Head {
    depth: Depth,
    /// Whether the archive is one of npm.
    #[serde(default)]
    npm: bool,
}

/// Tasks of this crate, to be handed to [`sandbox::enter_if_asked`].
#[must_use]
pub fn sandbox_tasks() -> Vec<SandboxTask> {
    vec![ARCHIVE, crate::repository::SNAPSHOT]
}

fn task(assignment: &[u8], _: &mut Steps) -> Result<Vec<u8>, OutOfSteps> {
    Ok(read_package(assignment))
}

/// Reads an assignment, and replies in JSON. Never fails: the reason is part of the reply.
#[must_use]
pub fn read_package(assignment: &[u8]) -> Vec<u8> {
    // Numbers are finite and keys are text: every reply has a form in JSON.
    serde_json::to_vec(&read_assignment(assignment)).unwrap_or_default()
}

fn read_assignment(assignment: &[u8]) -> Result<Contents, String> {
    let mut parts = assignment.splitn(2, |byte| *byte == b'\n');
    let (head, archive) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let Head { depth, npm } = serde_json::from_slice(head).map_err(|error| error.to_string())?;
    let collected = Collected::from_archive(archive, npm).map_err(|error| format!("the archive {error}"))?;
    Ok(Contents::of(collected, depth))
}

/// Contents of a downloaded archive.
///
/// # Errors
/// The reason why it cannot be read.
pub(super) async fn read(
    scanner: &Scanner,
    archive: &[u8],
    (ecosystem, depth): (Ecosystem, Depth),
) -> Result<Contents, String> {
    let mut assignment = serde_json::to_vec(&Head { depth, npm: ecosystem == Ecosystem::Npm })
        .map_err(|error| error.to_string())?;
    assignment.push(b'\n');
    assignment.extend_from_slice(archive);
    let reply = scanner
        .reader
        .read(&assignment)
        .await
        .map_err(|error| format!("the archive is not read: {error}"))?;
    drop(assignment);
    let contents: Result<Contents, String> =
        serde_json::from_slice(&reply).map_err(|_| "the archive is not read: malformed reply".to_owned())?;
    contents.map(Contents::bounded)
}

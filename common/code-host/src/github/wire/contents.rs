//! Contents of repositories.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Deserialize;

use super::{Actor, login, optional_time};
use crate::content;
use crate::github::request::Request;
use crate::host::{HostError, MAX_BLOB_BYTES};

#[derive(Deserialize)]
pub(crate) struct Tree {
    tree: Vec<TreeEntry>,
    truncated: bool,
}

#[derive(Deserialize)]
struct TreeEntry {
    path: String,
    mode: String,
    sha: String,
    size: Option<u64>,
}

#[derive(Deserialize)]
pub(crate) struct Blob {
    content: String,
    encoding: String,
}

#[derive(Deserialize)]
pub(crate) struct Commit {
    sha: String,
    commit: CommitDetail,
    author: Option<Actor>,
}

#[derive(Deserialize)]
struct CommitDetail {
    message: String,
    committer: Option<Signature>,
    verification: Option<Verification>,
}

#[derive(Deserialize)]
struct Signature {
    date: Option<String>,
}

#[derive(Deserialize)]
struct Verification {
    verified: bool,
}

#[derive(Deserialize)]
pub(crate) struct Release {
    tag_name: String,
    name: Option<String>,
    draft: bool,
    prerelease: bool,
    /// Enterprise Server does not know it yet.
    #[serde(default)]
    immutable: bool,
    author: Option<Actor>,
    published_at: Option<String>,
}

impl From<Tree> for content::Tree {
    fn from(tree: Tree) -> Self {
        let mut truncated = tree.truncated;
        let mut entries = Vec::with_capacity(tree.tree.len());
        for TreeEntry { path, mode, sha, size } in tree.tree {
            let kind = match mode.as_str() {
                "100644" | "100664" => content::EntryKind::File,
                "100755" => content::EntryKind::Executable,
                "120000" => content::EntryKind::Link,
                "040000" => content::EntryKind::Directory,
                "160000" => content::EntryKind::Submodule,
                _ => {
                    truncated = true;
                    continue;
                }
            };
            entries.push(content::TreeEntry { path, kind, id: sha, size });
        }
        Self { entries, truncated }
    }
}

impl Blob {
    pub(crate) fn content(self, request: &Request) -> Result<Bytes, HostError> {
        let content = match self.encoding.as_str() {
            "base64" => {
                let text: String = self.content.split_ascii_whitespace().collect();
                let decoded = STANDARD.decode(text);
                decoded.map_err(|error| request.unexpected(format!("content: {error}")))?
            }
            "utf-8" => self.content.into_bytes(),
            other => {
                let found = other.chars().take(20).collect::<String>();
                return Err(
                    request.unexpected(format!("encoding: expected base64 or utf-8, found {found:?}"))
                );
            }
        };
        if content.len() > MAX_BLOB_BYTES {
            return Err(HostError::TooLarge { most: MAX_BLOB_BYTES });
        }
        Ok(content.into())
    }
}

impl From<Commit> for content::Commit {
    fn from(commit: Commit) -> Self {
        let CommitDetail { message, committer, verification } = commit.commit;
        let date = committer.and_then(|committer| committer.date);
        Self {
            id: commit.sha,
            message,
            author: login(commit.author),
            committed_at: optional_time(date.as_ref()),
            verified: verification.is_some_and(|verification| verification.verified),
        }
    }
}

impl From<Release> for content::Release {
    fn from(release: Release) -> Self {
        Self {
            tag: release.tag_name,
            name: release.name,
            draft: release.draft,
            prerelease: release.prerelease,
            immutable: release.immutable,
            author: login(release.author),
            published_at: optional_time(release.published_at.as_ref()),
        }
    }
}

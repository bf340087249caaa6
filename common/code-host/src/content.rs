//! Contents of a repository.

use common::timestamp::Timestamp;

/// Files of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The entries, directories included, in the order of the host.
    pub entries: Vec<TreeEntry>,
    /// Whether the host left some out, or an entry could not be used: then the rest is not known.
    pub truncated: bool,
}

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// Path from the root, with `/`.
    pub path: String,
    /// Kind of the entry.
    pub kind: EntryKind,
    /// Hash of the object, in hexadecimal digits.
    pub id: String,
    /// Size in bytes, of files.
    pub size: Option<u64>,
}

/// Kind of an entry of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A file.
    File,
    /// A file that may be executed.
    Executable,
    /// A symbolic link, whose blob is its target.
    Link,
    /// A directory.
    Directory,
    /// A commit of another repository.
    Submodule,
}

/// Commits that are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitQuery {
    /// Branch, tag or commit at which the history begins; the default branch without.
    pub revision: Option<String>,
    /// Only commits that changed this file or directory.
    pub path: Option<String>,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its hash, in hexadecimal digits.
    pub id: String,
    /// Its message.
    pub message: String,
    /// Login of the author, where the host knows an account for the address.
    pub author: Option<String>,
    /// When it was committed, as it says itself.
    pub committed_at: Option<Timestamp>,
    /// Whether the host has verified its signature.
    pub verified: bool,
}

/// A release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// Its tag.
    pub tag: String,
    /// Its name.
    pub name: Option<String>,
    /// Whether it is not published.
    pub draft: bool,
    /// Whether it is marked as not final.
    pub prerelease: bool,
    /// Whether its tag and files cannot be changed any more.
    pub immutable: bool,
    /// Login of the author.
    pub author: Option<String>,
    /// When it was published.
    pub published_at: Option<Timestamp>,
}

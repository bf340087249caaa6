//! Pull requests.

use common::timestamp::Timestamp;

use crate::hosted::Listing;
use crate::name::{FullName, Login};

/// Pull requests that are searched for, always in public repositories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequestQuery {
    /// The author.
    pub author: Login,
    /// Only those in this repository.
    pub repository: Option<FullName>,
    /// Only those in this state.
    pub state: Option<PullRequestState>,
}

/// State of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullRequestState {
    /// It waits.
    Open,
    /// It was closed and not merged.
    Closed,
    /// It was merged.
    Merged,
}

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    /// The repository that it is for.
    pub repository: FullName,
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// Page of it.
    pub url: String,
    /// Its state.
    pub state: PullRequestState,
    /// Login of the author; `None` for a deleted account.
    pub author: Option<String>,
    /// Relation of the author to the repository, as the host names it, for example `FIRST_TIME_CONTRIBUTOR`.
    pub author_association: String,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it was closed or merged.
    pub closed_at: Option<Timestamp>,
}

/// Result of a search for pull requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPullRequests {
    /// The pull requests, newest first.
    pub listing: Listing<PullRequest>,
    /// Whether the host ended the search early. Any pull request may be missing then, not only those at the end of the list.
    pub is_partial: bool,
}

/// A file that a pull request changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequestFile {
    /// Its path afterwards.
    pub path: String,
    /// Its path before, where it differs.
    pub previous_path: Option<String>,
    /// `added`, `removed`, `modified`, `renamed`, `copied`, `changed` or `unchanged`.
    pub status: String,
    /// Added lines.
    pub additions: u64,
    /// Removed lines.
    pub deletions: u64,
    /// The change as unified hunks; absent for binary files and where it is too large for the host.
    pub patch: Option<String>,
}

/// A review of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// Login of the reviewer; `None` for a deleted account.
    pub reviewer: Option<String>,
    /// `APPROVED`, `CHANGES_REQUESTED`, `COMMENTED`, `DISMISSED` or `PENDING`.
    pub state: String,
    /// When it was submitted.
    pub submitted_at: Option<Timestamp>,
}

//! Pull requests, and the results of a search for them.

use serde::Deserialize;

use super::{Actor, Named, full_name, login, optional_time, required_time};
use crate::github::request::Request;
use crate::host::HostError;
use crate::pulls::{self, PullRequestState};

#[derive(Deserialize)]
pub(crate) struct PullRequest {
    #[serde(flatten)]
    about: About,
    base: Base,
    merged_at: Option<String>,
}

#[derive(Deserialize)]
struct Base {
    repo: Named,
}

/// Fields that pull requests and results of a search have in common.
#[derive(Deserialize)]
struct About {
    number: u64,
    title: String,
    body: Option<String>,
    html_url: String,
    state: String,
    user: Option<Actor>,
    author_association: String,
    created_at: String,
    closed_at: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Found {
    pub(crate) incomplete_results: bool,
    pub(crate) items: Vec<FoundItem>,
}

#[derive(Deserialize)]
pub(crate) struct FoundItem {
    #[serde(flatten)]
    about: About,
    repository_url: String,
    pull_request: Option<FoundPullRequest>,
}

#[derive(Deserialize)]
struct FoundPullRequest {
    merged_at: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct File {
    filename: String,
    previous_filename: Option<String>,
    status: String,
    additions: u64,
    deletions: u64,
    patch: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Review {
    user: Option<Actor>,
    state: String,
    submitted_at: Option<String>,
}

impl About {
    fn read(
        self,
        request: &Request,
        repository: &str,
        is_merged: bool,
    ) -> Result<pulls::PullRequest, HostError> {
        let state = match (self.state.as_str(), is_merged) {
            ("open", _) => PullRequestState::Open,
            (_, true) => PullRequestState::Merged,
            (_, false) => PullRequestState::Closed,
        };
        Ok(pulls::PullRequest {
            repository: full_name(request, repository)?,
            number: self.number,
            title: self.title,
            body: self.body.unwrap_or_default(),
            url: self.html_url,
            state,
            author: login(self.user),
            author_association: self.author_association,
            created_at: required_time(request, "created_at", &self.created_at)?,
            closed_at: optional_time(self.closed_at.as_ref()),
        })
    }
}

impl PullRequest {
    pub(crate) fn read(self, request: &Request) -> Result<pulls::PullRequest, HostError> {
        self.about.read(request, &self.base.repo.full_name, self.merged_at.is_some())
    }
}

impl FoundItem {
    /// `None` for an issue.
    pub(crate) fn read(self, request: &Request) -> Result<Option<pulls::PullRequest>, HostError> {
        let Some(pull) = self.pull_request else { return Ok(None) };
        // `{api_url}/repos/{owner}/{name}`.
        let mut parts = self.repository_url.rsplit('/');
        let (name, owner) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        self.about.read(request, &format!("{owner}/{name}"), pull.merged_at.is_some()).map(Some)
    }
}

impl From<File> for pulls::PullRequestFile {
    fn from(file: File) -> Self {
        Self {
            path: file.filename,
            previous_path: file.previous_filename,
            status: file.status,
            additions: file.additions,
            deletions: file.deletions,
            patch: file.patch,
        }
    }
}

impl From<Review> for pulls::Review {
    fn from(review: Review) -> Self {
        Self {
            reviewer: login(review.user),
            state: review.state,
            submitted_at: optional_time(review.submitted_at.as_ref()),
        }
    }
}

//! Replies of GitHub, as far as they are used. A field without `Option` that is missing is an error; fields that are not used are
//! ignored. Names are those of GitHub's interface description.

pub(super) mod contents;
pub(super) mod people;
pub(super) mod pulls;

use common::timestamp::Timestamp;
use serde::Deserialize;

use super::request::Request;
use crate::host::HostError;
use crate::hosted::{HostedInstallation, HostedRepository};
use crate::id::{InstallationId, RepositoryId};
use crate::name::FullName;

/// A time of a reply, `None` for one that is none.
pub(super) fn time(text: &str) -> Option<Timestamp> {
    Timestamp::parse_rfc3339(text)
}

/// A time that a reply may leave out.
fn optional_time(text: Option<&String>) -> Option<Timestamp> {
    text.and_then(|text| time(text))
}

/// A time that the caller needs.
fn required_time(request: &Request, field: &str, text: &str) -> Result<Timestamp, HostError> {
    time(text).ok_or_else(|| request.unexpected(format!("{field}: expected a time")))
}

/// A login, of an account that may be deleted.
#[derive(Deserialize)]
pub(super) struct Actor {
    /// GitHub sends an empty object for some deleted authors.
    pub(super) login: Option<String>,
}

fn login(actor: Option<Actor>) -> Option<String> {
    actor.and_then(|actor| actor.login)
}

#[derive(Deserialize)]
pub(super) struct App {
    pub(super) slug: String,
}

#[derive(Deserialize)]
pub(super) struct Installation {
    id: u64,
    account: Option<InstallationAccount>,
    suspended_at: Option<String>,
}

#[derive(Deserialize)]
struct InstallationAccount {
    login: Option<String>,
    /// Of an enterprise, which has no login.
    slug: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Installations {
    pub(super) installations: Vec<Installation>,
}

#[derive(Deserialize)]
pub(super) struct Repositories {
    pub(super) repositories: Vec<Repository>,
}

/// Number of repositories of an installation.
#[derive(Deserialize)]
pub(super) struct RepositoryCount {
    pub(super) total_count: u64,
}

/// Repositories of an installation that a user may use.
#[derive(Deserialize)]
pub(super) struct UsableRepositories {
    repositories: Vec<UsableRepository>,
}

#[derive(Deserialize)]
struct UsableRepository {
    permissions: Option<Role>,
}

#[derive(Deserialize)]
struct Role {
    admin: bool,
}

#[derive(Deserialize)]
pub(super) struct Repository {
    id: u64,
    full_name: String,
    private: bool,
    /// GitHub leaves some fields out of the repositories of other objects.
    #[serde(default)]
    archived: bool,
    fork: bool,
    parent: Option<Named>,
    default_branch: String,
    created_at: Option<String>,
    pushed_at: Option<String>,
    #[serde(default)]
    stargazers_count: u64,
    visibility: Option<String>,
}

/// A repository in another object.
#[derive(Deserialize)]
pub(super) struct Named {
    pub(super) full_name: String,
}

impl Installation {
    pub(super) fn hosted(self, request: &Request) -> Result<HostedInstallation, HostError> {
        let account = self.account.and_then(|account| account.login.or(account.slug));
        Ok(HostedInstallation {
            id: installation_id(request, self.id)?,
            account: account.ok_or_else(|| request.unexpected("missing field `account.login`"))?,
            suspended: self.suspended_at.is_some(),
        })
    }
}

impl UsableRepositories {
    /// Whether the user administers it, for each.
    pub(super) fn roles(self) -> Vec<bool> {
        let is_admin = |one: UsableRepository| one.permissions.is_some_and(|role| role.admin);
        self.repositories.into_iter().map(is_admin).collect()
    }
}

impl Repository {
    pub(super) fn hosted(self, request: &Request) -> Result<HostedRepository, HostError> {
        Ok(HostedRepository {
            id: repository_id(request, self.id)?,
            full_name: full_name(request, &self.full_name)?,
            // One that is visible inside of an enterprise says so here.
            private: self.private || self.visibility.is_some_and(|visibility| visibility != "public"),
            archived: self.archived,
            fork: self.fork,
            parent: self.parent.and_then(|parent| parent.full_name.parse().ok()),
            default_branch: self.default_branch,
            created_at: optional_time(self.created_at.as_ref()),
            pushed_at: optional_time(self.pushed_at.as_ref()),
            stars: self.stargazers_count,
        })
    }
}

fn installation_id(request: &Request, number: u64) -> Result<InstallationId, HostError> {
    number.to_string().parse().map_err(|error| request.unexpected(format!("id: {error}")))
}

fn repository_id(request: &Request, number: u64) -> Result<RepositoryId, HostError> {
    number.to_string().parse().map_err(|error| request.unexpected(format!("id: {error}")))
}

fn full_name(request: &Request, text: &str) -> Result<FullName, HostError> {
    text.parse().map_err(|error| request.unexpected(format!("full_name: {error}")))
}

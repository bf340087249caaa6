//! The operations: URL and typed reply of each. All are documented in GitHub's interface description.

use async_trait::async_trait;
use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::io::AsyncWrite;
use url::Url;

use super::GitHub;
use super::pace::Quota;
use super::pages::{MOST_PAGES, PAGE, Reader};
use super::request::Request;
use super::wire::contents::{self, Blob};
use super::wire::people::{self as wire_people, Event, GpgKey, SshKey};
use super::wire::pulls::{self as wire_pulls, File, Found};
use super::wire::{self, Repositories};
use crate::content::{Commit, CommitQuery, Release, Tree};
use crate::host::{Access, CodeHost, HostError};
use crate::hosted::{Administered, App, HostedInstallation, HostedRepository, Listing, UserToken};
use crate::id::{InstallationId, RepositoryId};
use crate::name::{FullName, Login};
use crate::people::{Account, PublicEvent, SigningKey, User};
use crate::pulls::{
    FoundPullRequests, PullRequest, PullRequestFile, PullRequestQuery, PullRequestState, Review,
};

impl GitHub {
    /// A URL below a repository.
    fn below(&self, name: &FullName, parts: &[&str]) -> Url {
        self.shared.api.join(&[&["repos", name.owner(), name.name()], parts].concat())
    }

    /// A URL below a user.
    fn of_user(&self, login: &Login, part: &str) -> Url {
        self.shared.api.join(&["users", login.as_str(), part])
    }

    async fn read<T: DeserializeOwned>(&self, access: Access, request: &Request) -> Result<T, HostError> {
        request.read(&self.as_installation(access, request).await?.body)
    }

    /// A list whose pages are arrays.
    async fn array<P: DeserializeOwned, T: From<P> + Send>(
        &self,
        access: Access,
        request: Request,
        most: usize,
    ) -> Result<Listing<T>, HostError> {
        let items = |_: &Request, page: Vec<P>| Ok(page.into_iter().map(T::from).collect());
        self.list(Reader::Installation(access), request, most, items).await
    }
}

fn query(mut url: Url, pairs: &[(&str, &str)]) -> Url {
    url.query_pairs_mut().extend_pairs(pairs);
    url
}

#[async_trait]
impl CodeHost for GitHub {
    async fn app(&self) -> Result<App, HostError> {
        let request = Request::get(self.shared.api.join(&["app"]), "app");
        let app: wire::App = request.read(&self.as_app(&request).await?.body)?;
        let page = if self.shared.is_enterprise() { "github-apps" } else { "apps" };
        let install_url = self.shared.web.join(&[page, &app.slug, "installations", "new"]).into();
        Ok(App { slug: app.slug, install_url })
    }

    async fn installation(&self, id: InstallationId) -> Result<HostedInstallation, HostError> {
        let url = self.shared.api.join(&["app", "installations", &id.to_string()]);
        let request = Request::get(url, "installation");
        let answer = self.as_app(&request).await.map_err(|error| match error {
            HostError::NotFound(_) => HostError::NotInstalled,
            error => error,
        })?;
        request.read::<wire::Installation>(&answer.body)?.hosted(&request)
    }

    async fn user_token(&self, code: &str) -> Result<UserToken, HostError> {
        self.exchanged(code).await
    }

    async fn administered(&self, user: &UserToken, id: InstallationId) -> Result<Administered, HostError> {
        self.administered_by(user, id).await
    }

    async fn repositories(
        &self,
        installation: InstallationId,
    ) -> Result<Listing<HostedRepository>, HostError> {
        let request = Request::get(self.shared.api.join(&["installation", "repositories"]), "installation");
        let reader = Reader::Installation(Access::public(installation));
        self.list(reader, request, MOST_PAGES * PAGE, repositories).await
    }

    async fn repository_by_id(
        &self,
        installation: InstallationId,
        id: RepositoryId,
    ) -> Result<HostedRepository, HostError> {
        // There is no documented URL for an id, but a token for one repository lists that one.
        let request = Request::get(self.shared.api.join(&["installation", "repositories"]), "repository");
        let access = Access::of_repository(installation, id);
        let page: Repositories = self.read(access, &request).await?;
        let found = repositories(&request, page)?.into_iter().find(|found| found.id == id);
        found.ok_or(HostError::NotFound("repository"))
    }

    async fn repository(&self, access: Access, name: &FullName) -> Result<HostedRepository, HostError> {
        let request = Request::get(self.below(name, &[]), "repository");
        self.read::<wire::Repository>(access, &request).await?.hosted(&request)
    }

    async fn tree(&self, access: Access, name: &FullName, revision: &str) -> Result<Tree, HostError> {
        let url = query(self.below(name, &["git", "trees", revision]), &[("recursive", "1")]);
        Ok(self.read::<contents::Tree>(access, &Request::get(url, "revision")).await?.into())
    }

    async fn blob(&self, access: Access, name: &FullName, id: &str) -> Result<Bytes, HostError> {
        let request = Request::get(self.below(name, &["git", "blobs", id]), "blob");
        self.read::<Blob>(access, &request).await?.content(&request)
    }

    async fn archive(
        &self,
        access: Access,
        name: &FullName,
        revision: &str,
        sink: &mut (dyn AsyncWrite + Send + Unpin),
        most: usize,
    ) -> Result<(), HostError> {
        let request = Request::get(self.below(name, &["tarball", revision]), "revision");
        self.archive_into(access, &request, sink, most).await
    }

    async fn commits(
        &self,
        access: Access,
        name: &FullName,
        wanted: &CommitQuery,
        most: usize,
    ) -> Result<Listing<Commit>, HostError> {
        let mut url = self.below(name, &["commits"]);
        for (key, value) in [("sha", &wanted.revision), ("path", &wanted.path)] {
            if let Some(value) = value {
                url.query_pairs_mut().append_pair(key, value);
            }
        }
        self.array::<contents::Commit, _>(access, Request::get(url, "revision"), most).await
    }

    async fn releases(
        &self,
        access: Access,
        name: &FullName,
        most: usize,
    ) -> Result<Listing<Release>, HostError> {
        let request = Request::get(self.below(name, &["releases"]), "repository");
        self.array::<contents::Release, _>(access, request, most).await
    }

    async fn user(&self, access: Access, login: &Login) -> Result<User, HostError> {
        let request = Request::get(self.shared.api.join(&["users", login.as_str()]), "user");
        self.read::<wire_people::User>(access, &request).await?.read(&request)
    }

    async fn events_of_user(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<PublicEvent>, HostError> {
        let url = self.shared.api.join(&["users", login.as_str(), "events", "public"]);
        let items =
            |request: &Request, page: Vec<Event>| page.into_iter().map(|event| event.read(request)).collect();
        self.list(Reader::Installation(access), Request::get(url, "user"), most, items).await
    }

    async fn signing_keys(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<SigningKey>, HostError> {
        let request = Request::get(self.of_user(login, "gpg_keys"), "user");
        let items =
            |_: &Request, page: Vec<GpgKey>| Ok(page.into_iter().filter_map(GpgKey::signing).collect());
        let mut keys = self.list(Reader::Installation(access), request, most, items).await?;
        let request = Request::get(self.of_user(login, "ssh_signing_keys"), "user");
        let others = self.array::<SshKey, SigningKey>(access, request, most).await?;
        keys.items.extend(others.items);
        keys.is_complete &= others.is_complete;
        Ok(keys)
    }

    async fn organizations_of_user(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<Account>, HostError> {
        let request = Request::get(self.of_user(login, "orgs"), "user");
        self.array::<wire_people::Account, _>(access, request, most).await
    }

    async fn repositories_of_user(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<HostedRepository>, HostError> {
        let newest = [("type", "owner"), ("sort", "created"), ("direction", "desc")];
        let request = Request::get(query(self.of_user(login, "repos"), &newest), "user");
        let items = |request: &Request, page: Vec<wire::Repository>| {
            page.into_iter().map(|repository| repository.hosted(request)).collect()
        };
        self.list(Reader::Installation(access), request, most, items).await
    }

    async fn search_pull_requests(
        &self,
        access: Access,
        wanted: &PullRequestQuery,
        most: usize,
    ) -> Result<FoundPullRequests, HostError> {
        let newest = [("q", &*terms(wanted)), ("sort", "created"), ("order", "desc")];
        let url = query(self.shared.api.join(&["search", "issues"]), &newest);
        let request = Request { quota: Quota::Search, ..Request::get(url, "user") };
        let incomplete = std::sync::atomic::AtomicBool::new(false);
        let items = |request: &Request, page: Found| {
            incomplete.fetch_or(page.incomplete_results, std::sync::atomic::Ordering::Relaxed);
            let read = page.items.into_iter().map(|item| item.read(request));
            read.filter_map(Result::transpose).collect()
        };
        let mut listing = self.list(Reader::Installation(access), request, most, items).await?;
        let is_partial = incomplete.into_inner();
        listing.is_complete &= !is_partial;
        Ok(FoundPullRequests { listing, is_partial })
    }

    async fn pull_request(
        &self,
        access: Access,
        name: &FullName,
        number: u64,
    ) -> Result<PullRequest, HostError> {
        let request = Request::get(self.below(name, &["pulls", &number.to_string()]), "pull request");
        self.read::<wire_pulls::PullRequest>(access, &request).await?.read(&request)
    }

    async fn pull_request_files(
        &self,
        access: Access,
        name: &FullName,
        number: u64,
        most: usize,
    ) -> Result<Listing<PullRequestFile>, HostError> {
        let url = self.below(name, &["pulls", &number.to_string(), "files"]);
        self.array::<File, _>(access, Request::get(url, "pull request"), most).await
    }

    async fn reviews(
        &self,
        access: Access,
        name: &FullName,
        number: u64,
        most: usize,
    ) -> Result<Listing<Review>, HostError> {
        let url = self.below(name, &["pulls", &number.to_string(), "reviews"]);
        self.array::<wire_pulls::Review, _>(access, Request::get(url, "pull request"), most).await
    }
}

fn repositories(request: &Request, page: Repositories) -> Result<Vec<HostedRepository>, HostError> {
    page.repositories.into_iter().map(|repository| repository.hosted(request)).collect()
}

/// The terms of a search. Names have no characters that a search gives a meaning.
fn terms(wanted: &PullRequestQuery) -> String {
    let mut terms = format!("is:pr is:public author:{}", wanted.author.as_str().replace("[bot]", ""));
    if wanted.author.as_str().ends_with("[bot]") {
        // GitHub searches for programs by the name of their app.
        terms = terms.replace("author:", "author:app/");
    }
    if let Some(name) = &wanted.repository {
        terms = format!("{terms} repo:{name}");
    }
    match wanted.state {
        None => terms,
        Some(PullRequestState::Open) => format!("{terms} is:open"),
        Some(PullRequestState::Closed) => format!("{terms} is:closed is:unmerged"),
        Some(PullRequestState::Merged) => format!("{terms} is:merged"),
    }
}

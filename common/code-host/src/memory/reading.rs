//! The operations.

use async_trait::async_trait;
use bytes::Bytes;
use common::digest::digest;
use common::hexadecimal;
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::MemoryHost;
use crate::content::{Commit, CommitQuery, EntryKind, Release, Tree, TreeEntry};
use crate::host::{Access, CodeHost, HostError, MAX_BLOB_BYTES};
use crate::hosted::{Administered, App, HostedInstallation, HostedRepository, Listing, UserToken};
use crate::id::{InstallationId, RepositoryId};
use crate::name::{FullName, Login};
use crate::people::{Account, KeyKind, PublicEvent, SigningKey, User};
use crate::pulls::{FoundPullRequests, PullRequest, PullRequestFile, PullRequestQuery, Review};

/// Largest page of a search, as clients of real hosts read it.
const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;

/// Id of a blob: of the same length as those of hosts.
fn blob_id(content: &[u8]) -> String {
    hexadecimal::print(&digest(&[content])[..20])
}

#[async_trait]
impl CodeHost for MemoryHost {
    async fn app(&self) -> Result<App, HostError> {
        self.state().check()?;
        let install_url = "https://host.example/apps/palisade/installations/new".to_owned();
        Ok(App { slug: "palisade".to_owned(), install_url })
    }

    async fn installation(&self, id: InstallationId) -> Result<HostedInstallation, HostError> {
        let state = self.state();
        state.check()?;
        state.installations.get(&id).cloned().ok_or(HostError::NotInstalled)
    }

    async fn user_token(&self, code: &str) -> Result<UserToken, HostError> {
        let mut state = self.state();
        state.check()?;
        let ids = state.codes.remove(code).ok_or(HostError::InvalidCode)?;
        let token = format!("the token for {code}");
        state.administrators.insert(token.clone(), ids);
        Ok(UserToken::new(token))
    }

    async fn administered(&self, user: &UserToken, id: InstallationId) -> Result<Administered, HostError> {
        let state = self.state();
        state.check()?;
        let ids = state.administrators.get(user.expose());
        let ids = ids.ok_or_else(|| HostError::Denied("the token has ended".to_owned()))?;
        let found = ids.contains(&id).then(|| state.installations.get(&id).cloned()).flatten();
        let installation = found.ok_or(HostError::NotFound("installation that the user administers"))?;
        let repositories = state.listed.get(&id).map_or(0, |listed| listed.len() as u64);
        Ok(Administered { installation, repositories })
    }

    async fn repositories(
        &self,
        installation: InstallationId,
    ) -> Result<Listing<HostedRepository>, HostError> {
        self.state().listings += 1;
        let closed = |_| HostError::Unavailable("the gate is gone".to_owned());
        let _passage = self.gate.acquire().await.map_err(closed)?;
        let state = self.state();
        let listed = state.listed(installation)?;
        Ok(Listing::complete(listed.iter().filter_map(|id| state.repositories.get(id).cloned()).collect()))
    }

    async fn repository_by_id(
        &self,
        installation: InstallationId,
        id: RepositoryId,
    ) -> Result<HostedRepository, HostError> {
        let state = self.state();
        let listed = state.listed(installation)?.contains(&id);
        let found = state.repositories.get(&id).filter(|_| listed);
        found.cloned().ok_or(HostError::NotFound("repository"))
    }

    async fn repository(&self, access: Access, name: &FullName) -> Result<HostedRepository, HostError> {
        self.state().shown(access, name).cloned()
    }

    async fn tree(&self, access: Access, name: &FullName, _revision: &str) -> Result<Tree, HostError> {
        let contents = self.state().contents(access, name)?;
        let entry = |(path, content): (String, Bytes)| TreeEntry {
            path,
            kind: EntryKind::File,
            id: blob_id(&content),
            size: Some(content.len() as u64),
        };
        Ok(Tree { entries: contents.files.into_iter().map(entry).collect(), truncated: false })
    }

    async fn blob(&self, access: Access, name: &FullName, id: &str) -> Result<Bytes, HostError> {
        let contents = self.state().contents(access, name)?;
        let blob = contents.files.into_values().find(|content| blob_id(content) == id);
        match blob {
            Some(blob) if blob.len() > MAX_BLOB_BYTES => Err(HostError::TooLarge { most: MAX_BLOB_BYTES }),
            found => found.ok_or(HostError::NotFound("blob")),
        }
    }

    async fn archive(
        &self,
        access: Access,
        name: &FullName,
        _revision: &str,
        sink: &mut (dyn AsyncWrite + Send + Unpin),
        most: usize,
    ) -> Result<(), HostError> {
        let archive = self.state().contents(access, name)?.archive;
        if archive.len() > most {
            return Err(HostError::TooLarge { most });
        }
        sink.write_all(&archive).await.map_err(|error| HostError::Unavailable(error.to_string()))
    }

    async fn commits(
        &self,
        access: Access,
        name: &FullName,
        query: &CommitQuery,
        most: usize,
    ) -> Result<Listing<Commit>, HostError> {
        let contents = self.state().contents(access, name)?;
        let below = |changed: &str, path: &str| {
            changed.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let wanted = |paths: &[String]| {
            query.path.as_ref().is_none_or(|path| paths.iter().any(|changed| below(changed, path)))
        };
        let commits = contents.commits.into_iter().filter(|(_, paths)| wanted(paths));
        Ok(Listing::cut(commits.map(|(commit, _)| commit).collect(), most))
    }

    async fn releases(
        &self,
        access: Access,
        name: &FullName,
        most: usize,
    ) -> Result<Listing<Release>, HostError> {
        Ok(Listing::cut(self.state().contents(access, name)?.releases, most))
    }

    async fn user(&self, access: Access, login: &Login) -> Result<User, HostError> {
        self.state().user(access, login).map(|found| found.user.clone())
    }

    async fn events_of_user(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<PublicEvent>, HostError> {
        self.state().user(access, login).map(|found| Listing::cut(found.events.clone(), most))
    }

    async fn signing_keys(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<SigningKey>, HostError> {
        let keys = self.state().user(access, login)?.keys.clone();
        let all = keys.len();
        let of = |kind| keys.iter().filter(move |key| key.kind == kind).take(most).cloned();
        let items: Vec<_> = of(KeyKind::Gpg).chain(of(KeyKind::Ssh)).collect();
        Ok(Listing { is_complete: items.len() == all, items })
    }

    async fn organizations_of_user(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<Account>, HostError> {
        self.state().user(access, login).map(|found| Listing::cut(found.organizations.clone(), most))
    }

    async fn repositories_of_user(
        &self,
        access: Access,
        login: &Login,
        most: usize,
    ) -> Result<Listing<HostedRepository>, HostError> {
        let state = self.state();
        state.user(access, login)?;
        let listed = state.listed(access.installation)?;
        let shown = |found: &&HostedRepository| {
            let owned = found.full_name.owner().eq_ignore_ascii_case(login.as_str());
            owned && (!found.private || listed.contains(&found.id))
        };
        let mut found: Vec<_> = state.repositories.values().filter(shown).cloned().collect();
        found.sort_by_key(|found| std::cmp::Reverse(found.created_at));
        Ok(Listing::cut(found, most))
    }

    async fn search_pull_requests(
        &self,
        access: Access,
        query: &PullRequestQuery,
        most: usize,
    ) -> Result<FoundPullRequests, HostError> {
        let mut state = self.state();
        state.listed(access.installation)?;
        state.searches += 1;
        let kept = state.partial_searches.pop_front();
        let public =
            |name: &FullName| state.shown(access, name).is_ok_and(|found| state.leaks || !found.private);
        let matches = |pull: &PullRequest| {
            pull.author.as_deref().is_some_and(|author| author.eq_ignore_ascii_case(query.author.as_str()))
                && query.repository.as_ref().is_none_or(|name| *name == pull.repository)
                && query.state.is_none_or(|state| state == pull.state)
                && public(&pull.repository)
        };
        let found = state.pulls.iter().map(|(pull, _, _)| pull).filter(|pull| matches(pull));
        let mut found: Vec<_> = found.cloned().collect();
        found.sort_by_key(|pull| std::cmp::Reverse(pull.created_at));
        found.truncate(kept.unwrap_or(usize::MAX));
        let mut found = Listing::cut(found, most);
        found.is_complete &= kept.is_none();
        // Pages of 100, whose size is mostly that of the texts.
        let sizes =
            found.items.chunks(100).map(|page| page.iter().map(|pull| pull.body.len()).sum::<usize>());
        if sizes.max() > Some(MAX_PAGE_BYTES) {
            return Err(HostError::TooLarge { most: MAX_PAGE_BYTES });
        }
        Ok(FoundPullRequests { listing: found, is_partial: kept.is_some() })
    }

    async fn pull_request(
        &self,
        access: Access,
        name: &FullName,
        number: u64,
    ) -> Result<PullRequest, HostError> {
        self.state().pull(access, name, number).map(|(pull, _, _)| pull.clone())
    }

    async fn pull_request_files(
        &self,
        access: Access,
        name: &FullName,
        number: u64,
        most: usize,
    ) -> Result<Listing<PullRequestFile>, HostError> {
        self.state().pull(access, name, number).map(|(_, files, _)| Listing::cut(files.clone(), most))
    }

    async fn reviews(
        &self,
        access: Access,
        name: &FullName,
        number: u64,
        most: usize,
    ) -> Result<Listing<Review>, HostError> {
        self.state().pull(access, name, number).map(|(_, _, reviews)| Listing::cut(reviews.clone(), most))
    }
}

//! The exchange of an authorization code (RFC 6749 section 4.1.3) for the right to read as a user, and the installation that the user
//! administers. The client does not keep the token of a user.
//!
//! GitHub lists an installation for every user with access to one of its repositories, and its repositories to that extent. A
//! user administers the installation when that list has all repositories of it and the role is admin in each.

use serde::Deserialize;
use serde_json::json;
use zeroize::Zeroizing;

use common::timestamp::Timestamp;

use super::GitHub;
use super::pages::Reader;
use super::request::Request;
use super::tokens::Token;
use super::wire::{Installations, RepositoryCount, UsableRepositories};
use crate::host::{Access, HostError};
use crate::hosted::{Administered, HostedInstallation, UserToken};
use crate::id::InstallationId;

/// Installations of a user, and repositories of an installation, that are read: accounts with more belong to enterprises that
/// connect by the command line.
const MOST: usize = 1_000;
const MISSING: &str = "installation that the user administers";

/// GitHub answers a refused code with status 200 too.
#[derive(Deserialize)]
struct Granted {
    access_token: Option<String>,
    error: Option<String>,
}

impl GitHub {
    pub(super) async fn administered_by(
        &self,
        user: &UserToken,
        id: InstallationId,
    ) -> Result<Administered, HostError> {
        let token = Token::new(Zeroizing::new(user.expose().to_owned()), Timestamp(i64::MAX));
        let request = Request::get(self.shared.api.join(&["user", "installations"]), "user");
        let items = |request: &Request, page: Installations| {
            page.installations.into_iter().map(|installation| installation.hosted(request)).collect()
        };
        let usable: Vec<HostedInstallation> =
            self.list(Reader::User(&token), request, MOST, items).await?.items;
        let found = usable.into_iter().find(|usable| usable.id == id);
        let installation = found.ok_or(HostError::NotFound(MISSING))?;
        let repositories = self.administers_all(&token, id).await?.ok_or(HostError::NotFound(MISSING))?;
        Ok(Administered { installation, repositories })
    }

    /// Number of the repositories of an installation, where the role of a user is admin in each and there is one at least: without
    /// one nothing shows the role. Otherwise `None`.
    async fn administers_all(&self, token: &Token, id: InstallationId) -> Result<Option<u64>, HostError> {
        let url = self.shared.api.join(&["user", "installations", &id.to_string(), "repositories"]);
        let roles = |_: &Request, page: UsableRepositories| Ok(page.roles());
        let roles = self.list(Reader::User(token), Request::get(url, MISSING), MOST, roles).await?;
        if !roles.is_complete || roles.items.is_empty() || roles.items.contains(&false) {
            return Ok(None);
        }
        let mut request = Request::get(self.shared.api.join(&["installation", "repositories"]), MISSING);
        request.url.query_pairs_mut().append_pair("per_page", "1");
        let answer = self.as_installation(Access::public(id), &request).await?;
        let all: RepositoryCount = request.read(&answer.body)?;
        Ok(Some(all.total_count).filter(|total| u64::try_from(roles.items.len()) == Ok(*total)))
    }

    pub(super) async fn exchanged(&self, code: &str) -> Result<UserToken, HostError> {
        let url = self.shared.web.join(&["login", "oauth", "access_token"]);
        let secret: &str = &self.shared.client_secret;
        let body = json!({"client_id": self.shared.client_id, "client_secret": secret, "code": code});
        let request = Request::post(url, body, "authorization code");
        let answer = match self.as_nobody(&request).await {
            Err(HostError::NotFound(_) | HostError::Denied(_)) => return Err(HostError::InvalidCode),
            answer => answer?,
        };
        let granted: Granted = request.read(&answer.body)?;
        match (granted.access_token, granted.error.as_deref()) {
            (Some(token), None) => Ok(UserToken::new(token)),
            (_, Some("bad_verification_code")) => Err(HostError::InvalidCode),
            (_, Some(error)) => {
                let error: String = error.chars().filter(|one| !one.is_control()).take(100).collect();
                Err(HostError::Denied(format!("OAuth: {error}")))
            }
            (None, None) => Err(request.unexpected("missing field `access_token`")),
        }
    }
}

//! The exchange of an authorization code for the installations that its user may use (RFC 6749 section 4.1.3). The token of the
//! user is used for that one list and then forgotten.

use serde::Deserialize;
use serde_json::json;
use zeroize::Zeroizing;

use common::timestamp::Timestamp;

use super::GitHub;
use super::pages::Reader;
use super::request::Request;
use super::tokens::Token;
use super::wire::Installations;
use crate::host::HostError;
use crate::hosted::HostedInstallation;

/// Installations of a user that are read: users with more belong to enterprises that connect by the command line.
const MOST: usize = 1_000;

/// GitHub answers a refused code with status 200 too.
#[derive(Deserialize)]
struct Granted {
    access_token: Option<String>,
    error: Option<String>,
}

impl GitHub {
    pub(super) async fn installations_of(&self, code: &str) -> Result<Vec<HostedInstallation>, HostError> {
        let token = self.user_token(code).await?;
        let request = Request::get(self.shared.api.join(&["user", "installations"]), "user");
        let items = |request: &Request, page: Installations| {
            page.installations.into_iter().map(|installation| installation.hosted(request)).collect()
        };
        Ok(self.list(Reader::User(&token), request, MOST, items).await?.items)
    }

    async fn user_token(&self, code: &str) -> Result<Token, HostError> {
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
            (Some(token), None) => Ok(Token::new(Zeroizing::new(token), Timestamp(i64::MAX))),
            (_, Some("bad_verification_code")) => Err(HostError::InvalidCode),
            (_, Some(error)) => {
                let error: String = error.chars().filter(|one| !one.is_control()).take(100).collect();
                Err(HostError::Denied(format!("OAuth: {error}")))
            }
            (None, None) => Err(request.unexpected("missing field `access_token`")),
        }
    }
}

//! Tokens of installations.

use std::fmt;
use std::time::Duration;

use common::timestamp::Timestamp;
use http::HeaderValue;
use serde::Deserialize;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::GitHub;
use super::lane::{Lane, make_room};
use super::request::Request;
use super::wire::time;
use crate::host::{Access, HostError};

/// A token is replaced so long before it expires: a request may wait for minutes.
const EARLY: Duration = Duration::from_secs(300);
/// Life of a token that states no end: GitHub's live an hour.
const LIFETIME: Duration = Duration::from_secs(3_600);

/// A token. Never printed.
#[derive(Clone)]
pub(super) struct Token {
    text: Zeroizing<String>,
    expires_at: Timestamp,
}

#[derive(Deserialize)]
struct Created {
    token: String,
    expires_at: String,
}

impl Token {
    pub(super) fn new(text: Zeroizing<String>, expires_at: Timestamp) -> Self {
        Self { text, expires_at }
    }

    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        now.plus(EARLY) < self.expires_at
    }

    /// The value of `Authorization`, which is marked as secret.
    pub(super) fn header(&self) -> Result<HeaderValue, HostError> {
        let text = Zeroizing::new(format!("Bearer {}", *self.text));
        let header = HeaderValue::try_from(text.as_str());
        let mut header = header
            .map_err(|_| HostError::Unavailable("a token has characters that no header has".to_owned()))?;
        header.set_sensitive(true);
        Ok(header)
    }

    fn is(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token(expires at {})", self.expires_at.to_iso())
    }
}

impl GitHub {
    /// A token for the rights; `refused` is one that the host did not accept.
    pub(super) async fn token(
        &self,
        lane: &Lane,
        access: Access,
        refused: Option<&Token>,
    ) -> Result<Token, HostError> {
        let mut tokens = lane.tokens.lock().await;
        let now = self.shared.clock.now();
        let known = tokens.get(&access.repository).filter(|token| token.is_fresh(now));
        if let Some(known) = known.filter(|known| refused.is_none_or(|refused| !refused.is(known))) {
            return Ok(known.clone());
        }
        let token = self.create_token(access).await?;
        make_room(&mut tokens, now);
        tokens.insert(access.repository, token.clone());
        Ok(token)
    }

    async fn create_token(&self, access: Access) -> Result<Token, HostError> {
        let id = access.installation.to_string();
        let url = self.shared.api.join(&["app", "installations", &id, "access_tokens"]);
        let request = Request::post(url, rights(access), "installation");
        match self.as_app(&request).await {
            Ok(answer) => {
                let Created { token, expires_at } = request.read(&answer.body)?;
                let lifetime = self.shared.clock.now().plus(LIFETIME);
                Ok(Token::new(Zeroizing::new(token), time(&expires_at).unwrap_or(lifetime)))
            }
            Err(HostError::NotFound(_)) => Err(HostError::NotInstalled),
            Err(HostError::Denied(reason)) if reason.contains("suspended") => Err(HostError::NotInstalled),
            // The id is that of a row, and the repository may have been removed from the installation since.
            Err(HostError::Denied(reason))
                if access.repository.is_some() && !reason.contains("permission") =>
            {
                Err(HostError::NotFound("repository"))
            }
            Err(error) => Err(error),
        }
    }
}

/// The fewest rights: metadata, and the contents of one repository.
fn rights(access: Access) -> Value {
    let Some(repository) = access.repository else {
        return json!({"permissions": {"metadata": "read"}});
    };
    json!({"repository_ids": [repository.number()], "permissions": {"metadata": "read", "contents": "read"}})
}

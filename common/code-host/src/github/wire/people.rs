//! Users and public data about them.

use serde::Deserialize;

use super::{optional_time, required_time};
use crate::github::request::Request;
use crate::host::HostError;
use crate::people::{self, AccountKind, KeyKind};

#[derive(Deserialize)]
pub(crate) struct User {
    id: u64,
    login: String,
    #[serde(rename = "type")]
    kind: String,
    followers: u64,
    public_repos: u64,
    created_at: String,
}

#[derive(Deserialize)]
pub(crate) struct Account {
    id: u64,
    login: String,
}

#[derive(Deserialize)]
pub(crate) struct Event {
    #[serde(rename = "type")]
    kind: Option<String>,
    repo: EventRepository,
    public: bool,
    created_at: Option<String>,
}

#[derive(Deserialize)]
struct EventRepository {
    name: String,
}

#[derive(Deserialize)]
pub(crate) struct GpgKey {
    can_sign: bool,
    #[serde(default)]
    subkeys: Vec<GpgSubkey>,
    created_at: String,
    expires_at: Option<String>,
    revoked: bool,
}

#[derive(Deserialize)]
struct GpgSubkey {
    #[serde(default)]
    can_sign: bool,
    #[serde(default)]
    revoked: bool,
}

#[derive(Deserialize)]
pub(crate) struct SshKey {
    created_at: String,
}

impl User {
    pub(crate) fn read(self, request: &Request) -> Result<people::User, HostError> {
        Ok(people::User {
            id: self.id,
            kind: match self.kind.as_str() {
                "User" => AccountKind::User,
                "Organization" => AccountKind::Organization,
                "Bot" => AccountKind::Bot,
                _ => AccountKind::Other,
            },
            login: self.login,
            followers: self.followers,
            public_repositories: self.public_repos,
            created_at: required_time(request, "created_at", &self.created_at)?,
        })
    }
}

impl From<Account> for people::Account {
    fn from(Account { id, login }: Account) -> Self {
        Self { id, login }
    }
}

impl Event {
    pub(crate) fn read(self, request: &Request) -> Result<people::PublicEvent, HostError> {
        let created_at = self.created_at.ok_or_else(|| request.unexpected("missing field `created_at`"))?;
        Ok(people::PublicEvent {
            kind: self.kind.ok_or_else(|| request.unexpected("missing field `type`"))?,
            repository: self.repo.name.parse().ok(),
            public: self.public,
            created_at: required_time(request, "created_at", &created_at)?,
        })
    }
}

impl GpgKey {
    /// `None` for a key that signs nothing.
    pub(crate) fn signing(self) -> Option<people::SigningKey> {
        let signs = self.can_sign || self.subkeys.iter().any(|subkey| subkey.can_sign && !subkey.revoked);
        signs.then(|| people::SigningKey {
            kind: KeyKind::Gpg,
            created_at: optional_time(Some(&self.created_at)),
            expires_at: optional_time(self.expires_at.as_ref()),
            revoked: self.revoked,
        })
    }
}

impl From<SshKey> for people::SigningKey {
    fn from(key: SshKey) -> Self {
        Self {
            kind: KeyKind::Ssh,
            created_at: optional_time(Some(&key.created_at)),
            expires_at: None,
            revoked: false,
        }
    }
}

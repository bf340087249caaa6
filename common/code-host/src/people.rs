//! Users, and public data about them.

use common::timestamp::Timestamp;

use crate::name::FullName;

/// Kind of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountKind {
    /// A person.
    User,
    /// An organization.
    Organization,
    /// A program.
    Bot,
    /// Another one.
    Other,
}

/// An account, in brief.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: u64,
    /// Its login.
    pub login: String,
}

/// Public profile of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its id, which stays when the login changes.
    pub id: u64,
    /// Its login.
    pub login: String,
    /// Kind of the account.
    pub kind: AccountKind,
    /// Users who follow it.
    pub followers: u64,
    /// Public repositories that it owns.
    pub public_repositories: u64,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A public event of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicEvent {
    /// Kind of the event, as the host names it, for example `PullRequestEvent`.
    pub kind: String,
    /// The repository, where its name can be used.
    pub repository: Option<FullName>,
    /// Whether the host shows it to everybody.
    pub public: bool,
    /// When it happened.
    pub created_at: Timestamp,
}

/// A public key that a user signs commits with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningKey {
    /// Kind of the key.
    pub kind: KeyKind,
    /// When it was added.
    pub created_at: Option<Timestamp>,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// Kind of a signing key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// OpenPGP (RFC 9580).
    Gpg,
    /// SSH.
    Ssh,
}

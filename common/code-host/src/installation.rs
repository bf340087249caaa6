//! Installations of the service in accounts of the host.

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use common::words;
use directory::{
    Binding, Bound, Collection, Directory, DirectoryError, Resource, Spending, Table, check_text,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use thiserror::Error;

use crate::id::InstallationId;

/// Most installations of an organization: each is an account of the host.
const MAX_INSTALLATIONS: usize = 100;
/// Longest name of an account, in characters.
const MAX_ACCOUNT: usize = 100;
/// Age from which a binding without an installation row is left over from a crash: the row follows within seconds.
const LEFT_OVER: Duration = Duration::from_secs(600);

/// The organization that has an installation.
const BINDINGS: Binding = Binding { prefix: b"code-host-installation/" };

words! {
    /// State of an installation at the host.
    InstallationState {
        /// The host accepts its requests.
        Active = "active",
        /// The account has suspended it.
        Suspended = "suspended",
        /// The account has removed it.
        Removed = "removed",
    }
}

/// An installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installation {
    /// Its id at the host.
    pub id: InstallationId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// Name of the account at the host.
    pub account: String,
    /// Its state at the host.
    pub state: InstallationState,
    /// When its repositories were last read from the host.
    pub synced_at: Option<Timestamp>,
    /// When it was connected.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Reason why an installation was not connected.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// Another organization has it.
    #[error("the installation is connected to another organization")]
    BoundElsewhere,
    /// The permission to connect it was spent or replaced since it was read.
    #[error("the permission to connect the installation was used or replaced meanwhile")]
    Spent,
    /// The rows cannot be read or written.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}

/// The installations.
#[must_use]
pub fn installations(directory: &Directory) -> Table<'_, Installation> {
    directory.table(())
}

/// The oldest active installation of an organization. All of them show the same public data.
///
/// # Errors
/// `Unavailable` or `Corrupt` when a row cannot be read.
pub async fn active_installation(
    directory: &Directory,
    organization: OrganizationId,
) -> Result<Option<InstallationId>, DirectoryError> {
    let all = installations(directory).list(organization).await?;
    let active = all.iter().filter(|installation| installation.state == InstallationState::Active);
    Ok(active.min_by_key(|installation| installation.created_at).map(|installation| installation.id))
}

/// The organization that an installation is connected to, or `None`.
///
/// # Errors
/// `Unavailable` or `Corrupt` when the row cannot be read.
pub async fn organization_of(
    directory: &Directory,
    id: InstallationId,
) -> Result<Option<OrganizationId>, DirectoryError> {
    Ok(BINDINGS.find(directory, id.as_ref()).await?.map(|bound| bound.organization))
}

/// Connects an installation to an organization; one that is connected to it already stays as it is. The caller has proof that
/// the organization may use it, by a one-time permission or otherwise.
///
/// The binding is one commit, which decides between organizations and spends the permission; the row is a second one. A crash in
/// between leaves a binding without a row, which the same organization completes, and another one replaces after ten minutes.
///
/// # Errors
/// [`ConnectError`].
pub async fn connect(
    directory: &Directory,
    organization: OrganizationId,
    (id, account): (InstallationId, &str),
    permission: Option<&Spending>,
    now: Timestamp,
) -> Result<Installation, ConnectError> {
    check_text("account", account, MAX_ACCOUNT)?;
    let bind = async |replaced| match BINDINGS
        .bind(directory, id.as_ref(), organization, (replaced, permission))
        .await
    {
        Err(DirectoryError::NotFound) => Err(ConnectError::Spent),
        bound => Ok(bound?),
    };
    let mut bound = bind(None).await?;
    if bound.organization != organization && is_left_over(directory, id, bound, now).await? {
        bound = bind(Some(bound)).await?;
    }
    if bound.organization != organization {
        return Err(ConnectError::BoundElsewhere);
    }
    let new = Installation {
        id,
        organization,
        account: account.to_owned(),
        state: InstallationState::Active,
        synced_at: None,
        created_at: now,
        updated_at: now,
    };
    Ok(installations(directory).create(organization, new).await?)
}

async fn is_left_over(
    directory: &Directory,
    id: InstallationId,
    bound: Bound,
    now: Timestamp,
) -> Result<bool, DirectoryError> {
    let is_old = now.since(bound.bound_at) >= LEFT_OVER;
    Ok(is_old && installations(directory).get(bound.organization, id).await?.is_none())
}

/// Makes an installation free for other organizations, if it is connected to this one.
pub(crate) async fn release(
    directory: &Directory,
    organization: OrganizationId,
    id: InstallationId,
) -> Result<(), DirectoryError> {
    BINDINGS.release(directory, id.as_ref(), organization).await
}

impl Resource for Installation {
    type Id = InstallationId;
    type Context = ();

    fn collection((): ()) -> Collection {
        Collection {
            prefix: b"code-host-installation/",
            name: "installation",
            plural: "installations",
            limit: MAX_INSTALLATIONS,
        }
    }

    fn id(&self) -> InstallationId {
        self.id
    }

    fn check(&self, _: Option<&Self>) -> Result<(), DirectoryError> {
        check_text("account", &self.account, MAX_ACCOUNT)
    }

    fn touch(&mut self, before: &Self, now: Timestamp) {
        // Not for each time that nothing new was found.
        if (&self.account, self.state) != (&before.account, before.state) {
            self.updated_at = now;
        }
    }
}

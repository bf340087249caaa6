//! Installations of the service in accounts of the host.

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use directory::{Collection, Directory, DirectoryError, Resource, Table, check_text};
use serde::{Deserialize, Serialize};

use crate::id::InstallationId;

/// Most installations of an organization: each is an account of the host.
const MAX_INSTALLATIONS: usize = 100;
/// Longest name of an account, in characters.
const MAX_ACCOUNT: usize = 100;

/// An installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installation {
    /// Its id at the host.
    pub id: InstallationId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// Name of the account at the host.
    pub account: String,
    /// Whether the host accepts its requests; not while it is suspended.
    pub active: bool,
    /// When it was connected.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// The installations.
#[must_use]
pub fn installations(directory: &Directory) -> Table<'_, Installation> {
    directory.table(())
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

    fn touch(&mut self, _: &Self, now: Timestamp) {
        self.updated_at = now;
    }
}

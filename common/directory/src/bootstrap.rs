//! The first start: one organization, one key and one source where there is nothing yet. In two steps,
//! so that the caller can write the key down before it opens anything.

use common::ids::{OrganizationId, SourceId};
use ledger::LedgerId;

use crate::api_key::{KeyRow, NewKey, put_key};
use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::key_text::KeyText;
use crate::organization::{self, Organization};
use crate::rows::{ORGANIZATIONS, organization_key};
use crate::source::{NewSource, Source};

/// Name of the organization a first start creates.
const ORGANIZATION_NAME: &str = "Default organization";
/// Name of the key a first start creates.
const KEY_NAME: &str = "First key";
/// Name of the source a first start creates.
const SOURCE_NAME: &str = "First source";

/// Objects that a first start will create. Nothing of it is valid before [`activate`].
pub struct FirstRun {
    organization: Organization,
    key: KeyRow,
    key_text: KeyText,
    pub(crate) source: Source,
}

impl FirstRun {
    /// The organization to be.
    #[must_use]
    pub fn organization(&self) -> OrganizationId {
        self.organization.id
    }

    /// The source to be.
    #[must_use]
    pub fn source(&self) -> SourceId {
        self.source.id
    }

    /// The text of the key to be.
    #[must_use]
    pub fn key(&self) -> &KeyText {
        &self.key_text
    }
}

impl std::fmt::Debug for FirstRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FirstRun")
            .field("organization", &self.organization.id)
            .field("source", &self.source.id)
            .finish_non_exhaustive()
    }
}

/// Outcome of [`activate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// The prepared key is valid.
    Activated,
    /// Another process had its first start at the same time and was first: the prepared key will never
    /// be valid, and where it was written down it must be removed.
    LostToAnother,
}

/// Objects that a first start would create; `None` when there is an organization already. Changes nothing:
/// a process that ends between this and [`activate`] has left nothing, and prepares anew.
///
/// # Errors
/// `Unavailable` or `Corrupt` when the organizations cannot be read.
pub async fn prepare(directory: &Directory) -> Result<Option<FirstRun>, DirectoryError> {
    if has_organization(directory).await? {
        return Ok(None);
    }
    let organization = directory.new_organization(ORGANIZATION_NAME)?;
    let new_key = NewKey { name: KEY_NAME.to_owned(), ..NewKey::default() };
    let (key, key_text) = directory.new_key(organization.id, new_key)?;
    let source = directory.new_source(organization.id, NewSource::named(SOURCE_NAME))?;
    Ok(Some(FirstRun { organization, key, key_text, source }))
}

/// Makes valid what was prepared, unless another process was first. The source is written before:
/// it lies in another ledger, and belongs to nobody until the organization and its key appear together,
/// in one commit that only one process can win. Doing it again changes nothing.
///
/// # Errors
/// `Conflict` and `Unavailable` as their documentation says. After `Unavailable` nobody knows: the
/// next start finds either an organization or none.
pub async fn activate(directory: &Directory, first_run: &FirstRun) -> Result<Activation, DirectoryError> {
    let mut attempts = directory.attempts(LedgerId::Platform);
    while attempts.next().await? {
        // Present already: an earlier attempt whose outcome was unknown took effect.
        if directory.get_organization(first_run.organization.id).await?.is_some() {
            return Ok(Activation::Activated);
        }
        if has_organization(directory).await? {
            return Ok(Activation::LostToAnother);
        }
        directory.sources().insert(first_run.organization.id, first_run.source.clone()).await?;
        let mut ops = vec![
            put(organization_key(first_run.organization.id), &first_run.organization)?,
            organization::COUNTER.add(directory).await?,
        ];
        ops.extend(put_key(directory, &first_run.key).await?);
        if attempts.commit(ops).await? {
            return Ok(Activation::Activated);
        }
    }
    Err(DirectoryError::Conflict)
}

async fn has_organization(directory: &Directory) -> Result<bool, DirectoryError> {
    let found: Vec<Organization> = directory.list(LedgerId::Platform, ORGANIZATIONS, 1).await?;
    Ok(!found.is_empty())
}

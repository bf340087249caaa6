//! Sources: what sends logs into an organization, and the labels its records carry.

use common::ids::{OrganizationId, SourceId};
use common::timestamp::Timestamp;
use ledger::LedgerId;
use serde::{Deserialize, Serialize};

use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::fields::{MAX_APPLICATION_GROUP, MAX_ENVIRONMENT, MAX_NAME, check_new_text};
use crate::rows::{SOURCES, source_key};

/// Most sources of an organization: what one listing can hold in memory.
pub(crate) const MAX_SOURCES: usize = 10_000;

/// The application group of a source that names none.
pub const DEFAULT_APPLICATION_GROUP: &str = "default";
/// The environment of a source that names none.
pub const DEFAULT_ENVIRONMENT: &str = "production";

/// A source of logs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its id, part of the ingestion URL.
    pub id: SourceId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// What people call it, 1..=100 characters.
    pub name: String,
    /// The applications it belongs to, 1..=100 characters.
    pub application_group: String,
    /// Where they run, 1..=50 characters.
    pub environment: String,
    /// Whether it may send.
    pub enabled: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What a new source is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSource {
    /// The id it is to have, drawn beforehand so that a repeat finds what was made; `None` draws one.
    pub id: Option<SourceId>,
    /// What people call it, 1..=100 characters.
    pub name: String,
    /// The applications it belongs to, 1..=100 characters.
    pub application_group: String,
    /// Where they run, 1..=50 characters.
    pub environment: String,
    /// Whether it may send.
    pub enabled: bool,
}

impl NewSource {
    /// An enabled source with the default application group and environment.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            id: None,
            name: name.into(),
            application_group: DEFAULT_APPLICATION_GROUP.to_owned(),
            environment: DEFAULT_ENVIRONMENT.to_owned(),
            enabled: true,
        }
    }
}

/// What to change of a source; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceChange {
    /// The new name.
    pub name: Option<String>,
    /// The new application group, for batches accepted from now on.
    pub application_group: Option<String>,
    /// The new environment, for batches accepted from now on.
    pub environment: Option<String>,
    /// Whether it may send.
    pub enabled: Option<bool>,
}

impl Directory {
    /// Creates a source. Names need not be unique.
    ///
    /// # Errors
    /// `Invalid` for a field that is not allowed, `NotFound` without the organization, `Full` at
    /// 10,000 sources of the organization, `Conflict` and `Unavailable` as their documentation says.
    pub async fn create_source(
        &self,
        organization: OrganizationId,
        new: NewSource,
    ) -> Result<Source, DirectoryError> {
        let source = self.new_source(organization, new)?;
        if self.get_organization(organization).await?.is_none() {
            return Err(DirectoryError::NotFound);
        }
        self.write_source(source).await
    }

    /// A source of the organization, or `None`: also for one of another organization.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when its row cannot be read.
    pub async fn get_source(
        &self,
        organization: OrganizationId,
        id: SourceId,
    ) -> Result<Option<Source>, DirectoryError> {
        self.read(LedgerId::Organization(organization), &source_key(id)).await
    }

    /// All sources of the organization, oldest first.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when a row cannot be read.
    pub async fn list_sources(&self, organization: OrganizationId) -> Result<Vec<Source>, DirectoryError> {
        self.list(LedgerId::Organization(organization), SOURCES, MAX_SOURCES).await
    }

    /// Changes a source. `updated_at` moves only when something is different afterwards.
    ///
    /// # Errors
    /// `Invalid` for a field that is not allowed, `NotFound` without such a source in the
    /// organization, `Conflict` and `Unavailable` as their documentation says.
    pub async fn update_source(
        &self,
        organization: OrganizationId,
        id: SourceId,
        change: SourceChange,
    ) -> Result<Source, DirectoryError> {
        let outcome = self.commit_source_change(organization, id, change).await;
        // After an error, too: a commit of unknown outcome may have changed it.
        self.known_sources.forget(&(organization, id)).await;
        outcome
    }

    async fn commit_source_change(
        &self,
        organization: OrganizationId,
        id: SourceId,
        change: SourceChange,
    ) -> Result<Source, DirectoryError> {
        let ledger = LedgerId::Organization(organization);
        let mut attempts = self.attempts(ledger);
        while attempts.next().await? {
            let before = self.get_source(organization, id).await?.ok_or(DirectoryError::NotFound)?;
            let mut source = changed(&before, &change);
            check(&source, Some(&before))?;
            if source == before {
                return Ok(before);
            }
            source.updated_at = self.clock.now();
            if attempts.commit(vec![put(source_key(id), &source)?]).await? {
                return Ok(source);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Deletes a source; `false` when the organization has no such source. What it has sent stays.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn delete_source(
        &self,
        organization: OrganizationId,
        id: SourceId,
    ) -> Result<bool, DirectoryError> {
        let outcome = self.remove::<Source>(LedgerId::Organization(organization), source_key(id)).await;
        self.known_sources.forget(&(organization, id)).await;
        outcome
    }

    /// A source that is not written yet.
    pub(crate) fn new_source(
        &self,
        organization: OrganizationId,
        new: NewSource,
    ) -> Result<Source, DirectoryError> {
        let now = self.clock.now();
        let source = Source {
            id: new.id.unwrap_or_else(|| SourceId(self.new_id())),
            organization,
            name: new.name,
            application_group: new.application_group,
            environment: new.environment,
            enabled: new.enabled,
            created_at: now,
            updated_at: now,
        };
        check(&source, None)?;
        Ok(source)
    }

    /// Writes a new source.
    pub(crate) async fn write_source(&self, source: Source) -> Result<Source, DirectoryError> {
        let ledger = LedgerId::Organization(source.organization);
        self.insert(ledger, source_key(source.id), source, (SOURCES, "sources", MAX_SOURCES)).await
    }
}

fn changed(before: &Source, change: &SourceChange) -> Source {
    let mut source = before.clone();
    source.name.clone_from(change.name.as_ref().unwrap_or(&before.name));
    source
        .application_group
        .clone_from(change.application_group.as_ref().unwrap_or(&before.application_group));
    source.environment.clone_from(change.environment.as_ref().unwrap_or(&before.environment));
    source.enabled = change.enabled.unwrap_or(before.enabled);
    source
}

fn check(source: &Source, before: Option<&Source>) -> Result<(), DirectoryError> {
    let stored = |field: fn(&Source) -> &String| before.map(|before| field(before).as_str());
    check_new_text("name", &source.name, stored(|source| &source.name), MAX_NAME)?;
    let group = stored(|source| &source.application_group);
    check_new_text("application_group", &source.application_group, group, MAX_APPLICATION_GROUP)?;
    let environment = stored(|source| &source.environment);
    check_new_text("environment", &source.environment, environment, MAX_ENVIRONMENT)
}

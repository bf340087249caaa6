//! Sources: senders of logs of an organization, and the labels its records carry.

use common::ids::{OrganizationId, SourceId};
use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

use crate::directory::Directory;
use crate::error::DirectoryError;
use crate::fields::{MAX_APPLICATION_GROUP, MAX_ENVIRONMENT, MAX_NAME, check_new_text};
use crate::rows::SOURCES;
use crate::table::{Collection, Resource, Table};

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
    /// Its name, 1..=100 characters.
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

/// Values of a new source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSource {
    /// The id it is to have, drawn beforehand so that a repeat finds what was made; `None` draws one.
    pub id: Option<SourceId>,
    /// Its name, 1..=100 characters.
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
        self.sources().create(organization, self.new_source(organization, new)?).await
    }

    /// The sources. Deleting one leaves the records that it sent.
    #[must_use]
    pub fn sources(&self) -> Table<'_, Source> {
        self.table(())
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
        source.check(None)?;
        Ok(source)
    }
}

impl Resource for Source {
    type Id = SourceId;
    type Context = ();

    fn collection((): ()) -> Collection {
        Collection { prefix: SOURCES, name: "source", plural: "sources", limit: MAX_SOURCES }
    }

    fn id(&self) -> SourceId {
        self.id
    }

    fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError> {
        let stored = |field: fn(&Self) -> &String| before.map(|before| field(before).as_str());
        check_new_text("name", &self.name, stored(|source| &source.name), MAX_NAME)?;
        let group = stored(|source| &source.application_group);
        check_new_text("application_group", &self.application_group, group, MAX_APPLICATION_GROUP)?;
        let environment = stored(|source| &source.environment);
        check_new_text("environment", &self.environment, environment, MAX_ENVIRONMENT)
    }

    fn touch(&mut self, _: &Self, now: Timestamp) {
        self.updated_at = now;
    }

    async fn changed(directory: &Directory, organization: OrganizationId, id: SourceId) {
        directory.known_sources.forget(&(organization, id)).await;
    }
}

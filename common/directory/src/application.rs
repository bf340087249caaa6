//! Applications: web applications of an organization that are discovered and tested.

use common::ids::{ApplicationId, OrganizationId};
use common::timestamp::Timestamp;
use ledger::Op;
use secrets::{SecretsError, Vault};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::directory::Directory;
use crate::error::DirectoryError;
use crate::fields::{MAX_NAME, check_new_text};
use crate::lookup::Lookup;
use crate::red_team::{NewCredentials, RedTeamSettings, SealedCredentials};
use crate::rows::{APPLICATION_NAMES, APPLICATION_URLS, APPLICATIONS};
use crate::sealed_values::{RowLocation, SealError, header_field};
use crate::table::{Change, Collection, Resource, Table};
use crate::target_url::{TargetUrl, identity, is_same_origin};

/// Most applications of an organization: what one listing can hold in memory.
pub(crate) const MAX_APPLICATIONS: usize = 1_000;
/// Longest prompt of a run, in characters, as in reports.
pub(crate) const MAX_PROMPT: usize = 10_000;

const NAMES: Lookup = Lookup { prefix: APPLICATION_NAMES, unique: Some("name") };
const URLS: Lookup = Lookup { prefix: APPLICATION_URLS, unique: Some("url") };

/// An application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// Its id.
    pub id: ApplicationId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// Its name, 1..=100 characters, unique in the organization in any case.
    pub name: String,
    /// Its URL, unique in the organization.
    pub url: String,
    /// The repository of its source code, by its decimal id at the code host.
    pub repository_id: Option<String>,
    /// Additional instructions for its runs, 1..=10,000 characters.
    pub specific_prompt: Option<String>,
    /// Settings of its runs.
    pub red_team: RedTeamSettings,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Values of a new application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewApplication {
    /// The id it is to have, drawn beforehand so that a repetition finds the application; `None` draws one.
    pub id: Option<ApplicationId>,
    /// Its name.
    pub name: String,
    /// Its URL.
    pub url: String,
    /// The repository of its source code, which exists.
    pub repository_id: Option<String>,
}

impl Application {
    /// Sets the URL and the credentials that a change names. Credentials are for one origin: with another one, those that the
    /// change does not name are cleared.
    ///
    /// # Errors
    /// `Invalid` for a URL that is not allowed.
    pub fn set_target(
        &mut self,
        url: Option<&str>,
        credentials: &SealedCredentials,
    ) -> Result<(), DirectoryError> {
        let mut is_moved = false;
        if let Some(url) = url {
            let stored = self.url == url;
            is_moved = !stored && !is_same_origin("url", &self.url, url)?;
            if !stored {
                TargetUrl::parse("url", url)?.as_str().clone_into(&mut self.url);
            }
        }
        self.red_team.set_credentials(credentials, is_moved);
        Ok(())
    }
}

impl Directory {
    /// Creates an application.
    ///
    /// # Errors
    /// `Taken` for a name or URL that another application of the organization has, and as [`Table::create`], at 1,000
    /// applications of the organization.
    pub async fn create_application(
        &self,
        organization: OrganizationId,
        new: NewApplication,
    ) -> Result<Application, DirectoryError> {
        let now = self.clock.now();
        let application = Application {
            id: new.id.unwrap_or_else(|| ApplicationId(self.new_id())),
            organization,
            name: new.name,
            url: TargetUrl::parse("url", &new.url)?.as_str().to_owned(),
            repository_id: new.repository_id,
            specific_prompt: None,
            red_team: RedTeamSettings::default(),
            created_at: now,
            updated_at: now,
        };
        self.applications().create(organization, application).await
    }

    /// The applications.
    #[must_use]
    pub fn applications(&self) -> Table<'_, Application> {
        self.table(())
    }
}

/// Seals credentials for an application.
///
/// # Errors
/// [`SealError`].
pub async fn seal_for_application(
    vault: &Vault,
    organization: OrganizationId,
    id: ApplicationId,
    credentials: NewCredentials,
) -> Result<SealedCredentials, SealError> {
    credentials.seal(vault, RowLocation { organization, table: "application", row: id.as_bytes() }).await
}

/// Opens the headers that an application's requests are to have.
///
/// # Errors
/// [`SecretsError`].
pub async fn open_headers_of_application(
    vault: &Vault,
    application: &Application,
) -> Result<Vec<(String, Zeroizing<Vec<u8>>)>, SecretsError> {
    let (organization, row) = (application.organization, application.id.as_bytes());
    let location = RowLocation { organization, table: "application", row };
    let mut headers = Vec::with_capacity(application.red_team.headers.len());
    for (name, sealed) in &application.red_team.headers {
        headers.push((name.clone(), vault.open(&location.field(&header_field(name)), sealed).await?));
    }
    Ok(headers)
}

impl Resource for Application {
    type Id = ApplicationId;
    type Context = ();

    fn collection((): ()) -> Collection {
        Collection {
            prefix: APPLICATIONS,
            name: "application",
            plural: "applications",
            limit: MAX_APPLICATIONS,
        }
    }

    fn id(&self) -> ApplicationId {
        self.id
    }

    fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError> {
        check_new_text("name", &self.name, before.map(|before| before.name.as_str()), MAX_NAME)?;
        // A stored URL stays allowed after the rules became stricter.
        if before.is_none_or(|before| before.url != self.url) {
            TargetUrl::parse("url", &self.url)?;
        }
        check_prompt(self.specific_prompt.as_deref())?;
        self.red_team.check(before.map(|before| &before.red_team))
    }

    fn touch(&mut self, _: &Self, now: Timestamp) {
        self.updated_at = now;
    }

    async fn beside(
        table: &Table<'_, Self>,
        organization: OrganizationId,
        change: Change<'_, Self>,
    ) -> Result<Vec<Op>, DirectoryError> {
        let Some(id) = change.before.or(change.after).map(|application| application.id) else {
            return Ok(Vec::new());
        };
        let names = change.map(|application| application.name.to_lowercase());
        let mut ops = NAMES.ops(table, organization, id, names).await?;
        let urls = change.map(|application| identity(&application.url));
        ops.extend(URLS.ops(table, organization, id, urls).await?);
        Ok(ops)
    }
}

/// Refuses a prompt that is blank or too long. Line breaks and tabs are allowed.
pub(crate) fn check_prompt(prompt: Option<&str>) -> Result<(), DirectoryError> {
    let Some(prompt) = prompt else { return Ok(()) };
    let length = prompt.chars().count();
    if prompt.trim().is_empty() || length > MAX_PROMPT {
        let expected =
            format!("expected 1 to {MAX_PROMPT} characters that are not all blank, found {length}");
        return Err(DirectoryError::invalid("specific_prompt", expected));
    }
    Ok(())
}

//! Installations and repositories as the API shows them.

use code_host::{Inactive, Installation, InstallationState, Repository, RepositoryState};
use rest::openapi::word_of;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};

use crate::updates::UpdateSettingsView;

/// An installation of the service in an account of the code host.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CodeHostInstallation)]
pub(crate) struct InstallationView {
    /// Id of the installation at the code host, a decimal number.
    #[schema(pattern = "^[1-9][0-9]{0,15}$", example = "37373737")]
    id: String,
    /// `code_host_installation`.
    #[schema(example = "code_host_installation")]
    object: &'static str,
    /// Name of the account.
    #[schema(min_length = 1, max_length = 100, example = "acme")]
    account: String,
    /// State of the installation at the code host.
    #[schema(schema_with = installation_state)]
    state: &'static str,
    /// When the repositories were last read from the code host; null until then.
    #[schema(required, format = DateTime)]
    synced_at: Option<String>,
    /// When it was connected.
    #[schema(format = DateTime)]
    created_at: String,
    /// When account or state last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

/// A repository of the code host.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Repository)]
pub(crate) struct RepositoryView {
    /// Id of the repository at the code host, a decimal number.
    #[schema(pattern = "^[1-9][0-9]{0,15}$", example = "1296269")]
    id: String,
    /// `repository`.
    #[schema(example = "repository")]
    object: &'static str,
    /// Owner and name.
    #[schema(max_length = 200, example = "acme/shop")]
    full_name: String,
    /// Whether only invited users of the code host can read it.
    private: bool,
    /// Name of the default branch.
    #[schema(max_length = 255, example = "main")]
    default_branch: String,
    /// Installation that gives access to it.
    #[schema(pattern = "^[1-9][0-9]{0,15}$", example = "37373737")]
    installation_id: String,
    /// State of the repository at the code host.
    #[schema(schema_with = repository_state)]
    state: &'static str,
    /// Whether it can be worked on at the code host.
    active: bool,
    /// Reason why it cannot; null for an active repository.
    #[schema(required, schema_with = inactive_reason)]
    inactive_reason: Option<&'static str>,
    /// Whether the service works on it.
    enabled: bool,
    #[serde(flatten)]
    updates: UpdateSettingsView,
    /// When it was connected.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed, here or at the code host.
    #[schema(format = DateTime)]
    updated_at: String,
}

fn installation_state() -> ObjectBuilder {
    word_of::<InstallationState>("State of the installation at the code host")
}

fn repository_state() -> ObjectBuilder {
    word_of::<RepositoryState>("State of the repository at the code host")
}

fn inactive_reason() -> OneOfBuilder {
    let words = word_of::<Inactive>("Reason why the repository cannot be worked on");
    let null = ObjectBuilder::new().schema_type(Type::Null);
    OneOfBuilder::new().item(null).item(words)
}

impl From<Installation> for InstallationView {
    fn from(installation: Installation) -> Self {
        Self {
            id: installation.id.to_string(),
            object: "code_host_installation",
            account: installation.account,
            state: installation.state.as_str(),
            synced_at: installation.synced_at.map(|at| at.to_iso()),
            created_at: installation.created_at.to_iso(),
            updated_at: installation.updated_at.to_iso(),
        }
    }
}

impl RepositoryView {
    /// With the state of its installation, `None` for one that is not connected.
    pub(crate) fn new(repository: Repository, installation: Option<InstallationState>) -> Self {
        let inactive = repository.inactive(installation);
        Self {
            id: repository.id.to_string(),
            object: "repository",
            full_name: repository.full_name,
            private: repository.private,
            default_branch: repository.default_branch,
            installation_id: repository.installation.to_string(),
            state: repository.state.as_str(),
            active: inactive.is_none(),
            inactive_reason: inactive.map(Inactive::as_str),
            enabled: repository.enabled,
            updates: repository.updates.into(),
            created_at: repository.created_at.to_iso(),
            updated_at: repository.updated_at.to_iso(),
        }
    }
}

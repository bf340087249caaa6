//! The target of a finding, with its current name; a deleted target is marked, and the finding stays.

use code_host::repositories;
use common::ids::OrganizationId;
use rest::error::ApiError;
use rest::kit::Kit;
use serde::Serialize;
use utoipa::ToSchema;

use crate::target::Target;

/// Target of a finding.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FindingTarget)]
pub(crate) struct TargetView {
    /// `repository`, `application`, `agent` or `package`.
    #[serde(rename = "type")]
    #[schema(example = "application")]
    kind: &'static str,
    /// Its id; of a package, ecosystem and name.
    id: String,
    /// Its name now; the last known one of a deleted repository, and null for another deleted target.
    #[schema(required)]
    name: Option<String>,
    /// Whether it was deleted or disconnected.
    deleted: bool,
}

impl TargetView {
    /// Reads the name of a target.
    pub(crate) async fn of(
        kit: &Kit,
        organization: OrganizationId,
        target: &Target,
    ) -> Result<Self, ApiError> {
        let directory = &kit.directory;
        let view = |kind, id: String, name: Option<String>| Self { kind, id, deleted: name.is_none(), name };
        Ok(match target {
            Target::Application { id } => {
                let found = directory.applications().get(organization, *id).await?;
                view("application", id.to_string(), found.map(|application| application.name))
            }
            Target::Agent { id } => {
                let found = directory.agents().get(organization, *id).await?;
                view("agent", id.to_string(), found.map(|agent| agent.name))
            }
            Target::Repository { id, full_name } => {
                let found = match id.parse() {
                    Ok(known) => repositories(directory).get(organization, known).await?,
                    Err(_) => None,
                };
                let view = view("repository", id.clone(), found.map(|repository| repository.full_name));
                Self { name: view.name.or_else(|| Some(full_name.clone())), ..view }
            }
            Target::Package { ecosystem, name } => {
                view("package", format!("{ecosystem}/{name}"), Some(name.clone()))
            }
        })
    }
}

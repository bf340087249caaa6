//! A target of runs, and its settings as its row states them.

use common::ids::{AgentId, ApplicationId, OrganizationId, RecordId};
use directory::{Directory, DirectoryError, RedTeamSettings};
use records::Records;
use serde::{Deserialize, Serialize};

/// A target of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// An application.
    Application(ApplicationId),
    /// An agent.
    Agent(AgentId),
}

impl Target {
    /// Id of its schedule.
    pub(crate) fn schedule_id(self, records: &Records, organization: OrganizationId) -> RecordId {
        let (Self::Application(ApplicationId(id)) | Self::Agent(AgentId(id))) = self;
        records.lone_id(organization, id)
    }

    /// Its settings, or `None` when the organization has no such target.
    pub(crate) async fn settings(
        self,
        directory: &Directory,
        organization: OrganizationId,
    ) -> Result<Option<RedTeamSettings>, DirectoryError> {
        Ok(match self {
            Self::Application(id) => {
                directory.applications().get(organization, id).await?.map(|application| application.red_team)
            }
            Self::Agent(id) => directory.agents().get(organization, id).await?.map(|agent| agent.red_team),
        })
    }
}

/// All targets of an organization with a schedule, with their settings.
pub(crate) async fn scheduled_targets(
    directory: &Directory,
    organization: OrganizationId,
) -> Result<Vec<(Target, RedTeamSettings)>, DirectoryError> {
    let applications = directory.applications().list(organization).await?;
    let agents = directory.agents().list(organization).await?;
    let applications = applications.into_iter().map(|one| (Target::Application(one.id), one.red_team));
    let agents = agents.into_iter().map(|one| (Target::Agent(one.id), one.red_team));
    Ok(applications
        .chain(agents)
        .filter(|(_, settings)| crate::schedules::timing(settings).is_some())
        .collect())
}

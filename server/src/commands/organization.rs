//! `palisade org`: organizations.

use common::ids::OrganizationId;

use super::{ArgumentError, id, print, table};
use crate::Failure;
use crate::cli::OrgCommand;
use crate::storage::Ledgers;

pub(super) async fn run(command: OrgCommand, ledgers: &Ledgers) -> Result<(), Failure> {
    let directory = &ledgers.directory;
    match command {
        OrgCommand::Create { name } => {
            let organization = directory.create_organization(&name).await?;
            print(&format!(
                "Organization {} created. Give it a key: palisade key create --org {} --name NAME",
                name, organization.id
            ))
        }
        OrgCommand::List => {
            let organizations = directory.list_organizations().await?;
            let row = |organization: &directory::Organization| {
                vec![organization.id.to_string(), organization.name.clone(), organization.created_at.to_iso()]
            };
            print(&table(&["ID", "NAME", "CREATED"], &organizations.iter().map(row).collect::<Vec<_>>()))
        }
        OrgCommand::Revoke { id: word } => {
            let organization: OrganizationId = id(&word)?;
            if directory.get_organization(organization).await?.is_none() {
                return Err(ArgumentError::NotFound { thing: "organization", id: word }.into());
            }
            let mut revoked = 0;
            for key in directory.list_keys(organization).await? {
                if key.revoked_at.is_none() {
                    directory.revoke_key(organization, key.id).await?;
                    revoked += 1;
                }
            }
            print(&format!("{revoked} API keys revoked; they stop working within seconds."))
        }
    }
}

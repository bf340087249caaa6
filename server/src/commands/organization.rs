//! `palisade org`: organizations.

use std::sync::Arc;

use common::clock::SystemClock;
use common::ids::OrganizationId;
use credits::{Credits, Plan};

use super::{ArgumentError, id as parse, print, table};
use crate::Failure;
use crate::cli::OrgCommand;
use crate::storage::Ledgers;

pub(super) async fn run(command: OrgCommand, ledgers: &Ledgers) -> Result<(), Failure> {
    let directory = &ledgers.directory;
    match command {
        OrgCommand::Create { name } => {
            let organization = directory.create_organization(&name).await?;
            print(&format!(
                "Organization {} created. Create an API key for it: palisade key create --org {} --name NAME",
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
        OrgCommand::Plan { id, credits, unlimited } => {
            let organization = find(&id, ledgers).await?;
            let plan = if unlimited { Some(Plan::Unlimited) } else { credits.map(Plan::Limited) };
            show_plan(organization, plan, ledgers).await
        }
        OrgCommand::Revoke { id } => {
            let organization = find(&id, ledgers).await?;
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

async fn find(word: &str, ledgers: &Ledgers) -> Result<OrganizationId, Failure> {
    let organization: OrganizationId = parse(word)?;
    if ledgers.directory.get_organization(organization).await?.is_none() {
        return Err(ArgumentError::NotFound { thing: "organization", id: word.to_owned() }.into());
    }
    Ok(organization)
}

/// Sets the plan if one is given, and prints it.
async fn show_plan(
    organization: OrganizationId,
    plan: Option<Plan>,
    ledgers: &Ledgers,
) -> Result<(), Failure> {
    let credits = Credits::new(Arc::clone(&ledgers.ledger), Arc::new(SystemClock::new()));
    if let Some(plan) = plan {
        credits.set_plan(organization, plan).await?;
    }
    let account = credits.account(organization).await?;
    let balance = account.balance().map_or_else(|| "unlimited".to_owned(), |balance| balance.to_string());
    let (reserved, used) = (account.reserved.to_string(), account.used.to_string());
    let row = vec![account.plan.name().to_owned(), balance, reserved, used];
    print(&table(&["PLAN", "BALANCE", "RESERVED", "USED THIS MONTH"], &[row]))
}

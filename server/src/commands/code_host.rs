//! `palisade code-host`: the code host.

use std::sync::Arc;

use code_host::{CodeHost, ConnectError, InstallationId, connect, organization_of};
use common::clock::{SharedClock, SystemClock};
use outbound::{Outbound, SystemResolver};
use thiserror::Error;

use super::{organization, print};
use crate::Failure;
use crate::cli::CodeHostCommand;
use crate::serve::{code_host as connected, worker_role};
use crate::settings::Settings;
use crate::storage::Ledgers;

/// Errors of the command.
#[derive(Debug, Error)]
enum BindError {
    #[error("setting code_host.github is missing: this deployment is not registered with a code host")]
    NotConfigured,
    #[error(
        "{word:?} is not an installation: expected the number at the end of the URL of its settings page"
    )]
    Id { word: String },
    #[error("installation {id} is connected to organization {other}: disconnect it there first")]
    BoundElsewhere { id: InstallationId, other: String },
}

pub(super) async fn run(
    command: CodeHostCommand,
    ledgers: &Ledgers,
    settings: &Settings,
) -> Result<(), Failure> {
    let CodeHostCommand::Bind { org, installation } = command;
    let id: InstallationId =
        installation.parse().map_err(|_| BindError::Id { word: installation.clone() })?;
    let directory = &ledgers.directory;
    let organization = organization(directory, org.as_deref()).await?;
    let clock: SharedClock = Arc::new(SystemClock::new());
    let client = client(settings, &clock)?;
    let account = client.installation(id).await?.account;
    match connect(directory, organization, (id, account.as_str()), None, clock.now()).await {
        Ok(_) => {}
        Err(ConnectError::BoundElsewhere) => {
            let other = organization_of(directory, id).await?.map(|other| other.to_string());
            return Err(BindError::BoundElsewhere { id, other: other.unwrap_or_default() }.into());
        }
        // Only a connection through the browser spends a permission.
        Err(error @ ConnectError::Spent) => return Err(error.into()),
        Err(ConnectError::Directory(error)) => return Err(error.into()),
    }
    let jobs = worker_role::jobs(ledgers, &clock, settings, ("", None), None);
    code_host_api::request_sync(&jobs, organization, id).await?;
    print(&format!(
        "Installation {id} in the account {account} is connected to organization {organization}; a running server reads \
         its repositories within a minute."
    ))
}

/// The client of the configured code host.
///
/// # Errors
/// When there is none, or it cannot be used.
pub(super) fn client(settings: &Settings, clock: &SharedClock) -> Result<Arc<dyn CodeHost>, Failure> {
    let resolver = SystemResolver::new(&settings.outbound, Arc::clone(clock))?;
    let outbound = Arc::new(Outbound::new(&settings.outbound, Arc::new(resolver), Arc::clone(clock))?);
    let connected = connected::open(settings, &outbound, clock)?;
    Ok(connected.ok_or(BindError::NotConfigured)?.for_requests().client)
}

//! `palisade source`: sources of logs.

use directory::{Directory, NewSource, Source};

use super::{id, organization, print, table};
use crate::Failure;
use crate::cli::SourceCommand;
use crate::storage::Ledgers;

pub(super) async fn run(command: SourceCommand, ledgers: &Ledgers) -> Result<(), Failure> {
    let directory = &ledgers.directory;
    match command {
        SourceCommand::Create { org, name, application_group, environment } => {
            let organization = organization(directory, org.as_deref()).await?;
            let mut source = NewSource::named(name);
            source.application_group = application_group.unwrap_or(source.application_group);
            source.environment = environment.unwrap_or(source.environment);
            let source = directory.create_source(organization, source).await?;
            print(&format!(
                "Source {} created. Send logs to /api/v1/infrastructure/sources/{}/v1/logs",
                source.name, source.id
            ))
        }
        SourceCommand::List { org } => {
            let organization = organization(directory, org.as_deref()).await?;
            let sources = directory.sources().list(organization).await?;
            let headings = ["ID", "NAME", "APPLICATION GROUP", "ENVIRONMENT", "ENABLED", "CREATED"];
            print(&table(&headings, &sources.iter().map(row).collect::<Vec<_>>()))
        }
        SourceCommand::Enable { org, id } => set_enabled(directory, org, &id, true).await,
        SourceCommand::Disable { org, id } => set_enabled(directory, org, &id, false).await,
    }
}

/// Enables or disables a source, and prints when that takes effect.
async fn set_enabled(
    directory: &Directory,
    org: Option<String>,
    word: &str,
    enabled: bool,
) -> Result<(), Failure> {
    let organization = organization(directory, org.as_deref()).await?;
    let change = |source: &mut Source| {
        source.enabled = enabled;
        Ok(())
    };
    let source = directory.sources().update(organization, id(word)?, change).await?;
    let (state, logs) = if enabled { ("enabled", "accepted") } else { ("disabled", "refused") };
    print(&format!(
        "Source {} ({}) is {state}; its logs are {logs} within five seconds.",
        source.id, source.name
    ))
}

fn row(source: &Source) -> Vec<String> {
    vec![
        source.id.to_string(),
        source.name.clone(),
        source.application_group.clone(),
        source.environment.clone(),
        if source.enabled { "yes" } else { "no" }.to_owned(),
        source.created_at.to_iso(),
    ]
}

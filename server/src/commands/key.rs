//! `palisade key`: API keys, and the key-encryption keys of stored secrets.

use std::sync::Arc;

use common::timestamp::Timestamp;
use directory::{ApiKey, NewKey};
use secrets::Vault;

use super::{ArgumentError, id, organization, print, table};
use crate::Failure;
use crate::cli::KeyCommand;
use crate::settings::Settings;
use crate::storage::{self, Ledgers};

pub(super) async fn run(command: KeyCommand, ledgers: &Ledgers, settings: &Settings) -> Result<(), Failure> {
    let directory = &ledgers.directory;
    match command {
        KeyCommand::Create { org, name, scopes, expires_at } => {
            let organization = organization(directory, org.as_deref()).await?;
            let expires_at = expires_at.map(time).transpose()?;
            let new_key = NewKey { name, scopes, expires_at, created_by: None };
            let (key, text) = directory.create_key(organization, new_key).await?;
            print(&format!("{}\n\nThis API key has the id {} and is shown only once.", text.expose(), key.id))
        }
        KeyCommand::List { org } => {
            let organization = organization(directory, org.as_deref()).await?;
            let keys = directory.list_keys(organization).await?;
            let headings = ["ID", "NAME", "ENDS IN", "SCOPES", "CREATED", "EXPIRES", "REVOKED"];
            print(&table(&headings, &keys.iter().map(row).collect::<Vec<_>>()))
        }
        KeyCommand::Revoke { org, id: word } => {
            let organization = organization(directory, org.as_deref()).await?;
            let key = directory.revoke_key(organization, id(&word)?).await?;
            print(&format!("Key {} ({}) is revoked; it stops working within seconds.", key.id, key.name))
        }
        KeyCommand::Rewrap { give_up_lost } => rewrap(ledgers, settings, give_up_lost).await,
    }
}

/// Safe beside running servers, and idempotent: keys already wrapped by the first key are unchanged.
async fn rewrap(ledgers: &Ledgers, settings: &Settings, give_up_lost: bool) -> Result<(), Failure> {
    let keys = storage::key_encryption_keys(settings, ledgers).await?;
    let current = keys.current().name();
    let vault = Vault::new(Arc::clone(&ledgers.ledger), keys);
    let (mut rewrapped, mut before, mut lost, mut given_up) = (0, 0, 0, 0);
    for organization in ledgers.directory.list_organizations().await? {
        let done = vault.rewrap(organization.id).await?;
        rewrapped += done.rewrapped;
        before += done.current;
        lost += done.lost;
        if give_up_lost && vault.give_up_lost(organization.id).await? {
            given_up += 1;
        }
    }
    let done =
        format!("Data keys rewrapped with key {current}: {rewrapped}; already wrapped with it: {before}.");
    if given_up > 0 {
        return print(&format!(
            "{done} Organizations with a new data key, since theirs was lost: {given_up}. Rotate the \
            signing secrets of their webhook targets, and set their header values again."
        ));
    }
    if lost == 0 {
        return print(&format!("{done} No other key is needed."));
    }
    print(&format!(
        "{done} Wrapped by keys that are not configured: {lost}. Configure those too, or, if they are lost, see --give-up-lost."
    ))
}

fn row(key: &ApiKey) -> Vec<String> {
    let moment = |at: Option<Timestamp>| at.map_or_else(|| "-".to_owned(), Timestamp::to_iso);
    vec![
        key.id.to_string(),
        key.name.clone(),
        key.last_four.clone(),
        key.scopes.as_ref().map_or_else(|| "all".to_owned(), |scopes| scopes.join(",")),
        key.created_at.to_iso(),
        moment(key.expires_at),
        moment(key.revoked_at),
    ]
}

fn time(word: String) -> Result<Timestamp, ArgumentError> {
    Timestamp::parse_rfc3339(&word).ok_or(ArgumentError::Time { word })
}

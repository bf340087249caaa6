//! Removal of an inventory with its application. The record of the inventory goes first: a job that still runs
//! finds it missing and writes no further asset. The removal is repeatable: one that is interrupted goes on when it is repeated.

use jobs::Jobs;
use records::{Change, Home, RecordError, Records, Removing};

use super::apply::chunk_after;
use super::asset::{Asset, Ids};
use super::run::Inventory;

/// Cancels the run of an application, and removes its inventory.
pub(crate) async fn remove(jobs: &Jobs, ids: &Ids) -> Result<(), RecordError> {
    let records = jobs.records();
    let inventory = records.get::<Inventory>(ids.organization, ids.inventory()).await?;
    remove_inventory(records, ids).await?;
    if let Some(inventory) = inventory {
        jobs.cancel(inventory.run.id).await?;
    }
    remove_assets(records, ids).await
}

/// Removes the inventory without its run, which is the caller.
pub(crate) async fn remove_within_run(records: &Records, ids: &Ids) -> Result<(), RecordError> {
    remove_inventory(records, ids).await?;
    remove_assets(records, ids).await
}

async fn remove_inventory(records: &Records, ids: &Ids) -> Result<(), RecordError> {
    let mut attempts = records.attempts(Home::Records, ids.shard());
    while let Some(mut draft) = attempts.next().await? {
        let removing = records.removal::<Inventory>(&mut draft, ids.organization, ids.inventory()).await?;
        match removing {
            Some(Removing::Whole(removal)) => draft.add(Change::delete(removal))?,
            // It has no history.
            Some(Removing::Shortened) => {}
            None => return Ok(()),
        }
        if attempts.commit(draft).await? {
            return Ok(());
        }
    }
    Err(RecordError::Conflict)
}

async fn remove_assets(records: &Records, ids: &Ids) -> Result<(), RecordError> {
    let mut is_left = true;
    while is_left {
        is_left = remove_chunk(records, ids).await?;
    }
    Ok(())
}

/// Removes a chunk; whether there may be more.
async fn remove_chunk(records: &Records, ids: &Ids) -> Result<bool, RecordError> {
    let mut attempts = records.attempts(Home::Records, ids.shard());
    while let Some(mut draft) = attempts.next().await? {
        let (chunk, next) = chunk_after(records, ids, ids.range().0).await?;
        for asset in chunk {
            let removing = records.removal::<Asset>(&mut draft, ids.organization, asset.id).await?;
            if let Some(Removing::Whole(removal)) = removing {
                draft.add(Change::delete(removal))?;
            }
        }
        if attempts.commit(draft).await? {
            return Ok(next.is_some());
        }
    }
    Err(RecordError::Conflict)
}

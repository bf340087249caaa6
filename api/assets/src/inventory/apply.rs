//! Assets of a run, committed in chunks together with the numbers of the run. An asset to which the run was applied before, by an
//! attempt that ended in between, is left out, so that every number counts once.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::ids::RecordId;
use jobs::{Run, Step, Stop};
use records::{Change, Draft, RecordError, Records};

use super::asset::{Asset, Ids};
use super::found::Found;
use super::merge::{self, Effect, Occasion};
use super::run::Inventory;
use super::runs::of_run;
use super::scope::Rules;

/// Assets of a commit, which has at most 1 MiB: an asset has at most 10 KiB, since its attributes have a bound of 7.
const CHUNK: usize = 100;

/// Applies a run of the application at a URL to the assets that it found, and then to the others.
pub(crate) async fn apply(
    job: &mut Run,
    (ids, url): (&Ids, &str),
    found: &BTreeMap<RecordId, Found>,
    complete: bool,
) -> Result<(), Stop> {
    let occasion = Occasion { run: job.job().id, at: job.clock().now(), complete };
    let all: Vec<&Found> = found.values().collect();
    for chunk in all.chunks(CHUNK) {
        apply_found(job, (ids, url), chunk, occasion).await?;
    }
    let mut after = Some(ids.range().0);
    while let Some(place) = after {
        after = apply_missed(job, (ids, url), place, occasion).await?;
    }
    Ok(())
}

async fn apply_found(
    job: &mut Run,
    (ids, url): (&Ids, &str),
    chunk: &[&Found],
    occasion: Occasion,
) -> Result<(), Stop> {
    let records = Arc::clone(job.records());
    let mut steps = job.steps();
    loop {
        let mut draft = steps.next().await?;
        let mut inventory = current(&records, ids, occasion).await?;
        let rules = rules(&records, ids, url).await?;
        for found in chunk {
            let before = records.get::<Asset>(ids.organization, found.id(ids)).await?;
            if before.as_ref().is_some_and(|before| before.run == occasion.run) {
                continue;
            }
            let (mut asset, effect) = merge::found(before.as_ref(), found, ids, occasion);
            rules.apply(&mut asset);
            put(&mut draft, &mut inventory, (asset, effect))?;
        }
        if draft.is_empty() {
            return Ok(());
        }
        draft.add(Change::put(inventory))?;
        if steps.commit(draft, Step::Continue).await? {
            return Ok(());
        }
    }
}

/// Applies the run to a chunk of the stored assets that it did not find; the last of the chunk, unless it was the last of all.
async fn apply_missed(
    job: &mut Run,
    (ids, url): (&Ids, &str),
    after: RecordId,
    occasion: Occasion,
) -> Result<Option<RecordId>, Stop> {
    let records = Arc::clone(job.records());
    let mut steps = job.steps();
    loop {
        let mut draft = steps.next().await?;
        let mut inventory = current(&records, ids, occasion).await?;
        let rules = rules(&records, ids, url).await?;
        let (stored, next) = chunk_after(&records, ids, after).await?;
        for mut before in stored.into_iter().filter(|before| before.run != occasion.run) {
            rules.apply(&mut before);
            put(&mut draft, &mut inventory, merge::missed(&before, occasion))?;
        }
        if draft.is_empty() {
            return Ok(next);
        }
        draft.add(Change::put(inventory))?;
        if steps.commit(draft, Step::Continue).await? {
            return Ok(next);
        }
    }
}

/// A chunk of the stored assets of an application behind an id, and the last id of the chunk, unless it was the last chunk.
pub(crate) async fn chunk_after(
    records: &Records,
    ids: &Ids,
    after: RecordId,
) -> Result<(Vec<Asset>, Option<RecordId>), RecordError> {
    let mut chunk = records.scan::<Asset>(ids.organization, ids.shard(), Some(after), CHUNK).await?;
    let is_full = chunk.len() == CHUNK;
    let (_, last) = ids.range();
    let of_application = |asset: &Asset| asset.id <= last && asset.application == ids.application;
    let all = chunk.len();
    chunk.retain(of_application);
    let next = chunk.last().map(|asset| asset.id).filter(|_| is_full && chunk.len() == all);
    Ok((chunk, next))
}

async fn rules(records: &Records, ids: &Ids, url: &str) -> Result<Rules, Stop> {
    Rules::read(records, ids, url).await.map_err(|error| Stop::Retry(error.to_string()))
}

async fn current(records: &Records, ids: &Ids, occasion: Occasion) -> Result<Inventory, Stop> {
    // A deletion in between has removed it; nothing is written any more then, and the job ends.
    of_run(records, ids, occasion.run).await?.ok_or(Stop::Cancelled)
}

fn put(
    draft: &mut Draft,
    inventory: &mut Inventory,
    (asset, effect): (Asset, Effect),
) -> Result<(), RecordError> {
    let active = inventory.assets.entry(asset.kind).or_default();
    match effect {
        Effect::New => {
            inventory.run.new += 1;
            *active += 1;
        }
        Effect::Changed => inventory.run.changed += 1,
        Effect::Gone => {
            inventory.run.gone += 1;
            *active = active.saturating_sub(1);
        }
        Effect::Same => {}
    }
    draft.add(Change::put(asset))
}

//! Setting the scope status of an asset. Hosts can have every status; an endpoint can be excluded, and otherwise has the status of
//! its host. The choice is stored with the inventory, so that it survives a run that finds the asset again.

use std::collections::BTreeSet;

use common::ids::RecordId;
use ledger::Seq;
use records::{Change, Home, RecordError, Records};
use rest::error::ApiError;
use web::scope::{Decision, MOST_PATTERNS, Scope, ScopeReason};

use super::apply::chunk_after;
use super::asset::{Asset, AssetScope, AssetType, Ids};
use super::found::scope_of;
use super::run::{Chosen, Inventory};

/// Excluded endpoints: they are a part of one row. An exclusion of the host covers more.
const MOST_ENDPOINTS: usize = 200;

/// Sets the scope status of an asset, and that of everything on a host; all assets that were written, with their commits.
pub(crate) async fn set(
    records: &Records,
    (ids, url): (&Ids, &str),
    id: RecordId,
    wanted: AssetScope,
) -> Result<(Asset, Vec<(Asset, Seq)>), ApiError> {
    let (asset, seq) = set_one(records, (ids, url), id, wanted).await?;
    let mut written = vec![(asset.clone(), seq)];
    if matches!(asset.kind, AssetType::Host | AssetType::Subdomain) {
        written.extend(set_others(records, (ids, url), &asset).await?);
    }
    Ok((asset, written))
}

async fn set_one(
    records: &Records,
    (ids, url): (&Ids, &str),
    id: RecordId,
    wanted: AssetScope,
) -> Result<(Asset, Seq), ApiError> {
    let unknown = || ApiError::NotFound("asset");
    if id.shard() != ids.shard() {
        return Err(unknown());
    }
    let mut attempts = records.attempts(Home::Records, ids.shard());
    while let Some(mut draft) = attempts.next().await? {
        let asset = records.get::<Asset>(ids.organization, id).await?;
        let mut asset = asset.filter(|asset| asset.application == ids.application).ok_or_else(unknown)?;
        let inventory = records.get::<Inventory>(ids.organization, ids.inventory()).await?;
        let inventory = inventory.ok_or_else(unknown)?;
        let mut chosen: Chosen = super::runs::chosen(records, ids).await?;
        choose(&mut chosen, &asset, wanted)?;
        let scope = scope_with(url, &chosen)?;
        (asset.scope, asset.scope_reason) = status(&scope, &chosen, &asset);
        if asset.scope != wanted {
            return Err(refused(&asset, wanted));
        }
        let seq = Seq(draft.number());
        draft.add(Change::put(asset.clone()))?;
        draft.add(Change::put(inventory).detail(chosen))?;
        if attempts.commit(draft).await? {
            return Ok((asset, seq));
        }
    }
    Err(RecordError::Conflict.into())
}

/// Sets the status of everything on a host, in chunks. Assets that a failure leaves out are set by the next run.
async fn set_others(
    records: &Records,
    (ids, url): (&Ids, &str),
    host: &Asset,
) -> Result<Vec<(Asset, Seq)>, ApiError> {
    let mut written = Vec::new();
    let mut after = Some(ids.range().0);
    while let Some(place) = after {
        let mut attempts = records.attempts(Home::Records, ids.shard());
        loop {
            let Some(mut draft) = attempts.next().await? else { return Err(RecordError::Conflict.into()) };
            let chosen = super::runs::chosen(records, ids).await?;
            let scope = scope_with(url, &chosen)?;
            let (chunk, next) = chunk_after(records, ids, place).await?;
            let seq = Seq(draft.number());
            let mut changed = Vec::new();
            for mut asset in chunk.into_iter().filter(|asset| asset.host == host.host) {
                let now = status(&scope, &chosen, &asset);
                if (&asset.scope, &asset.scope_reason) != (&now.0, &now.1) {
                    (asset.scope, asset.scope_reason) = now;
                    draft.add(Change::put(asset.clone()))?;
                    changed.push((asset, seq));
                }
            }
            if attempts.commit(draft).await? {
                written.extend(changed);
                after = next;
                break;
            }
        }
    }
    Ok(written)
}

fn choose(chosen: &mut Chosen, asset: &Asset, wanted: AssetScope) -> Result<(), ApiError> {
    match asset.kind {
        AssetType::Host | AssetType::Subdomain => {
            chosen.included.remove(&asset.host);
            chosen.excluded.remove(&asset.host);
            match wanted {
                AssetScope::Included => {
                    add(&mut chosen.included, asset.host.clone(), (MOST_PATTERNS, "hosts"))
                }
                AssetScope::Excluded => {
                    add(&mut chosen.excluded, asset.host.clone(), (MOST_PATTERNS, "hosts"))
                }
                AssetScope::Unverified => Ok(()),
            }
        }
        AssetType::Endpoint => {
            chosen.endpoints.remove(&asset.id);
            if wanted == AssetScope::Excluded {
                return add(&mut chosen.endpoints, asset.id, (MOST_ENDPOINTS, "endpoints"));
            }
            Ok(())
        }
        AssetType::Technology | AssetType::Certificate => Err(ApiError::Invalid(
            "scope_status: a technology or certificate has the scope status of its host".into(),
        )),
    }
}

fn add<T: Ord>(set: &mut BTreeSet<T>, value: T, (most, plural): (usize, &str)) -> Result<(), ApiError> {
    if set.len() >= most {
        return Err(ApiError::Invalid(
            format!("scope_status: at most {most} {plural} can have this status").into(),
        ));
    }
    set.insert(value);
    Ok(())
}

/// The scope of an application with the hosts that a user chose.
pub(crate) fn scope_with(url: &str, chosen: &Chosen) -> Result<Scope, ApiError> {
    let list = |hosts: &BTreeSet<String>| hosts.iter().cloned().collect::<Vec<_>>();
    let scope = Scope::new(url, &list(&chosen.included), &list(&chosen.excluded));
    scope.map_err(|error| ApiError::Invalid(format!("scope_status: {error}").into()))
}

/// The status of an asset: an endpoint's by its origin, all others' by the name of their host.
fn status(scope: &Scope, chosen: &Chosen, asset: &Asset) -> (AssetScope, String) {
    if chosen.endpoints.contains(&asset.id) {
        return (AssetScope::Excluded, ScopeReason::ListedExcluded.as_str().to_owned());
    }
    let origin = asset.attributes.get("origin").and_then(|origin| url::Url::parse(origin.as_str()?).ok());
    let decision: Decision =
        origin.map_or_else(|| scope.decide_host(&asset.host), |origin| scope.decide(&origin));
    scope_of(decision)
}

fn refused(asset: &Asset, wanted: AssetScope) -> ApiError {
    let (wanted, has) = (wanted.as_str(), asset.scope.as_str());
    let reason = if asset.kind == AssetType::Endpoint {
        "its host decides, unless it is excluded"
    } else {
        "the URL of the application decides, unless it is excluded"
    };
    ApiError::Invalid(format!("scope_status: cannot be {wanted}, since it is {has}: {reason}").into())
}

//! Setting the scope status of an asset. Hosts can have every status; an endpoint can be excluded, and otherwise has the status of
//! its host. The choice is stored with the inventory, so that it survives a run that finds the asset again.

use std::collections::BTreeSet;

use common::ids::RecordId;
use ledger::Seq;
use records::{Change, Home, RecordError, Records};
use rest::error::ApiError;
use thiserror::Error;
use url::Url;
use web::scope::{MOST_PATTERNS, Scope, ScopeError, ScopeReason, ScopeStatus};

use super::apply::chunk_after;
use super::asset::{Asset, AssetScope, AssetType, Ids};
use super::run::{Chosen, Inventory};

/// Excluded endpoints: they are a part of one row. An exclusion of the host covers more.
const MOST_ENDPOINTS: usize = 200;

/// The scope of an application and the choices of a user, as they are at one moment.
pub(crate) struct Rules {
    scope: Scope,
    chosen: Chosen,
}

impl Rules {
    /// Those of now: a status that is decided by them is committed in the attempt in which they were read, so that a choice at the
    /// same time is not overwritten.
    pub(crate) async fn read(records: &Records, ids: &Ids, url: &str) -> Result<Self, RulesError> {
        Self::new(url, super::runs::chosen(records, ids).await?)
    }

    pub(crate) fn new(url: &str, chosen: Chosen) -> Result<Self, RulesError> {
        let list = |hosts: &BTreeSet<String>| hosts.iter().cloned().collect::<Vec<_>>();
        Ok(Self { scope: Scope::new(url, &list(&chosen.included), &list(&chosen.excluded))?, chosen })
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Whether a GET of a URL may be sent: its host is included, and its endpoint is not excluded.
    pub(crate) fn permit(&self, ids: &Ids, url: &Url) -> bool {
        self.scope.decide(url).permits_requests() && !self.chosen.endpoints.contains(&ids.endpoint_of(url))
    }

    /// Sets the status of an asset: an endpoint's by its origin, all others' by the name of their host. Whether it is another one.
    pub(crate) fn apply(&self, asset: &mut Asset) -> bool {
        let now = self.status(asset);
        let is_changed = (&asset.scope, &asset.scope_reason) != (&now.0, &now.1);
        (asset.scope, asset.scope_reason) = now;
        is_changed
    }

    fn status(&self, asset: &Asset) -> (AssetScope, String) {
        if self.chosen.endpoints.contains(&asset.id) {
            return (AssetScope::Excluded, ScopeReason::ListedExcluded.as_str().to_owned());
        }
        let origin = asset.attributes.get("origin").and_then(|origin| Url::parse(origin.as_str()?).ok());
        let decision =
            origin.map_or_else(|| self.scope.decide_host(&asset.host), |origin| self.scope.decide(&origin));
        let status = match decision.status {
            ScopeStatus::Included => AssetScope::Included,
            ScopeStatus::Excluded => AssetScope::Excluded,
            ScopeStatus::Unverified | ScopeStatus::Foreign => AssetScope::Unverified,
        };
        (status, decision.reason.as_str().to_owned())
    }
}

/// Reason why there are no rules.
#[derive(Debug, Error)]
pub(crate) enum RulesError {
    /// No scope follows from the URL of the application.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The choices of a user cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl From<RulesError> for ApiError {
    fn from(error: RulesError) -> Self {
        match error {
            RulesError::Scope(error) => Self::Invalid(format!("scope_status: {error}").into()),
            RulesError::Record(error) => error.into(),
        }
    }
}

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
        let rules = Rules::new(url, chosen)?;
        rules.apply(&mut asset);
        if asset.scope != wanted {
            return Err(refused(&asset, wanted));
        }
        let seq = Seq(draft.number());
        draft.add(Change::put(asset.clone()))?;
        draft.add(Change::put(inventory).detail(rules.chosen))?;
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
            let rules = Rules::read(records, ids, url).await?;
            let (chunk, next) = chunk_after(records, ids, place).await?;
            let seq = Seq(draft.number());
            let mut changed = Vec::new();
            for mut asset in chunk.into_iter().filter(|asset| asset.host == host.host) {
                if rules.apply(&mut asset) {
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
            format!("scope_status: at most {most} {plural} can have this status, found {}", set.len()).into(),
        ));
    }
    set.insert(value);
    Ok(())
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

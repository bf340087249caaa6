//! The effect of a run on an asset. Pure.

use common::ids::RecordId;
use common::timestamp::Timestamp;
use serde_json::Value;
use web::endpoints::Existence;

use super::asset::{Asset, AssetScope, AssetState, Ids};
use super::found::Found;

/// Complete runs without an asset after which it is gone: one that a server left out once is not.
pub(crate) const GONE_AFTER: u8 = 3;
/// Attributes that differ between runs although nothing has changed: the first page that shows a product, and addresses in turn.
const VOLATILE: [&str; 3] = ["evidence", "url", "addresses"];
/// Attributes that name servers tell; they are kept where the name servers did not answer.
const OF_NAME_SERVERS: [&str; 5] =
    ["addresses", "aliases", "mail_servers", "certificate_authorities", "wildcard"];
/// Attribute of an endpoint: whether the server knows it.
const EXISTENCE: &str = "existence";

/// Effect of a run on an asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It was not known, or gone.
    New,
    /// It has other properties.
    Changed,
    /// It is as it was.
    Same,
    /// It is gone now.
    Gone,
}

/// A run, as far as it concerns an asset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occasion {
    pub(crate) run: RecordId,
    pub(crate) at: Timestamp,
    /// Whether the run tells that something is missing.
    pub(crate) complete: bool,
}

/// An asset that a run found.
pub(crate) fn found(before: Option<&Asset>, found: &Found, ids: &Ids, occasion: Occasion) -> (Asset, Effect) {
    let mut attributes = found.attributes.clone();
    if let Some(before) = before.filter(|_| !attributes.contains_key("addresses")) {
        for key in OF_NAME_SERVERS {
            if let Some(value) = before.attributes.get(key) {
                attributes.entry(key).or_insert_with(|| value.clone());
            }
        }
    }
    // The existence of a page that a run does not request, for example an excluded one, is unknown to the run.
    if attributes.get(EXISTENCE) == Some(&Value::from(Existence::Unknown.as_str()))
        && let Some(known) = before.and_then(|before| before.attributes.get(EXISTENCE))
    {
        attributes.insert(EXISTENCE.to_owned(), known.clone());
    }
    let after = Asset {
        id: found.id(ids),
        organization: ids.organization,
        application: ids.application,
        kind: found.kind,
        value: found.value.clone(),
        host: found.host.clone(),
        parent: found.parent.as_ref().map(|(kind, identity)| ids.asset(*kind, identity)),
        // Decided when it is committed.
        scope: AssetScope::Unverified,
        scope_reason: String::new(),
        sources: found.sources.clone(),
        attributes,
        state: AssetState::Active,
        missed: 0,
        run: occasion.run,
        first_seen_at: before.map_or(occasion.at, |before| before.first_seen_at),
        last_seen_at: occasion.at,
    };
    let effect = match before {
        Some(before) if before.state == AssetState::Active => {
            if is_same(before, &after) {
                Effect::Same
            } else {
                Effect::Changed
            }
        }
        _ => Effect::New,
    };
    (after, effect)
}

/// An asset that a run did not find.
pub(crate) fn missed(before: &Asset, occasion: Occasion) -> (Asset, Effect) {
    let mut after = Asset { run: occasion.run, ..before.clone() };
    // No run looks for an excluded asset.
    let is_looked_for = occasion.complete && before.scope != AssetScope::Excluded;
    if !is_looked_for || before.state == AssetState::Gone {
        return (after, Effect::Same);
    }
    after.missed = before.missed.saturating_add(1);
    if after.missed < GONE_AFTER {
        return (after, Effect::Same);
    }
    after.state = AssetState::Gone;
    (after, Effect::Gone)
}

fn is_same(before: &Asset, after: &Asset) -> bool {
    let steady = |asset: &Asset| {
        let mut attributes = asset.attributes.clone();
        VOLATILE.iter().for_each(|key| drop(attributes.remove(*key)));
        attributes
    };
    before.value == after.value && before.parent == after.parent && steady(before) == steady(after)
}

//! Sequences of runs against a model: for each asset, the complete runs since it was found last.

use common::ids::{ApplicationId, OrganizationId, RecordId};
use common::partition::Shard;
use common::timestamp::Timestamp;
use ledger::memory::MemoryLedger;
use proptest::prelude::*;
use records::Records;
use serde_json::{Map, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

use super::asset::{Asset, AssetState, AssetType, Ids};
use super::found::Found;
use super::merge::{self, Effect, GONE_AFTER, Occasion};

fn ids(application: u8) -> Ids {
    let records = Records::new(Arc::new(MemoryLedger::new()), 4, Uuid::nil());
    let (organization, application) =
        (OrganizationId::from_bytes([1; 16]), ApplicationId::from_bytes([application; 16]));
    Ids::new(&records, organization, application)
}

fn endpoint(name: u8, parameter: u8) -> Found {
    let identity = format!("GET https://a.test/{name}");
    let mut attributes = Map::new();
    attributes.insert("parameters".to_owned(), json!([parameter]));
    Found {
        kind: AssetType::Endpoint,
        value: identity.clone(),
        identity,
        host: "a.test".to_owned(),
        parent: Some((AssetType::Host, "a.test".to_owned())),
        sources: vec!["crawl".to_owned()],
        attributes,
    }
}

fn occasion(number: u8, complete: bool) -> Occasion {
    Occasion { run: RecordId::new(Shard(0), &[number; 32]), at: Timestamp(i64::from(number)), complete }
}

#[test]
fn ids_of_an_application_are_a_range_apart_from_those_of_others() {
    let (ours, theirs) = (ids(1), ids(2));
    let (first, last) = ours.range();
    for kind in AssetType::ALL {
        for name in ["a", "b", "https://a.test/"] {
            let id = ours.asset(kind, name);
            assert!(first < id && id <= last && id.shard() == ours.shard());
            let other = theirs.asset(kind, name);
            assert!(other < first || other > last);
        }
    }
    assert_ne!(ours.asset(AssetType::Host, "a"), ours.asset(AssetType::Subdomain, "a"));
}

#[test]
fn evidence_and_missing_answers_of_name_servers_are_no_change() {
    let (ids, mut found) = (ids(1), endpoint(1, 1));
    found.attributes.insert("evidence".to_owned(), json!("x"));
    found.attributes.insert("aliases".to_owned(), json!(["b.test"]));
    let (before, effect) = merge::found(None, &found, &ids, occasion(1, true));
    assert_eq!(effect, Effect::New);
    // Another page shows the product first, and the name servers do not answer.
    found.attributes.insert("evidence".to_owned(), json!("y"));
    found.attributes.remove("aliases");
    let (after, effect) = merge::found(Some(&before), &found, &ids, occasion(2, true));
    assert_eq!((effect, &after.attributes["aliases"]), (Effect::Same, &json!(["b.test"])));
    assert_eq!((after.first_seen_at, after.last_seen_at), (Timestamp(1), Timestamp(2)));
}

proptest! {
    #[test]
    fn runs_count_new_changed_and_gone_assets_as_a_model_does(
        runs in proptest::collection::vec(
            (any::<bool>(), proptest::collection::btree_map(0..6_u8, 0..2_u8, 0..6)),
            1..30,
        ),
    ) {
        let ids = ids(1);
        let mut stored: BTreeMap<u8, Asset> = BTreeMap::new();
        // Parameter, and complete runs without it.
        let mut model: BTreeMap<u8, (u8, u8)> = BTreeMap::new();
        for (number, (complete, seen)) in (1_u8..).zip(runs) {
            let (mut effects, mut expected) = (BTreeMap::new(), BTreeMap::new());
            for name in 0..6 {
                let before = stored.get(&name);
                let merged = match seen.get(&name) {
                    Some(parameter) => {
                        Some(merge::found(before, &endpoint(name, *parameter), &ids, occasion(number, complete)))
                    }
                    None => before.map(|before| merge::missed(before, occasion(number, complete))),
                };
                if let Some((asset, effect)) = merged {
                    effects.insert(name, effect);
                    stored.insert(name, asset);
                }
                let known = model.get(&name).copied();
                let effect = match (seen.get(&name), known) {
                    (Some(parameter), known) => {
                        model.insert(name, (*parameter, 0));
                        Some(match known {
                            Some((_, missed)) if missed >= GONE_AFTER => Effect::New,
                            None => Effect::New,
                            Some((before, _)) if before != *parameter => Effect::Changed,
                            Some(_) => Effect::Same,
                        })
                    }
                    (None, Some((parameter, missed))) => {
                        let missed_now = missed + u8::from(complete && missed < GONE_AFTER);
                        model.insert(name, (parameter, missed_now));
                        let is_gone = missed_now == GONE_AFTER && missed < GONE_AFTER;
                        Some(if is_gone { Effect::Gone } else { Effect::Same })
                    }
                    (None, None) => None,
                };
                effect.map(|effect| expected.insert(name, effect));
            }
            prop_assert_eq!(effects, expected);
            for (name, (_, missed)) in &model {
                let state = if *missed >= GONE_AFTER { AssetState::Gone } else { AssetState::Active };
                prop_assert_eq!(stored[name].state, state);
                prop_assert_eq!(stored[name].run, occasion(number, true).run);
            }
        }
    }
}

//! Lists of several organizations while their incidents change, the feed loses its past and indexes come and go.

use std::collections::BTreeMap;
use std::time::Duration;

use common::ids::IncidentId;
use directory::Source;
use ledger::{Ledger, LedgerId, Seq};
use proptest::prelude::*;

use crate::harness::{Tenant, World, start};
use crate::seed::{Seed, commit, delete_head};

/// One thing that happens. Numbers choose the organization and the incident.
#[derive(Clone, Debug)]
enum Step {
    Write { who: usize, number: u32, activity: u32 },
    Delete { who: usize, number: u32 },
    List { who: usize },
    ForgetFeed { who: usize, number: u32 },
    Poll,
    Idle,
}

fn step() -> impl Strategy<Value = Step> {
    let who = || 0_usize..3;
    prop_oneof![
        6 => (who(), 0_u32..12, 0_u32..100).prop_map(|(who, number, activity)| Step::Write { who, number, activity }),
        2 => (who(), 0_u32..12).prop_map(|(who, number)| Step::Delete { who, number }),
        3 => who().prop_map(|who| Step::List { who }),
        1 => (who(), 0_u32..12).prop_map(|(who, number)| Step::ForgetFeed { who, number }),
        2 => Just(Step::Poll),
        1 => Just(Step::Idle),
    ]
}

/// An organization, and its incidents as they should be listed.
struct Party {
    tenant: Tenant,
    sources: Vec<Source>,
    expected: BTreeMap<IncidentId, u32>,
}

impl Party {
    async fn new(world: &World, name: &str) -> Self {
        let tenant = world.tenant(name).await;
        let sources = vec![world.source(&tenant, "one").await, world.source(&tenant, "two").await];
        Self { tenant, sources, expected: BTreeMap::new() }
    }

    fn seed(&self, number: u32) -> Seed {
        Seed::new(&self.sources[number as usize % 2], number)
    }

    async fn check(&self, world: &World) {
        let body = world.get(&self.tenant.key, "/incidents?limit=100").await.ok(200);
        let listed = body["data"].as_array().unwrap().iter();
        let listed: Vec<_> = listed
            .map(|incident| (incident["id"].as_str().unwrap(), &incident["last_activity_at"]))
            .collect();
        let mut expected: Vec<_> = self.expected.iter().map(|(id, activity)| (*activity, *id)).collect();
        expected.sort_unstable();
        let expected: Vec<_> =
            expected.iter().rev().map(|(activity, id)| (id.to_string(), at(*activity).to_iso())).collect();
        assert_eq!(listed.len(), expected.len());
        for ((id, activity), (expected_id, expected_activity)) in listed.iter().zip(&expected) {
            assert_eq!((*id, activity.as_str().unwrap()), (expected_id.as_str(), expected_activity.as_str()));
        }
    }
}

fn at(activity: u32) -> common::timestamp::Timestamp {
    start().plus(Duration::from_secs(u64::from(activity)))
}

async fn play(steps: Vec<Step>) {
    let world = World::with(api::Config { requests_per_minute: 100_000, ..api::Config::default() });
    let mut parties = Vec::new();
    for name in ["first", "second", "third"] {
        parties.push(Party::new(&world, name).await);
    }
    let ledger = world.ledger.as_ref();
    for step in steps {
        match step {
            Step::Write { who, number, activity } => {
                let party = &mut parties[who];
                let seed = party.seed(number).active_at(at(activity)).write(ledger).await;
                party.expected.insert(seed.id(), activity);
            }
            Step::Delete { who, number } => {
                let party = &mut parties[who];
                let id = party.seed(number).id();
                commit(ledger, id.partition(), vec![delete_head(party.tenant.organization, id)]).await;
                party.expected.remove(&id);
            }
            Step::List { who } => {
                world.get(&parties[who].tenant.key, "/incidents").await.ok(200);
            }
            Step::ForgetFeed { who, number } => {
                let id = LedgerId::Partition(parties[who].seed(number).id().partition());
                let Seq(seq) = world.ledger.seq(id).await.unwrap();
                world.ledger.memory.truncate_feed(id, Seq(seq.saturating_sub(1)));
            }
            Step::Poll => world.one_poll_later().await,
            Step::Idle => world.clock.advance(Duration::from_secs(8 * 60)),
        }
    }
    world.one_poll_later().await;
    for party in &parties {
        party.check(&world).await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn after_a_poll_every_list_is_the_truth(steps in prop::collection::vec(step(), 0..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(play(steps));
    }
}

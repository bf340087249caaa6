//! Credits on a ledger whose commits may fail, be repeated or have an unknown outcome.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use common::clock::ManualClock;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use ledger::wrapped::{Fate, FatedLedger};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(7));

/// Credits on a ledger that loses answers: one bit of the plan for each commit that takes effect and is reported as unknown,
/// another for each that has no effect and is.
fn world(took_effect: u32, was_lost: u32) -> (Credits, Arc<ManualClock>) {
    let fate = |commit: u32| {
        let bit = 1_u32 << (commit % 32);
        match (was_lost & bit, took_effect & bit) {
            (0, 0) => Fate::Done,
            (0, _) => Fate::AnswerLost,
            _ => Fate::Lost,
        }
    };
    // More commits than a test makes.
    let ledger = FatedLedger::new(Arc::default(), (0..1_000).map(fate));
    let clock = Arc::new(ManualClock::new(Timestamp::parse_rfc3339("2026-11-26T12:00:00Z").unwrap()));
    (Credits::new(Arc::new(ledger), clock.clone()), clock)
}

fn key(number: u8) -> Uuid {
    Uuid::from_u128(number.into())
}

async fn figures(credits: &Credits) -> (Option<u64>, u64, u64) {
    let account = credits.account(ORGANIZATION).await.unwrap();
    (account.balance(), account.reserved, account.used)
}

#[tokio::test]
async fn an_unlimited_plan_grants_and_counts_everything() {
    let (credits, _) = world(0, 0);
    assert_eq!(figures(&credits).await, (None, 0, 0));
    credits.reserve(ORGANIZATION, key(1), 5).await.unwrap();
    assert_eq!(figures(&credits).await, (None, 5, 0));
    credits.settle(ORGANIZATION, key(1), 3).await.unwrap();
    assert_eq!(figures(&credits).await, (None, 0, 3));
    assert_eq!(credits.account(OrganizationId(Uuid::from_u128(8))).await.unwrap(), {
        let (fresh, _) = world(0, 0);
        fresh.account(ORGANIZATION).await.unwrap()
    });
}

#[tokio::test]
async fn a_limited_plan_refuses_beyond_its_balance_and_begins_anew_each_month() {
    let (credits, clock) = world(0, 0);
    credits.set_plan(ORGANIZATION, Plan::Limited(7)).await.unwrap();
    credits.reserve(ORGANIZATION, key(1), 5).await.unwrap();
    let refused = credits.reserve(ORGANIZATION, key(2), 3).await.unwrap_err();
    assert_eq!(refused.to_string(), "expected a balance of at least 3 credits, found 2");
    credits.settle(ORGANIZATION, key(1), 5).await.unwrap();
    credits.reserve(ORGANIZATION, key(3), 2).await.unwrap();
    assert_eq!(figures(&credits).await, (Some(0), 2, 5));
    clock.advance(Duration::from_secs(5 * 24 * 60 * 60));
    assert_eq!(figures(&credits).await, (Some(5), 2, 0), "reserved ones stay reserved");
    credits.settle(ORGANIZATION, key(3), 2).await.unwrap();
    assert_eq!(figures(&credits).await, (Some(5), 0, 2));
    credits.set_plan(ORGANIZATION, Plan::Unlimited).await.unwrap();
    assert_eq!(figures(&credits).await, (None, 0, 2));
}

#[tokio::test]
async fn an_amount_of_0_writes_nothing_and_at_most_the_reserved_amount_is_charged() {
    let (credits, _) = world(0, 0);
    credits.set_plan(ORGANIZATION, Plan::Limited(0)).await.unwrap();
    credits.reserve(ORGANIZATION, key(1), 0).await.unwrap();
    credits.settle(ORGANIZATION, key(1), 0).await.unwrap();
    credits.settle(ORGANIZATION, key(1), 9).await.unwrap();
    assert_eq!(figures(&credits).await, (Some(0), 0, 0));
    credits.set_plan(ORGANIZATION, Plan::Limited(9)).await.unwrap();
    credits.reserve(ORGANIZATION, key(2), 2).await.unwrap();
    credits.settle(ORGANIZATION, key(2), 3).await.unwrap();
    assert_eq!(figures(&credits).await, (Some(7), 0, 2));
}

#[tokio::test]
async fn abandoned_reservations_are_returned_and_old_settlements_forgotten() {
    let (credits, clock) = world(0, 0);
    let sweep = async || {
        let exists = |id: Uuid| async move { Ok::<_, CreditsError>(id == key(2)) };
        credits.return_abandoned(ORGANIZATION, exists).await.unwrap()
    };
    for number in [1, 2, 3] {
        credits.reserve(ORGANIZATION, key(number), 4).await.unwrap();
    }
    credits.settle(ORGANIZATION, key(3), 4).await.unwrap();
    clock.advance(Duration::from_secs(300));
    credits.reserve(ORGANIZATION, key(1), 4).await.unwrap();
    clock.advance(Duration::from_secs(600));
    assert_eq!(sweep().await, 0, "the request was repeated after five minutes");
    clock.advance(Duration::from_secs(1));
    assert_eq!(sweep().await, 1);
    assert_eq!(figures(&credits).await, (None, 4, 4));
    assert_eq!(sweep().await, 0);
    credits.reserve(ORGANIZATION, key(1), 4).await.unwrap();
    assert_eq!(figures(&credits).await, (None, 8, 4), "a returned reservation is made anew");
    credits.settle(ORGANIZATION, key(1), 0).await.unwrap();
    credits.reserve(ORGANIZATION, key(3), 4).await.unwrap();
    assert_eq!(figures(&credits).await, (None, 4, 4), "the settlement is remembered");
    clock.advance(Duration::from_secs(26 * 60 * 60));
    assert_eq!(sweep().await, 0);
    credits.reserve(ORGANIZATION, key(3), 4).await.unwrap();
    assert_eq!(figures(&credits).await, (None, 8, 4), "forgotten after 25 hours");
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Reserve(u8, u64),
    Settle(u8, u64),
}

fn act() -> impl Strategy<Value = Act> {
    let reserve = (0..6_u8, 0..5_u64).prop_map(|(key, amount)| Act::Reserve(key, amount));
    let settle = (0..6_u8, 0..5_u64).prop_map(|(key, amount)| Act::Settle(key, amount));
    prop_oneof![reserve, settle]
}

proptest! {
    /// Whatever answers are lost, the account is that of a plain model in which each reservation and settlement counts once.
    #[test]
    fn each_reservation_and_settlement_counts_once(
        acts in prop::collection::vec(act(), 0..30),
        took_effect in any::<u32>(),
        was_lost in any::<u32>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            // Not every commit is lost, so that there is an end.
            let (credits, _) = world(took_effect, was_lost & 0x5555_5555);
            credits.set_plan(ORGANIZATION, Plan::Limited(12)).await.unwrap();
            let mut model: BTreeMap<u8, (u64, Option<u64>)> = BTreeMap::new();
            for act in acts {
                let spent: u64 = model.values().map(|(amount, settled)| settled.unwrap_or(*amount)).sum();
                match act {
                    Act::Reserve(number, amount) => {
                        let done = credits.reserve(ORGANIZATION, key(number), amount).await;
                        let is_new = amount > 0 && !model.contains_key(&number);
                        assert_eq!(done.is_ok(), !is_new || spent + amount <= 12);
                        if is_new && done.is_ok() {
                            model.insert(number, (amount, None));
                        }
                    }
                    Act::Settle(number, amount) => {
                        let done = credits.settle(ORGANIZATION, key(number), amount).await;
                        let open = model.get_mut(&number).filter(|(_, settled)| settled.is_none());
                        done.unwrap();
                        if let Some((reserved, settled)) = open {
                            *settled = Some(amount.min(*reserved));
                        }
                        // Returned: the next reservation is a new one.
                        model.retain(|_, (_, settled)| *settled != Some(0));
                    }
                }
                let reserved = model.values().filter(|(_, settled)| settled.is_none()).map(|(amount, _)| amount).sum();
                let used = model.values().filter_map(|(_, settled)| *settled).sum();
                assert_eq!(figures(&credits).await, (Some(12 - reserved - used), reserved, used));
            }
        });
    }
}

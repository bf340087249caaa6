//! Limits of look-ups: of one organization, of background work, and of the process.

use uuid::Uuid;

use super::*;

fn organization(number: u128) -> OrganizationId {
    OrganizationId(Uuid::from_u128(number))
}

async fn interactive(lookups: &Arc<Lookups>, number: u128) -> Result<Lookup, LookupRefusal> {
    lookups.begin(Requester::interactive(organization(number))).await
}

async fn background(lookups: &Arc<Lookups>, number: u128) -> Result<Lookup, LookupRefusal> {
    lookups.begin(Requester::background(organization(number))).await
}

#[tokio::test(start_paused = true)]
async fn requests_beyond_the_limit_of_an_organization_are_refused_at_once_and_others_are_not() {
    let lookups = Lookups::new();
    let mut held = Vec::new();
    for _ in 0..MAX_LOOKUPS {
        held.push(interactive(&lookups, 1).await.unwrap());
    }
    let before = tokio::time::Instant::now();
    assert_eq!(interactive(&lookups, 1).await.err(), Some(LookupRefusal::Organization));
    assert_eq!(before.elapsed(), Duration::ZERO);
    drop(interactive(&lookups, 2).await.unwrap());
    held.pop();
    drop(interactive(&lookups, 1).await.unwrap());
    drop(held);
    assert!(lookups.locked().is_empty(), "nothing is kept of organizations without a look-up");
}

#[tokio::test(start_paused = true)]
async fn background_work_waits_in_order_and_leaves_one_look_up_to_requests() {
    let lookups = Lookups::new();
    let mut held = Vec::new();
    for _ in 0..MAX_BACKGROUND_LOOKUPS {
        held.push(background(&lookups, 1).await.unwrap());
    }
    let request = interactive(&lookups, 1).await.unwrap();
    let (first, second, ()) = tokio::join!(background(&lookups, 1), background(&lookups, 1), async {
        tokio::time::sleep(BACKGROUND_PATIENCE / 2).await;
        held.pop();
    });
    assert!(first.is_ok(), "the first in the queue has the turn");
    assert_eq!(second.err(), Some(LookupRefusal::Organization), "the other has waited for as long as it may");
    drop((first, request, held));
    assert!(lookups.locked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn few_wait_and_the_others_come_again() {
    let lookups = Lookups::new();
    let mut held = Vec::new();
    for _ in 0..MAX_BACKGROUND_LOOKUPS {
        held.push(background(&lookups, 1).await.unwrap());
    }
    let waiting: Vec<_> = (0..MAX_WAITING).map(|_| Box::pin(background(&lookups, 1))).collect();
    let waiting = futures_util::future::join_all(waiting);
    let beyond = async {
        tokio::task::yield_now().await;
        let before = tokio::time::Instant::now();
        assert_eq!(background(&lookups, 1).await.err(), Some(LookupRefusal::Organization));
        assert_eq!(before.elapsed(), Duration::ZERO);
    };
    let (waited, ()) = tokio::join!(waiting, beyond);
    assert!(waited.iter().all(Result::is_err));
}

#[tokio::test(start_paused = true)]
async fn organizations_take_turns_when_the_process_is_full() {
    let lookups = Lookups::new();
    let mut held = Vec::new();
    for number in 0..PROCESS_LOOKUPS[0] as u128 {
        held.push(interactive(&lookups, number).await.unwrap());
    }
    assert_eq!(interactive(&lookups, 1_000).await.err(), Some(LookupRefusal::Process));
    let (served, ()) = tokio::join!(interactive(&lookups, 1_000), async {
        tokio::time::sleep(PROCESS_PATIENCE / 2).await;
        held.pop();
    });
    assert!(served.is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_first_look_up_of_an_organization_does_not_wait_for_further_ones_of_others() {
    let lookups = Lookups::new();
    let mut held = Vec::new();
    // Sixty-three organizations that take all they get: beyond the first few, one look-up each.
    for number in 0..PROCESS_LOOKUPS[0] as u128 - 1 {
        while let Ok(lookup) = interactive(&lookups, number).await {
            held.push(lookup);
        }
    }
    assert_eq!(held.len(), MAX_PROCESS_LOOKUPS - 1);
    let before = tokio::time::Instant::now();
    let first = interactive(&lookups, 1_000).await.unwrap();
    assert_eq!(before.elapsed(), Duration::ZERO);
    assert_eq!(interactive(&lookups, 1_000).await.err(), Some(LookupRefusal::Process));
    // A rank that becomes free is taken again.
    drop(first);
    drop(interactive(&lookups, 1_000).await.unwrap());
    drop(held);
    assert!(lookups.locked().is_empty());
}

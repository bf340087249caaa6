//! Pages of alerts over places that are used in turn, on the ledger in memory.

use common::clock::{Clock, ManualClock};
use common::pepper::Pepper;
use ledger::memory::MemoryLedger;
use uuid::Uuid;

use super::*;
use crate::clients::Described;

const OURS: OrganizationId = OrganizationId(Uuid::from_u128(1));
const AGENT: AgentId = AgentId(Uuid::from_u128(3));

fn alert(number: u64, client: &Client, at: Timestamp) -> Alert {
    let cause: [&[u8]; 1] = [&number.to_be_bytes()];
    let rule =
        AlertRule { id: String::new(), version: String::new(), title: String::new(), severity: Level::Low };
    Alert {
        id: RecordId::new(client.id.shard(), &digest(&cause)),
        client: client.id,
        client_name: number.to_string(),
        rule,
        rules: Vec::new(),
        decision: Decision::Blocked,
        program: String::new(),
        session: String::new(),
        tool: String::new(),
        effects: Vec::new(),
        target_class: String::new(),
        excerpt: None,
        finding: client.id,
        event: EventId::of_cause(&cause),
        observed_at: at,
        created_at: at,
    }
}

#[tokio::test]
async fn a_page_is_the_same_part_of_the_last_10000_alerts_wherever_their_places_begin_anew() {
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_800_000_000_000)));
    let records = Arc::new(Records::new(Arc::new(MemoryLedger::new()), 4, Uuid::from_u128(9)));
    let clients = Arc::new(Clients::new(Arc::clone(&records), Pepper::new([7; 32]), clock.clone()));
    let described = Described { name: "a".to_owned(), os: "b".to_owned(), version: "c".to_owned() };
    let id = clients.new_id(OURS, AGENT, Uuid::from_u128(5));
    let token = clients.add(OURS, AGENT, id, described).await.unwrap();
    let client = clients.authenticate(&token).await.unwrap().unwrap();
    let alerts = Alerts::new(Arc::clone(&records), clients);
    let mut count = 0;
    for (more, pages) in [(0, 2), (1, 3), (99, 20), (9_899, 60), (1, 20), (49, 60), (9_960, 60)] {
        for first in (count..count + more).step_by(500) {
            let some: Vec<Alert> = (first..(first + 500).min(count + more))
                .map(|number| alert(number, &client, clock.now()))
                .collect();
            let mut attempts = records.attempts(Home::Records, id.shard());
            let mut draft = attempts.next().await.unwrap().unwrap();
            alerts.add(&mut draft, &client, &some).await.unwrap();
            assert!(attempts.commit(draft).await.unwrap());
        }
        count += more;
        let total = count.min(KEPT);
        for number in 0..pages {
            let (offset, limit) = (number * 7_919 % (total + 3), [1, 25, 100][number as usize % 3]);
            let (page, found) = alerts.page((OURS, AGENT), offset, limit).await.unwrap();
            let numbers: Vec<String> = page.into_iter().map(|alert| alert.client_name).collect();
            let expected = (count - total..count).rev().skip(offset as usize).take(limit);
            assert_eq!(numbers, expected.map(|number| number.to_string()).collect::<Vec<_>>());
            assert_eq!(found, total);
        }
    }
}

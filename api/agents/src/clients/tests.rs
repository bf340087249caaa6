//! Clients and their tokens, on the ledger in memory.

use std::sync::Arc;

use common::clock::{Clock, ManualClock};
use ledger::memory::MemoryLedger;

use super::activity::ACTIVE;
use super::*;

const OURS: OrganizationId = OrganizationId(Uuid::from_u128(1));
const THEIRS: OrganizationId = OrganizationId(Uuid::from_u128(2));
const AGENT: AgentId = AgentId(Uuid::from_u128(3));
const OTHER: AgentId = AgentId(Uuid::from_u128(4));

struct Fixture {
    ledger: Arc<MemoryLedger>,
    clock: Arc<ManualClock>,
    clients: Clients,
}

impl Fixture {
    fn new() -> Self {
        let ledger = Arc::new(MemoryLedger::new());
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_800_000_000_000)));
        let clients = Self::elsewhere(&ledger, &clock, [7; 32]);
        Self { ledger, clock, clients }
    }

    /// The clients as another process sees them.
    fn elsewhere(ledger: &Arc<MemoryLedger>, clock: &Arc<ManualClock>, pepper: [u8; 32]) -> Clients {
        let records = Arc::new(Records::new(ledger.clone(), 4, Uuid::new_v4()));
        Clients::new(records, Pepper::new(pepper), clock.clone())
    }

    async fn add(&self, agent: AgentId, number: u128) -> (RecordId, Zeroizing<String>) {
        let id = self.clients.new_id(OURS, agent, Uuid::from_u128(number));
        let described =
            Described { name: format!("laptop-{number}"), os: "Linux".to_owned(), version: "1".to_owned() };
        (id, self.clients.add(OURS, agent, id, described).await.unwrap())
    }

    async fn known(&self, token: &str) -> Option<RecordId> {
        self.clients.authenticate(token).await.unwrap().map(|client| client.id)
    }
}

#[tokio::test]
async fn a_token_is_known_in_every_process_until_its_client_is_removed() {
    let fixture = Fixture::new();
    let (id, token) = fixture.add(AGENT, 1).await;
    let (kept, other) = fixture.add(AGENT, 2).await;
    assert_eq!(fixture.known(&token).await, Some(id));
    let elsewhere = Fixture::elsewhere(&fixture.ledger, &fixture.clock, [7; 32]);
    let client = elsewhere.authenticate(&token).await.unwrap().unwrap();
    assert_eq!((client.organization, client.agent, client.name.as_str()), (OURS, AGENT, "laptop-1"));
    assert!(elsewhere.remove(OURS, AGENT, id).await.unwrap());
    assert!(!elsewhere.remove(OURS, AGENT, id).await.unwrap());
    assert_eq!(fixture.known(&token).await, None, "without any delay");
    assert_eq!(fixture.known(&other).await, Some(kept));
    let changed_pepper = Fixture::elsewhere(&fixture.ledger, &fixture.clock, [8; 32]);
    assert_eq!(changed_pepper.authenticate(&other).await.unwrap(), None);
}

#[tokio::test]
async fn no_other_text_is_a_token_and_none_lies_in_a_row() {
    let fixture = Fixture::new();
    let (id, token) = fixture.add(AGENT, 1).await;
    assert!(token.starts_with("pal_agent_") && token.len() == 96, "{}", token.len());
    for place in 0..token.len() {
        let mut bytes = token.as_bytes().to_vec();
        bytes[place] = if bytes[place] == b'x' { b'y' } else { b'x' };
        assert_eq!(fixture.known(std::str::from_utf8(&bytes).unwrap()).await, None, "place {place}");
    }
    for text in
        ["", "pal_agent_", "pal_live_x", &token[..95], &format!("{}A", *token), &format!("{}=", *token)]
    {
        assert_eq!(fixture.known(text).await, None, "{text}");
    }
    assert_eq!(fixture.known(&token).await, Some(id));
    let secret = &token[74..];
    let holds = |bytes: &[u8]| bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
    assert!(fixture.ledger.dump().iter().all(|(_, _, row)| !holds(&row.body) && !holds(&row.key)));
}

#[tokio::test]
async fn clients_are_listed_by_agent_newest_first_and_counted() {
    let fixture = Fixture::new();
    assert_eq!(fixture.clients.summary(OURS, AGENT).await.unwrap(), Summary::default());
    let (first, _) = fixture.add(AGENT, 1).await;
    fixture.clock.advance(ACTIVE);
    let (second, _) = fixture.add(AGENT, 2).await;
    fixture.add(OTHER, 3).await;
    let listed = fixture.clients.list(OURS, AGENT).await.unwrap();
    assert_eq!(listed.iter().map(|client| client.id).collect::<Vec<_>>(), [second, first]);
    assert_eq!(fixture.clients.list(THEIRS, AGENT).await.unwrap(), []);
    assert!(!fixture.clients.remove(THEIRS, AGENT, first).await.unwrap());
    assert!(!fixture.clients.remove(OURS, OTHER, first).await.unwrap());
    let expected =
        Summary { clients: 2, active: 1, last_seen_at: Some(fixture.clock.now()), ..Summary::default() };
    assert_eq!(fixture.clients.summary(OURS, AGENT).await.unwrap(), expected);
}

#[tokio::test]
async fn an_agent_has_a_bound_and_all_its_clients_go_with_it() {
    let fixture = Fixture::new();
    for number in 0..450 {
        fixture.add(AGENT, number).await;
    }
    let (kept, token) = fixture.add(OTHER, 900).await;
    let place = (Home::Records, fixture.clients.shard(OURS, AGENT));
    let key = agent_key(OURS, AGENT);
    let count: Option<usize> = fixture.clients.records.row(place, COUNTS, &key).await.unwrap();
    assert_eq!(count, Some(450));
    let mut attempts = fixture.clients.records.attempts(place.0, place.1);
    let mut draft = attempts.next().await.unwrap().unwrap();
    draft.put_row(COUNTS, &key, &MAX_CLIENTS).unwrap();
    assert!(attempts.commit(draft).await.unwrap());
    let full = fixture.clients.check_room(OURS, AGENT).await.unwrap_err();
    assert!(matches!(full, ClientError::Full { limit: MAX_CLIENTS }));
    fixture.clients.remove_all(OURS, AGENT).await.unwrap();
    assert_eq!(fixture.clients.list(OURS, AGENT).await.unwrap(), []);
    assert_eq!(fixture.known(&token).await, Some(kept));
}

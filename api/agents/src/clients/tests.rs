//! Clients and their tokens, on the ledger in memory.

use std::sync::Arc;
use std::time::Duration;

use common::clock::{Clock, ManualClock};
use ledger::memory::MemoryLedger;

use super::*;
use crate::status::{AttentionReason, ClientStatus, Hook};

const OURS: OrganizationId = OrganizationId(Uuid::from_u128(1));
const THEIRS: OrganizationId = OrganizationId(Uuid::from_u128(2));
const AGENT: AgentId = AgentId(Uuid::from_u128(3));
const OTHER: AgentId = AgentId(Uuid::from_u128(4));
const HOUR: Duration = Duration::from_secs(3_600);

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
    fixture.clock.advance(24 * HOUR);
    let (second, _) = fixture.add(AGENT, 2).await;
    fixture.add(OTHER, 3).await;
    let ids = async |organization, offset, limit| {
        let (page, total) = fixture.clients.page((organization, AGENT), offset, limit).await.unwrap();
        (page.into_iter().map(|client| client.id).collect::<Vec<_>>(), total)
    };
    assert_eq!(ids(OURS, 0, 10).await, (vec![second, first], 2));
    assert_eq!(ids(OURS, 1, 10).await, (vec![first], 2));
    assert_eq!(ids(OURS, 0, 1).await, (vec![second], 2));
    assert_eq!(ids(OURS, 2, usize::MAX).await, (vec![], 2));
    assert_eq!(ids(THEIRS, 0, 10).await, (vec![], 0));
    assert!(!fixture.clients.remove(THEIRS, AGENT, first).await.unwrap());
    assert!(!fixture.clients.remove(OURS, OTHER, first).await.unwrap());
    let expected =
        Summary { clients: 2, active: 1, last_seen_at: Some(fixture.clock.now()), ..Summary::default() };
    assert_eq!(fixture.clients.summary(OURS, AGENT).await.unwrap(), expected);
}

#[tokio::test]
async fn pages_together_have_each_client_once_in_the_order_of_pairing() {
    let fixture = Fixture::new();
    let mut paired = Vec::new();
    for number in 0..1_205 {
        fixture.clock.advance(Duration::from_millis(1));
        paired.push(fixture.add(AGENT, number).await.0);
    }
    paired.reverse();
    let mut listed = Vec::new();
    while listed.len() < paired.len() {
        let (page, total) = fixture.clients.page((OURS, AGENT), listed.len(), 100).await.unwrap();
        assert_eq!((page.is_empty(), total), (false, 1_205));
        listed.extend(page.into_iter().map(|client| client.id));
    }
    assert_eq!(listed, paired);
}

/// A client counts as active in the hour of its last request and the 23 hours after it.
#[tokio::test]
async fn the_summary_agrees_with_all_clients_over_random_requests() {
    let fixture = Fixture::new();
    let (mut known, mut random) = (Vec::new(), 88_172_645_463_325_252_u64);
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % below as u64).unwrap()
    };
    for number in 0..400_u128 {
        fixture.clock.advance(Duration::from_secs(next(20_000) as u64));
        let now = fixture.clock.now();
        match next(8) {
            0 | 1 => {
                let (_, token) = fixture.add(AGENT, number).await;
                known.push((token, now));
            }
            2 if !known.is_empty() => {
                let (token, _) = known.swap_remove(next(known.len()));
                let client = fixture.clients.authenticate(&token).await.unwrap().unwrap();
                assert!(fixture.clients.remove(OURS, AGENT, client.id).await.unwrap());
            }
            _ if !known.is_empty() => {
                let place = next(known.len());
                let client = fixture.clients.authenticate(&known[place].0).await.unwrap().unwrap();
                assert_eq!(client.last_seen_at, known[place].1);
                assert!(fixture.clients.seen(&client, None).await.unwrap());
                if now.as_millis() - known[place].1.as_millis() >= 60_000 {
                    known[place].1 = now;
                }
            }
            _ => {}
        }
        let hour = |at: Timestamp| at.as_millis() / 3_600_000;
        let active = known.iter().filter(|(_, seen)| hour(now) - hour(*seen) < 24).count();
        let summary = fixture.clients.summary(OURS, AGENT).await.unwrap();
        assert_eq!((summary.clients, summary.active), (known.len(), active), "step {number}");
    }
}

fn status(hooks: usize, dropped: u64) -> ClientStatus {
    let hook = |number| Hook {
        program: format!("program-{number}"),
        in_use: true,
        configured: true,
        trusted: false,
        was_called: false,
    };
    ClientStatus { rules_version: Some("v1".to_owned()), hooks: (0..hooks).map(hook).collect(), dropped }
}

#[tokio::test]
async fn faults_are_shown_until_they_are_mended_or_old_and_are_at_most_100() {
    let fixture = Fixture::new();
    let reasons = async || -> Vec<AttentionReason> {
        let summary = fixture.clients.summary(OURS, AGENT).await.unwrap();
        summary.attention.into_iter().map(|attention| attention.reason).collect()
    };
    let (_, token) = fixture.add(AGENT, 1).await;
    let client = fixture.clients.authenticate(&token).await.unwrap().unwrap();
    let report =
        async |status: ClientStatus| assert!(fixture.clients.seen(&client, Some(&status)).await.unwrap());
    report(status(1, 3)).await;
    assert_eq!(reasons().await, [AttentionReason::HookNotTrusted, AttentionReason::ActionsDropped]);
    fixture.clock.advance(23 * HOUR);
    report(status(0, 3)).await;
    assert_eq!(reasons().await, [AttentionReason::ActionsDropped]);
    fixture.clock.advance(HOUR);
    report(status(0, 3)).await;
    assert_eq!(reasons().await, [], "no more were dropped within a day");
    report(status(0, 4)).await;
    assert_eq!(reasons().await, [AttentionReason::ActionsDropped]);
    fixture.clock.advance(24 * HOUR);
    assert_eq!(reasons().await, [], "the machine is switched off");
    for number in 2..12 {
        let (_, token) = fixture.add(AGENT, number).await;
        let client = fixture.clients.authenticate(&token).await.unwrap().unwrap();
        assert!(fixture.clients.seen(&client, Some(&status(16, 0))).await.unwrap());
    }
    assert_eq!(reasons().await.len(), 100);
}

#[tokio::test]
async fn an_agent_has_a_bound_and_all_its_clients_go_with_it() {
    let fixture = Fixture::new();
    for number in 0..450 {
        let (_, token) = fixture.add(AGENT, number).await;
        if number % 100 == 0 {
            let client = fixture.clients.authenticate(&token).await.unwrap().unwrap();
            assert!(fixture.clients.seen(&client, Some(&status(1, 0))).await.unwrap());
        }
    }
    let (kept, token) = fixture.add(OTHER, 900).await;
    let place = (Home::Records, fixture.clients.shard(OURS, AGENT));
    let mut full = fixture.clients.activity(OURS, AGENT).await.unwrap();
    assert_eq!(full.clients, 450);
    full.clients = MAX_CLIENTS;
    let mut attempts = fixture.clients.records.attempts(place.0, place.1);
    let mut draft = attempts.next().await.unwrap().unwrap();
    draft.put_row(ACTIVITY, &agent_key(OURS, AGENT), &full).unwrap();
    assert!(attempts.commit(draft).await.unwrap());
    let full = fixture.clients.check_room(OURS, AGENT).await.unwrap_err();
    assert!(matches!(full, ClientError::Full { limit: MAX_CLIENTS }));
    fixture.clients.remove_all(OURS, AGENT).await.unwrap();
    let of_agents =
        fixture.ledger.dump().into_iter().filter(|(_, _, row)| row.key.starts_with(b"agent-client"));
    assert_eq!(of_agents.count(), 2, "the other agent's client and summary");
    assert_eq!(fixture.known(&token).await, Some(kept));
}

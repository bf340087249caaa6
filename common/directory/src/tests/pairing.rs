//! Pairing codes: one use each, an end, and a limit that used ones do not count for.

use std::time::Duration;

use common::ids::{AgentId, RecordId};

use super::*;
use crate::{AgentType, DirectoryError, NewAgent};

const LIFETIME: Duration = Duration::from_secs(900);

impl Fixture {
    async fn agent(&self, name: &str) -> AgentId {
        let new = NewAgent {
            id: None,
            name: name.to_owned(),
            agent_type: AgentType::CodingAgent,
            repository_id: None,
        };
        self.directory.create_agent(self.organization, new).await.unwrap().id
    }

    /// Tries a code as a client does.
    async fn pair(&self, text: &str, client: u8) -> bool {
        let Some(code) = self.directory.find_pairing_code(text).await.unwrap() else { return false };
        match self.directory.use_pairing_code(&code, RecordId::from_bytes([client; 16])).await {
            Ok(()) => true,
            Err(DirectoryError::NotFound) => false,
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn a_code_pairs_as_many_clients_as_it_says_until_it_expires() {
    let fixture = Fixture::new().await;
    let agent = fixture.agent("Coder").await;
    let create = |uses| fixture.directory.create_pairing_code(fixture.organization, agent, uses, LIFETIME);
    let (once, thrice) = (create(1).await.unwrap(), create(3).await.unwrap());
    assert!(fixture.pair(&once.1, 1).await && !fixture.pair(&once.1, 2).await);
    assert!(fixture.pair(&thrice.1, 3).await && fixture.pair(&thrice.1.to_lowercase(), 4).await);
    fixture.clock.advance(LIFETIME);
    assert!(!fixture.pair(&thrice.1, 5).await, "it has expired");
    assert!(!fixture.pair("000000000000", 6).await);
    for secret in [&once.1, &thrice.1] {
        let holds = |bytes: &[u8]| bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(fixture.ledger.memory.dump().iter().all(|(_, _, row)| !holds(&row.body) && !holds(&row.key)));
    }
}

#[tokio::test]
async fn of_two_clients_with_one_code_at_the_same_time_one_is_paired() {
    let fixture = Fixture::new().await;
    let agent = fixture.agent("Coder").await;
    let (code, text) =
        fixture.directory.create_pairing_code(fixture.organization, agent, 1, LIFETIME).await.unwrap();
    let found = fixture.directory.find_pairing_code(&text).await.unwrap().unwrap();
    assert_eq!(found, code);
    let elsewhere = fixture.elsewhere();
    fixture.directory.use_pairing_code(&found, RecordId::from_bytes([1; 16])).await.unwrap();
    let error = elsewhere.use_pairing_code(&found, RecordId::from_bytes([2; 16])).await.unwrap_err();
    assert!(matches!(error, DirectoryError::NotFound), "{error}");
}

#[tokio::test]
async fn numbers_have_bounds_and_the_agent_exists() {
    let fixture = Fixture::new().await;
    let agent = fixture.agent("Coder").await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    for (uses, lifetime, field) in [
        (0, LIFETIME, "max_uses"),
        (1_001, LIFETIME, "max_uses"),
        (1, Duration::ZERO, "expires_in"),
        (1, Duration::from_secs(30 * 86_400 + 1), "expires_in"),
    ] {
        let error = directory.create_pairing_code(organization, agent, uses, lifetime).await.unwrap_err();
        assert!(matches!(error, DirectoryError::Invalid { field: found, .. } if found == field), "{error}");
    }
    let unknown = AgentId::from_bytes([9; 16]);
    let error = directory.create_pairing_code(organization, unknown, 1, LIFETIME).await.unwrap_err();
    assert!(matches!(error, DirectoryError::NotFound), "{error}");
}

#[tokio::test]
async fn codes_that_cannot_be_used_make_room_and_those_of_a_deleted_agent_go() {
    let fixture = Fixture::new().await;
    let (one, other) = (fixture.agent("One").await, fixture.agent("Other").await);
    let create = |agent| fixture.directory.create_pairing_code(fixture.organization, agent, 1, LIFETIME);
    let rows = || {
        let all = fixture.ledger.memory.dump();
        all.iter()
            .filter(|(_, kind, row)| *kind == Kind::Head && row.key.starts_with(b"pairing-code"))
            .count()
    };
    for _ in 0..999 {
        create(one).await.unwrap();
    }
    let (_, kept) = create(other).await.unwrap();
    assert!(matches!(create(one).await.unwrap_err(), DirectoryError::Full { limit: 1_000, .. }));
    fixture.directory.remove_pairing_codes_of(fixture.organization, one).await.unwrap();
    assert_eq!(rows(), 2, "the code of the other agent, and the row that leads to it");
    assert!(fixture.pair(&kept, 1).await);
    for _ in 0..999 {
        create(one).await.unwrap();
    }
    create(one).await.unwrap();
}

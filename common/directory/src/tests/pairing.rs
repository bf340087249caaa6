//! Pairing codes: one use each, an end, a limit that used ones do not count for, and none without their coding agent.

use std::time::Duration;

use common::ids::{AgentId, RecordId};

use super::*;
use crate::table::Resource;
use crate::{AgentType, DirectoryError, NewAgent};

const LIFETIME: Duration = Duration::from_secs(900);

fn coding_agent(name: &str) -> NewAgent {
    let (name, agent_type) = (name.to_owned(), AgentType::CodingAgent);
    NewAgent { id: None, name, agent_type, repository_id: None }
}

impl Fixture {
    async fn agent(&self, name: &str) -> AgentId {
        self.directory.create_agent(self.organization, coding_agent(name)).await.unwrap().id
    }

    /// Writes codes of an agent by few commits.
    async fn codes(&self, agent: AgentId, count: usize) {
        let (directory, organization) = (&self.directory, self.organization);
        let table = directory.pairing_codes();
        let new = |_| directory.new_pairing_code((organization, agent), 1, LIFETIME).unwrap().0;
        let codes: Vec<_> = (0..count).map(new).collect();
        for codes in codes.chunks(500) {
            let pointers = codes.iter().map(|code| code.pointer().unwrap()).collect();
            let put = |code: &crate::PairingCode| crate::directory::put(table.key(code.id()), code).unwrap();
            let mut rows: Vec<_> = codes.iter().map(put).collect();
            let counter = table.counter(organization);
            rows.push(counter.put(counter.read(directory).await.unwrap() + codes.len()).unwrap());
            for (ledger, ops) in
                [(LedgerId::Platform, pointers), (LedgerId::Organization(organization), rows)]
            {
                let at = self.ledger.memory.seq(ledger).await.unwrap();
                self.ledger.memory.commit(ledger, at, ops).await.unwrap();
            }
        }
    }

    /// Rows of pairing codes, and rows that lead to them.
    fn code_rows(&self) -> (usize, usize) {
        let all = self.ledger.memory.dump();
        let count = |prefix: &[u8]| {
            all.iter().filter(|(_, kind, row)| *kind == Kind::Head && row.key.starts_with(prefix)).count()
        };
        (count(b"pairing-code/"), count(b"pairing-code-hash/"))
    }

    /// Commits so far to the ledgers of the organization and of the platform.
    async fn commits(&self) -> [u64; 2] {
        let ledgers = [LedgerId::Organization(self.organization), LedgerId::Platform];
        let mut counts = [0; 2];
        for (count, ledger) in counts.iter_mut().zip(ledgers) {
            *count = self.ledger.memory.seq(ledger).await.unwrap().0;
        }
        counts
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
    fixture.codes(one, 999).await;
    let (_, kept) = create(other).await.unwrap();
    assert!(matches!(create(one).await.unwrap_err(), DirectoryError::Full { limit: 1_000, .. }));
    let before = fixture.commits().await;
    assert!(fixture.directory.delete_agent(fixture.organization, one).await.unwrap());
    assert_eq!(fixture.code_rows(), (1, 1), "the code of the other agent, and the row that leads to it");
    let after = fixture.commits().await;
    assert!(after[0] - before[0] <= 3 && after[1] - before[1] <= 2, "{before:?} to {after:?}");
    let one = fixture.agent("One").await;
    let create = |agent| fixture.directory.create_pairing_code(fixture.organization, agent, 1, LIFETIME);
    assert!(fixture.pair(&kept, 1).await);
    fixture.codes(one, 999).await;
    create(one).await.unwrap();
}

#[tokio::test]
async fn codes_that_cannot_be_used_are_removed_when_another_is_created() {
    let fixture = Fixture::new().await;
    let agent = fixture.agent("Coder").await;
    let create = |seconds| {
        fixture.directory.create_pairing_code(fixture.organization, agent, 1, Duration::from_secs(seconds))
    };
    for _ in 0..20 {
        create(60).await.unwrap();
    }
    let (_, used) = create(900).await.unwrap();
    assert!(fixture.pair(&used, 1).await);
    let (_, kept) = create(900).await.unwrap();
    fixture.clock.advance(Duration::from_secs(60));
    let (_, newest) = create(900).await.unwrap();
    assert_eq!(fixture.code_rows(), (2, 2));
    assert!(fixture.pair(&kept, 2).await && fixture.pair(&newest, 3).await);
}

#[tokio::test]
async fn a_coding_agent_and_its_first_code_are_created_together_or_not_at_all() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let other = fixture.agent("Other").await;
    fixture.codes(other, 999).await;
    let create = |name| directory.create_coding_agent(organization, coding_agent(name), LIFETIME);
    fixture.ledger.organizations_fail.store(true, Ordering::SeqCst);
    let failed = create("Coder").await.unwrap_err();
    assert!(matches!(failed, DirectoryError::Unavailable(_)), "{failed}");
    fixture.ledger.organizations_fail.store(false, Ordering::SeqCst);
    assert_eq!(directory.agents().list(organization).await.unwrap().len(), 1);
    let (agent, code, text) = create("Coder").await.unwrap();
    assert_eq!((code.agent, code.max_uses), (agent.id, 1));
    let found = directory.find_pairing_code(&text).await.unwrap();
    assert_eq!(found, Some(code));
    let refused = create("Second").await.unwrap_err();
    assert!(matches!(refused, DirectoryError::Full { things: "pairing codes", limit: 1_000 }), "{refused}");
    assert_eq!(directory.agents().list(organization).await.unwrap().len(), 2);
    assert!(fixture.pair(&text, 1).await, "the code is used, which makes room for one");
    let taken = create("cODER").await.unwrap_err();
    assert!(matches!(taken, DirectoryError::Taken { field: "name", .. }), "{taken}");
    assert_eq!(fixture.code_rows().0, 999, "of the agent that was not created there is no code");
    create("Second").await.unwrap();
    let (codes, pointers) = fixture.code_rows();
    // A row that leads nowhere stays behind where the outcome of the creation was not known.
    assert_eq!((codes, pointers), (1_000, 1_001));
}

#[tokio::test]
async fn no_code_is_created_or_used_without_a_coding_agent() {
    let fixture = Fixture::new().await;
    let (directory, organization) = (&fixture.directory, fixture.organization);
    let (agent, code, text) =
        directory.create_coding_agent(organization, coding_agent("Coder"), LIFETIME).await.unwrap();
    let change = |agent_type| {
        directory.agents().update(organization, agent.id, move |agent: &mut crate::Agent| {
            agent.agent_type = agent_type;
            Ok(())
        })
    };
    change(AgentType::Chatbot).await.unwrap();
    let refused = directory.create_pairing_code(organization, agent.id, 1, LIFETIME).await.unwrap_err();
    assert!(matches!(refused, DirectoryError::NotFound), "{refused}");
    assert!(!fixture.pair(&text, 1).await);
    change(AgentType::CodingAgent).await.unwrap();
    assert!(fixture.pair(&text, 1).await);
    assert!(directory.agents().delete(organization, agent.id).await.unwrap());
    let refused = directory.use_pairing_code(&code, RecordId::from_bytes([2; 16])).await.unwrap_err();
    assert!(matches!(refused, DirectoryError::NotFound), "{refused}");
}

#[tokio::test]
async fn a_code_that_is_created_during_the_deletion_of_its_agent_does_not_outlive_it() {
    for head_start in 0..60 {
        let fixture = Fixture::new().await;
        let (directory, organization) = (&fixture.directory, fixture.organization);
        let (agent, ..) =
            directory.create_coding_agent(organization, coding_agent("Coder"), LIFETIME).await.unwrap();
        fixture.ledger.yields.store(true, Ordering::SeqCst);
        let create = async {
            for _ in 0..head_start {
                tokio::task::yield_now().await;
            }
            directory.create_pairing_code(organization, agent.id, 1, LIFETIME).await
        };
        let (created, deleted) = tokio::join!(create, directory.delete_agent(organization, agent.id));
        assert!(deleted.unwrap());
        assert!(matches!(created, Ok(_) | Err(DirectoryError::NotFound)), "{created:?}");
        assert_eq!(fixture.code_rows(), (0, 0), "after {head_start} turns");
    }
}

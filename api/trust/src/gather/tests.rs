//! Reading from the host in memory: rights, relations and bounds.

use std::time::Duration;

use code_host::memory::{MemoryHost, MemoryUser, repository};
use code_host::{
    Access, Account, AccountKind, HostError, HostedRepository, KeyKind, PublicEvent, PullRequest,
    PullRequestState, SigningKey, User,
};
use common::timestamp::Timestamp;

use super::{Analyzer, FEWER_PULLS, GatherError, Gathered, MOST_CONFIRMATIONS, MOST_REVIEWED, gather};
use crate::facts::Relation;
use crate::weights::DAY;

const NOW: Timestamp = Timestamp(1_790_000_000 * 1_000_000_000);

struct World {
    host: MemoryHost,
    user: MemoryUser,
    repositories: u64,
}

fn analyzer() -> Analyzer {
    let limits = threads::Limits { waiting: 1, patience: Duration::from_secs(60) };
    threads::Threads::start("test", vec![()], limits).unwrap()
}

fn pull(repository: &str, days: u32, association: &str) -> PullRequest {
    PullRequest {
        repository: repository.parse().unwrap(),
        number: u64::from(days),
        title: "Change".to_owned(),
        body: String::new(),
        url: String::new(),
        state: PullRequestState::Open,
        author: Some("octo".to_owned()),
        author_association: association.to_owned(),
        created_at: NOW.minus(DAY * days),
        closed_at: None,
    }
}

impl World {
    fn new() -> Self {
        let host = MemoryHost::default();
        host.put("7".parse().unwrap(), Vec::new());
        let key = |kind, expires_at, revoked| SigningKey { kind, created_at: None, expires_at, revoked };
        let user = MemoryUser {
            user: User {
                id: 1,
                login: "Octo".to_owned(),
                kind: AccountKind::User,
                followers: 1,
                public_repositories: 0,
                created_at: NOW.minus(DAY * 1_000),
            },
            events: Vec::new(),
            keys: vec![
                key(KeyKind::Gpg, Some(NOW.minus(DAY)), false),
                key(KeyKind::Gpg, None, true),
                key(KeyKind::Ssh, Some(NOW.plus(DAY)), false),
            ],
            organizations: vec![Account { id: 1, login: "Octo-Org".to_owned() }],
        };
        Self { host, user, repositories: 0 }
    }

    fn repository(&mut self, full_name: &str, private: bool) {
        self.repositories += 1;
        let id = self.repositories.to_string().parse().unwrap();
        let hosted = repository(id, full_name.parse().unwrap());
        self.host.put_other(HostedRepository { private, ..hosted });
    }

    fn pull(&self, repository: &str, days: u32, association: &str) {
        self.host.put_pull_request(pull(repository, days, association), Vec::new(), Vec::new());
    }

    fn event(&mut self, repository: &str, public: bool) {
        let (repository, kind) = (repository.parse().ok(), "PushEvent".to_owned());
        self.user.events.push(PublicEvent { kind, repository, public, created_at: NOW.minus(DAY) });
    }

    async fn gather(&self) -> Result<Gathered, GatherError> {
        self.host.put_user(&"octo".parse().unwrap(), self.user.clone());
        let access = Access::public("7".parse().unwrap());
        gather(&self.host, &analyzer(), access, (&"oCTO".parse().unwrap(), NOW)).await
    }
}

#[tokio::test]
async fn relations_follow_owner_organizations_and_association() {
    let mut world = World::new();
    let expected = [
        ("octo/tool", "NONE", Relation::Own),
        ("octo-org/site", "NONE", Relation::Own),
        ("acme/shop", "CONTRIBUTOR", Relation::Known),
        ("acme/site", "MEMBER", Relation::Known),
        ("acme/other", "FIRST_TIME_CONTRIBUTOR", Relation::Stranger),
        ("acme/new", "NONE", Relation::Stranger),
    ];
    for (days, (repository, association, _)) in (1..).zip(expected) {
        world.repository(repository, false);
        world.pull(repository, days, association);
    }
    let gathered = world.gather().await.unwrap();
    let relations: Vec<Relation> = gathered.facts.pulls.iter().map(|pull| pull.relation).collect();
    assert_eq!(relations, expected.map(|(_, _, relation)| relation));
    assert_eq!(
        (gathered.login.as_str(), gathered.facts.signing_keys, gathered.facts.organizations),
        ("Octo", 1, 1)
    );
    assert_eq!(gathered.facts.known_since, world.user.user.created_at);
    world.user.user.kind = AccountKind::Bot;
    let app = world.gather().await.unwrap();
    assert!(
        app.facts.pulls.iter().all(|pull| pull.relation == Relation::Own),
        "its owners installed the app"
    );
    world.user.user.kind = AccountKind::Organization;
    assert!(matches!(world.gather().await, Err(GatherError::NotAContributor)));
}

#[tokio::test]
async fn only_confirmed_repositories_count_and_confirmations_end() {
    let mut world = World::new();
    for number in 0..50 {
        let name = format!("acme/r{number}");
        world.repository(&name, false);
        world.pull(&name, number + 1, "NONE");
    }
    world.repository("octo/own", false);
    for (repository, public) in
        [("octo/own", true), ("octo/own", false), ("acme/r3", true), ("acme/unknown", true)]
    {
        world.event(repository, public);
    }
    let facts = world.gather().await.unwrap().facts;
    assert_eq!((facts.pulls.len(), facts.reviews.len()), (MOST_CONFIRMATIONS, MOST_REVIEWED));
    // Listings of own repositories confirm them.
    assert_eq!(facts.activity.len(), 2);
    let first_dropped = u32::try_from(MOST_CONFIRMATIONS).unwrap() + 1;
    assert_eq!(facts.known_since, NOW.minus(DAY * first_dropped), "earlier pull requests are not all known");
}

#[tokio::test]
async fn a_private_repository_does_not_count_even_if_the_host_lists_it() {
    let mut world = World::new();
    world.repository("acme/open", false);
    world.pull("acme/open", 1, "NONE");
    let hidden = repository("900".parse().unwrap(), "acme/hidden".parse().unwrap());
    world.host.put("7".parse().unwrap(), vec![hidden]);
    world.host.leak();
    world.pull("acme/hidden", 2, "NONE");
    world.event("acme/hidden", true);
    let gathered = world.gather().await.unwrap();
    assert_eq!(
        (gathered.facts.pulls.len(), gathered.facts.reviews.len(), gathered.facts.activity.len()),
        (1, 1, 0)
    );
    assert!(gathered.evidence.iter().all(|one| one.repo == "acme/open"));
}

#[tokio::test]
async fn texts_that_are_too_large_for_a_reply_leave_the_newest_pull_requests() {
    let mut world = World::new();
    world.repository("acme/open", false);
    for days in 1..=100 {
        let body = "a".repeat(90 * 1024);
        world.host.put_pull_request(
            PullRequest { body, ..pull("acme/open", days, "NONE") },
            Vec::new(),
            Vec::new(),
        );
    }
    let facts = world.gather().await.unwrap().facts;
    assert_eq!((facts.pulls.len(), facts.reviews.len()), (FEWER_PULLS, MOST_REVIEWED));
    assert_eq!(facts.known_since, facts.pulls[FEWER_PULLS - 1].created_at, "earlier ones are not known");
}

#[tokio::test]
async fn an_incomplete_search_is_repeated_once_and_then_its_result_is_partial() {
    let mut world = World::new();
    world.repository("acme/open", false);
    (1..=30).for_each(|days| world.pull("acme/open", days, "NONE"));
    // Pull requests that each search finds, and those of the result.
    let cases: [(&[usize], usize, bool, usize); 4] =
        [(&[], 30, false, 1), (&[3], 30, false, 2), (&[3, 5], 5, true, 2), (&[5, 0], 5, true, 2)];
    for (found, expected, is_partial, searches) in cases {
        world.host.end_searches_early(found);
        let before = world.host.searches();
        let facts = world.gather().await.unwrap().facts;
        assert_eq!((facts.pulls.len(), facts.is_partial), (expected, is_partial), "{found:?}");
        assert_eq!(world.host.searches() - before, searches, "{found:?}");
    }
}

#[tokio::test]
async fn a_host_without_an_answer_is_an_error_and_not_a_score() {
    let world = World::new();
    for error in [HostError::Unavailable("a".to_owned()), HostError::NotInstalled] {
        world.host.fail(Some(error.clone()));
        assert!(matches!(world.gather().await, Err(GatherError::Host(found)) if found == error));
    }
}

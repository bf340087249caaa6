//! Rows of installations and repositories on the ledger in memory.

use std::sync::Arc;
use std::time::Duration;

use common::clock::ManualClock;
use common::ids::OrganizationId;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use directory::{Directory, DirectoryError};
use ledger::memory::MemoryLedger;

use crate::memory::{MemoryHost, repository};
use crate::{
    ConnectError, HostError, HostedInstallation, HostedRepository, Inactive, InstallationId,
    InstallationState, Repository, RepositoryId, RepositoryState, SyncError, Synced, UnusableRepository,
    active_repository, check_repository, connect, disconnect, installations, organization_of, repositories,
    repository_by_name, sync,
};

struct Fixture {
    clock: Arc<ManualClock>,
    directory: Directory,
    host: MemoryHost,
    organization: OrganizationId,
    other: OrganizationId,
}

fn installation(number: u64) -> InstallationId {
    number.to_string().parse().unwrap()
}

fn id(number: u64) -> RepositoryId {
    number.to_string().parse().unwrap()
}

fn hosted(number: u64, full_name: &str) -> HostedRepository {
    repository(id(number), full_name.parse().unwrap())
}

impl Fixture {
    async fn new() -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp(1_000_000_000)));
        let directory = Directory::new(Arc::new(MemoryLedger::new()), clock.clone(), Pepper::new([7; 32]));
        let organization = directory.create_organization("ours").await.unwrap().id;
        let other = directory.create_organization("theirs").await.unwrap().id;
        let fixture = Self { clock, directory, host: MemoryHost::default(), organization, other };
        for number in [1, 2] {
            fixture.connect(organization, number).await.unwrap();
        }
        fixture
    }

    async fn connect(&self, organization: OrganizationId, number: u64) -> Result<(), ConnectError> {
        let now = common::clock::Clock::now(self.clock.as_ref());
        connect(&self.directory, organization, (installation(number), "acme"), None, now).await.map(drop)
    }

    async fn sync(&self, number: u64) -> Result<Synced, SyncError> {
        sync(&self.directory, self.clock.as_ref(), &self.host, self.organization, installation(number)).await
    }

    async fn row(&self, number: u64) -> Option<Repository> {
        repositories(&self.directory).get(self.organization, id(number)).await.unwrap()
    }

    async fn count(&self) -> usize {
        repositories(&self.directory).list(self.organization).await.unwrap().len()
    }

    async fn named(&self, full_name: &str) -> Option<RepositoryId> {
        let found = repository_by_name(&self.directory, self.organization, full_name).await.unwrap();
        found.map(|repository| repository.id)
    }

    /// Reason why a repository is inactive, or `None`.
    async fn inactive(&self, number: u64) -> Option<Inactive> {
        match active_repository(&self.directory, self.organization, id(number)).await {
            Ok(_) => None,
            Err(UnusableRepository::Inactive(reason)) => Some(reason),
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn rows_follow_the_host_and_keep_settings_of_the_organization() {
    let fixture = Fixture::new().await;
    fixture.host.put(installation(1), vec![hosted(10, "acme/shop"), hosted(11, "acme/site")]);
    fixture.host.put(installation(2), vec![hosted(20, "beta/tool")]);
    assert_eq!(fixture.sync(1).await.unwrap(), Synced { created: 2, ..Synced::default() });
    fixture.sync(2).await.unwrap();
    assert_eq!(fixture.sync(1).await.unwrap(), Synced::default(), "nothing changed");
    let disable = |repository: &mut Repository| {
        repository.enabled = false;
        Ok(())
    };
    repositories(&fixture.directory).update(fixture.organization, id(10), disable).await.unwrap();
    fixture.host.put(installation(1), vec![HostedRepository { archived: true, ..hosted(10, "acme/store") }]);
    assert_eq!(fixture.sync(1).await.unwrap(), Synced { changed: 2, ..Synced::default() });
    let row = fixture.row(10).await.unwrap();
    assert_eq!(
        (row.full_name.as_str(), row.enabled, row.state),
        ("acme/store", false, RepositoryState::Archived)
    );
    assert_eq!(fixture.row(11).await.unwrap().state, RepositoryState::Removed);
    assert_eq!(fixture.inactive(10).await, Some(Inactive::Archived));
    assert_eq!(fixture.inactive(11).await, Some(Inactive::Removed));
    assert_eq!(fixture.inactive(20).await, None, "the other installation keeps its own");
    fixture.host.put(installation(1), vec![hosted(11, "acme/site")]);
    fixture.sync(1).await.unwrap();
    assert_eq!(fixture.inactive(11).await, None, "access was granted again");
}

#[tokio::test]
async fn suspended_and_removed_installations_make_their_repositories_inactive() {
    let fixture = Fixture::new().await;
    fixture.host.put(installation(1), vec![hosted(10, "acme/shop")]);
    fixture.sync(1).await.unwrap();
    let put = |suspended| {
        fixture.host.put_installation(HostedInstallation {
            id: installation(1),
            account: "acme-renamed".to_owned(),
            suspended,
        });
    };
    put(true);
    assert_eq!(fixture.sync(1).await.unwrap(), Synced::default());
    assert_eq!(fixture.inactive(10).await, Some(Inactive::InstallationSuspended));
    put(false);
    fixture.sync(1).await.unwrap();
    assert_eq!(fixture.inactive(10).await, None);
    let row = installations(&fixture.directory).get(fixture.organization, installation(1)).await.unwrap();
    let row = row.unwrap();
    assert_eq!((row.account.as_str(), row.state), ("acme-renamed", InstallationState::Active));
    assert!(row.synced_at.is_some());
    fixture.host.remove(installation(1));
    fixture.sync(1).await.unwrap();
    assert_eq!(fixture.inactive(10).await, Some(Inactive::InstallationRemoved));
}

#[tokio::test]
async fn an_installation_belongs_to_one_organization_until_it_is_disconnected() {
    let fixture = Fixture::new().await;
    fixture.host.put(installation(1), vec![hosted(10, "acme/shop")]);
    fixture.host.put(installation(2), vec![hosted(20, "beta/tool")]);
    fixture.sync(1).await.unwrap();
    fixture.sync(2).await.unwrap();
    fixture.connect(fixture.organization, 1).await.unwrap();
    let refused = fixture.connect(fixture.other, 1).await.unwrap_err();
    assert!(matches!(refused, ConnectError::BoundElsewhere), "{refused}");
    fixture.clock.advance(Duration::from_secs(3_600));
    assert!(fixture.connect(fixture.other, 1).await.is_err(), "age alone frees nothing");
    let gone = disconnect(&fixture.directory, fixture.organization, installation(1)).await.unwrap();
    assert_eq!(gone, Synced { deleted: 1, ..Synced::default() });
    assert_eq!(
        (fixture.row(10).await, fixture.named("acme/shop").await, fixture.count().await),
        (None, None, 1)
    );
    fixture.connect(fixture.other, 1).await.unwrap();
    assert_eq!(organization_of(&fixture.directory, installation(1)).await.unwrap(), Some(fixture.other));
    assert_eq!(fixture.sync(1).await.unwrap(), Synced::default(), "a job that was late changes nothing");
    assert_eq!(fixture.row(10).await, None);
    assert_eq!(organization_of(&fixture.directory, installation(1)).await.unwrap(), Some(fixture.other));
}

#[tokio::test]
async fn a_binding_that_a_crash_left_behind_is_replaced_after_ten_minutes() {
    let fixture = Fixture::new().await;
    // The row is gone, the binding is not.
    installations(&fixture.directory).delete(fixture.organization, installation(1)).await.unwrap();
    assert!(matches!(fixture.connect(fixture.other, 1).await, Err(ConnectError::BoundElsewhere)));
    fixture.clock.advance(Duration::from_secs(600));
    fixture.connect(fixture.other, 1).await.unwrap();
    assert_eq!(organization_of(&fixture.directory, installation(1)).await.unwrap(), Some(fixture.other));
}

#[tokio::test]
async fn a_repository_is_found_by_its_current_name_in_any_case() {
    let fixture = Fixture::new().await;
    fixture.host.put(installation(1), vec![hosted(10, "Acme/Shop"), hosted(11, "acme/site")]);
    fixture.sync(1).await.unwrap();
    assert_eq!(fixture.named("aCME/shop").await, Some(id(10)));
    assert_eq!(fixture.named("acme/other").await, None);
    // The names change places.
    fixture.host.put(installation(1), vec![hosted(10, "acme/site"), hosted(11, "acme/shop")]);
    fixture.sync(1).await.unwrap();
    assert_eq!(
        (fixture.named("acme/site").await, fixture.named("acme/shop").await),
        (Some(id(10)), Some(id(11)))
    );
    // One is replaced by another repository of the same name.
    fixture.host.put(installation(1), vec![hosted(11, "acme/shop"), hosted(12, "acme/site")]);
    fixture.sync(1).await.unwrap();
    assert_eq!(
        (fixture.named("acme/site").await, fixture.named("acme/shop").await),
        (Some(id(12)), Some(id(11)))
    );
    let foreign = repository_by_name(&fixture.directory, fixture.other, "acme/shop").await.unwrap();
    assert_eq!(foreign, None);
}

#[tokio::test]
async fn an_id_that_is_not_a_repository_of_the_organization_is_refused() {
    let fixture = Fixture::new().await;
    fixture.host.put(installation(1), vec![hosted(10, "acme/shop")]);
    fixture.sync(1).await.unwrap();
    let check = |organization, id, stored| {
        check_repository(&fixture.directory, organization, "repository_id", (Some(id), stored))
    };
    check(fixture.organization, "10", None).await.unwrap();
    check(fixture.organization, "11", Some("11")).await.unwrap();
    for (organization, id) in [
        (fixture.organization, "11"),
        (fixture.organization, "010"),
        (fixture.organization, "acme/shop"),
        (fixture.other, "10"),
    ] {
        let error = check(organization, id, Some("12")).await.unwrap_err();
        assert!(matches!(error, DirectoryError::Invalid { field: "repository_id", .. }), "{id}: {error}");
    }
}

#[tokio::test]
async fn a_host_that_gives_no_answer_changes_nothing() {
    let fixture = Fixture::new().await;
    fixture.host.put(installation(1), vec![hosted(10, "acme/shop")]);
    fixture.sync(1).await.unwrap();
    fixture.host.fail(Some(HostError::Unavailable("for a test".to_owned())));
    let error = fixture.sync(1).await.unwrap_err();
    assert!(matches!(error, SyncError::Host(HostError::Unavailable(_))), "{error}");
    assert_eq!((fixture.named("acme/shop").await, fixture.inactive(10).await), (Some(id(10)), None));
}

#[tokio::test]
async fn a_refused_repository_does_not_prevent_the_others() {
    let fixture = Fixture::new().await;
    let endless = HostedRepository { default_branch: "b".repeat(256), ..hosted(11, "acme/site") };
    fixture.host.put(installation(1), vec![hosted(10, "acme/shop"), endless, hosted(12, "acme/tool")]);
    let expected = Synced { created: 2, refused: 1, ..Synced::default() };
    assert_eq!(fixture.sync(1).await.unwrap(), expected);
    assert_eq!((fixture.row(11).await, fixture.count().await), (None, 2));
}

#[tokio::test]
async fn ten_thousand_repositories_are_written_and_rows_without_access_make_room() {
    let fixture = Fixture::new().await;
    let all = |range: std::ops::Range<u64>| {
        range.map(|number| hosted(number, &format!("acme/r{number}"))).collect()
    };
    fixture.host.put(installation(1), all(1..10_001));
    assert_eq!(fixture.sync(1).await.unwrap(), Synced { created: 10_000, ..Synced::default() });
    // 300 are removed, 200 of which have to make room.
    fixture.host.put(installation(1), all(301..10_201));
    let synced = fixture.sync(1).await.unwrap();
    assert_eq!(synced, Synced { created: 200, changed: 300, deleted: 200, refused: 0 });
    assert_eq!(fixture.count().await, 10_000);
    // Nothing is without access any more; the organization is full.
    fixture.host.put(installation(2), all(20_001..20_102));
    let synced = fixture.sync(2).await.unwrap();
    assert_eq!(synced, Synced { created: 100, deleted: 100, refused: 1, ..Synced::default() });
    assert_eq!(fixture.count().await, 10_000);
}

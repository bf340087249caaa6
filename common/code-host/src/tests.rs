//! Rows of repositories on the ledger in memory.

use std::sync::Arc;

use common::clock::ManualClock;
use common::ids::OrganizationId;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use directory::{Directory, DirectoryError};
use ledger::memory::MemoryLedger;

use crate::memory::MemoryHost;
use crate::{
    HostError, HostedRepository, InstallationId, RefreshError, Refreshed, Repository, RepositoryId,
    check_repository, refresh, repositories, repository_by_name,
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
    HostedRepository {
        id: id(number),
        full_name: full_name.to_owned(),
        private: true,
        default_branch: "main".to_owned(),
    }
}

impl Fixture {
    async fn new() -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp(1_000_000_000)));
        let directory = Directory::new(Arc::new(MemoryLedger::new()), clock.clone(), Pepper::new([7; 32]));
        let organization = directory.create_organization("ours").await.unwrap().id;
        let other = directory.create_organization("theirs").await.unwrap().id;
        Self { clock, directory, host: MemoryHost::default(), organization, other }
    }

    async fn refresh(&self, number: u64) -> Result<Refreshed, RefreshError> {
        let clock = self.clock.as_ref();
        refresh(&self.directory, clock, &self.host, self.organization, installation(number)).await
    }

    async fn named(&self, full_name: &str) -> Option<RepositoryId> {
        let found = repository_by_name(&self.directory, self.organization, full_name).await.unwrap();
        found.map(|repository| repository.id)
    }
}

#[tokio::test]
async fn rows_follow_the_host_and_keep_settings_of_the_organization() {
    let fixture = Fixture::new().await;
    fixture.host.put(installation(1), vec![hosted(10, "acme/shop"), hosted(11, "acme/site")]);
    fixture.host.put(installation(2), vec![hosted(20, "beta/tool")]);
    assert_eq!(fixture.refresh(1).await.unwrap(), Refreshed { created: 2, ..Refreshed::default() });
    fixture.refresh(2).await.unwrap();
    assert_eq!(fixture.refresh(1).await.unwrap(), Refreshed::default(), "nothing changed");
    let table = repositories(&fixture.directory);
    let disable = |repository: &mut Repository| {
        repository.enabled = false;
        Ok(())
    };
    table.update(fixture.organization, id(10), disable).await.unwrap();
    fixture.host.put(installation(1), vec![hosted(10, "acme/store")]);
    let expected = Refreshed { created: 0, changed: 1, deleted: 1 };
    assert_eq!(fixture.refresh(1).await.unwrap(), expected);
    let row = table.get(fixture.organization, id(10)).await.unwrap().unwrap();
    assert_eq!((row.full_name.as_str(), row.enabled), ("acme/store", false));
    assert_eq!(
        table.list(fixture.organization).await.unwrap().len(),
        2,
        "the other installation keeps its own"
    );
}

#[tokio::test]
async fn a_repository_is_found_by_its_current_name_in_any_case() {
    let fixture = Fixture::new().await;
    fixture.host.put(installation(1), vec![hosted(10, "Acme/Shop"), hosted(11, "acme/site")]);
    fixture.refresh(1).await.unwrap();
    assert_eq!(fixture.named("aCME/shop").await, Some(id(10)));
    assert_eq!(fixture.named("acme/other").await, None);
    // The names change places.
    fixture.host.put(installation(1), vec![hosted(10, "acme/site"), hosted(11, "acme/shop")]);
    fixture.refresh(1).await.unwrap();
    assert_eq!(
        (fixture.named("acme/site").await, fixture.named("acme/shop").await),
        (Some(id(10)), Some(id(11)))
    );
    fixture.host.put(installation(1), vec![hosted(11, "acme/shop")]);
    fixture.refresh(1).await.unwrap();
    assert_eq!((fixture.named("acme/site").await, fixture.named("acme/shop").await), (None, Some(id(11))));
    let foreign = repository_by_name(&fixture.directory, fixture.other, "acme/shop").await.unwrap();
    assert_eq!(foreign, None);
}

#[tokio::test]
async fn an_id_that_is_not_a_repository_of_the_organization_is_refused() {
    let fixture = Fixture::new().await;
    fixture.host.put(installation(1), vec![hosted(10, "acme/shop")]);
    fixture.refresh(1).await.unwrap();
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
    fixture.refresh(1).await.unwrap();
    fixture.host.set_unavailable(true);
    let error = fixture.refresh(1).await.unwrap_err();
    assert!(matches!(error, RefreshError::Host(HostError::Unavailable(_))), "{error}");
    fixture.host.set_unavailable(false);
    fixture.host.remove(installation(1));
    let error = fixture.refresh(1).await.unwrap_err();
    assert!(matches!(error, RefreshError::Host(HostError::NotInstalled)), "{error}");
    assert_eq!(fixture.named("acme/shop").await, Some(id(10)));
}

#[tokio::test]
async fn names_without_an_owner_are_refused() {
    let fixture = Fixture::new().await;
    for name in ["shop", "/shop", "acme/", "acme/shop/x", ""] {
        fixture.host.put(installation(1), vec![hosted(10, name)]);
        let error = fixture.refresh(1).await.unwrap_err();
        assert!(matches!(error, RefreshError::Directory(DirectoryError::Invalid { .. })), "{name}: {error}");
    }
}

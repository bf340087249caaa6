//! Applications and agents: unique names and URLs, credentials, and the limits of schedules.

use std::collections::BTreeMap;

use secrets::{KeyEncryptionKey, KeyEncryptionKeys, Vault};

use super::*;
use crate::{
    Agent, AgentType, Application, DirectoryError, NewAgent, NewApplication, NewCredentials, RedTeamSchedule,
    RunWindow, seal_for_application,
};

fn application(name: &str, url: &str) -> NewApplication {
    NewApplication { id: None, name: name.to_owned(), url: url.to_owned(), repository_id: None }
}

fn agent(name: &str, agent_type: AgentType) -> NewAgent {
    NewAgent { id: None, name: name.to_owned(), agent_type, repository_id: None }
}

impl Fixture {
    async fn application(&self, name: &str, url: &str) -> Result<Application, DirectoryError> {
        self.directory.create_application(self.organization, application(name, url)).await
    }
}

#[tokio::test]
async fn a_name_and_a_url_belong_to_one_application_of_an_organization() {
    let fixture = Fixture::new().await;
    let shop = fixture.application("Shop", "https://shop.example.com").await.unwrap();
    for (name, url, taken) in [
        ("sHOP", "https://other.example.com/", "name"),
        ("Other", "HTTPS://Shop.Example.com:443/#top", "url"),
    ] {
        let error = fixture.application(name, url).await.unwrap_err();
        assert!(matches!(error, DirectoryError::Taken { field, .. } if field == taken), "{error}");
    }
    let other = fixture.directory.create_organization("other").await.unwrap().id;
    fixture
        .directory
        .create_application(other, application("Shop", "https://shop.example.com"))
        .await
        .unwrap();
    // A change frees what it gives up, and a deletion everything.
    let (table, organization) = (fixture.directory.applications(), fixture.organization);
    let second = fixture.application("Second", "https://second.example.com/").await.unwrap();
    let rename = |name: &'static str| {
        move |row: &mut Application| {
            name.clone_into(&mut row.name);
            Ok(())
        }
    };
    let error = table.update(organization, second.id, rename("SHOP")).await.unwrap_err();
    assert!(matches!(error, DirectoryError::Taken { field: "name", .. }), "{error}");
    table.update(organization, shop.id, rename("shop")).await.unwrap();
    table.update(organization, shop.id, rename("Store")).await.unwrap();
    table.update(organization, second.id, rename("Shop")).await.unwrap();
    assert!(table.delete(organization, shop.id).await.unwrap());
    fixture.application("Store", "https://shop.example.com/").await.unwrap();
}

#[tokio::test]
async fn of_two_creations_with_one_name_at_the_same_time_one_is_refused() {
    let fixture = Fixture::new().await;
    fixture.ledger.rivals.store(1, Ordering::SeqCst);
    let (first, second) = tokio::join!(
        fixture.application("Shop", "https://a.example.com/"),
        fixture.application("shop", "https://b.example.com/"),
    );
    assert_eq!(first.is_ok(), second.is_err(), "{first:?} {second:?}");
    assert_eq!(fixture.directory.applications().list(fixture.organization).await.unwrap().len(), 1);
}

#[tokio::test]
async fn credentials_do_not_follow_a_url_to_another_origin() {
    let fixture = Fixture::new().await;
    let shop = fixture.application("Shop", "https://shop.example.com/").await.unwrap();
    let keys = KeyEncryptionKeys::new(vec![KeyEncryptionKey::new([9; 32])]).unwrap();
    let vault = Vault::new(fixture.ledger.clone(), keys);
    let seal = async |new| seal_for_application(&vault, fixture.organization, shop.id, new).await.unwrap();
    let all = NewCredentials {
        login_email: Some(Some("tester@example.com".to_owned())),
        login_password: Some(Some("correct horse".to_owned())),
        headers: Some(BTreeMap::from([("X-Token".to_owned(), "of-the-shop".to_owned())])),
    };
    let all = seal(all).await;
    let headers = seal(NewCredentials {
        headers: Some(BTreeMap::from([("X-Other".to_owned(), "of-the-other".to_owned())])),
        ..NewCredentials::default()
    })
    .await;
    let mut row = shop.clone();
    row.set_target(None, &all).unwrap();
    row.set_target(Some("https://shop.example.com/login"), &Default::default()).unwrap();
    assert!(row.red_team.has_login() && row.red_team.headers.contains_key("x-token"), "the same origin");
    let mut moved = row.clone();
    moved.set_target(Some("http://shop.example.com/login"), &Default::default()).unwrap();
    assert!(!moved.red_team.has_login() && moved.red_team.headers.is_empty());
    let mut moved = row.clone();
    moved.set_target(Some("https://shop.example.org/"), &headers).unwrap();
    assert!(!moved.red_team.has_login(), "only the headers are new");
    assert_eq!(moved.red_team.headers.keys().collect::<Vec<_>>(), ["x-other"]);
    fixture
        .directory
        .applications()
        .update(fixture.organization, shop.id, |stored| {
            stored.clone_from(&row);
            Ok(())
        })
        .await
        .unwrap();
    for secret in ["tester@", "correct horse", "of-the-shop"] {
        let holds = |body: &[u8]| body.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(fixture.ledger.memory.dump().iter().all(|(_, _, row)| !holds(&row.body)), "{secret}");
    }
}

#[tokio::test]
async fn an_agent_is_scheduled_only_with_a_target_and_unless_it_writes_code() {
    let fixture = Fixture::new().await;
    let (table, organization) = (fixture.directory.agents(), fixture.organization);
    let bot = fixture.directory.create_agent(organization, agent("Bot", AgentType::Chatbot)).await.unwrap();
    let error =
        fixture.directory.create_agent(organization, agent("bOT", AgentType::Other)).await.unwrap_err();
    assert!(matches!(error, DirectoryError::Taken { field: "name", .. }), "{error}");
    let daily = |row: &mut Agent| {
        row.red_team.schedule = RedTeamSchedule::Daily;
        Ok(())
    };
    let refused =
        |error: DirectoryError| matches!(error, DirectoryError::Invalid { field: "red_team_schedule", .. });
    assert!(refused(table.update(organization, bot.id, daily).await.unwrap_err()), "without a target");
    let with_target = |row: &mut Agent| {
        row.set_target(Some(Some("https://bot.example.com/")), &Default::default())?;
        daily(row)
    };
    table.update(organization, bot.id, with_target).await.unwrap();
    let code = |row: &mut Agent| {
        row.agent_type = AgentType::CodingAgent;
        Ok(())
    };
    assert!(refused(table.update(organization, bot.id, code).await.unwrap_err()), "a coding agent");
    let without = |row: &mut Agent| row.set_target(Some(None), &Default::default());
    assert!(refused(table.update(organization, bot.id, without).await.unwrap_err()));
}

#[tokio::test]
async fn windows_have_a_length_and_may_go_past_midnight() {
    let fixture = Fixture::new().await;
    let shop = fixture.application("Shop", "https://shop.example.com/").await.unwrap();
    let (table, organization) = (fixture.directory.applications(), fixture.organization);
    let set = |window: RunWindow| {
        move |row: &mut Application| {
            row.red_team.window = Some(window);
            Ok(())
        }
    };
    for (start, end) in [(60, 60), (1_440, 0), (0, 1_440)] {
        let error = table.update(organization, shop.id, set(RunWindow { start, end })).await.unwrap_err();
        assert!(matches!(error, DirectoryError::Invalid { field: "schedule", .. }), "{error}");
    }
    let night = RunWindow { start: 1_320, end: 240 };
    table.update(organization, shop.id, set(night)).await.unwrap();
    assert_eq!((night.minutes(), RunWindow { start: 0, end: 1 }.minutes()), (360, 1));
}

#[tokio::test]
async fn a_stored_url_that_later_rules_refuse_is_kept_replaced_and_deleted() {
    let fixture = Fixture::new().await;
    let (table, organization) = (fixture.directory.applications(), fixture.organization);
    let (shop, site) = (
        fixture.application("Shop", "https://shop.example.com/").await.unwrap(),
        fixture.application("Site", "https://site.example.com/").await.unwrap(),
    );
    // Rows of a version whose rules permitted the scheme.
    for id in [shop.id, site.id] {
        let (ledger, key) = (LedgerId::Organization(organization), table.key(id));
        let body = fixture.ledger.memory.get(ledger, Kind::Head, &key).await.unwrap().unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap().replace("https:", "ftpsx:");
        let stored = Op::Put { kind: Kind::Head, key: key.into(), body: body.into() };
        let at = fixture.ledger.memory.seq(ledger).await.unwrap();
        fixture.ledger.memory.commit(ledger, at, vec![stored]).await.unwrap();
    }
    let kept = |row: &mut Application| {
        row.name = "Store".to_owned();
        row.set_target(Some("ftpsx://shop.example.com/"), &Default::default())
    };
    let renamed = table.update(organization, shop.id, kept).await.unwrap();
    assert_eq!(renamed.url, "ftpsx://shop.example.com/");
    let other =
        |row: &mut Application| row.set_target(Some("ftpsx://shop.example.org/"), &Default::default());
    let error = table.update(organization, shop.id, other).await.unwrap_err();
    assert!(matches!(error, DirectoryError::Invalid { field: "url", .. }), "{error}");
    let replaced =
        |row: &mut Application| row.set_target(Some("https://new.example.com"), &Default::default());
    assert_eq!(table.update(organization, shop.id, replaced).await.unwrap().url, "https://new.example.com/");
    assert!(table.delete(organization, site.id).await.unwrap());
}

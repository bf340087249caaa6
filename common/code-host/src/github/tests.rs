//! The client against the stand-in, which checks every request and reply against GitHub's interface description. Time is that of
//! the test on both sides, so that nothing waits.

mod limits;
mod misbehaviour;
mod recorded;
mod stand_in;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use super::{Config, ConfigError, GitHub};
use crate::conformance::{self, installation, name, of_shop, public};
use crate::content::EntryKind;
use crate::host::{CodeHost, HostError};
use stand_in::StandIn;

#[tokio::test]
async fn the_host_in_memory_holds_the_suite() {
    conformance::holds(&conformance::memory()).await;
}

#[tokio::test]
async fn the_client_of_github_holds_the_suite() {
    let Some(stand_in) = StandIn::start().await else { return };
    let archive = conformance::holds(&stand_in.client()).await;
    let mut tar =
        Command::new("tar").arg("tzf").arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    tar.stdin.take().unwrap().write_all(&archive).unwrap();
    let listed = String::from_utf8(tar.wait_with_output().unwrap().stdout).unwrap();
    assert!(listed.contains("acme-shop-main/src/main.rs\n"), "{listed}");
    stand_in.check().await;
}

#[tokio::test]
async fn modes_of_a_real_tree_are_kept() {
    let Some(stand_in) = StandIn::start().await else { return };
    let git = stand_in.state["repositories"]["42"]["git"].as_str().unwrap();
    let git = |arguments: &[&str], input: &str| {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(git).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut running = command.spawn().unwrap();
        running.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        String::from_utf8(running.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
    };
    let blob = git(&["hash-object", "-w", "--stdin"], "README.md");
    let commit = git(&["rev-parse", "main"], "");
    let entries = format!(
        "100755 blob {blob}\trun\n120000 blob {blob}\tlink\n160000 commit {commit}\tmodule\n100644 blob {blob}\ta \"b\" é\n"
    );
    let tree = git(&["mktree", "--missing"], &entries);
    let found = stand_in.client().tree(of_shop(), &name("acme/shop"), &tree).await.unwrap();
    let mut kinds: Vec<_> = found.entries.into_iter().map(|entry| (entry.path, entry.kind)).collect();
    kinds.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [
        ("a \"b\" é", EntryKind::File),
        ("link", EntryKind::Link),
        ("module", EntryKind::Submodule),
        ("run", EntryKind::Executable),
    ];
    assert_eq!(kinds, expected.map(|(path, kind)| (path.to_owned(), kind)));
    stand_in.check().await;
}

#[tokio::test]
async fn a_long_list_is_read_in_pages_and_an_unchanged_one_costs_no_quota() {
    let Some(mut stand_in) = StandIn::start().await else { return };
    let ids: Vec<u64> = (1_000..1_250).collect();
    for id in &ids {
        let about = json!({"full_name": format!("acme/r{id}"), "private": true});
        stand_in.state["repositories"][id.to_string()] = about;
    }
    stand_in.state["installations"]["7"]["repositories"] = json!(ids);
    stand_in.put_state().await;
    let client = stand_in.client();
    let first = client.repositories(installation(7)).await.unwrap();
    assert_eq!((first.items.len(), first.is_complete), (250, true));
    let seen = stand_in.seen().await;
    assert_eq!(seen.paths("/installation/repositories").len(), 3);
    assert_eq!(client.repositories(installation(7)).await.unwrap(), first);
    let seen = stand_in.seen().await;
    let again = &seen.paths("/installation/repositories")[3..];
    assert!(again.len() == 3 && again.iter().all(|one| one["not_modified"] == true), "{again:?}");
    stand_in.state["repositories"]["1001"]["archived"] = json!(true);
    stand_in.put_state().await;
    assert!(client.repositories(installation(7)).await.unwrap().items[1].archived);
    stand_in.check().await;
}

#[tokio::test]
async fn an_installation_is_shown_only_to_a_user_who_administers_all_of_its_repositories() {
    let Some(mut stand_in) = StandIn::start().await else { return };
    for (roles, is_shown) in [
        (json!({}), true),
        (json!({"43": "admin"}), true),
        (json!({"43": "write"}), false),
        (json!({"42": "read", "43": "read"}), false),
        // A user who may use only one of the repositories, but administers that.
        (json!({"43": "none"}), false),
        (json!({"42": "none", "43": "none"}), false),
    ] {
        stand_in.state["codes"] = json!({"code": [7]});
        stand_in.state["roles"] = json!({"code": roles});
        stand_in.put_state().await;
        let client = stand_in.client();
        let user = client.user_token("code").await.unwrap();
        let found = client.administered(&user, installation(7)).await;
        match (&found, is_shown) {
            (Ok(found), true) => {
                assert_eq!((found.installation.id, found.repositories), (installation(7), 2))
            }
            (Err(HostError::NotFound(_)), false) => {}
            _ => panic!("{roles}: {found:?}"),
        }
    }
    stand_in.state["installations"]["7"]["repositories"] = json!([]);
    stand_in.state["codes"] = json!({"code": [7]});
    stand_in.put_state().await;
    let client = stand_in.client();
    let user = client.user_token("code").await.unwrap();
    let empty = client.administered(&user, installation(7)).await;
    assert!(matches!(empty, Err(HostError::NotFound(_))), "nothing shows the role: {empty:?}");
    stand_in.check().await;
}

#[tokio::test]
async fn pages_with_items_that_are_left_out_count_against_the_bound_of_a_list() {
    let Some(mut stand_in) = StandIn::start().await else { return };
    let keys = |can_sign: bool| vec![json!({"id": 1, "can_sign": can_sign, "revoked": false}); 250];
    stand_in.state["users"]["octo"]["gpg_keys"] = json!(keys(false));
    stand_in.put_state().await;
    let found = stand_in.client().signing_keys(public(), &"octo".parse().unwrap(), 100).await.unwrap();
    assert_eq!((found.items.len(), found.is_complete), (1, false), "the SSH key");
    assert_eq!(stand_in.seen().await.paths("/gpg_keys").len(), 1);
    stand_in.state["users"]["octo"]["gpg_keys"] = json!(keys(true));
    stand_in.put_state().await;
    let found = stand_in.client().signing_keys(public(), &"octo".parse().unwrap(), 150).await.unwrap();
    assert_eq!((found.items.len(), found.is_complete), (151, false));
    assert_eq!(stand_in.seen().await.paths("/gpg_keys").len(), 2);
    stand_in.check().await;
}

#[tokio::test]
async fn tokens_have_the_fewest_rights_serve_many_reads_and_are_replaced_early() {
    let Some(mut stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    let tokens = async |stand_in: &StandIn| stand_in.seen().await.paths("/access_tokens").len();
    for _ in 0..5 {
        client.repository(public(), &name("octo/tool")).await.unwrap();
    }
    assert_eq!(tokens(&stand_in).await, 1);
    client.tree(of_shop(), &name("acme/shop"), "main").await.unwrap();
    assert_eq!(tokens(&stand_in).await, 2, "another one for contents");
    stand_in.advance(Duration::from_secs(54 * 60)).await;
    client.user(public(), &"octo".parse().unwrap()).await.unwrap();
    assert_eq!(
        tokens(&stand_in).await,
        0,
        "the list of requests begins anew with the state; none was needed"
    );
    stand_in.advance(Duration::from_secs(90)).await;
    client.user(public(), &"octo".parse().unwrap()).await.unwrap();
    assert_eq!(tokens(&stand_in).await, 1, "less than five minutes were left");
    stand_in.state["app"]["permissions"] = json!({"metadata": "read"});
    stand_in.put_state().await;
    let denied = stand_in.client().tree(of_shop(), &name("acme/shop"), "main").await;
    assert!(
        matches!(&denied, Err(HostError::Denied(reason)) if reason.contains("permissions")),
        "{denied:?}"
    );
    stand_in.check().await;
}

#[tokio::test]
async fn a_token_that_is_refused_in_the_middle_is_replaced_once() {
    let Some(stand_in) = StandIn::start().await else { return };
    let client = stand_in.client();
    client.repository(public(), &name("octo/tool")).await.unwrap();
    stand_in.faults(json!([{"match": "never", "times": 1, "kind": "reply", "revoke": true}])).await;
    client.repository(public(), &name("octo/tool")).await.unwrap();
    let seen = stand_in.seen().await;
    assert_eq!((seen.paths("/access_tokens").len(), seen.paths("/repos/octo/tool").len()), (1, 2));
    stand_in
        .faults(json!([{"match": "GET /repos", "times": 9, "kind": "reply", "status": 401, "body": "{}"}]))
        .await;
    let refused = client.repository(public(), &name("octo/tool")).await;
    assert!(matches!(refused, Err(HostError::Denied(_))), "{refused:?}");
    let seen = stand_in.seen().await;
    assert_eq!((seen.paths("/access_tokens").len(), seen.paths("/repos/octo/tool").len()), (1, 2));
}

#[tokio::test]
async fn another_key_or_another_clock_is_not_accepted_as_the_app() {
    let Some(mut stand_in) = StandIn::start().await else { return };
    stand_in.client().app().await.unwrap();
    let stranger = stand_in.client_with(|config| config.private_key = stand_in::new_key());
    assert!(matches!(stranger.app().await, Err(HostError::Denied(_))));
    let other = stand_in.client_with(|config| config.app_id = 100);
    assert!(matches!(other.app().await, Err(HostError::Denied(_))));
    // The clock of the host is a minute behind, which the beginning of the token allows for; two are too many.
    let now = stand_in.state["now"].as_i64().unwrap();
    for (behind, accepted) in [(59, true), (61, false)] {
        stand_in.state["now"] = json!(now - behind);
        stand_in.put_state().await;
        assert_eq!(stand_in.client().app().await.is_ok(), accepted, "{behind}");
    }
}

#[tokio::test]
async fn registrations_that_cannot_be_used_are_refused_and_secrets_are_never_printed() {
    let Some(stand_in) = StandIn::start().await else { return };
    let refused = |change: fn(&mut Config)| {
        let mut config = stand_in.config();
        change(&mut config);
        GitHub::new(&config, stand_in.outbound(), stand_in.clock()).unwrap_err().to_string()
    };
    for (change, named) in [
        ((|config| config.app_id = 0) as fn(&mut Config), "app_id"),
        (|config| config.client_id = String::new(), "client_id"),
        (|config| *config.client_secret = " ".to_owned(), "client_secret"),
        (|config| *config.private_key = "key".to_owned(), "private_key"),
        (|config| *config.private_key = config.private_key.replace('A', "B"), "private_key"),
        (|config| *config.private_key = config.private_key.replace("PRIVATE", "PUBLIC"), "private_key"),
        (|config| config.api_url = "api.github.com".to_owned(), "api_url"),
        (|config| config.api_url = "ftp://github.com".to_owned(), "api_url"),
        (|config| config.web_url = "https://github.com/?a".to_owned(), "web_url"),
    ] {
        let error = refused(change);
        assert!(error.starts_with(named), "{named}: {error}");
    }
    let printed = format!("{:?} {:?}", stand_in.config(), stand_in.client());
    for secret in [stand_in.config().private_key.lines().nth(1).unwrap(), "the secret of the client"] {
        assert!(!printed.contains(secret), "{printed}");
    }
    let wrong = stand_in.client_with(|config| *config.client_secret = "another one".to_owned());
    let refused = wrong.user_token("good").await.unwrap_err();
    assert!(matches!(&refused, HostError::Denied(reason) if !reason.contains("another")), "{refused}");
    assert!(matches!(ConfigError::Missing("a").to_string().as_str(), "a: expected a value"));
}

//! One suite for every implementation of [`CodeHost`], over one world: [`memory`] holds it in memory, [`state`] describes it for
//! the stand-in of GitHub, with contents in real git repositories.
//!
//! Installation 7 of `acme` has the private `acme/shop` and the public, archived `acme/site`; installation 8 is suspended. `octo`
//! owns the public `octo/tool`, a copy of `acme/site`, and the private `octo/secret`, and has opened pull requests 3 (merged) and
//! 4 (closed) of `acme/site` and 5 of `acme/shop`.

mod world;

use bytes::Bytes;

use crate::content::{CommitQuery, EntryKind};
use crate::host::{Access, CodeHost, HostError};
use crate::hosted::{HostedRepository, UserToken};
use crate::id::InstallationId;
use crate::name::FullName;
use crate::people::{AccountKind, KeyKind};
use crate::pulls::{PullRequestQuery, PullRequestState};

pub(crate) use world::{memory, state};

pub(crate) const MAIN: &str = "fn main() {\n    println!(\"shop\");\n}\n";

pub(crate) fn installation(number: u64) -> InstallationId {
    number.to_string().parse().unwrap()
}

pub(crate) fn name(text: &str) -> FullName {
    text.parse().unwrap()
}

pub(crate) fn public() -> Access {
    Access::public(installation(7))
}

pub(crate) fn of_shop() -> Access {
    Access::of_repository(installation(7), "42".parse().unwrap())
}

/// Runs the suite. The archive is compared by the caller, who knows its form.
pub(crate) async fn holds(host: &dyn CodeHost) -> Bytes {
    connections(host).await;
    repositories(host).await;
    rights(host).await;
    contents(host).await;
    people(host).await;
    pull_requests(host).await;
    archive(host).await
}

async fn connections(host: &dyn CodeHost) {
    let app = host.app().await.unwrap();
    assert_eq!(app.slug, "palisade");
    assert!(app.install_url.ends_with("apps/palisade/installations/new"), "{}", app.install_url);
    let active = host.installation(installation(7)).await.unwrap();
    assert_eq!((active.account.as_str(), active.suspended), ("acme", false));
    assert!(host.installation(installation(8)).await.unwrap().suspended);
    assert_eq!(host.installation(installation(9)).await, Err(HostError::NotInstalled));
    let user = host.user_token("good").await.unwrap();
    for _ in 0..2 {
        let administered = host.administered(&user, installation(7)).await.unwrap();
        assert_eq!((administered.installation.id, administered.repositories), (installation(7), 2));
        assert_eq!(administered.installation.account, "acme");
    }
    assert_eq!(host.user_token("good").await, Err(HostError::InvalidCode), "a code is used up");
    assert_eq!(host.user_token("bad").await, Err(HostError::InvalidCode));
    let ended = host.administered(&UserToken::new("ended".to_owned()), installation(7)).await;
    assert!(matches!(ended, Err(HostError::Denied(_))), "{ended:?}");
    let other = host.user_token("of-seven").await.unwrap();
    let foreign = host.administered(&other, installation(8)).await;
    assert!(matches!(foreign, Err(HostError::NotFound(_))), "{foreign:?}");
}

async fn repositories(host: &dyn CodeHost) {
    let listed = host.repositories(installation(7)).await.unwrap();
    assert!(listed.is_complete);
    let about =
        |one: &HostedRepository| (one.id.to_string(), one.full_name.to_string(), one.private, one.archived);
    let expected = [
        ("42".to_owned(), "acme/shop".to_owned(), true, false),
        ("43".to_owned(), "acme/site".to_owned(), false, true),
    ];
    assert_eq!(listed.items.iter().map(about).collect::<Vec<_>>(), expected);
    for number in [8, 9] {
        assert_eq!(host.repositories(installation(number)).await, Err(HostError::NotInstalled), "{number}");
    }
    let found = host.repository_by_id(installation(7), "43".parse().unwrap()).await.unwrap();
    assert_eq!(found.full_name, name("acme/site"));
    let foreign = host.repository_by_id(installation(7), "50".parse().unwrap()).await;
    assert_eq!(foreign, Err(HostError::NotFound("repository")));
    let copy = host.repository(public(), &name("octo/tool")).await.unwrap();
    assert_eq!((copy.fork, copy.parent, copy.stars), (true, Some(name("acme/site")), 12));
    assert_eq!(copy.created_at.unwrap().to_iso(), "2024-05-06T07:08:09.000Z");
    let renamed = host.repository(public(), &name("acme/old-shop")).await.unwrap();
    assert_eq!((renamed.full_name, renamed.private), (name("acme/shop"), true));
}

/// Private repositories are shown to their installation, and their contents only by the rights of that one repository.
async fn rights(host: &dyn CodeHost) {
    let missing = Err(HostError::NotFound("repository"));
    assert!(host.repository(public(), &name("acme/shop")).await.is_ok());
    assert_eq!(host.repository(public(), &name("octo/secret")).await, missing);
    assert_eq!(host.repository(of_shop(), &name("octo/secret")).await, missing);
    assert_eq!(host.repository(public(), &name("acme/nothing")).await, missing);
    assert!(host.tree(of_shop(), &name("acme/shop"), "main").await.is_ok());
    assert!(matches!(host.tree(public(), &name("acme/shop"), "main").await, Err(HostError::NotFound(_))));
    assert!(host.tree(public(), &name("octo/tool"), "main").await.is_ok());
    let suspended = Access::public(installation(8));
    assert_eq!(host.repository(suspended, &name("octo/tool")).await, Err(HostError::NotInstalled));
}

async fn contents(host: &dyn CodeHost) {
    let shop = name("acme/shop");
    let tree = host.tree(of_shop(), &shop, "main").await.unwrap();
    assert!(!tree.truncated);
    let file = tree.entries.iter().find(|entry| entry.path == "src/main.rs").unwrap();
    assert_eq!((file.kind, file.size), (EntryKind::File, Some(MAIN.len() as u64)));
    assert_eq!(host.blob(of_shop(), &shop, &file.id).await.unwrap(), MAIN);
    let unknown = host.blob(of_shop(), &shop, &"0".repeat(40)).await;
    assert_eq!(unknown, Err(HostError::NotFound("blob")));
    let commits = async |path: Option<&str>, most| {
        let query = CommitQuery { revision: None, path: path.map(str::to_owned) };
        let listed = host.commits(of_shop(), &shop, &query, most).await.unwrap();
        let messages: Vec<String> = listed.items.iter().map(|commit| commit.message.clone()).collect();
        (messages, listed.is_complete)
    };
    let all = ["Say what it is", "Print a line", "Begin"].map(str::to_owned);
    assert_eq!(commits(None, 10).await, (all.to_vec(), true));
    assert_eq!(commits(None, 3).await, (all.to_vec(), true));
    assert_eq!(commits(None, 2).await, (all[..2].to_vec(), false));
    assert_eq!(commits(Some("src"), 10).await, (all[1..].to_vec(), true));
    let query = CommitQuery { path: Some("README.md".to_owned()), revision: None };
    let commit = host.commits(of_shop(), &shop, &query, 1).await.unwrap().items.remove(0);
    assert_eq!((commit.author.as_deref(), commit.verified), (Some("octo"), false));
    assert_eq!(commit.committed_at.unwrap().to_iso(), "2026-03-03T00:00:00.000Z");
    let releases = host.releases(public(), &name("octo/tool"), 10).await.unwrap().items;
    let [release] = releases.as_slice() else { panic!("{releases:?}") };
    assert_eq!(
        (release.tag.as_str(), release.prerelease, release.author.as_deref()),
        ("v1.0", false, Some("octo"))
    );
}

async fn people(host: &dyn CodeHost) {
    let octo = "octo".parse().unwrap();
    let user = host.user(public(), &octo).await.unwrap();
    assert_eq!((user.id, user.kind, user.followers), (583_231, AccountKind::User, 20));
    assert_eq!(user.created_at.to_iso(), "2011-01-25T18:44:36.000Z");
    let nobody = "nobody".parse().unwrap();
    assert_eq!(host.user(public(), &nobody).await, Err(HostError::NotFound("user")));
    let events = host.events_of_user(public(), &octo, 1).await.unwrap();
    assert_eq!((events.items.len(), events.is_complete), (1, false));
    let event = &events.items[0];
    assert_eq!((event.kind.as_str(), &event.repository), ("PushEvent", &Some(name("octo/tool"))));
    let keys = host.signing_keys(public(), &octo, 10).await.unwrap();
    assert!(keys.is_complete);
    assert_eq!(keys.items.iter().map(|key| key.kind).collect::<Vec<_>>(), [KeyKind::Gpg, KeyKind::Ssh]);
    assert_eq!(host.signing_keys(public(), &nobody, 10).await, Err(HostError::NotFound("user")));
    let organizations = host.organizations_of_user(public(), &octo, 10).await.unwrap().items;
    assert_eq!(organizations.iter().map(|one| one.login.as_str()).collect::<Vec<_>>(), ["acme"]);
    let owned = host.repositories_of_user(public(), &octo, 10).await.unwrap().items;
    let owned: Vec<_> = owned.iter().map(|one| (one.full_name.to_string(), one.private)).collect();
    assert_eq!(owned, [("octo/tool".to_owned(), false)], "the private one is not shown");
}

async fn pull_requests(host: &dyn CodeHost) {
    let search = async |author: &str, repository: Option<&str>, state| {
        let query =
            PullRequestQuery { author: author.parse().unwrap(), repository: repository.map(name), state };
        let found = host.search_pull_requests(public(), &query, 10).await.unwrap();
        assert!(found.listing.is_complete && !found.is_partial);
        found
            .listing
            .items
            .iter()
            .map(|pull| (pull.repository.to_string(), pull.number, pull.state))
            .collect::<Vec<_>>()
    };
    let site = || "acme/site".to_owned();
    let both = [(site(), 4, PullRequestState::Closed), (site(), 3, PullRequestState::Merged)];
    assert_eq!(search("octo", None, None).await, both, "none of a private repository");
    assert_eq!(search("Octo", Some("acme/site"), None).await, both);
    assert_eq!(search("octo", None, Some(PullRequestState::Merged)).await, both[1..]);
    assert_eq!(search("octo", None, Some(PullRequestState::Closed)).await, both[..1]);
    assert_eq!(search("octo", None, Some(PullRequestState::Open)).await, []);
    assert_eq!(search("acme", None, None).await, []);
    let site = name("acme/site");
    let pull = host.pull_request(public(), &site, 3).await.unwrap();
    assert_eq!(
        (pull.title.as_str(), pull.author.as_deref(), pull.state),
        ("Fix it", Some("octo"), PullRequestState::Merged)
    );
    assert_eq!((pull.body.as_str(), pull.author_association.as_str()), ("Because.", "CONTRIBUTOR"));
    assert_eq!(host.pull_request(public(), &site, 6).await, Err(HostError::NotFound("pull request")));
    let files = host.pull_request_files(public(), &site, 3, 10).await.unwrap().items;
    let [file] = files.as_slice() else { panic!("{files:?}") };
    assert_eq!(
        (file.path.as_str(), file.additions, file.patch.as_deref()),
        ("index.html", 1, Some("@@ -0,0 +1 @@\n+a"))
    );
    let reviews = host.reviews(public(), &site, 3, 10).await.unwrap().items;
    let [review] = reviews.as_slice() else { panic!("{reviews:?}") };
    assert_eq!((review.reviewer.as_deref(), review.state.as_str()), (Some("acme-owner"), "APPROVED"));
}

async fn archive(host: &dyn CodeHost) -> Bytes {
    let mut archive = Vec::new();
    host.archive(of_shop(), &name("acme/shop"), "main", &mut archive, 1024 * 1024).await.unwrap();
    assert!(archive.starts_with(&[0x1f, 0x8b]), "gzip");
    let mut sink = Vec::new();
    let small = host.archive(of_shop(), &name("acme/shop"), "main", &mut sink, 10).await;
    assert_eq!(small, Err(HostError::TooLarge { most: 10 }));
    let denied = host.archive(public(), &name("acme/shop"), "main", &mut sink, 1024).await;
    assert!(matches!(denied, Err(HostError::NotFound(_))), "{denied:?}");
    archive.into()
}
